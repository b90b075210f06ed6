// Boxes with upright sides as numbers in double, one at a time or as planes that vector code reads. What two of them
// share: upright-inl.h.
#ifndef DETOPS_BOXES_SHAPE_UPRIGHT_H_
#define DETOPS_BOXES_SHAPE_UPRIGHT_H_

#include <cstdint>

#include "boxes/shape/rotated.h"
#include "core/arena.h"
#include "mlu_op/types.h"

namespace detops::boxes {

// [x_min, x_max] x [y_min, y_max]. A box without area (x_max <= x_min, y_max <= y_min, a NaN or an Inf) is the empty
// one, which meets nothing; the area of a wide box is kWideArea.
struct UprightBox {
  double x_min, y_min, x_max, y_max;
  double area;
};

// x2 and y2 become larger by the offset: 0, or 1 where corners are pixels that belong to the box.
UprightBox MakeUprightBox(double x1, double y1, double x2, double y2, double offset);

// Row `row`, x1, y1, x2, y2, of a dense tensor of half, bfloat16, float or double numbers.
UprightBox ReadUprightBox(mluOpDataType_t type, const void* rows, int64_t row, double offset);

// Boxes as one array for each of their numbers, with empty boxes behind the last (kPlanePadding).
struct UprightPlanes {
  double* x_min;
  double* y_min;
  double* x_max;
  double* y_max;
  double* area;
  int64_t count;

  static UprightPlanes Take(Arena& arena, int64_t count);
  void Set(int64_t index, const UprightBox& box) const;
  UprightBox Get(int64_t index) const;
  void Pad() const;
};

// Boxes [begin, end) of the planes from the rows of a tensor; Pad is the caller's.
void FillUpright(const UprightPlanes& planes, mluOpDataType_t type, const void* rows, double offset, int64_t begin,
                 int64_t end);

// One pair; the same bits as a lane of UprightValue of upright-inl.h.
double UprightValueOf(PairValue value, const UprightBox& a, const UprightBox& b);

// The same for pairs with a wide box.
double WideUprightValue(PairValue value, const UprightBox& a, const UprightBox& b);

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_SHAPE_UPRIGHT_H_
