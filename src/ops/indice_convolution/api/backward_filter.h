// What the filter's gradients, with pairs and with a rulebook, share.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_API_BACKWARD_FILTER_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_API_BACKWARD_FILTER_H_

#include "core/arg_check.h"
#include "ops/indice_convolution/problem.h"

namespace detops::indice_convolution {

// The types a caller has asked the accelerator to compute in must not be narrower than the tensors'.
void CheckOnchipTypes(ArgCheck& check, const Call& call, const TensorArg& features, const TensorArg& output_grad,
                      const TensorArg& filters_grad);

// `filter` says where filters_grad has its matrices.
OuterProductsProblem MakeFilterProblem(const TensorArg& features, const TensorArg& output_grad,
                                       const TensorArg& filters_grad, const FilterMatrices& filter, bool inverse);

}  // namespace detops::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_API_BACKWARD_FILTER_H_
