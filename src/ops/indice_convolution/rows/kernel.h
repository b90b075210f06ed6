// The vector part of the row products: plain structs in.
//
// How a call is cut, from the outside in (sizes: floats with AVX2):
//
//   target rows     |<----------- tile: some blocks, sums in the L2 cache ----------->|     a task takes tiles
//                   |  block: 256 rows  |  block: 256 rows  |  ...                    |
//
//   for each offset k: the pairs of its list whose block row lies in the tile
//
//     source rows [other_rows]           matrix of offset k (packed once per call)    sums [block_rows]
//                      depth                    columns                                  columns
//     chunk of    +---------------+      +--------+--------+--            chunk of   +--------+--------+--
//     12 to 96    | group: 6 rows |      | panel: | panel  | depth        rows       | 6 rows |        |
//     rows, in    +---------------+  x   | 2 to 4 |        | block:   =>             +--------+        |
//     L1          | group: 6 rows |      | vectors|        | 256 rows                |        |        |
//                 +---------------+      +--------+--------+--                       +--------+--------+--
//
//   microkernel-inl.h: one group times one panel; 6 rows x 2 vectors (or 3 x 4) of sums stay in registers meanwhile.
//
// Two kinds of matrix do without panels: a small one stays in registers while the pairs go by (small_matrix-inl.h), and
// with few columns lanes are channels of the source (few_columns-inl.h, few_columns_512-inl.h).
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_KERNEL_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_ROWS_KERNEL_H_

#include <cstdint>

#include "ops/indice_convolution/problem.h"
#include "ops/indice_convolution/rows/panels.h"

namespace detops::indice_convolution {

// Columns of the target that are worked on together: their sums stay in the L2 cache.
inline constexpr int64_t kColumnBlock = 256;
// Rows of a panel that are worked on together: they stay in the L1 cache.
inline constexpr int64_t kDepthBlock = 256;
// Source rows that are worked on together, panel by panel: their bytes stay in the L1 cache together with a panel.
inline constexpr int64_t kMaxRowChunk = 96;
inline int64_t RowChunk(int64_t row_bytes) {
  constexpr int64_t kBytes = 18 << 10;
  return row_bytes * 12 >= kBytes             ? 12
         : row_bytes * kMaxRowChunk <= kBytes ? kMaxRowChunk
                                              : kBytes / row_bytes / 12 * 12;
}

// A block with a repeated row (see BlockedPairs) is worked on alone, in pieces of so few pairs that at most
// kMaxRepeatedTerms numbers are added in float; the sums of the pieces are added in double.
inline constexpr int64_t kMaxRepeatedTerms = 256;

// If more numbers than this may be added to a row in float, all blocks are worked on like that.
inline constexpr int64_t kMaxFloatTerms = 768;

// Vectors of a matrix that a product of a small matrix keeps in registers: of 16, or of 32 where vectors have 64 bytes.
inline constexpr int64_t kSmallMatrixVectors = 12;
inline constexpr int64_t kMostSmallMatrixVectors = 24;

// Floats in a block of 128 bits.
inline constexpr int64_t kBlockLanes = 4;
// A product of few columns keeps up to so many vectors of sums: each has a column per block of its vectors.
inline constexpr int64_t kMaxFewColumnSets = 3;
inline constexpr int64_t kMinFewColumnRows = 16;
inline constexpr int64_t kMaxFewColumnRows = 32;
// With vectors of this many floats it has one vector of sums for four columns and a fifth; rows are whole vectors.
inline constexpr int64_t kLanesOf512 = 16;
inline constexpr int64_t kMaxFewColumns512 = 5;

inline bool HasFewColumns(const FilterMatrices& filter, int64_t lanes) {
  if (filter.rows < kMinFewColumnRows || filter.rows > kMaxFewColumnRows || lanes < kBlockLanes) return false;
  if (lanes == kLanesOf512) return filter.columns <= kMaxFewColumns512 && filter.rows % kLanesOf512 == 0;
  return filter.columns <= kMaxFewColumnSets * (lanes / kBlockLanes) && filter.rows % kBlockLanes == 0;
}

// Where the sums of a product of few columns go when their columns are brought into order.
struct OrderedRows {
  float* rows;
  int64_t stride;
  int64_t whole;  // as many rows may be written with numbers after them, up to a whole vector
};

// How the pairs of an offset are multiplied by its matrix.
enum class RowProductsAlgorithm {
  kPanels,       // groups of rows times panels
  kSmallMatrix,  // the whole matrix stays in registers while the pairs go by
  kFewColumns    // few columns: lanes along the channels of the source
};

inline RowProductsAlgorithm ChooseAlgorithm(const FilterMatrices& filter, int64_t lanes, int64_t sum_size) {
  if (sum_size == sizeof(float) && HasFewColumns(filter, lanes)) return RowProductsAlgorithm::kFewColumns;
  const int64_t vectors = PaddedColumns(filter.columns, lanes) / lanes;
  // Products of small matrices add each channel straight to the sum: where that makes sums long, more of them do not
  // pay.
  const bool more =
      lanes * sum_size >= 64 && filter.offsets <= kMaxFloatTerms && filter.offsets * filter.rows <= kMaxFloatTerms;
  const int64_t most = more ? kMostSmallMatrixVectors : kSmallMatrixVectors;
  return vectors <= 2 && filter.rows <= most / vectors ? RowProductsAlgorithm::kSmallMatrix
                                                       : RowProductsAlgorithm::kPanels;
}

// Blocks [first, last) of target rows.
struct RowProductsTile {
  const RowProductsProblem* problem;
  RowProductsAlgorithm algorithm;
  const BlockedPairs* lists;
  const void* panels;  // [lists][rows * PaddedColumns], as `pack` has left them
  int64_t first;
  int64_t last;
  void* sums;           // room for (last - first) * kBlockRows rows of padded columns, kColumnBlock at most
  double* double_sums;  // nullptr, or for a block with a repeated row: room for as many sums
  const void*
      source_as_sums;  // the source in the type of the sums; nullptr if that is not its own and it was not converted
  void* row_buffer;    // then: room for kMaxRowChunk * kDepthBlock elements of source rows
};

struct RowProductsKernels {
  int64_t lanes;
  int64_t sum_size;  // bytes of a sum
  bool converts;     // the tensors' type is not that of the sums

  // The matrix of one offset as its algorithm needs it: rows * PaddedColumns numbers, perhaps not all used.
  void (*pack)(const FilterMatrices& filter, const void* filters, int64_t offset, void* panels);

  void (*multiply_tile)(const RowProductsTile& tile);

  // Elements [begin, end) of a tensor in the type of the sums, at the same places.
  void (*convert)(const void* tensor, int64_t begin, int64_t end, void* numbers);
};

// The present SIMD target's; ask once per call.
RowProductsKernels ChooseRowProductsKernels(mluOpDataType_t type, const FilterMatrices& filter);

}  // namespace detops::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_ROWS_KERNEL_H_
