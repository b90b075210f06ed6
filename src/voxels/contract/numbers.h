// Rules about the numbers of a grid, which callers give as arrays, and the grid of a call.
#ifndef DETOPS_VOXELS_CONTRACT_NUMBERS_H_
#define DETOPS_VOXELS_CONTRACT_NUMBERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "harness/contract.h"
#include "harness/rules.h"
#include "harness/shape.h"
#include "voxels/contract/clouds.h"

namespace detops_harness::voxels {

// Arrays have room for as many axes, so that a fault may ask for more of them.
inline constexpr size_t kMostAxes = 4;
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

// "range_min[1]"
inline std::string ElementName(const std::string& list, size_t axis) { return list + "[" + std::to_string(axis) + "]"; }

// Numbers of one axis that the call has; `adjust` makes the axis part of a call that has fewer.
using Adjust = std::function<void(Call&, size_t axis)>;
Fault ListFault(BadClass bad_class, const std::string& text, const std::string& list, size_t axis, double value,
                const Adjust& adjust, bool listed = true);

// "<list>[axis] is <value>, expected a finite number<condition> in <float or double>." Only of axes below ndim.
struct NumberRule {
  std::string list;
  std::string condition;
  // The rounded number, which is finite, is allowed.
  std::function<bool(double rounded, size_t axis, const Call&)> allowed;
  std::function<bool(const Call&)> in_double;
  Faults faults;
};
Rules Number(size_t axis, const NumberRule& rule);

// What is wrong with so many voxels of `size` on an axis, if anything.
std::optional<std::string> VoxelCount(size_t axis, double size, float count);

Rules Dimensions();
// points has a column for each axis. `without_listed`: whether the call that has none is listed.
Rules ColumnPerAxis(bool without_listed);

// range_min, voxel_size and grid, axis by axis, of a call whose good one has three. `columns` is the extent that grows
// with ndim, to so many with a fourth.
Rules AxisRules(const std::string& columns, int64_t columns_of_four);

struct Grid {
  Cells cells;
  int64_t ndim() const { return static_cast<int64_t>(cells.grid.size()); }
};

// The shape's keys grid, min and size.
Grid ReadGrid(const Shape& shape);
// ndim and the arrays. What comes after the last axis is not looked at.
void PutGrid(const Grid& grid, Call& call);
std::array<int, kMostAxes> GridOf(const Call& call);

// Fewer than 2^31 rows, in both profiles. `dim` is the extent; in the faults "C" is 0 if `alone`, so that no other
// tensor is too large.
Rules NumberedRows(const std::string& tensor, const std::string& dim, bool alone = false);

}  // namespace detops_harness::voxels

#endif  // DETOPS_VOXELS_CONTRACT_NUMBERS_H_
