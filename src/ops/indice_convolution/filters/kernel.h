// The vector part of the filter's gradient: plain structs in.
//
// How a call is cut, from the outside in:
//
//   blocks of the input side |<-- segment 0 -->|<-- segment 1 -->| ... |    a matrix of sums per offset and segment;
//                            |  batch  | batch |  batch  | batch |          they are added in order at the end
//   lists (one per offset)   |<- group of lists ->|<- group of lists ->|    a task is one segment x one group of lists
//
//   for each batch of blocks, for each list of the group: its pairs, a chunk of 64 to 256 at a time
//
//     left rows of the chunk, as columns         right rows of the chunk              sums of the offset
//       pairs ->                                   columns ->                           columns ->
//     +---------------------------+              +--------+--------+  pairs           +--------+--------+
//     | group: up to 6 channels   |      x       | panel: | panel  |    |      +=     | 6 rows | 6 rows |
//     +---------------------------+              | 2 to 4 |        |    v             +--------+--------+
//     | group: up to 6 channels   |              | vectors|        |                  | 6 rows | 6 rows |
//     +---------------------------+              +--------+--------+                  +--------+--------+
//
//   microkernel-inl.h: one group times one panel; the 6 x 2 vectors of sums stay in registers along the pairs.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_FILTERS_KERNEL_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_FILTERS_KERNEL_H_

#include <cstdint>

#include "core/checked_math.h"
#include "ops/indice_convolution/problem.h"
#include "ops/indice_convolution/rows/panels.h"

namespace detops::indice_convolution {

// Pairs that are worked on together: their right rows stay in the L1 cache panel by panel, their left rows in the L2.
inline constexpr int64_t kCopiedChunk = 128;

// Pairs whose products are summed up in registers before they are added to the matrix, where rows are not copied.
inline constexpr int64_t kInPlaceChunk = 256;
inline constexpr int64_t kInPlaceChunkOfMany = 64;  // of many channels: the rows stay in the L1 cache

inline bool HasFewChannels(const FilterMatrices& filter) {
  constexpr int64_t kFewChannels = 32;
  return filter.columns <= kFewChannels && filter.rows <= kFewChannels;
}

// True if the rows are read where they are. Rows of few channels lie close together, and copies would cost more than
// they bring. With vectors of 64 bytes that holds for all: they do so much with each number of a row that its address
// costs nothing. Rows must be whole vectors, as nothing after a row is read.
inline bool ReadsRowsInPlace(const FilterMatrices& filter, int64_t lanes, int64_t sum_size, bool converts) {
  return !converts && filter.columns % lanes == 0 && (HasFewChannels(filter) || lanes * sum_size >= 64);
}

// Adds the products of the pairs of blocks [first, last) under one offset.
struct FilterGradientPart {
  const FilterGradientProblem* problem;
  const PairList* list;
  const PairList* next;  // whose pairs come next, or nullptr
  int64_t first;
  int64_t last;
  void* sums;     // the offset's matrix as panels
  int64_t chunk;  // pairs that are copied together, at most kCopiedChunk; not used in place
  void* left;     // room for their rows, see PackedLeftNumbers
  void* right;    // see PackedRightNumbers
};

using AddPartProducts = void (*)(const FilterGradientPart& part);

// A row that is converted before it is packed, and the groups.
inline int64_t PackedLeftNumbers(int64_t channels, int64_t chunk, int64_t lanes, int64_t number_size) {
  const int64_t groups = DivideRoundUp(channels, kPackedChannels);
  return SaturatingAdd(PaddedColumns(channels, lanes) + kPackedSlot,
                       SaturatingMultiply(groups, PackedDistance(chunk, kPackedSlot, number_size)));
}

inline int64_t PackedRightNumbers(int64_t channels, int64_t chunk, int64_t lanes, int64_t number_size) {
  const int64_t most_panels = PaddedColumns(channels, lanes) / lanes;
  return SaturatingMultiply(most_panels, PackedDistance(chunk, lanes, number_size));
}

struct FilterGradientKernels {
  int64_t lanes;
  int64_t sum_size;  // bytes of a sum
  bool converts;     // the tensors' type is not that of the sums

  AddPartProducts add_products;  // copies rows
  // The same for tensors that have been converted.
  AddPartProducts add_products_of_numbers;
  // See ReadsRowsInPlace.
  AddPartProducts add_products_in_place;

  // Elements [begin, end) of a tensor in the type of the sums, at the same places.
  void (*convert)(const void* tensor, int64_t begin, int64_t end, void* numbers);

  // Adds up `parts` matrices that are `distance` bytes apart, in this order, and stores rows [begin, end) of the result
  // as the filter of an offset. No parts: zeros.
  void (*store)(const FilterMatrices& filter, const void* sums, int64_t distance, int64_t parts, int64_t offset,
                int64_t begin, int64_t end, void* filters);
};

// The present SIMD target's; ask once per call.
FilterGradientKernels ChooseFilterGradientKernels(mluOpDataType_t type, const FilterMatrices& filter);

}  // namespace detops::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_FILTERS_KERNEL_H_
