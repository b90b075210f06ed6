// What the forward convolutions, with pairs and with a rulebook, share in their checks.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_API_FORWARD_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_API_FORWARD_H_

#include "core/arg_check.h"
#include "ops/indice_convolution/problem.h"

namespace detops::indice_convolution {

struct ForwardArguments {
  TensorArg features, filters;
  TensorArg pairs = {"indice_pairs", nullptr, nullptr};  // none with a rulebook
  TensorArg out;
  TensorArg bias = {"bias", nullptr, nullptr};          // may be missing
  TensorArg residual = {"residual", nullptr, nullptr};  // may be missing
  detopsActivation_t activation = DETOPS_ACTIVATION_NONE;
  float negative_slope = 0;
};

// Groups of rules, in the order of the contract.
void CheckForwardTypes(ArgCheck& check, const ForwardArguments& args);
void CheckActivation(ArgCheck& check, const ForwardArguments& args);
void CheckForwardFilter(ArgCheck& check, const Call& call, const TensorArg& filters);      // the layout alone
void CheckForwardFilterRank(ArgCheck& check, const Call& call, const TensorArg& filters);  // and whether both fit

// Rules about bias and residual, where they are there.
void CheckFinishRanks(ArgCheck& check, const ForwardArguments& args);
void CheckFinishDense(ArgCheck& check, const ForwardArguments& args);
void CheckFinishCounts(ArgCheck& check, const ForwardArguments& args);
void CheckFinishData(ArgCheck& check, const ForwardArguments& args);
void CheckFinishSeparate(ArgCheck& check, const ForwardArguments& args);  // from the output
void CheckFinishShapes(ArgCheck& check, const ForwardArguments& args, Dim& rows, Dim& columns);

RowProductsProblem MakeForwardProblem(const ForwardArguments& args);

}  // namespace detops::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_API_FORWARD_H_
