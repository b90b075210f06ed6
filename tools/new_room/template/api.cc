// The C entry point: check table, then problem, then run.
#include <cmath>

#include "core/arg_check.h"
#include "core/context.h"
#include "detops/@room@.h"
#include "ops/@room@/problem.h"

using namespace detops;
using namespace detops::@room@;

mluOpStatus_t @function@(mluOpHandle_t handle, const mluOpTensorDescriptor_t input_desc, const void* input, float factor,
                         const mluOpTensorDescriptor_t output_desc, void* output) {
  const Call call("@function@", handle);
  const TensorArg in{"input", input_desc, input};
  const OutputArg out{"output", output_desc, output};
  Dim N("N"), C("C");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({in, out})
      .Rank(in, 2).Rank(out, 2)
      .FloatingType(in).SameType(out, in)
      .Dense({in, out})
      .Shape(in,  {N, C})
      .Shape(out, {N, C})
      .CountLimit({in, out})
      .NotEmpty({in, out})
      .Number("factor", factor, std::isfinite(factor) && factor > 0, "a finite number above 0")
      .Data({in, out})
      .Separate(out, {in});
  // clang-format on
  if (check.failed()) return check.status();
  const Problem problem = {in.desc->type, in.desc->element_count(), input, factor, output};
  return call.Finish(Run(problem, ChooseKernel(), handle->parallel));
}
