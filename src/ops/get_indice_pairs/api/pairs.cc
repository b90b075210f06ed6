// The C entry points of the contract: check table, then problem, then run.
#include "core/context.h"
#include "core/simd_target.h"
#include "mlu_op/get_indice_pairs.h"
#include "ops/get_indice_pairs/api/arguments.h"
#include "recording/gen_case.h"

namespace detops::get_indice_pairs {
namespace {

constexpr char kCaseName[] = "get_indice_pairs";

void CheckAllPointers(ArgCheck& check, const Arguments& args) {
  CheckPointers(check, args);
  check.Descriptor({args.pairs, args.out, args.num});
}

// Everything between the descriptors and the data pointers.
void CheckShapes(ArgCheck& check, const Arguments& args) {
  CheckProfile(check, args);
  if (check.failed()) return;
  const mluOpSparseConvolutionStruct& conv = *args.conv;
  Dim L("L"), rows("rows"), first("K"), columns("D + 1", conv.dims + 1);
  // clang-format off
  check
      .Rank(args.indices, 2).Rank(args.pairs, 3).Rank(args.out, 2).Rank(args.num, 1)
      .Shape(args.indices, {L, columns})
      .Shape(args.out,     {rows, columns})
      .Shape(args.pairs,   {first, 2, L})
      .Shape(args.num,     {first});
  // clang-format on
  CheckSites(check, args, L.value());
  CheckStrideAndDilation(check, args);
  // Equal sites may be more than the space has.
  const bool many_inputs = check.full() && conv.submanifold && L.value() > conv.OutputSites();
  const int64_t most_rows = many_inputs ? L.value() : conv.OutputSites();
  check
      .Rule(first.value() == conv.KernelOffsets(), MLUOP_STATUS_BAD_PARAM,
            "indice_pairs has extent %lld on axis 0, expected the %lld offsets of filter_space.",
            static_cast<long long>(first.value()), static_cast<long long>(conv.KernelOffsets()))
      .Rule(rows.value() <= most_rows, MLUOP_STATUS_BAD_PARAM,
            "out_indices has extent %lld on axis 0, expected at most the %lld sites of %s.",
            static_cast<long long>(rows.value()), static_cast<long long>(most_rows),
            many_inputs ? "indices" : "batch x output_space");
  // clang-format off
  check
      .Dense({args.indices, args.pairs, args.out, args.num})
      .CountLimit({args.indices, args.pairs, args.out, args.num});
  // clang-format on
  CheckSpaces(check, args, L.value());
  check.Int32({args.indices, args.pairs, args.out, args.num});
  CheckSubmanifold(check, args);
}

// What the outputs are where a tensor has no elements.
mluOpStatus_t FillOutputs(const Call& call, const Arguments& args, const IndicePairsKernels& kernels) {
  const auto fill = [&](const OutputArg& tensor, int32_t value) {
    if (tensor.target == nullptr) return;
    kernels.fill(static_cast<int32_t*>(tensor.target), tensor.desc->element_count(), value, false);
  };
  fill(args.pairs, -1);
  fill(args.out, -1);
  fill(args.num, 0);
  return call.Succeed();
}

// The call as a case file. The number of outputs is a result and not known yet.
void Describe(const Arguments& args, GenCase& record) {
  const mluOpSparseConvolutionStruct& conv = *args.conv;
  record.RealInput(args.indices);
  record.Output(args.out);
  record.Output(args.pairs);
  record.Output(args.num);
  record.Param("dimnb", int64_t{conv.dims + 2});
  record.Param("batch", int64_t{conv.batch});
  const auto each_axis = [&](const char* name, int SparseConvolutionAxis::* number) {
    for (int i = 0; i < conv.dims; ++i) record.Param(name, int64_t{conv.axes[i].*number});
  };
  each_axis("pad", &SparseConvolutionAxis::pad);
  each_axis("stride", &SparseConvolutionAxis::stride);
  each_axis("dilation", &SparseConvolutionAxis::dilation);
  each_axis("input_space", &SparseConvolutionAxis::input);
  each_axis("filter_space", &SparseConvolutionAxis::filter);
  each_axis("output_space", &SparseConvolutionAxis::output);
  record.Param("sub_m", int64_t{conv.submanifold ? 1 : 0});
  record.Param("transpose", int64_t{conv.transposed ? 1 : 0});
  record.Param("inverse", int64_t{conv.inverse ? 1 : 0});
  record.Exact();
}

// After the checks: the work, and the number of outputs.
mluOpStatus_t RunAndReportOutputs(const Call& call, mluOpSparseConvolutionDescriptor_t conv,
                                  const GetIndicePairsProblem& problem) {
  call.Log(DETOPS_LOG_DISPATCH, "%s; %s", AlgorithmName(problem), TargetName());
  int64_t outputs = 0;
  const RunResult result = GetIndicePairs(problem, call.handle()->parallel, call.handle()->scratch, &outputs);
  if (result != RunResult::kDone) return call.Finish(result);
  if (!OutputsFit(problem, outputs)) return FailTooManyOutputs(call, problem, outputs);
  conv->num_act_out = static_cast<int>(outputs);
  return call.Succeed();
}

mluOpStatus_t WorkspaceSize(const char* name, mluOpHandle_t handle, const Arguments& args, size_t* workspace_size) {
  const Call call(name, handle);
  if (workspace_size == nullptr) return call.NullResult("workspace_size");
  ArgCheck check(call);
  CheckAllPointers(check, args);
  if (check.failed()) return check.status();
  if (AnyEmpty({args.indices, args.pairs, args.out, args.num})) {
    *workspace_size = 0;
    return call.Succeed();
  }
  CheckShapes(check, args);
  if (check.failed()) return check.status();
  const GetIndicePairsProblem problem = MakeProblem(args);
  *workspace_size = static_cast<size_t>(GetIndicePairsWorkspaceBytes(problem));
  return call.Succeed();
}

mluOpStatus_t Run(const char* name, mluOpHandle_t handle, mluOpSparseConvolutionDescriptor_t conv,
                  const Arguments& args, void* workspace, size_t workspace_size) {
  const Call call(name, handle);
  ArgCheck check(call);
  CheckAllPointers(check, args);
  CheckShapes(check, args);
  if (check.failed()) return check.status();
  GetIndicePairsProblem problem = MakeProblem(args);
  const auto describe = [&](GenCase& record) { Describe(args, record); };
  if (AnyEmpty({args.indices, args.pairs, args.out, args.num})) {
    return RunRecorded(call, kCaseName, describe, [&] {
      conv->num_act_out = 0;
      return FillOutputs(call, args, problem.kernels);
    });
  }
  problem.out_rows = args.out.desc->extent(0);
  problem.pairs = static_cast<int32_t*>(args.pairs.target);
  problem.out_indices = static_cast<int32_t*>(args.out.target);
  problem.counts = static_cast<int32_t*>(args.num.target);
  problem.workspace = workspace;
  const BufferArg space("workspace", workspace, workspace_size);
  // clang-format off
  check
      .Data({args.indices, args.pairs, args.out, args.num})
      .WorkspacePointer(workspace, workspace_size)
      .WorkspaceSize(workspace_size, GetIndicePairsWorkspaceBytes(problem))
      .Separate(args.pairs, {args.indices, args.out, args.num, space})
      .Separate(args.out,   {args.indices, args.num, space})
      .Separate(args.num,   {args.indices, space})
      .Separate(space,      {args.indices});
  // clang-format on
  CheckValues(check, call, problem);
  if (check.failed()) return check.status();
  return RunRecorded(call, kCaseName, describe, [&] { return RunAndReportOutputs(call, conv, problem); });
}

}  // namespace
}  // namespace detops::get_indice_pairs

using namespace detops;
using namespace detops::get_indice_pairs;

mluOpStatus_t MLUOP_WIN_API mluOpGetIndicePairsWorkspaceSize(mluOpHandle_t handle,
                                                             const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                                             const mluOpTensorDescriptor_t indices_desc,
                                                             const mluOpTensorDescriptor_t indice_pairs_desc,
                                                             const mluOpTensorDescriptor_t out_indices_desc,
                                                             const mluOpTensorDescriptor_t indice_num_desc,
                                                             size_t* workspace_size) {
  return WorkspaceSize("mluOpGetIndicePairsWorkspaceSize", handle,
                       {sparse_conv_desc,
                        {"indices", indices_desc, nullptr},
                        {"indice_pairs", indice_pairs_desc, nullptr},
                        {"out_indices", out_indices_desc, nullptr},
                        {"indice_num", indice_num_desc, nullptr}},
                       workspace_size);
}

mluOpStatus_t MLUOP_WIN_API mluOpGetIndicePairs(mluOpHandle_t handle,
                                                const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                                const mluOpTensorDescriptor_t indices_desc, const void* indices,
                                                void* workspace, const size_t workspace_size,
                                                const mluOpTensorDescriptor_t indice_pairs_desc, void* indice_pairs,
                                                const mluOpTensorDescriptor_t out_indices_desc, void* out_indices,
                                                const mluOpTensorDescriptor_t indice_num_desc, void* indice_num) {
  return Run("mluOpGetIndicePairs", handle, sparse_conv_desc,
             {sparse_conv_desc,
              {"indices", indices_desc, indices},
              {"indice_pairs", indice_pairs_desc, indice_pairs},
              {"out_indices", out_indices_desc, out_indices},
              {"indice_num", indice_num_desc, indice_num}},
             workspace, workspace_size);
}

mluopStatus_t MLUOP_WIN_API mluopGetIndicePairsWorkspaceSize(mluOpHandle_t handle,
                                                             const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                                             const mluOpTensorDescriptor_t indices_desc,
                                                             const mluOpTensorDescriptor_t indice_pairs_desc,
                                                             const mluOpTensorDescriptor_t out_indices_desc,
                                                             const mluOpTensorDescriptor_t indice_num_desc,
                                                             size_t* workspace_size) {
  return mluOpGetIndicePairsWorkspaceSize(handle, sparse_conv_desc, indices_desc, indice_pairs_desc, out_indices_desc,
                                          indice_num_desc, workspace_size);
}

mluopStatus_t MLUOP_WIN_API mluopGetIndicePairs(mluOpHandle_t handle,
                                                const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                                const mluOpTensorDescriptor_t indices_desc, const void* indices,
                                                void* workspace, size_t workspace_size,
                                                const mluOpTensorDescriptor_t indice_pairs_desc, void* indice_pairs,
                                                const mluOpTensorDescriptor_t out_indices_desc, void* out_indices,
                                                const mluOpTensorDescriptor_t indice_num_desc, void* indice_num) {
  return mluOpGetIndicePairs(handle, sparse_conv_desc, indices_desc, indices, workspace, workspace_size,
                             indice_pairs_desc, indice_pairs, out_indices_desc, out_indices, indice_num_desc,
                             indice_num);
}
