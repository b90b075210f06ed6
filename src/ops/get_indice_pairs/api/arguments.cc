#include "ops/get_indice_pairs/api/arguments.h"

#include <algorithm>

#include "core/checked_math.h"
#include "core/context.h"

namespace detops::get_indice_pairs {

void CheckPointers(ArgCheck& check, const Arguments& args) {
  check.Handle()
      .Rule(args.conv != nullptr, MLUOP_STATUS_BAD_PARAM,
            "the descriptor of sparse_conv is NULL, expected a sparse-convolution descriptor.")
      .Descriptor(args.indices);
}

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

mluOpStatus_t FailTooManyOutputs(const Call& call, const GetIndicePairsProblem& problem, int64_t outputs) {
  if (outputs > problem.out_rows) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM,
                     "out_indices has extent %lld on axis 0, expected at least %lld, one row per output site.",
                     static_cast<long long>(problem.out_rows), static_cast<long long>(outputs));
  }
  return call.Fail(MLUOP_STATUS_NOT_SUPPORTED, "sparse_conv reaches %lld output sites, expected fewer than 2^31.",
                   static_cast<long long>(outputs));
}

}  // namespace detops::get_indice_pairs
