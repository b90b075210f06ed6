// Rows become quadrilaterals once; then each pair whose upright bounds meet is worked out on its own.
#include "boxes/numbers.h"
#include "boxes/polygon.h"
#include "core/arena.h"
#include "ops/box_iou_quadri/problem.h"

namespace detops::box_iou_quadri {
namespace {

using boxes::Quad;
using boxes::UprightPlanes;

constexpr int64_t kLeastRows = 512;    // a quadrilateral takes some 50 ns
constexpr int64_t kLeastPairs = 4096;  // most of which are far apart

Quad ReadQuad(const Problem& problem, const void* rows, int64_t row) {
  double numbers[8];
  boxes::ReadNumbers(problem.type, rows, row * 8, 8, numbers);
  return boxes::MakeQuad(numbers);
}

double ValueOf(const Problem& problem, const Quad& a, const Quad& b) {
  return problem.first_only ? boxes::QuadIof(a, b) : boxes::QuadIou(a, b);
}

RunResult Aligned(const Problem& problem, const Parallel& parallel) {
  const int tasks = parallel.TaskCount(problem.first, kLeastRows);
  return ResultOf(parallel.Run(tasks, [&](int task) {
    const Range piece = PieceOf(problem.first, tasks, task);
    for (int64_t i = piece.begin; i < piece.end; ++i) {
      const double value = ValueOf(problem, ReadQuad(problem, problem.quads1, i), ReadQuad(problem, problem.quads2, i));
      boxes::WriteNumbers(problem.type, &value, 1, problem.ious, i);
    }
  }));
}

struct Rows {
  Rows(const Problem& problem, Arena& arena)
      : first(arena.Take<Quad>(problem.first)),
        second(arena.Take<Quad>(problem.second)),
        bounds(UprightPlanes::Take(arena, problem.second)) {}

  Quad* first;
  Quad* second;
  UprightPlanes bounds;
};

RunResult Pairs(const Problem& problem, const Rows& rows, boxes::MeetingKernel meeting, const Parallel& parallel) {
  const int64_t all = problem.first + problem.second;
  const int makers = parallel.TaskCount(all, kLeastRows);
  const bool made = parallel.Run(makers, [&](int task) {
    const Range piece = PieceOf(all, makers, task);
    for (int64_t i = piece.begin; i < piece.end; ++i) {
      if (i < problem.first) {
        rows.first[i] = ReadQuad(problem, problem.quads1, i);
        continue;
      }
      const int64_t column = i - problem.first;
      rows.second[column] = ReadQuad(problem, problem.quads2, column);
      rows.bounds.Set(column, boxes::BoundsOf(rows.second[column]));
    }
  });
  if (!made) return RunResult::kRunnerFailed;
  rows.bounds.Pad();
  const int64_t pairs = problem.first * problem.second;
  const int tasks = parallel.TaskCount(pairs, kLeastPairs);
  return ResultOf(parallel.Run(tasks, [&](int task) {
    WithElementType(problem.type, [&]<typename T>() {
      boxes::FillPairs<T>(
          meeting, [&](int64_t row) { return boxes::BoundsOf(rows.first[row]); }, rows.bounds,
          PieceOf(pairs, tasks, task), problem.ious,
          [&](int64_t row, int64_t column) { return ValueOf(problem, rows.first[row], rows.second[column]); });
    });
  }));
}

}  // namespace

RunResult Run(const Problem& problem, boxes::MeetingKernel meeting, const Parallel& parallel, Scratch& scratch) {
  if (problem.aligned) return Aligned(problem, parallel);
  return RunPass(
      scratch, [&](Arena& arena) { return Rows(problem, arena); },
      [&](const Rows& rows) { return Pairs(problem, rows, meeting, parallel); });
}

}  // namespace detops::box_iou_quadri
