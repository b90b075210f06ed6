// The C entry point of the forward pass: check table, then problem, then run.
#include "detops/scatter_reduce.h"
#include "ops/scatter_reduce/api/check.h"
#include "ops/scatter_reduce/problem.h"
#include "voxels/row_check.h"

using namespace detops;
using namespace detops::scatter_reduce;

mluOpStatus_t detopsScatterReduceForward(mluOpHandle_t handle, mluOpReduceMode_t mode,
                                         const mluOpTensorDescriptor_t src_desc, const void* src,
                                         const mluOpTensorDescriptor_t index_desc, const void* index,
                                         const mluOpTensorDescriptor_t out_desc, void* out,
                                         const mluOpTensorDescriptor_t count_desc, void* count,
                                         const mluOpTensorDescriptor_t argmax_desc, void* argmax) {
  const Call call("detopsScatterReduceForward", handle);
  const TensorArg source{"src", src_desc, src}, groups{"index", index_desc, index};
  const OutputArg result{"out", out_desc, out}, counts = OptionalOutput("count", count_desc, count),
                                                winners = OptionalOutput("argmax", argmax_desc, argmax);
  Dim N("N"), C("C"), V("V");
  ArgCheck check(call);
  check.Handle().Descriptor({source, groups, result}).FullProfile();
  // clang-format off
  CheckMode(check, mode)
      .Rank(source, 2).Rank(groups, 1).Rank(result, 2).Rank(counts, 1).Rank(winners, 2)
      .Shape(source, {N, C}).Shape(groups, {N}).Shape(result, {V, C}).Shape(counts, {V}).Shape(winners, {V, C})
      .FloatingType(source).IndexType(groups).SameType(result, source).IndexType(counts).IndexType(winners)
      .Dense({source, groups, result, counts, winners})
      .CountLimit({source, groups, result, counts, winners})
      .DataUnlessEmpty({source, groups, result, counts, winners});
  voxels::CheckRows(check, source);
  voxels::CheckRows(check, result);
  // clang-format on
  if (!check.failed()) {
    check.Separate(result, {source, groups})
        .Separate(counts, {source, groups, result})
        .Separate(winners, {source, groups, result, counts});
  }
  if (CheckIndices(check, call, groups, -1, V.value() - 1, kIndexRule).failed()) return check.status();
  const auto integers = [](const OutputArg& tensor) -> Integers {
    return tensor.absent() ? Integers{} : Integers{tensor.desc->type, tensor.target};
  };
  const mluOpDataType_t type = source.desc->type;
  const ForwardProblem problem = {.mode = mode,
                                  .type = type,
                                  .rows = N.value(),
                                  .columns = C.value(),
                                  .groups = V.value(),
                                  .src = src,
                                  .index = {groups.desc->type, index},
                                  .out = out,
                                  .count = integers(counts),
                                  .argmax = integers(winners),
                                  .kernels = voxels::ChooseReduceKernels(type, mode)};
  return call.Finish(Forward(problem, handle->parallel, handle->scratch));
}
