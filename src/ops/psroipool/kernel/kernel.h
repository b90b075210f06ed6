// The vector part: regrouping channels, sums over the pixels of bins and their reverse.
//
// A plane holds, for every pixel of an image or of some of its rows, some neighbouring output channels of one bin:
// [H, W, stride], stride being the channels in whole vectors, or, if they are fewer than a vector has, a power of two.
// Forward, numbers have the type of the map; backward they are float, or double.
#ifndef DETOPS_OPS_PSROIPOOL_KERNEL_KERNEL_H_
#define DETOPS_OPS_PSROIPOOL_KERNEL_KERNEL_H_

#include <cstdint>

#include "core/long_sum.h"
#include "mlu_op/types.h"
#include "ops/psroipool/geometry/geometry.h"

namespace detops::psroipool {

// target[column * target_stride + row] = source[row * source_stride + column].
struct Transposition {
  const void* source;
  void* target;
  int64_t rows, columns;
  int64_t source_stride, target_stride;
  int64_t padded_rows;  // zeros from `rows` on; `rows`, or a multiple of 4
};

// A plane has at most so many vectors of channels.
inline constexpr int64_t kMaxVectors = 4;

// Neighbouring bins of some rois, with a plane for each bin. All bins of a roi come before the next roi: their sizes
// hardly differ, so the processor foresees them.
struct RoiBins {
  int64_t first_bin, bins;
  int64_t pooled_width;
  int64_t plane_stride;  // from the plane of a bin to that of the next
  int64_t row_stride;
  uint32_t row_mask;  // row y of the map is row y & row_mask of a plane
  const BinSpan* ys;  // [pooled height], span_stride apart: of the first roi; the next ones follow
  const BinSpan* xs;  // [pooled width], likewise
  int64_t span_stride;
  int64_t count;           // of rois
  const uint32_t* chosen;  // which of those that follow the first one; nullptr: 0, 1, ...
  const int64_t* rows;     // the pooled tensor's row of a roi; nullptr: 0, 1, ...
  int64_t pooled_row_stride, pooled_bin_stride;
  int64_t channels;
};

// The means over the bins, stored in the pooled tensor.
struct BinSums {
  RoiBins bins;
  const void* planes;
  void* target;
  bool in_order;  // one running sum, however long
};

// Adds the numbers of the pooled tensor, divided by the pixels of the bin, to all of its pixels in the rows
// [row_begin, row_end) of the map, roi after roi.
struct BinAdditions {
  RoiBins bins;
  void* planes;
  uint32_t row_begin, row_end;
  const void* source;
};

// target[i] = pattern[(first + i) % period], past the caches if there are many. pattern has 16 more numbers after its
// period, the first ones again.
struct PatternFill {
  const int32_t* pattern;
  int64_t period;
  int64_t first;
  int32_t* target;
  int64_t count;
  bool stream;
};

struct PsRoiPoolKernels {
  int64_t (*lanes)(mluOpDataType_t type);
  // From a tensor type to itself.
  void (*transpose)(mluOpDataType_t type, const Transposition& transposition);
  // From a tensor type to float, or double for double.
  void (*transpose_in)(mluOpDataType_t type, const Transposition& transposition);
  // Back. `in_double`: the plane is double whatever the type.
  void (*transpose_out)(mluOpDataType_t type, const Transposition& transposition, bool in_double);
  // `type` is that of the plane, and of the target unless it is `as_accumulator`: float, or double for double.
  void (*sum_bins)(mluOpDataType_t type, const BinSums& sums, bool as_accumulator);
  // `type` is that of the source; `in_double` as above.
  void (*add_bins)(mluOpDataType_t type, const BinAdditions& additions, bool in_double);
  void (*fill_pattern)(const PatternFill& fill);
  // Past the caches; whole cache lines at their boundaries. flush_stores ends it.
  void (*stream_copy)(const void* source, void* target, int64_t bytes);
  void (*flush_stores)();
};

// Those of the SIMD target in use. A call asks once, at its start.
PsRoiPoolKernels ChoosePsRoiPoolKernels();

}  // namespace detops::psroipool

#endif  // DETOPS_OPS_PSROIPOOL_KERNEL_KERNEL_H_
