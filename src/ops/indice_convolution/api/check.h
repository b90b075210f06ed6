// What the checks of all convolutions share.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_API_CHECK_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_API_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/arg_check.h"
#include "ops/indice_convolution/problem.h"
#include "sparse/pair_check.h"

namespace detops::indice_convolution {

// Behind the check of the handle.
bool IsFull(const Call& call);

void CheckZeroOrOne(ArgCheck& check, const char* argument, int64_t value);

// inverse is 0, or 1 in the full profile; else `status`.
void CheckInverse(ArgCheck& check, const Call& call, int64_t inverse, mluOpStatus_t status);

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

// NOT_SUPPORTED if int64 cannot number the offsets, which may be so beside an extent of 0.
void CheckOffsets(ArgCheck& check, const TensorArg& filters, const FilterMatrices& filter);

// Every count is 0 or more.
void CheckCountsNotNegative(ArgCheck& check, const int64_t* indice_num, int64_t offsets);

// A filter for as many offsets as the rulebook has.
void CheckRulebookOffsets(ArgCheck& check, const TensorArg& filters, const FilterMatrices& filter, int64_t offsets);

// The workspace pointer; then `output` shares no byte with anything, nor the workspace with an input.
void CheckBuffers(ArgCheck& check, const TensorArg& output, std::initializer_list<BufferArg> inputs, void* workspace,
                  size_t workspace_size);

// Runs a pass and ends the call.
template <class Problem>
mluOpStatus_t RunAndFinish(const Call& call, const Problem& problem, const IndicePairs& pairs, int near_side) {
  BadIndex bad;
  const RunResult result = Convolve(call, problem, pairs, near_side, &bad);
  if (result == RunResult::kDone && bad.position >= 0) return FailBadIndex(call, pairs, bad);
  return call.Finish(result);
}

}  // namespace detops::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_API_CHECK_H_
