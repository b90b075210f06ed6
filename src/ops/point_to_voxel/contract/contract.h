// The parts of point_to_voxel's contracts: detopsPointToVoxel's rules (rules.cc, table.cc) and calls (calls.cc,
// scan.cc), and all of detopsGetVoxelGrid (grid.cc).
#ifndef DETOPS_OPS_POINT_TO_VOXEL_CONTRACT_CONTRACT_H_
#define DETOPS_OPS_POINT_TO_VOXEL_CONTRACT_CONTRACT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "harness/contract.h"
#include "harness/fill.h"
#include "harness/function.h"
#include "harness/rules.h"

namespace detops_harness::point_to_voxel {

// Arrays have room for as many axes, so that a fault may ask for more of them.
inline constexpr size_t kMostAxes = 4;
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

// "range_min[1]"
inline std::string ElementName(const std::string& list, size_t axis) { return list + "[" + std::to_string(axis) + "]"; }

inline Rules Dimensions() {
  return Integer("ndim", {[](int64_t ndim, const Call&) { return ndim >= 1 && ndim <= 4; }, "1 to 4", {0, -1, 5}});
}

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

Contract PointToVoxelContract();
void AddTrials(Contract& contract);  // of detopsPointToVoxel, for the table of bad input
std::unique_ptr<Function> MakeGetVoxelGrid();

// Points around so many voxels of a grid, as a sensor sees them.
void FillScan(Tensor& points, const std::vector<int>& grid, int64_t sites, Random& random);
std::vector<BenchmarkCase> Benchmarks();

// "1x2x0.5": a number per axis, the last for all that are not named.
std::vector<double> Reals(const Shape& shape, const std::string& key, size_t count);

}  // namespace detops_harness::point_to_voxel

#endif  // DETOPS_OPS_POINT_TO_VOXEL_CONTRACT_CONTRACT_H_
