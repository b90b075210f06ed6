// Checks that the gradients of functions on pairs of boxes share.
#ifndef DETOPS_BOXES_GRADIENT_CHECK_H_
#define DETOPS_BOXES_GRADIENT_CHECK_H_

#include <cstring>

#include "boxes/gradient/gradient.h"
#include "core/arg_check.h"
#include "core/context.h"

namespace detops::boxes {

// The tensors of a call. A gradient that is not asked for is left out.
struct GradientArgs {
  TensorArg first, second, grad;
  OutputArg first_grad, second_grad;
  bool aligned;
};

// From the handle to the shapes. Boxes have so many numbers.
inline ArgCheck& GradientForms(ArgCheck& check, const GradientArgs& args, int64_t numbers) {
  const auto& [first, second, grad, first_grad, second_grad, aligned] = args;
  Dim N("N"), M("M");
  check.Handle().Descriptor({first, second, grad});
  check.AnyFloatingType(first).SameType(second, first).SameType(grad, first);
  check.SameType(first_grad, first).SameType(second_grad, first);
  check.Rank(first, 2).Rank(second, 2).Rank(grad, aligned ? 1 : 2).Rank(first_grad, 2).Rank(second_grad, 2);
  Dim& rows = aligned ? N : M;
  check.Shape(first, {N, numbers}).Shape(second, {rows, numbers});
  if (aligned) {
    check.Shape(grad, {N});
  } else {
    check.Shape(grad, {N, M});
  }
  return check.Shape(first_grad, {N, numbers}).Shape(second_grad, {rows, numbers});
}

// The rest of the checks.
inline ArgCheck& GradientSizes(ArgCheck& check, const GradientArgs& args) {
  const auto& [first, second, grad, first_grad, second_grad, aligned] = args;
  return check.Dense({first, second, grad, first_grad, second_grad})
      .CountLimit({first, second, grad, first_grad, second_grad});
}
inline ArgCheck& GradientData(ArgCheck& check, const GradientArgs& args) {
  const auto& [first, second, grad, first_grad, second_grad, aligned] = args;
  return check.Data({first, second, grad, first_grad, second_grad})
      .Separate(first_grad, {first, second, grad, second_grad})
      .Separate(second_grad, {first, second, grad})
      .Finite(first)
      .Finite(second);
}

// What is asked: the rest of a problem.
struct GradientQuestion {
  PairValue value;
  RowFormat format;
  bool spatial, z_is_bottom;
};

// After GradientForms and what else there is to check.
inline mluOpStatus_t CheckAndRunGradients(const Call& call, ArgCheck& check, const GradientArgs& args,
                                          const GradientQuestion& question) {
  if (GradientSizes(check, args).failed()) return check.status();
  if (AnyEmpty({args.grad})) {
    for (const OutputArg* output : {&args.first_grad, &args.second_grad}) {
      if (output->target != nullptr) std::memset(output->target, 0, static_cast<size_t>(output->desc->byte_count()));
    }
    return call.Succeed();
  }
  if (GradientData(check, args).failed()) return check.status();
  const GradientProblem problem = {.value = question.value,
                                   .format = question.format,
                                   .spatial = question.spatial,
                                   .z_is_bottom = question.z_is_bottom,
                                   .type = args.first.desc->type,
                                   .aligned = args.aligned,
                                   .first_count = args.first.desc->extent(0),
                                   .second_count = args.second.desc->extent(0),
                                   .first = args.first.data,
                                   .second = args.second.data,
                                   .grad = args.grad.data,
                                   .first_grad = args.first_grad.target,
                                   .second_grad = args.second_grad.target};
  const mluOpHandle_t handle = call.handle();
  return call.Finish(RunPairGradients(problem, handle->parallel, handle->scratch));
}

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_GRADIENT_CHECK_H_
