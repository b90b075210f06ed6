// What the vector part of matrix.h works on.
#ifndef DETOPS_BOXES_PAIRS_KERNEL_H_
#define DETOPS_BOXES_PAIRS_KERNEL_H_

#include <cstdint>

#include "boxes/pairs/matrix.h"
#include "core/arena.h"

namespace detops::boxes {

// The numbers of a box that its values depend on. Upright: x_min, y_min, x_max, y_max, area. Rotated: centre, sides,
// cosine, sine, angle, area; spatial: also the third coordinate and the height.
inline constexpr int kMostFields = 10;
constexpr int FieldsOf(PairQuestion::Kind kind) {
  return kind == PairQuestion::Kind::kUpright ? 5 : kind == PairQuestion::Kind::kRotated ? 8 : 10;
}

// One box. The bounds, of rotated ones only, hold it and are rounded outwards; they are never subnormal, so that they
// compare alike in every float mode. A box without area has empty bounds.
struct PairBox {
  double field[kMostFields];
  float x_min, y_min, x_max, y_max;
};
PairBox ReadPairBox(const PairQuestion& question, mluOpDataType_t type, const void* rows, int64_t row);

// Boxes as planes, with empty boxes behind the last.
struct PairPlanes {
  static constexpr int64_t kPadding = 64;
  double* field[kMostFields];
  float *x_min, *y_min, *x_max, *y_max;
  int64_t count;

  static PairPlanes Take(PairQuestion::Kind kind, Arena& arena, int64_t count);
  void Set(PairQuestion::Kind kind, int64_t index, const PairBox& box) const;
  void Pad(PairQuestion::Kind kind) const;
};

// Where values go: element line * line_stride + column * column_stride.
struct PairOutput {
  mluOpDataType_t type;
  void* data;
  int64_t line_stride, column_stride;
};

inline constexpr int64_t kTileLines = 64;
inline constexpr int64_t kTileColumns = 2048;  // a multiple of 64

// Lines [line_begin, line_begin + line_count) by columns [column_begin, column_end). The output there is 0.
struct PairTile {
  const PairQuestion* question;
  const PairPlanes* columns;
  const PairBox* lines;
  int64_t line_begin, line_count;
  int64_t column_begin, column_end;
  PairOutput output;
};
using PairTileKernel = void (*)(const PairTile& tile);

// Pairs that are computed together, and those of boxes with the same number in two lists.
inline constexpr int64_t kBlockPairs = 64;
struct AlignedPairs {
  const PairQuestion* question;
  double first[kMostFields][kBlockPairs];
  double second[kMostFields][kBlockPairs];
  int64_t count;
  int64_t begin;
  PairOutput output;
};
using AlignedPairsKernel = void (*)(const AlignedPairs& pairs);

// Of one SIMD target.
struct PairKernels {
  PairTileKernel tile;
  AlignedPairsKernel aligned;
};
PairKernels ChooseUprightPairKernels();
PairKernels ChooseRotatedPairKernels();  // kSpatial too

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_PAIRS_KERNEL_H_
