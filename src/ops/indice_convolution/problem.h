// Sparse convolution: what the passes work on after all checks.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_PROBLEM_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "detops/indice_convolution.h"
#include "mlu_op/types.h"
#include "sparse/pair_lists.h"

namespace detops::indice_convolution {

// The filter of every offset as a matrix: element (row, column) of offset k is at
// k * offset_stride + row * row_stride + column * column_stride. Forward: rows are input channels.
struct FilterMatrices {
  int64_t offsets;
  int64_t rows;
  int64_t columns;
  int64_t offset_stride;
  int64_t row_stride;
  int64_t column_stride;

  FilterMatrices Transposed() const { return {offsets, columns, rows, offset_stride, column_stride, row_stride}; }
};

// What happens to a sum before it is rounded and stored.
struct Epilogue {
  const void* bias = nullptr;      // [width] of the tensors' type, or none
  const void* residual = nullptr;  // [target rows, width] of the tensors' type, or none
  detopsActivation_t activation = DETOPS_ACTIVATION_NONE;
  float negative_slope = 0;
};

// Whether vectors of 512 bits pay: if a row of the matrix fills one of floats.
inline bool GainsByAvx512(const FilterMatrices& filter) { return filter.columns >= 16; }

// Whether rows of half or bfloat16 are converted once per call, all of them, instead of pair by pair: that pays where
// products are short and rows are used several times. It takes memory, which is bounded.
inline bool ConvertsWholeTensors(const FilterMatrices& filter, int64_t rows, int64_t pairs) {
  constexpr int64_t kMostChannels = 32;
  constexpr int64_t kMostNumbers = 16 << 20;  // 64 MiB
  const int64_t channels = filter.rows > filter.columns ? filter.rows : filter.columns;
  return channels <= kMostChannels && rows <= kMostNumbers / kMostChannels && pairs / 2 >= rows;
}

// `convert` as in the kernels. False if the caller's runner failed.
template <typename Convert>
[[nodiscard]] bool ConvertWhole(const Parallel& parallel, const Convert& convert, const void* tensor, int64_t elements,
                                void* numbers) {
  return parallel.RunItems(elements, 64 << 10, [&](Range range) { convert(tensor, range.begin, range.end, numbers); });
}

// target[block row] = the sum over all pairs of source[other row] * filter matrix, then the epilogue. Forward, backward
// data and the inverse of both are this with other sides and another matrix.
struct RowProductsProblem {
  mluOpDataType_t type;
  FilterMatrices filter;  // rows: channels of the source; columns: channels of the target
  const void* source;
  int64_t source_rows;
  const void* filters;
  void* target;
  int64_t target_rows;
  Epilogue epilogue;
};

// filter matrix of offset k = the sum over its pairs of left row (as a column) times right row. The gradient of the
// filters.
struct FilterGradientProblem {
  mluOpDataType_t type;
  FilterMatrices filter;  // rows: channels of the left; columns: channels of the right
  const void* left;
  int64_t left_rows;
  const void* right;
  int64_t right_rows;
  bool left_is_other;  // which side of the lists the left rows are
  void* filters;
};

// What a pass adds up: pairs as the caller gives them, or the lists of a rulebook.
struct ConvolutionPairs {
  IndicePairs given = {};
  const BlockedPairs* by_side = nullptr;  // of a rulebook, by the side that blocks are made of; then nothing is given
  bool empty = false;                     // do without its pairs, as a tensor has no elements
};

// Runs a pass with the handle's threads and scratch memory and ends the call. `block_side` is the column of the pairs
// whose rows are the target (for outer products any, the same for all calls with these pairs). Nothing is written if an
// index is not a row.
mluOpStatus_t RunConvolution(const Call& call, const RowProductsProblem& problem, const ConvolutionPairs& pairs,
                             int block_side);
mluOpStatus_t RunConvolution(const Call& call, const FilterGradientProblem& problem, const ConvolutionPairs& pairs,
                             int block_side);

// Says which algorithm a pass has chosen.
struct PassText {
  char text[160];
};

}  // namespace detops::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_PROBLEM_H_
