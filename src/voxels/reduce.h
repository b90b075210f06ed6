// Reductions of lists of rows: the vector part. A list is the points of a voxel, or the members of a group.
#ifndef DETOPS_VOXELS_REDUCE_H_
#define DETOPS_VOXELS_REDUCE_H_

#include <cstdint>

#include "mlu_op/types.h"

namespace detops::voxels {

// Rows of the source, ascending.
struct PointList {
  const int32_t* points;
  int64_t count;
};

// Numbers of rows, int32 or int64; nullptr: none.
struct Winners {
  void* data = nullptr;
  bool wide = false;
};
struct GivenWinners {
  const void* data = nullptr;
  bool wide = false;
};

// Rows of results that follow each other, and their lists. The row of an empty list becomes zero; that of a maximum
// `no_maximum`, which a column also gets where no number was above -inf.
struct ReduceRows {
  const void* features;  // [N, C]
  int64_t feature_rows, columns;
  const PointList* lists;
  int64_t count;
  void* out;  // [count, C]
  double no_maximum = 0;
  // Of a maximum: the rows of the source that have it first; nullptr: not wanted.
  Winners winners{};  // [count, C]
  int64_t no_winner = -1;
};

// The gradient of a maximum whose winners are not known: the first point of the list whose number equals the maximum,
// nobody if that is NaN or -inf.
// Every row of every list is written.
struct MaximumGradient {
  const void* features;  // [N, C]
  int64_t feature_rows, columns;
  const PointList* lists;
  int64_t count;
  const void* maximum;      // [count, C]
  const void* output_grad;  // [count, C]
  void* grad;               // [N, C]
};

// Rows of a gradient that follow each other, and for each the row of the result that it was part of, -1 for none:
// that row's gradient: divided, for a mean, or only where the row itself won, if there are winners.
struct GatherGradient {
  const void* output_grad;  // [V, C]
  int64_t columns;
  const int64_t* from;  // [count]
  int64_t first, count;
  void* grad;                         // [count, C]
  const int32_t* divisors = nullptr;  // [count], above 0
  GivenWinners winners{};             // [V, C]
};

struct ReduceKernels {
  void (*forward)(const ReduceRows& rows);
  void (*maximum_gradient)(const MaximumGradient& rows);
  void (*gather)(const GatherGradient& rows);
};

// Those for a tensor type, of the SIMD target in use. A call asks once, at its start.
ReduceKernels ChooseReduceKernels(mluOpDataType_t type, mluOpReduceMode_t mode);

}  // namespace detops::voxels

#endif  // DETOPS_VOXELS_REDUCE_H_
