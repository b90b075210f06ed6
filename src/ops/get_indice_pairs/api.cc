// The C entry points: check table, then problem, then run.
#include <algorithm>

#include "core/arg_check.h"
#include "core/checked_math.h"
#include "core/context.h"
#include "core/simd_target.h"
#include "detops/get_indice_pairs.h"
#include "mlu_op/get_indice_pairs.h"
#include "ops/get_indice_pairs/problem.h"
#include "recording/gen_case.h"

namespace detops::get_indice_pairs {
namespace {

constexpr char kCaseName[] = "get_indice_pairs";

struct Arguments {
  const mluOpSparseConvolutionStruct* conv;
  TensorArg indices;
  OutputArg pairs, out, num;
};

void CheckPointers(ArgCheck& check, const Arguments& args) {
  check.Handle()
      .Rule(args.conv != nullptr, MLUOP_STATUS_BAD_PARAM,
            "the descriptor of sparse_conv is NULL, expected a sparse-convolution descriptor.")
      .Descriptor(args.indices);
}

void CheckAllPointers(ArgCheck& check, const Arguments& args) {
  CheckPointers(check, args);
  check.Descriptor({args.pairs, args.out, args.num});
}

// What follows are the rules about the convolution alone, each where the contract has it.
void CheckProfile(ArgCheck& check, const Arguments& args) {
  if (check.failed()) return;
  check.Rule(check.full() || args.conv->InContract(), MLUOP_STATUS_NOT_SUPPORTED,
             "sparse_conv has ndim %d, transpose %d and inverse %d, expected 3, 0 and 0%s.", args.conv->dims,
             args.conv->transposed ? 1 : 0, args.conv->inverse ? 1 : 0, kFullProfileLifts);
}

void CheckSites(ArgCheck& check, const Arguments& args, int64_t sites) {
  if (check.failed()) return;
  check.Rule(check.full() || sites <= args.conv->InputSites(), MLUOP_STATUS_BAD_PARAM,
             "indices has extent %lld on axis 0, expected at most the %lld sites of batch x input_space%s.",
             static_cast<long long>(sites), static_cast<long long>(args.conv->InputSites()), kFullProfileLifts);
}

void CheckStrideAndDilation(ArgCheck& check, const Arguments& args) {
  if (check.failed() || check.full()) return;
  for (int i = 0; i < args.conv->dims; ++i) {
    const SparseConvolutionAxis& axis = args.conv->axes[i];
    check.Rule(axis.stride == 1 || axis.dilation == 1, MLUOP_STATUS_BAD_PARAM,
               "sparse_conv has stride %d and dilation %d on axis %d, expected one of them to be 1%s.", axis.stride,
               axis.dilation, i, kFullProfileLifts);
  }
}

// Spaces that 64 bits cannot number.
void CheckSpaces(ArgCheck& check, const Arguments& args, int64_t sites) {
  if (check.failed()) return;
  check
      .Rule(sites <= INT32_MAX, MLUOP_STATUS_NOT_SUPPORTED,
            "indices has extent %lld on axis 0, expected fewer than 2^31: indices of sites are int32.",
            static_cast<long long>(sites))
      .Rule(args.conv->InputSites() < kMaxInt64, MLUOP_STATUS_NOT_SUPPORTED,
            "sparse_conv has too many sites in batch x input_space, expected fewer than 2^63 - 1.")
      .Rule(args.conv->OutputSites() < kMaxInt64, MLUOP_STATUS_NOT_SUPPORTED,
            "sparse_conv has too many sites in batch x output_space, expected fewer than 2^63 - 1.")
      .Rule(args.conv->KernelOffsets() < kMaxInt64, MLUOP_STATUS_NOT_SUPPORTED,
            "sparse_conv has too many offsets in filter_space, expected fewer than 2^63 - 1.");
}

void CheckSubmanifold(ArgCheck& check, const Arguments& args) {
  if (check.failed() || !args.conv->submanifold) return;
  for (int i = 0; i < args.conv->dims; ++i) {
    const SparseConvolutionAxis& axis = args.conv->axes[i];
    check
        .Rule(axis.input == axis.output, MLUOP_STATUS_BAD_PARAM,
              "sparse_conv has output_space %d on axis %d, expected input_space = %d as sub_m is set.", axis.output, i,
              axis.input)
        .Rule(axis.stride == 1, MLUOP_STATUS_BAD_PARAM,
              "sparse_conv has stride %d on axis %d, expected 1 as sub_m is set.", axis.stride, i)
        .Rule(axis.dilation == 1 || check.full(), MLUOP_STATUS_BAD_PARAM,
              "sparse_conv has dilation %d on axis %d, expected 1 as sub_m is set%s.", axis.dilation, i,
              kFullProfileLifts);
  }
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

GetIndicePairsProblem MakeProblem(const Arguments& args) {
  const mluOpSparseConvolutionStruct& conv = *args.conv;
  GetIndicePairsProblem problem = {};
  problem.dims = conv.dims;
  problem.batch = conv.batch;
  std::copy_n(conv.axes, conv.dims, problem.axes);
  problem.submanifold = conv.submanifold;
  problem.transposed = conv.transposed;
  problem.sites = args.indices.desc->extent(0);
  problem.offsets = conv.KernelOffsets();
  problem.indices = static_cast<const int32_t*>(args.indices.data);
  problem.kernels = ChooseIndicePairsKernels();
  return problem;
}

// Batch ids and coordinates lie in their spaces, unless value checks are off.
void CheckValues(ArgCheck& check, const Call& call, const GetIndicePairsProblem& problem) {
  if (check.failed() || !call.handle()->value_checks) return;
  constexpr int kMaxTasks = 64;
  constexpr int64_t kMinRows = 16 << 10;
  const Parallel& parallel = call.handle()->parallel;
  const int columns = problem.columns();
  int32_t limits[kMaxSpatialDims + 1] = {static_cast<int32_t>(problem.batch)};
  for (int axis = 0; axis < problem.dims; ++axis) limits[axis + 1] = problem.axes[axis].input;
  const int tasks = std::min(kMaxTasks, parallel.TaskCount(problem.sites, kMinRows));
  int64_t found[kMaxTasks];
  const bool looked = parallel.Run(tasks, [&](int task) {
    const Range range = PieceOf(problem.sites, tasks, task);
    const int64_t first = problem.kernels.find_outside(problem.indices, columns, limits, range.begin, range.end);
    found[task] = first < range.end * columns ? first : -1;
  });
  check.Rule(looked, MLUOP_STATUS_EXECUTION_FAILED, "the parallel runner failed while indices was checked.");
  if (check.failed()) return;
  const int64_t* bad = std::find_if(found, found + tasks, [](int64_t index) { return index >= 0; });
  if (bad == found + tasks) return;
  const int64_t column = *bad % columns;
  check.Rule(false, MLUOP_STATUS_BAD_PARAM, "indices[%lld, %lld] is %d, expected a %s in [0, %d).",
             static_cast<long long>(*bad / columns), static_cast<long long>(column), problem.indices[*bad],
             column == 0 ? "batch id" : "coordinate", limits[column]);
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
  if (outputs > problem.out_rows) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM,
                     "out_indices has extent %lld on axis 0, expected at least %lld, one row per output site.",
                     static_cast<long long>(problem.out_rows), static_cast<long long>(outputs));
  }
  if (outputs > INT32_MAX) {
    return call.Fail(MLUOP_STATUS_NOT_SUPPORTED, "sparse_conv reaches %lld output sites, expected fewer than 2^31.",
                     static_cast<long long>(outputs));
  }
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

// NOLINTBEGIN(google-build-using-namespace): entry points are glue
using namespace detops;
using namespace detops::get_indice_pairs;
// NOLINTEND(google-build-using-namespace)

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
