// Matrices of pairs of shapes of which most are far apart: rows become shapes once; then the upright rectangles around
// them are compared, a vector at a time, and only pairs whose rectangles overlap are worked out.
#ifndef DETOPS_BOXES_PAIRS_MEETING_MATRIX_H_
#define DETOPS_BOXES_PAIRS_MEETING_MATRIX_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "boxes/pairs/meeting.h"
#include "core/arena.h"
#include "core/element_type.h"
#include "core/half.h"
#include "core/parallel.h"

namespace detops::boxes {

// Elements `pairs` of the matrix whose columns are the boxes of the planes: value(row, column) where the rectangles
// meet, 0 elsewhere. bounds(row) is the rectangle of a row.
template <typename T, class Bounds, class Value>
void FillPairs(MeetingKernel meeting, const Bounds& bounds, const UprightPlanes& columns, Range pairs, void* matrix,
               const Value& value) {
  for (int64_t at = pairs.begin; at < pairs.end;) {
    const int64_t row = at / columns.count;
    const UprightBox box = bounds(row);
    const int64_t row_begin = row * columns.count;
    const int64_t end = std::min(row_begin + columns.count, pairs.end);
    while (at < end) {
      const int64_t count = std::min<int64_t>(64, end - at);
      for (int64_t i = 0; i < count; ++i) StoreElement(matrix, at + i, T{});
      uint64_t bits = meeting(columns, box, at - row_begin, count);
      for (; bits != 0; bits &= bits - 1) {
        const int64_t place = at + std::countr_zero(bits);
        StoreElement(matrix, place, FromDouble<T>(value(row, place - row_begin)));
      }
      at += count;
    }
  }
}

struct MeetingMatrix {
  mluOpDataType_t type;
  int64_t lines, columns;
  void* values;
  int64_t least_shapes, least_pairs;  // of a task
};

// read_line(i) and read_column(i) make shapes of rows, value(line, column) is the number of two.
template <class ReadLine, class ReadColumn, class Value>
RunResult RunMeetingMatrix(const MeetingMatrix& matrix, MeetingKernel meeting, const Parallel& parallel,
                           Scratch& scratch, const ReadLine& read_line, const ReadColumn& read_column,
                           const Value& value) {
  struct Shapes {
    decltype(read_line(0))* lines;
    decltype(read_column(0))* columns;
    UprightPlanes bounds;
  };
  const auto take = [&](Arena& arena) {
    Shapes shapes;
    shapes.lines = arena.Take<decltype(read_line(0))>(matrix.lines);
    shapes.columns = arena.Take<decltype(read_column(0))>(matrix.columns);
    shapes.bounds = UprightPlanes::Take(arena, matrix.columns);
    return shapes;
  };
  return RunPass(scratch, take, [&](const Shapes& shapes) {
    const int64_t all = matrix.lines + matrix.columns;
    const bool made = parallel.RunItems(all, matrix.least_shapes, [&](Range piece) {
      for (int64_t i = piece.begin; i < piece.end; ++i) {
        if (i < matrix.lines) {
          shapes.lines[i] = read_line(i);
          continue;
        }
        const int64_t column = i - matrix.lines;
        shapes.columns[column] = read_column(column);
        shapes.bounds.Set(column, BoundsOf(shapes.columns[column]));
      }
    });
    if (!made) return RunResult::kRunnerFailed;
    shapes.bounds.Pad();
    return ResultOf(parallel.RunItems(matrix.lines * matrix.columns, matrix.least_pairs, [&](Range pairs) {
      WithElementType(matrix.type, [&]<typename T>() {
        FillPairs<T>(
            meeting, [&](int64_t line) { return BoundsOf(shapes.lines[line]); }, shapes.bounds, pairs, matrix.values,
            [&](int64_t line, int64_t column) { return value(shapes.lines[line], shapes.columns[column]); });
      });
    }));
  });
}

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_PAIRS_MEETING_MATRIX_H_
