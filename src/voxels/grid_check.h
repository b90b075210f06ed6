// Checks of the numbers that describe a grid, which callers give as arrays.
#ifndef DETOPS_VOXELS_GRID_CHECK_H_
#define DETOPS_VOXELS_GRID_CHECK_H_

#include <cmath>

#include "core/arg_check.h"
#include "voxels/geometry.h"

namespace detops::voxels {

// A number of an array argument.
struct Element {
  const char* array;
  int index;
  double value;
};

inline void CheckDims(ArgCheck& check, int ndim) {
  check.Integer("ndim", ndim, ndim >= 1 && ndim <= kMaxVoxelDims, "1 to 4");
}

// The type in which is decided.
struct Arithmetic {
  bool in_double;
  double Round(double value) const { return in_double ? value : static_cast<double>(static_cast<float>(value)); }
  bool Finite(double value) const { return std::isfinite(Round(value)); }
  const char* Name() const { return in_double ? "double" : "float"; }
};

// "voxel_size[1] is <value>, expected a finite number<condition> in <float or double>." Numbers become text only for a
// sentence: it costs more than all other checks.
inline void CheckElement(ArgCheck& check, const Element& element, bool valid, const char* condition,
                         const Arithmetic& arithmetic) {
  if (check.failed() || valid) return;
  check.Rule(false, MLUOP_STATUS_BAD_PARAM, "%s[%d] is %s, expected a finite number%s in %s.", element.array,
             element.index, NumberText(element.value).text, condition, arithmetic.Name());
}

inline void CheckRangeMin(ArgCheck& check, int axis, double range_min, const Arithmetic& arithmetic) {
  CheckElement(check, {"range_min", axis, range_min}, arithmetic.Finite(range_min), "", arithmetic);
}

inline void CheckVoxelSize(ArgCheck& check, int axis, double size, const Arithmetic& arithmetic) {
  CheckElement(check, {"voxel_size", axis, size}, arithmetic.Finite(size) && arithmetic.Round(size) > 0, " above 0",
               arithmetic);
}

// How many voxels of `size` a range has on an axis, in float.
inline void CheckVoxelCount(ArgCheck& check, int axis, double size, float count) {
  if (check.failed() || IsVoxelCount(count)) return;
  check.Rule(false, MLUOP_STATUS_BAD_PARAM,
             "voxel_size[%d] is %s, which makes %s voxels of the range, expected at least 1 and fewer than 2147483648.",
             axis, NumberText(size).text, NumberText(count).text);
}

// Axis by axis, in the type in which is decided.
inline void CheckAxes(ArgCheck& check, int ndim, const double* range_min, const double* voxel_size, const int* grid,
                      const Arithmetic& arithmetic) {
  for (int axis = 0; axis < ndim && !check.failed(); ++axis) {
    CheckRangeMin(check, axis, range_min[axis], arithmetic);
    CheckVoxelSize(check, axis, voxel_size[axis], arithmetic);
    check.Rule(grid[axis] > 0, MLUOP_STATUS_BAD_PARAM, "grid[%d] is %d, expected a number above 0.", axis, grid[axis]);
  }
}

inline VoxelGrid MakeGrid(int ndim, const double* range_min, const double* voxel_size, const int* grid) {
  VoxelGrid made = {};
  made.dims = ndim;
  for (int axis = 0; axis < ndim; ++axis) {
    made.range_min[axis] = range_min[axis];
    made.voxel_size[axis] = voxel_size[axis];
    made.extent[axis] = grid[axis];
  }
  return made;
}

}  // namespace detops::voxels

#endif  // DETOPS_VOXELS_GRID_CHECK_H_
