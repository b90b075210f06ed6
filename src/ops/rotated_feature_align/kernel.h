// The vector part: sums of weighted rows.
#ifndef DETOPS_OPS_ROTATED_FEATURE_ALIGN_KERNEL_H_
#define DETOPS_OPS_ROTATED_FEATURE_ALIGN_KERNEL_H_

#include <cstdint>

#include "mlu_op/types.h"

namespace detops::rotated_feature_align {

// One term of a sum: a row of the source and its weight. Real is float, or double for double tensors.
template <typename Real>
struct Tap {
  uint32_t row;
  Real weight;
};

// Target rows r in [0, row_count): target[r] = self[r] + sum over i in [ends[r - 1], ends[r]) of
// taps[i].weight * source[taps[i].row], for the channels [channel_begin, channel_end). Terms are added in that order,
// in float (double for double) and rounded once; pieces of very long sums are added in double. So a result's bits
// depend on nothing but the terms and the SIMD target.
struct RowSums {
  mluOpDataType_t type;
  int64_t channels;  // elements of one row
  int64_t channel_begin, channel_end;
  const void* source;
  const void* self;  // source row that belongs to target row 0
  void* target;
  int64_t row_count;
  uint32_t begin;        // ends[-1]
  const uint32_t* ends;  // one per row
  const void* taps;      // Tap<float>, or Tap<double> for double tensors
  bool stream;           // write past the caches; only if CanStream and all channels are asked for
};

// Whether target rows are whole cache lines, and so many that they would push the source out of the caches.
bool CanStream(const void* target, int64_t row_bytes, int64_t rows);

// The kernel of the SIMD target in use. A call asks once, at its start, and stays with the answer, so that a change of
// the target never reaches into a running call.
using RowSumsKernel = void (*)(const RowSums& sums);
RowSumsKernel ChooseRowSumsKernel();

}  // namespace detops::rotated_feature_align

#endif  // DETOPS_OPS_ROTATED_FEATURE_ALIGN_KERNEL_H_
