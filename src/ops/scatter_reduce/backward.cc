#include <algorithm>

#include "core/data_type.h"
#include "core/half.h"
#include "ops/scatter_reduce/problem.h"
#include "voxels/listed_groups.h"

namespace detops::scatter_reduce {
namespace {

int64_t At(const GivenIntegers& integers, int64_t place) {
  return integers.type == MLUOP_DTYPE_INT64 ? LoadElement<int64_t>(integers.data, place)
                                            : LoadElement<int32_t>(integers.data, place);
}

}  // namespace

RunResult Backward(const BackwardProblem& problem, const Parallel& parallel) {
  constexpr int64_t kBlockRows = 64, kMinTaskRows = 512;
  const voxels::GroupNumbers numbers(problem.index.type, problem.index.data, problem.groups);
  const int64_t row_bytes = problem.columns * static_cast<int64_t>(SizeOfType(problem.type));
  const int tasks = parallel.TaskCount(problem.rows, kMinTaskRows);
  return ResultOf(parallel.Run(tasks, [&](int task) {
    const Range range = PieceOf(problem.rows, tasks, task);
    for (int64_t first = range.begin; first < range.end; first += kBlockRows) {
      int64_t from[kBlockRows];
      int32_t divisors[kBlockRows];
      const int64_t count = std::min(kBlockRows, range.end - first);
      for (int64_t i = 0; i < count; ++i) {
        from[i] = numbers[first + i];
        if (problem.mode != MLUOP_REDUCE_DMEAN || from[i] < 0) continue;
        divisors[i] = static_cast<int32_t>(std::clamp<int64_t>(At(problem.count, from[i]), 1, INT32_MAX));
      }
      voxels::GatherGradient rows = {.output_grad = problem.grad_out,
                                     .columns = problem.columns,
                                     .from = from,
                                     .first = first,
                                     .count = count,
                                     .grad = static_cast<char*>(problem.grad_src) + first * row_bytes,
                                     .divisors = divisors};
      if (problem.mode == MLUOP_REDUCE_DMAX) {
        rows.winners = {problem.argmax.data, problem.argmax.type == MLUOP_DTYPE_INT64};
      }
      problem.kernels.gather(rows);
    }
  }));
}

}  // namespace detops::scatter_reduce
