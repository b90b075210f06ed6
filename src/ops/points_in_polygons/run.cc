// Quadrilaterals become planes once; then each point is compared with all of them.
#include <algorithm>
#include <bit>

#include "boxes/shape/numbers.h"
#include "ops/points_in_polygons/problem.h"

namespace detops::points_in_polygons {
namespace {

constexpr int64_t kLeastQuads = 4096;
constexpr int64_t kLeastPairs = 8192;

// Elements `pairs` of the result.
template <typename T>
void Compare(const Problem& problem, const QuadPlanes& quads, Kernel kernel, Range pairs) {
  const T one = FromDouble<T>(1.0);
  for (int64_t at = pairs.begin; at < pairs.end;) {
    const int64_t point = at / quads.count;
    const int64_t row_begin = point * quads.count;
    const int64_t end = std::min(row_begin + quads.count, pairs.end);
    double place[2];
    boxes::ReadNumbers(problem.type, problem.point_rows, point * 2, 2, place);
    while (at < end) {
      const int64_t count = std::min<int64_t>(64, end - at);
      const int64_t begin = at - row_begin;
      Sides sides = kernel(quads, place[0], place[1], begin, count);
      for (uint64_t left = sides.unsure; left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        const uint64_t bit = uint64_t{1} << i;
        sides.inside = HoldsPoint(quads, begin + i, place[0], place[1]) ? sides.inside | bit : sides.inside & ~bit;
      }
      for (int64_t i = 0; i < count; ++i) StoreElement(problem.inside, at + i, T{});
      for (uint64_t left = sides.inside; left != 0; left &= left - 1) {
        StoreElement(problem.inside, at + std::countr_zero(left), one);
      }
      at += count;
    }
  }
}

RunResult RunOn(const Problem& problem, const QuadPlanes& quads, Kernel kernel, const Parallel& parallel) {
  const bool made = parallel.RunItems(problem.quads, kLeastQuads, [&](Range piece) {
    for (int64_t i = piece.begin; i < piece.end; ++i) {
      double numbers[8];
      boxes::ReadNumbers(problem.type, problem.quad_rows, i * 8, 8, numbers);
      quads.Set(i, numbers);
    }
  });
  if (!made) return RunResult::kRunnerFailed;
  quads.Pad();
  const int64_t pairs = problem.points * problem.quads;
  return ResultOf(parallel.RunItems(pairs, kLeastPairs, [&](Range piece) {
    WithElementType(problem.type, [&]<typename T>() { Compare<T>(problem, quads, kernel, piece); });
  }));
}

}  // namespace

RunResult Run(const Problem& problem, Kernel kernel, const Parallel& parallel, Scratch& scratch) {
  return RunPass(
      scratch, [&](Arena& arena) { return QuadPlanes::Take(arena, problem.quads); },
      [&](const QuadPlanes& quads) { return RunOn(problem, quads, kernel, parallel); });
}

}  // namespace detops::points_in_polygons
