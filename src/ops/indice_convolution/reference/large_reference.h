// reference/reference.h for the shapes of real networks, where that one takes minutes: the same loops with
// sums in double, nothing told about the terms, and all cores of the machine. A sum of n terms may be off by n * 1e-16
// of their magnitude.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_REFERENCE_LARGE_REFERENCE_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_REFERENCE_LARGE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "ops/indice_convolution/reference/reference.h"

namespace detops_reference {

std::vector<double> LargeConvolutionForward(const ConvolutionPairs& pairs, const FilterLayout& layout,
                                            const std::vector<double>& features, const std::vector<double>& filters,
                                            int64_t target_rows);

std::vector<double> LargeConvolutionBackwardData(const ConvolutionPairs& pairs, const FilterLayout& layout,
                                                 const std::vector<double>& output_grad,
                                                 const std::vector<double>& filters, int64_t source_rows);

std::vector<double> LargeConvolutionBackwardFilter(const ConvolutionPairs& pairs, const FilterLayout& layout,
                                                   const std::vector<double>& features,
                                                   const std::vector<double>& output_grad);

}  // namespace detops_reference

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_REFERENCE_LARGE_REFERENCE_H_
