#include "boxes/pairs/matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "boxes/pairs/kernel.h"
#include "boxes/points/interior.h"
#include "boxes/shape/upright.h"
#include "core/arena.h"
#include "core/data_type.h"
#include "core/element_type.h"

namespace detops::boxes {

namespace {

using Kind = PairQuestion::Kind;

// Not above the number, and not subnormal.
float Low(double number) {
  constexpr float kLeast = std::numeric_limits<float>::min();
  if (std::abs(number) < static_cast<double>(kLeast)) return number < 0 ? -kLeast : 0.0f;
  return RoundedDown<float>(number);
}
float High(double number) { return -Low(-number); }

PairBox FromUpright(const UprightBox& box) {
  return {{box.x_min, box.y_min, box.x_max, box.y_max, box.area}, 0, 0, 0, 0};
}

PairBox FromRotated(const RotatedBox& box, double z, double dz) {
  return {{box.cx, box.cy, box.w, box.h, box.cosine, box.sine, box.angle, box.area, z, dz},
          Low(box.x_min),
          Low(box.y_min),
          High(box.x_max),
          High(box.y_max)};
}

PairBox NoPairBox(Kind kind) {
  return kind == Kind::kUpright ? FromUpright(MakeUprightBox(0, 0, 0, 0, 0))
                                : FromRotated(MakeRotatedBox(0, 0, 0, 0, 0), 0, 0);
}

}  // namespace

PairBox ReadPairBox(const PairQuestion& question, mluOpDataType_t type, const void* rows, int64_t row) {
  if (question.kind == Kind::kUpright) return FromUpright(ReadUprightBox(type, rows, row, question.offset));
  const RotatedBox box = ReadRotatedBox(question.format, type, rows, row);
  if (question.kind == Kind::kRotated) return FromRotated(box, 0, 0);
  const auto number = [&](int64_t k) {
    return WithElementType(type, [&]<typename T>() { return static_cast<double>(LoadReal<T>(rows, 7 * row + k)); });
  };
  const double z = number(2);
  const double dz = number(5);
  if (box.area == 0 || !(dz > 0)) return NoPairBox(question.kind);
  PairBox result = FromRotated(box, z, dz);
  if (!OrdinaryLength(dz)) result.field[7] = kWideArea;
  return result;
}

PairPlanes PairPlanes::Take(Kind kind, Arena& arena, int64_t count) {
  const int64_t padded = SaturatingAdd(count, kPadding);
  PairPlanes planes = {};
  for (int i = 0; i < FieldsOf(kind); ++i) planes.field[i] = arena.Take<double>(padded);
  if (kind != Kind::kUpright) {
    for (float** plane : {&planes.x_min, &planes.y_min, &planes.x_max, &planes.y_max}) {
      *plane = arena.Take<float>(padded);
    }
  }
  planes.count = count;
  return planes;
}

void PairPlanes::Set(Kind kind, int64_t index, const PairBox& box) const {
  for (int i = 0; i < FieldsOf(kind); ++i) field[i][index] = box.field[i];
  if (kind == Kind::kUpright) return;
  x_min[index] = box.x_min;
  y_min[index] = box.y_min;
  x_max[index] = box.x_max;
  y_max[index] = box.y_max;
}

void PairPlanes::Pad(Kind kind) const {
  const PairBox none = NoPairBox(kind);
  for (int64_t i = count; i < count + kPadding; ++i) Set(kind, i, none);
}

namespace {

constexpr int64_t kLeastPairs = 8 << 10;  // below this one thread is done before another has started
constexpr int64_t kTilePairs = 16 << 10;
// A box costs a sine and a cosine: as much as so many pairs.
constexpr int64_t kPairsOfBox = 16;
// Fewer columns than this leave vectors half empty: then the first boxes become the columns.
constexpr int64_t kFewColumns = 16;

PairKernels ChooseKernels(Kind kind) {
  return kind == Kind::kUpright ? ChooseUprightPairKernels() : ChooseRotatedPairKernels();
}

PairValue Mirrored(PairValue value) {
  if (value == PairValue::kIofFirst) return PairValue::kIofSecond;
  return value == PairValue::kIofSecond ? PairValue::kIofFirst : value;
}

// A matrix by its lines and columns, whichever tensors they are.
struct Matrix {
  PairQuestion question;
  mluOpDataType_t type;
  const void* line_rows;
  const void* column_rows;
  int64_t lines, columns;
  PairOutput output;
};

Matrix MatrixOf(const PairProblem& problem) {
  const int64_t first = problem.first_count;
  const int64_t second = problem.second_count;
  PairQuestion question = problem.question;
  if (second >= kFewColumns || second >= first) {
    return {question,
            problem.type,
            problem.first,
            problem.second,
            first,
            second,
            {problem.type, problem.output, second, 1}};
  }
  question.value = Mirrored(question.value);
  return {
      question, problem.type, problem.second, problem.first, second, first, {problem.type, problem.output, 1, second}};
}

class MatrixPass {
 public:
  MatrixPass(const Matrix& matrix, Arena& arena)
      : matrix_(matrix), planes_(PairPlanes::Take(matrix.question.kind, arena, matrix.columns)) {}

  RunResult Run(const Parallel& parallel) const {
    const PairKernels kernels = ChooseKernels(matrix_.question.kind);
    const int box_tasks = parallel.TaskCount(matrix_.columns, kLeastPairs / kPairsOfBox);
    const bool filled = parallel.Run(box_tasks, [&](int task) { Fill(PieceOf(matrix_.columns, box_tasks, task)); });
    if (!filled) return RunResult::kRunnerFailed;
    planes_.Pad(matrix_.question.kind);
    const int64_t pairs = SaturatingMultiply(matrix_.lines, matrix_.columns);
    const int64_t tiles = LineTiles() * ColumnTiles();
    const auto tasks = static_cast<int>(std::min<int64_t>(tiles, parallel.TaskCount(pairs, kLeastPairs)));
    return ResultOf(parallel.RunPieces(tasks, tiles, [&](Range piece) {
      for (int64_t tile = piece.begin; tile < piece.end; ++tile) RunTile(kernels.tile, tile);
    }));
  }

 private:
  int64_t ColumnTiles() const { return (matrix_.columns + kTileColumns - 1) / kTileColumns; }
  int64_t TileLines() const {
    // At least as many as a matrix of few second boxes has, which are the lines of one tile then.
    return std::clamp<int64_t>(kTilePairs / std::min(matrix_.columns, kTileColumns), kFewColumns, kTileLines);
  }
  int64_t LineTiles() const { return (matrix_.lines + TileLines() - 1) / TileLines(); }

  void Fill(Range piece) const {
    for (int64_t i = piece.begin; i < piece.end; ++i) {
      planes_.Set(matrix_.question.kind, i, ReadPairBox(matrix_.question, matrix_.type, matrix_.column_rows, i));
    }
  }

  void RunTile(PairTileKernel kernel, int64_t index) const {
    const int64_t line_begin = index / ColumnTiles() * TileLines();
    const int64_t column_begin = index % ColumnTiles() * kTileColumns;
    PairBox lines[kTileLines];
    const PairTile tile = {&matrix_.question,
                           &planes_,
                           lines,
                           line_begin,
                           std::min(TileLines(), matrix_.lines - line_begin),
                           column_begin,
                           std::min(column_begin + kTileColumns, matrix_.columns),
                           matrix_.output};
    for (int64_t i = 0; i < tile.line_count; ++i) {
      lines[i] = ReadPairBox(matrix_.question, matrix_.type, matrix_.line_rows, line_begin + i);
    }
    Clear(tile);
    kernel(tile);
  }

  // The values of a tile become 0: a line at a time, unless it has all columns, or the first boxes are the columns.
  void Clear(const PairTile& tile) const {
    const int64_t columns = tile.column_end - tile.column_begin;
    if (tile.output.column_stride != 1) return Clear(tile.column_begin * matrix_.lines, columns * matrix_.lines);
    const int64_t first = tile.line_begin * matrix_.columns + tile.column_begin;
    if (columns == matrix_.columns) return Clear(first, tile.line_count * columns);
    for (int64_t i = 0; i < tile.line_count; ++i) Clear(first + i * matrix_.columns, columns);
  }
  void Clear(int64_t first, int64_t count) const {
    const auto size = static_cast<int64_t>(SizeOfType(matrix_.type));
    std::memset(static_cast<char*>(matrix_.output.data) + first * size, 0, static_cast<size_t>(count * size));
  }

  const Matrix& matrix_;
  const PairPlanes planes_;
};

void RunAlignedChunk(const PairProblem& problem, AlignedPairsKernel kernel, int64_t begin, int64_t count) {
  AlignedPairs pairs;
  pairs.question = &problem.question;
  pairs.count = count;
  pairs.begin = begin;
  pairs.output = {problem.type, problem.output, 1, 1};
  for (int64_t i = 0; i < kBlockPairs; ++i) {
    const bool there = i < count;
    const PairBox none = NoPairBox(problem.question.kind);
    const auto box = [&](const void* rows) {
      return there ? ReadPairBox(problem.question, problem.type, rows, begin + i) : none;
    };
    const PairBox first = box(problem.first);
    const PairBox second = box(problem.second);
    for (int field = 0; field < FieldsOf(problem.question.kind); ++field) {
      pairs.first[field][i] = first.field[field];
      pairs.second[field][i] = second.field[field];
    }
  }
  kernel(pairs);
}

RunResult RunAligned(const PairProblem& problem, const Parallel& parallel) {
  const AlignedPairsKernel kernel = ChooseKernels(problem.question.kind).aligned;
  return ResultOf(parallel.RunItems(problem.first_count, kLeastPairs / kPairsOfBox, [&](Range piece) {
    for (int64_t begin = piece.begin; begin < piece.end; begin += kBlockPairs) {
      RunAlignedChunk(problem, kernel, begin, std::min(kBlockPairs, piece.end - begin));
    }
  }));
}

}  // namespace

RunResult RunPairs(const PairProblem& problem, const Parallel& parallel, Scratch& scratch) {
  if (problem.aligned) return RunAligned(problem, parallel);
  const Matrix matrix = MatrixOf(problem);
  return RunPass(
      scratch, [&](Arena& arena) { return MatrixPass(matrix, arena); },
      [&](const MatrixPass& pass) { return pass.Run(parallel); });
}

}  // namespace detops::boxes
