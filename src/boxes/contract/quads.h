// Quadrilaterals of every kind, for the calls of functions that take them.
#ifndef DETOPS_BOXES_CONTRACT_QUADS_H_
#define DETOPS_BOXES_CONTRACT_QUADS_H_

#include <array>
#include <cstdint>

#include "harness/call.h"
#include "harness/fill.h"
#include "harness/shape.h"

namespace detops_harness::boxes {

// "quads", with all kinds that there are.
ShapeKey QuadsKey();
// Which of them; throws ShapeError for any other word.
size_t QuadsOf(const Shape& shape);

// x1, y1 .. x4, y4 of one quadrilateral of the kind, before its numbers are rounded to a type. Its corners begin
// anywhere and go round in either direction. `field`: how far from 0 the places go.
std::array<double, 8> NewQuad(size_t kind, double field, Random& random);

// Writes one to each row of a tensor [rows, width], at its begin.
void FillQuads(Tensor& tensor, size_t kind, double field, Random& random);

// How wide a field is for so many quadrilaterals, so that each meets a few others.
double FieldFor(int64_t rows);

}  // namespace detops_harness::boxes

#endif  // DETOPS_BOXES_CONTRACT_QUADS_H_
