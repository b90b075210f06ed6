// What the entry points of all convolutions share: the pairs, the filter, and the rules about both.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_API_ARGUMENTS_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_API_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/arg_check.h"
#include "ops/indice_convolution/problem.h"
#include "sparse/pair_check.h"

namespace detops::indice_convolution {

// The caller's pairs, or a rulebook, and how the convolution uses them.
struct ConvolutionArguments : PairsArguments {
  int64_t inverse = 0;
  int64_t sub_m = 0;
  void* workspace = nullptr;
  size_t workspace_size = 0;

  bool inverted() const { return inverse == 1; }
};

void CheckZeroOrOne(ArgCheck& check, const char* argument, int64_t value);

// inverse is 0, or 1 in the full profile; else `status`.
void CheckInverse(ArgCheck& check, int64_t inverse, mluOpStatus_t status);

// One of the layouts of filters, whatever the rank.
bool IsFilterLayout(mluOpTensorLayout_t layout);

// One for filters of this rank, 4 or 5.
bool FilterLayoutFits(mluOpTensorLayout_t layout, int rank);

// Rank 4 or 5 and a layout that fits; else BAD_PARAM.
void CheckFilterRank(ArgCheck& check, const TensorArg& filters);
void CheckFilterLayout(ArgCheck& check, const TensorArg& filters);

// Rows are input channels, columns output channels. The rank is 4 or 5 and the layout fits.
FilterMatrices FilterMatricesOf(const mluOpTensorStruct& filters);

// The same with the axes in the order that `layout` says, whatever the descriptor's is.
FilterMatrices FilterMatricesOf(const mluOpTensorStruct& filters, mluOpTensorLayout_t layout);

// int64 can number the offsets, else NOT_SUPPORTED (an extent of 0 elsewhere may hide how many they are); and they are
// as many as a rulebook has.
void CheckOffsets(ArgCheck& check, const TensorArg& filters, const FilterMatrices& filter, const PairsArguments& pairs);

// Every count is 0 or more.
void CheckCountsNotNegative(ArgCheck& check, const int64_t* indice_num, int64_t offsets);

// The workspace pointer; then `output` shares no byte with anything, nor the workspace with an input.
void CheckBuffers(ArgCheck& check, const TensorArg& output, const TensorArg& first, const TensorArg& second,
                  const ConvolutionArguments& pairs);

// `empty`: a tensor has no elements, and so no pair counts.
ConvolutionPairs MakePairs(const ConvolutionArguments& pairs, bool empty, int64_t input_rows, int64_t output_rows);

}  // namespace detops::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_API_ARGUMENTS_H_
