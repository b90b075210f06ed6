#include "ops/points_in_polygons/reference/reference.h"

#include <cmath>

#include "support/element.h"
#include "support/wide_float.h"

namespace detops_reference {
namespace {

using Wide = detops_test::WideFloat;

struct Vector {
  Wide x, y;
};

// The sign of a x b. Differences of doubles of about the same size have at most 65 bits, so a product may have 130,
// which would be rounded to 113: the two halves of the numbers are multiplied one by one.
int SignOfCross(const Vector& a, const Vector& b) {
  const auto split = [](Wide value, Wide parts[2]) {
    parts[0] = static_cast<Wide>(static_cast<double>(value));
    parts[1] = value - parts[0];
  };
  Wide ax[2], ay[2], bx[2], by[2];
  split(a.x, ax);
  split(a.y, ay);
  split(b.x, bx);
  split(b.y, by);
  // From large terms to small ones; each is exact, and so are the partial sums but for the last.
  const Wide high = ax[0] * by[0] - ay[0] * bx[0];
  const Wide middle = (ax[0] * by[1] - ay[0] * bx[1]) + (ax[1] * by[0] - ay[1] * bx[0]);
  const Wide low = ax[1] * by[1] - ay[1] * bx[1];
  const Wide all = high + (middle + low);
  return all > 0 ? 1 : all < 0 ? -1 : 0;
}

// 0 to 3: (x > 0, y >= 0), (x <= 0, y > 0), (x < 0, y <= 0), (x >= 0, y < 0).
int Quarter(const Vector& v) {
  if (v.x > 0 && v.y >= 0) return 0;
  if (v.x <= 0 && v.y > 0) return 1;
  return v.x < 0 && v.y <= 0 ? 2 : 3;
}

// Walks along the sides and counts by how many quarters the view from the point turns.
bool Holds(const double* quad, double x, double y) {
  int quarters = 0;
  for (int i = 0; i < 4; ++i) {
    const int next = (i + 1) % 4;
    const Vector from = {static_cast<Wide>(quad[2 * i]) - x, static_cast<Wide>(quad[2 * i + 1]) - y};
    const Vector to = {static_cast<Wide>(quad[2 * next]) - x, static_cast<Wide>(quad[2 * next + 1]) - y};
    if ((from.x == 0 && from.y == 0) || (to.x == 0 && to.y == 0)) return false;
    const int side = SignOfCross(from, to);
    int turn = (Quarter(to) - Quarter(from) + 4) % 4;
    if (side == 0 && turn == 2) return false;  // the point lies between the ends of the side
    if (turn == 2 && side < 0) turn = -2;
    if (turn == 3) turn = -1;
    quarters += turn;
  }
  return quarters / 4 % 2 != 0;  // where sides cross, both parts are inside: parity
}

}  // namespace

std::vector<double> PointsInPolygons(mluOpDataType_t type, int64_t points, int64_t quads, const void* point_rows,
                                     const void* quad_rows) {
  std::vector<double> inside;
  if (quads == 0) return inside;
  for (int64_t i = 0; i < points; ++i) {
    const double x = detops_test::ReadElement(type, point_rows, 2 * i);
    const double y = detops_test::ReadElement(type, point_rows, 2 * i + 1);
    for (int64_t j = 0; j < quads; ++j) {
      double quad[8];
      for (int64_t k = 0; k < 8; ++k) quad[k] = detops_test::ReadElement(type, quad_rows, 8 * j + k);
      inside.push_back(Holds(quad, x, y) ? 1 : 0);
    }
  }
  return inside;
}

}  // namespace detops_reference
