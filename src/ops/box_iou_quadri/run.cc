#include "boxes/pairs/meeting_matrix.h"
#include "boxes/polygon/quad.h"
#include "boxes/shape/numbers.h"
#include "ops/box_iou_quadri/problem.h"

namespace detops::box_iou_quadri {
namespace {

using boxes::Quad;

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
  return ResultOf(parallel.RunItems(problem.first, kLeastRows, [&](Range piece) {
    for (int64_t i = piece.begin; i < piece.end; ++i) {
      const double value = ValueOf(problem, ReadQuad(problem, problem.quads1, i), ReadQuad(problem, problem.quads2, i));
      boxes::WriteNumbers(problem.type, &value, 1, problem.ious, i);
    }
  }));
}

}  // namespace

RunResult Run(const Problem& problem, boxes::MeetingKernel meeting, const Parallel& parallel, Scratch& scratch) {
  if (problem.aligned) return Aligned(problem, parallel);
  return boxes::RunMeetingMatrix(
      {problem.type, problem.first, problem.second, problem.ious, kLeastRows, kLeastPairs}, meeting, parallel, scratch,
      [&](int64_t row) { return ReadQuad(problem, problem.quads1, row); },
      [&](int64_t row) { return ReadQuad(problem, problem.quads2, row); },
      [&](const Quad& a, const Quad& b) { return ValueOf(problem, a, b); });
}

}  // namespace detops::box_iou_quadri
