// The vector part of regular and transposed convolutions: the walk through all pairs, sites counted in 32 bits.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_REGULAR_KERNEL_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_REGULAR_KERNEL_H_

#include <cstdint>

#include "sparse/sparse_convolution.h"

namespace detops::get_indice_pairs {

// Input sites that are worked on together; what belongs to them stays in the first-level cache.
inline constexpr int kBlockSites = 256;

// Numbers after those of a block that may be read, because ranges end in the middle of vectors.
inline constexpr int kBlockMargin = 16;

// A set of sites as bits, and how many are set before each word.
struct SiteBits {
  uint64_t* words;
  int32_t* ranks;
};

// The regular convolution in 32-bit numbers, for coordinates below 2^24 and fewer than 2^32 sites; site numbers have no
// sign and may wrap around on the way. With u = input + pad on an axis and u = quotient * stride + remainder, an offset
// reaches the output coordinate quotient - step if the remainder is that of the offset. So an offset concerns only the
// inputs of one class, the combination of remainders on all axes. Transposed: u = input * stride - pad is taken as the
// quotient, and there is one class.
struct RegularAxis {
  int output, pad, stride;
  uint32_t pitch;  // sites between neighbours on this axis
};

struct RegularOffset {
  int32_t class_id;
  int32_t steps[kMaxSpatialDims];
  int32_t site_step;  // what the steps make of the site number
};

struct RegularGeometry {
  static constexpr int kMaxClasses = 512;

  int dims;
  bool transposed;
  uint32_t batch_pitch;
  RegularAxis axes[kMaxSpatialDims];
  int classes;  // the product of the strides; 1 if transposed
  int offset_count;
  const RegularOffset* offsets;
  const int32_t* indices;  // [L, dims + 1]
};

// Numbers that a block of kBlockSites inputs, sorted by class, takes: index, site number and quotients of each, and the
// ends of the classes.
inline int64_t RegularBlockNumbers(const RegularGeometry& geometry) {
  return int64_t{geometry.dims + 2} * (kBlockSites + kBlockMargin) + geometry.classes;
}

// Sorts the inputs [begin, end) by class into `blocks`, marks all sites that they reach and adds the number of pairs of
// each offset to `counts`. With `shared` other threads may mark in the same words.
using MarkReachedKernel = void (*)(const RegularGeometry& geometry, int64_t begin, int64_t end, int32_t* blocks,
                                   uint64_t* words, bool shared, int32_t* counts);

// Appends the pairs of `count` blocks, the output index being the site's rank: to heads[offset], which moves on and
// ends at ends[offset].
using AppendReachedKernel = void (*)(const RegularGeometry& geometry, int64_t count, const int32_t* blocks,
                                     const SiteBits& bits, int32_t** heads, int32_t* const* ends, int64_t row_length);

// The present SIMD target's.
MarkReachedKernel ChooseMarkReached();
AppendReachedKernel ChooseAppendReached();

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_REGULAR_KERNEL_H_
