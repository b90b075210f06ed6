// The C entry points: check table, then problem, then run.
#include "core/arg_check.h"
#include "core/context.h"
#include "core/data_type.h"
#include "detops/sort_sites.h"
#include "ops/sort_sites/problem.h"

using namespace detops;
using namespace detops::sort_sites;

mluOpStatus_t detopsSortSites(mluOpHandle_t handle, const mluOpTensorDescriptor_t indices_desc, const void* indices,
                              const mluOpTensorDescriptor_t out_indices_desc, void* out_indices,
                              const mluOpTensorDescriptor_t order_desc, void* order) {
  const Call call("detopsSortSites", handle);
  const TensorArg in{"indices", indices_desc, indices};
  const OutputArg out{"out_indices", out_indices_desc, out_indices};
  const OutputArg by{"order", order_desc, order};
  Dim L("L"), columns("D + 1");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({in, out, by})
      .Rank(in, 2).Rank(out, 2).Rank(by, 1)
      .Int32({in, out, by})
      .Dense({in, out, by})
      .Shape(in, {L, columns});
  check
      .Rule(columns.value() >= 2 && columns.value() <= 5, MLUOP_STATUS_BAD_PARAM,
            "indices has extent %lld on axis 1, expected 2 to 5: the batch and 1 to 4 coordinates.",
            static_cast<long long>(columns.value()))
      .Shape(out, {L, columns})
      .Shape(by,  {L})
      .CountLimit({in, out, by})
      .Rule(L.value() <= INT32_MAX, MLUOP_STATUS_NOT_SUPPORTED,
            "indices has extent %lld on axis 0, expected fewer than 2^31: indices of sites are int32.",
            static_cast<long long>(L.value()));
  // clang-format on
  if (!check.failed() && L.value() == 0) return call.Succeed();
  check.Data({in, out, by}).Separate(out, {in, by}).Separate(by, {in});
  if (check.failed()) return check.status();
  const SortProblem problem = {L.value(), static_cast<int>(columns.value()), static_cast<const int32_t*>(indices),
                               static_cast<int32_t*>(out_indices), static_cast<int32_t*>(order)};
  return call.Finish(SortSites(problem, handle->parallel, handle->scratch));
}

mluOpStatus_t detopsGatherRows(mluOpHandle_t handle, const mluOpTensorDescriptor_t input_desc, const void* input,
                               const mluOpTensorDescriptor_t order_desc, const void* order,
                               const mluOpTensorDescriptor_t output_desc, void* output) {
  const Call call("detopsGatherRows", handle);
  const TensorArg in{"input", input_desc, input};
  const TensorArg by{"order", order_desc, order};
  const OutputArg out{"output", output_desc, output};
  Dim N("N"), M("M"), C("C");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({in, by, out})
      .Rank(in, 2).Rank(by, 1).Rank(out, 2)
      .AnyFloatingType(in).Int32(by).SameType(out, in)
      .Dense({in, by, out})
      .Shape(in,  {N, C})
      .Shape(by,  {M})
      .Shape(out, {M, C})
      .CountLimit({in, by, out});
  // clang-format on
  if (!check.failed() && out.desc->element_count() == 0) return call.Succeed();
  // Rows of an input without any are refused by their numbers.
  check.DataUnlessEmpty({in, by, out}).Separate(out, {in, by});
  if (check.failed()) return check.status();
  int64_t bad = -1;
  if (!FindOutside(static_cast<const int32_t*>(order), M.value(), N.value(), handle->parallel, &bad)) {
    return call.Finish(RunResult::kRunnerFailed);
  }
  check.NoBadElement(by, bad, "a row of input");
  if (check.failed()) return check.status();
  const auto row_bytes = static_cast<size_t>(C.value()) * SizeOfType(in.desc->type);
  return call.Finish(
      GatherRows({M.value(), row_bytes, input, static_cast<const int32_t*>(order), output}, handle->parallel));
}
