// Rulebooks straight from coordinates.
#include "detops/rulebook.h"

#include <memory>
#include <new>

#include "core/context.h"
#include "core/simd_target.h"
#include "ops/get_indice_pairs/api/arguments.h"
#include "sparse/rulebook.h"

namespace detops::get_indice_pairs {
namespace {

// Lists of so many offsets take 640 MB before there is a pair.
constexpr int64_t kMaxOffsets = int64_t{1} << 24;

Arguments MakeArguments(mluOpSparseConvolutionDescriptor_t conv, mluOpTensorDescriptor_t indices_desc,
                        const void* indices, mluOpTensorDescriptor_t out_indices_desc, void* out_indices,
                        mluOpTensorDescriptor_t indice_num_desc, void* indice_num) {
  const bool may_be_absent = conv != nullptr && conv->submanifold;
  return {conv,
          {"indices", indices_desc, indices},
          {},
          may_be_absent ? OptionalOutput("out_indices", out_indices_desc, out_indices)
                        : OutputArg("out_indices", out_indices_desc, out_indices),
          OptionalOutput("indice_num", indice_num_desc, indice_num)};
}

void CheckShapes(ArgCheck& check, const Arguments& args) {
  if (check.failed()) return;
  const mluOpSparseConvolutionStruct& conv = *args.conv;
  Dim L("L"), rows("rows"), columns("D + 1", conv.dims + 1), K("K", conv.KernelOffsets());
  // clang-format off
  check
      .Rank(args.indices, 2).Rank(args.out, 2).Rank(args.num, 1)
      .Shape(args.indices, {L, columns})
      .Shape(args.out,     {rows, columns})
      .Rule(conv.KernelOffsets() < kMaxOffsets, MLUOP_STATUS_NOT_SUPPORTED,
            "sparse_conv has too many offsets in filter_space, expected fewer than 2^24.")
      .Shape(args.num,     {K})
      .Dense({args.indices, args.out, args.num})
      .CountLimit({args.indices, args.out, args.num});
  // clang-format on
  CheckSpaces(check, args, L.value());
  check.Int32({args.indices, args.out, args.num});
  CheckSubmanifold(check, args);
  check.DataUnlessEmpty({args.indices, args.out, args.num})
      .Separate(args.out, {args.indices, args.num})
      .Separate(args.num, {args.indices});
}

// After the checks. *outputs becomes the number of output sites; if they do not fit, nothing else has happened.
RunResult Fill(const Call& call, const Arguments& args, GetIndicePairsProblem& problem, detopsRulebook_t rulebook,
               int64_t* outputs) {
  const Parallel& parallel = call.handle()->parallel;
  RulebookBuilder builder(rulebook, parallel);
  if (!builder.Begin(problem.offsets)) return RunResult::kNoMemory;
  problem.rulebook = &builder;
  problem.counts = builder.counts();
  call.Log(DETOPS_LOG_DISPATCH, "%s; %s", AlgorithmName(problem), TargetName());
  if (problem.sites > 0) {
    const RunResult result = GetIndicePairs(problem, parallel, call.handle()->scratch, outputs);
    if (result != RunResult::kDone || !OutputsFit(problem, *outputs)) return result;
  } else {
    if (builder.Reserve(0, 0, 0, false) == nullptr) return RunResult::kNoMemory;
    if (!args.out.absent()) {
      problem.kernels.fill(problem.out_indices, problem.out_rows * problem.columns(), -1, false);
    }
  }
  auto* const counts = static_cast<int32_t*>(args.num.target);
  for (int64_t k = 0; counts != nullptr && k < problem.offsets; ++k) {
    counts[k] = static_cast<int32_t>(builder.lists()[k].count);
  }
  return builder.Finish();
}

mluOpStatus_t CheckAndFill(const Call& call, const Arguments& args, int64_t* count, detopsRulebook_t rulebook) {
  GetIndicePairsProblem problem = MakeProblem(args);
  ArgCheck check(call);
  if (problem.sites > 0) CheckValues(check, call, problem);
  if (check.failed()) return check.status();
  problem.out_indices = static_cast<int32_t*>(args.out.target);
  problem.out_rows = args.out.absent() ? problem.sites : args.out.desc->extent(0);
  int64_t outputs = 0;
  const RunResult result = Fill(call, args, problem, rulebook, &outputs);
  if (result != RunResult::kDone) {
    rulebook->Clear();
    return call.Finish(result);
  }
  *count = outputs;
  return OutputsFit(problem, outputs) ? call.Succeed() : FailTooManyOutputs(call, problem, outputs);
}

void Check(ArgCheck& check, const Arguments& args) {
  CheckPointers(check, args);
  check.Descriptor(args.out).FullProfile();
  CheckShapes(check, args);
}

}  // namespace
}  // namespace detops::get_indice_pairs

using namespace detops;
using namespace detops::get_indice_pairs;

mluOpStatus_t detopsBuildRulebook(mluOpHandle_t handle, const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                  const mluOpTensorDescriptor_t indices_desc, const void* indices,
                                  const mluOpTensorDescriptor_t out_indices_desc, void* out_indices,
                                  const mluOpTensorDescriptor_t indice_num_desc, void* indice_num, int64_t* count,
                                  detopsRulebook_t* rulebook) {
  const Call call("detopsBuildRulebook", handle);
  if (count == nullptr) return call.NullResult("count");
  if (rulebook == nullptr) return call.NullResult("rulebook");
  const Arguments args = MakeArguments(sparse_conv_desc, indices_desc, indices, out_indices_desc, out_indices,
                                       indice_num_desc, indice_num);
  ArgCheck check(call);
  Check(check, args);
  if (check.failed()) return check.status();
  std::unique_ptr<detopsRulebookStruct> made(new (std::nothrow) detopsRulebookStruct);
  if (made == nullptr) return call.Finish(RunResult::kNoMemory);
  const mluOpStatus_t status = CheckAndFill(call, args, count, made.get());
  if (status == MLUOP_STATUS_SUCCESS) *rulebook = made.release();
  return status;
}

mluOpStatus_t detopsRebuildRulebook(mluOpHandle_t handle, detopsRulebook_t rulebook,
                                    const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                    const mluOpTensorDescriptor_t indices_desc, const void* indices,
                                    const mluOpTensorDescriptor_t out_indices_desc, void* out_indices,
                                    const mluOpTensorDescriptor_t indice_num_desc, void* indice_num, int64_t* count) {
  const Call call("detopsRebuildRulebook", handle);
  if (count == nullptr) return call.NullResult("count");
  if (rulebook == nullptr) return call.NullArgument("rulebook", "a rulebook of detopsBuildRulebook");
  const Arguments args = MakeArguments(sparse_conv_desc, indices_desc, indices, out_indices_desc, out_indices,
                                       indice_num_desc, indice_num);
  ArgCheck check(call);
  Check(check, args);
  if (check.failed()) return check.status();
  return CheckAndFill(call, args, count, rulebook);
}
