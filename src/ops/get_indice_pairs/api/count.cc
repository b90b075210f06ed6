// The number of outputs beforehand.
#include "core/context.h"
#include "detops/get_indice_pairs.h"
#include "ops/get_indice_pairs/api/arguments.h"

using namespace detops;
using namespace detops::get_indice_pairs;

mluOpStatus_t detopsCountIndicePairOutputs(mluOpHandle_t handle,
                                           const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                           const mluOpTensorDescriptor_t indices_desc, const void* indices,
                                           int64_t* count) {
  const Call call("detopsCountIndicePairOutputs", handle);
  if (count == nullptr) return call.NullResult("count");
  const Arguments args = {sparse_conv_desc, {"indices", indices_desc, indices}, {}, {}, {}};
  ArgCheck check(call);
  CheckPointers(check, args);
  CheckProfile(check, args);
  if (check.failed()) return check.status();
  Dim L("L"), columns("D + 1", sparse_conv_desc->dims + 1);
  check.Rank(args.indices, 2).Shape(args.indices, {L, columns});
  CheckSites(check, args, L.value());
  CheckStrideAndDilation(check, args);
  check.Dense(args.indices).CountLimit(args.indices);
  CheckSpaces(check, args, L.value());
  check.Int32(args.indices);
  CheckSubmanifold(check, args);
  if (check.failed()) return check.status();
  const GetIndicePairsProblem problem = MakeProblem(args);
  int64_t outputs = 0;
  if (problem.sites > 0) {
    check.Data(args.indices);
    CheckValues(check, call, problem);
    if (check.failed()) return check.status();
    const RunResult result = CountIndicePairOutputs(problem, handle->parallel, handle->scratch, &outputs);
    if (result != RunResult::kDone) return call.Finish(result);
  }
  *count = outputs;
  return call.Succeed();
}
