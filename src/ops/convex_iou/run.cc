// Hulls and quadrilaterals are made once; then each pair whose upright bounds meet is worked out on its own.
#include "boxes/numbers.h"
#include "core/arena.h"
#include "ops/convex_iou/hull.h"
#include "ops/convex_iou/problem.h"

namespace detops::convex_iou {
namespace {

using boxes::Quad;
using boxes::UprightPlanes;

constexpr int64_t kLeastRows = 256;  // a hull takes some 300 ns
constexpr int64_t kLeastPairs = 4096;

struct Rows {
  Rows(const IouProblem& problem, Arena& arena)
      : hulls(arena.Take<Hull>(problem.sets)),
        quads(arena.Take<Quad>(problem.quads)),
        bounds(UprightPlanes::Take(arena, problem.quads)) {}

  Hull* hulls;
  Quad* quads;
  UprightPlanes bounds;
};

void MakeRow(const IouProblem& problem, const Rows& rows, int64_t row) {
  double numbers[2 * kPoints];
  if (row < problem.sets) {
    boxes::ReadNumbers(problem.type, problem.points, row * 2 * kPoints, 2 * kPoints, numbers);
    rows.hulls[row] = MakeHull(numbers);
    return;
  }
  const int64_t column = row - problem.sets;
  boxes::ReadNumbers(problem.type, problem.quad_rows, column * 8, 8, numbers);
  rows.quads[column] = boxes::MakeQuad(numbers);
  rows.bounds.Set(column, boxes::BoundsOf(rows.quads[column]));
}

RunResult RunOn(const IouProblem& problem, const Rows& rows, boxes::MeetingKernel meeting, const Parallel& parallel) {
  const int64_t all = problem.sets + problem.quads;
  const int makers = parallel.TaskCount(all, kLeastRows);
  const bool made = parallel.Run(makers, [&](int task) {
    const Range piece = PieceOf(all, makers, task);
    for (int64_t i = piece.begin; i < piece.end; ++i) MakeRow(problem, rows, i);
  });
  if (!made) return RunResult::kRunnerFailed;
  rows.bounds.Pad();
  const int64_t pairs = problem.sets * problem.quads;
  const int tasks = parallel.TaskCount(pairs, kLeastPairs);
  return ResultOf(parallel.Run(tasks, [&](int task) {
    WithElementType(problem.type, [&]<typename T>() {
      boxes::FillPairs<T>(
          meeting, [&](int64_t row) { return boxes::BoundsOf(rows.hulls[row]); }, rows.bounds,
          PieceOf(pairs, tasks, task), problem.ious,
          [&](int64_t row, int64_t column) { return Iou(rows.hulls[row], rows.quads[column]); });
    });
  }));
}

}  // namespace

RunResult RunIou(const IouProblem& problem, boxes::MeetingKernel meeting, const Parallel& parallel, Scratch& scratch) {
  return RunPass(
      scratch, [&](Arena& arena) { return Rows(problem, arena); },
      [&](const Rows& rows) { return RunOn(problem, rows, meeting, parallel); });
}

RunResult RunGiou(const GiouProblem& problem, const Parallel& parallel) {
  const int tasks = parallel.TaskCount(problem.rows, kLeastRows);
  return ResultOf(parallel.Run(tasks, [&](int task) {
    const Range piece = PieceOf(problem.rows, tasks, task);
    for (int64_t i = piece.begin; i < piece.end; ++i) {
      double points[2 * kPoints], quad[8], giou, gradient[2 * kPoints];
      boxes::ReadNumbers(problem.type, problem.points, i * 2 * kPoints, 2 * kPoints, points);
      boxes::ReadNumbers(problem.type, problem.quads, i * 8, 8, quad);
      Giou(points, quad, &giou, gradient);
      boxes::WriteNumbers(problem.type, &giou, 1, problem.gious, i);
      boxes::WriteNumbers(problem.type, gradient, 2 * kPoints, problem.grad, i * 2 * kPoints);
    }
  }));
}

}  // namespace detops::convex_iou
