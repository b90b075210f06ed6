// The vector part of the row products: plain structs in.
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
// Source rows that are worked on together, panel by panel: their bytes stay in the L1 cache beside a panel.
inline constexpr int64_t kMaxRowChunk = 96;
inline int64_t RowChunk(int64_t row_bytes) {
  constexpr int64_t kBytes = 18 << 10;
  return row_bytes * 12 >= kBytes             ? 12
         : row_bytes * kMaxRowChunk <= kBytes ? kMaxRowChunk
                                              : kBytes / row_bytes / 12 * 12;
}

// A crowded block (see PairLists) is worked on alone, in pieces of so few pairs that at most kCrowdedTerms numbers are
// added in float; the sums of the pieces are added in double.
inline constexpr int64_t kCrowdedTerms = 256;

// If more numbers than this may be added to a row in float, all blocks are worked on in that way.
inline constexpr int64_t kMaxFloatTerms = 768;

// Vectors of a matrix that a thin product keeps in registers: of 16, or of 32 where vectors have 64 bytes.
inline constexpr int64_t kThinVectors = 12;
inline constexpr int64_t kMostThinVectors = 24;

// Floats in a block of 128 bits.
inline constexpr int64_t kBlockLanes = 4;
// A narrow product keeps up to so many vectors of sums: each has a column per block of its vectors.
inline constexpr int64_t kMaxNarrowSets = 3;
inline constexpr int64_t kMinNarrowRows = 16;
inline constexpr int64_t kMaxNarrowRows = 32;
// With vectors of this many floats it has one vector of sums for four columns and a fifth; rows are whole vectors.
inline constexpr int64_t kWideNarrowLanes = 16;
inline constexpr int64_t kWideNarrowColumns = 5;

inline bool IsNarrow(const FilterMatrices& filter, int64_t lanes) {
  if (filter.rows < kMinNarrowRows || filter.rows > kMaxNarrowRows || lanes < kBlockLanes) return false;
  if (lanes == kWideNarrowLanes) return filter.columns <= kWideNarrowColumns && filter.rows % kWideNarrowLanes == 0;
  return filter.columns <= kMaxNarrowSets * (lanes / kBlockLanes) && filter.rows % kBlockLanes == 0;
}

// Where the sums of a narrow product go when their columns are brought into order.
struct OrderedRows {
  float* rows;
  int64_t stride;
  int64_t whole;  // as many rows may be written with numbers behind them, up to a whole vector
};

// How the pairs of an offset are multiplied by its matrix.
enum class RowProductsWay {
  kPanels,  // groups of rows times panels
  kThin,    // the whole matrix stays in registers while the pairs go by
  kNarrow   // few columns: lanes along the channels of the source
};

inline RowProductsWay WayOf(const FilterMatrices& filter, int64_t lanes, int64_t sum_size) {
  if (sum_size == sizeof(float) && IsNarrow(filter, lanes)) return RowProductsWay::kNarrow;
  const int64_t vectors = PaddedColumns(filter.columns, lanes) / lanes;
  // Thin products add each channel straight to the sum: where that makes sums long, more of them do not pay.
  const bool more =
      lanes * sum_size >= 64 && filter.offsets <= kMaxFloatTerms && filter.offsets * filter.rows <= kMaxFloatTerms;
  const int64_t most = more ? kMostThinVectors : kThinVectors;
  return vectors <= 2 && filter.rows <= most / vectors ? RowProductsWay::kThin : RowProductsWay::kPanels;
}

// Blocks [first, last) of target rows.
struct RowProductsTile {
  const RowProductsProblem* problem;
  RowProductsWay way;
  const PairLists* lists;
  const void* panels;  // [lists][rows * PaddedColumns], as `pack` has left them
  int64_t first;
  int64_t last;
  void* sums;           // room for (last - first) * kBlockRows rows of padded columns, kColumnBlock at most
  double* exact;        // nullptr, or for a crowded block: room for as many sums
  const void* numbers;  // the source in the type of the sums; nullptr if that is not its own and it was not converted
  void* converted;      // then: room for kMaxRowChunk * kDepthBlock elements of source rows
};

struct RowProductsKernels {
  int64_t lanes;
  int64_t sum_size;  // bytes of a sum
  bool converts;     // the tensors' type is not that of the sums

  // The matrix of one offset as its way needs it: rows * PaddedColumns numbers, perhaps not all used.
  void (*pack)(const FilterMatrices& filter, const void* filters, int64_t offset, void* panels);

  void (*multiply_tile)(const RowProductsTile& tile);

  // Elements [begin, end) of a tensor in the type of the sums, at the same places.
  void (*convert)(const void* tensor, int64_t begin, int64_t end, void* numbers);
};

// The present SIMD target's; ask once per call.
RowProductsKernels ChooseRowProductsKernels(mluOpDataType_t type, const FilterMatrices& filter);

}  // namespace detops::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_ROWS_KERNEL_H_
