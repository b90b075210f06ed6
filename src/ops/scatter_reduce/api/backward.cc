// The C entry point of the backward pass: check table, then problem, then run.
#include "detops/scatter_reduce.h"
#include "ops/scatter_reduce/api/check.h"
#include "ops/scatter_reduce/problem.h"

using namespace detops;
using namespace detops::scatter_reduce;

mluOpStatus_t detopsScatterReduceBackward(mluOpHandle_t handle, mluOpReduceMode_t mode,
                                          const mluOpTensorDescriptor_t grad_out_desc, const void* grad_out,
                                          const mluOpTensorDescriptor_t index_desc, const void* index,
                                          const mluOpTensorDescriptor_t count_desc, const void* count,
                                          const mluOpTensorDescriptor_t argmax_desc, const void* argmax,
                                          int64_t src_rows, const mluOpTensorDescriptor_t grad_src_desc,
                                          void* grad_src) {
  const Call call("detopsScatterReduceBackward", handle);
  const TensorArg grad{"grad_out", grad_out_desc, grad_out}, groups{"index", index_desc, index},
      counts = UsedIf(mode == MLUOP_REDUCE_DMEAN, {"count", count_desc, count}),
      winners = UsedIf(mode == MLUOP_REDUCE_DMAX, {"argmax", argmax_desc, argmax});
  const OutputArg result{"grad_src", grad_src_desc, grad_src};
  Dim N("src_rows", src_rows), C("C"), V("V");
  ArgCheck check(call);
  check.Handle().Descriptor({grad, groups, counts, winners, result}).FullProfile();
  // clang-format off
  CheckMode(check, mode)
      .Integer("src_rows", src_rows, src_rows >= 0, "0 or more")
      .Rank(grad, 2).Rank(groups, 1).Rank(counts, 1).Rank(winners, 2).Rank(result, 2)
      .Shape(grad, {V, C}).Shape(groups, {N}).Shape(counts, {V}).Shape(winners, {V, C}).Shape(result, {N, C})
      .FloatingType(grad).IndexType(groups).IndexType(counts).IndexType(winners).SameType(result, grad)
      .Dense({grad, groups, counts, winners, result})
      .CountLimit({grad, groups, counts, winners, result})
      .DataUnlessEmpty({grad, groups, counts, winners, result});
  // clang-format on
  if (!check.failed()) check.Separate(result, {grad, groups, counts, winners});
  CheckIndices(check, call, groups, -1, V.value() - 1, kIndexRule);
  CheckIndices(check, call, winners, 0, src_rows, "the number of a row, or src_rows for none");
  if (check.failed()) return check.status();
  const auto given = [](const TensorArg& tensor) -> GivenIntegers {
    return tensor.absent() ? GivenIntegers{} : GivenIntegers{tensor.desc->type, tensor.data};
  };
  const mluOpDataType_t type = grad.desc->type;
  const BackwardProblem problem = {.mode = mode,
                                   .type = type,
                                   .rows = N.value(),
                                   .columns = C.value(),
                                   .groups = V.value(),
                                   .grad_out = grad_out,
                                   .index = given(groups),
                                   .count = given(counts),
                                   .argmax = given(winners),
                                   .grad_src = grad_src,
                                   .kernels = voxels::ChooseReduceKernels(type, mode)};
  return call.Finish(Backward(problem, handle->parallel));
}
