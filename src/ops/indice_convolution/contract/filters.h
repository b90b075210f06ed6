// The rules about filters that the convolutions share, and their sizes.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_CONTRACT_FILTERS_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_CONTRACT_FILTERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/rules.h"

namespace detops_harness::indice_convolution {

// K, Ci and Co, which lie on other axes in every layout. K ends at 2^63 - 1.
struct FilterSizes {
  int64_t offsets, ci, co;
};
// Of a tensor of rank 4 or 5.
FilterSizes SizesOf(const Tensor& filters, mluOpTensorLayout_t layout);
// Of the call's filters, or of their gradient, whose layout the contract profile ignores.
FilterSizes SizesOf(const Call& call);
mluOpTensorLayout_t LayoutOf(const Call& call);
const Tensor& FiltersOf(const Call& call);

// Extents of filters; those of rank 4 get the first two axes of the kernel as one.
std::vector<int64_t> FilterExtents(mluOpTensorLayout_t layout, int rank, const std::vector<int>& kernel, int64_t ci,
                                   int64_t co);

// Forward: NOT_SUPPORTED for layouts, and then for ranks, that a profile does not know.
Rules ForwardLayout();
Rules ForwardRank();
// Backward: BAD_PARAM for other ranks than 4 and 5.
Rules BackwardRank(const std::string& filters);
// BAD_PARAM unless the layout is one for the rank. `only_full`: the contract profile does not look at it.
Rules LayoutFitsRank(const std::string& filters, bool only_full);
// Fewer offsets than 2^63 - 1.
Rules OffsetsCountable(const std::string& filters);
// As many as the rulebook has.
Rules OffsetsOfRulebook(const std::string& filters);

}  // namespace detops_harness::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_CONTRACT_FILTERS_H_
