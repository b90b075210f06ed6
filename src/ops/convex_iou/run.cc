#include "boxes/pairs/meeting_matrix.h"
#include "boxes/shape/numbers.h"
#include "ops/convex_iou/hull.h"
#include "ops/convex_iou/problem.h"

namespace detops::convex_iou {
namespace {

constexpr int64_t kLeastRows = 256;  // a hull takes some 300 ns
constexpr int64_t kLeastPairs = 4096;

}  // namespace

RunResult RunIou(const IouProblem& problem, boxes::MeetingKernel meeting, const Parallel& parallel, Scratch& scratch) {
  const auto hull = [&](int64_t row) {
    double numbers[2 * kPoints];
    boxes::ReadNumbers(problem.type, problem.points, row * 2 * kPoints, 2 * kPoints, numbers);
    return MakeHull(numbers);
  };
  const auto quad = [&](int64_t row) {
    double numbers[8];
    boxes::ReadNumbers(problem.type, problem.quad_rows, row * 8, 8, numbers);
    return boxes::MakeQuad(numbers);
  };
  return boxes::RunMeetingMatrix({problem.type, problem.sets, problem.quads, problem.ious, kLeastRows, kLeastPairs},
                                 meeting, parallel, scratch, hull, quad,
                                 [](const Hull& a, const boxes::Quad& b) { return Iou(a, b); });
}

RunResult RunGiou(const GiouProblem& problem, const Parallel& parallel) {
  return ResultOf(parallel.RunItems(problem.rows, kLeastRows, [&](Range piece) {
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
