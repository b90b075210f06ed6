#include "boxes/polygon/quad.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace detops::boxes {
namespace {

// The order that makes results symmetric: larger areas first.
bool ComesFirst(const Quad& a, const Quad& b) {
  if (a.area != b.area) return a.area > b.area;
  for (int i = 0; i < 4; ++i) {
    if (!(a.corner[i] == b.corner[i])) return LowerPoint(a.corner[i], b.corner[i]);
  }
  return true;
}

// What rounding can make of the overlaps of their pieces, of which there are four at most.
double RoundingOf(const Quad& a, const Quad& b) {
  const double first = (a.max_x - a.min_x) + (a.max_y - a.min_y);
  const double second = (b.max_x - b.min_x) + (b.max_y - b.min_y);
  return 4 * kOverlapError * (first + second) * std::min(first, second);
}

bool SameCorners(const Quad& a, const Quad& b) { return std::equal(a.corner, a.corner + 4, b.corner); }

// The corners of one of the two triangles of a quadrilateral that is not convex, anticlockwise.
void TriangleOf(const Quad& quad, int which, Point* corner) {
  const Point* c = quad.corner;
  const int d = quad.diagonal;
  corner[0] = c[d];
  corner[1] = c[(d + 1 + which) % 4];
  corner[2] = c[(d + 2 + which) % 4];
  if (quad.sign[which] < 0) std::swap(corner[1], corner[2]);
}

// `corner` in the order that Quad promises: reversed if `reverse`, then from the rotation on that is lowest.
void Order(Point* corner, int count, bool reverse) {
  if (reverse) std::reverse(corner, corner + count);
  int best = 0;
  for (int start = 1; start < count; ++start) {
    for (int i = 0; i < count; ++i) {
      const Point& a = corner[(start + i) % count];
      const Point& b = corner[(best + i) % count];
      if (a == b) continue;
      if (LowerPoint(a, b)) best = start;
      break;
    }
  }
  std::rotate(corner, corner + best, corner + count);
}

int SignOf(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

// Everything but the exponent, from the corners.
void Complete(Quad* quad) {
  Point* c = quad->corner;
  const double twice = Cross(c[0], c[2], c[1], c[3]);
  if (twice == 0 || !std::isfinite(twice)) {
    *quad = {};
    return;
  }
  quad->min_x = std::min(std::min(c[0].x, c[1].x), std::min(c[2].x, c[3].x));
  quad->max_x = std::max(std::max(c[0].x, c[1].x), std::max(c[2].x, c[3].x));
  quad->min_y = std::min(std::min(c[0].y, c[1].y), std::min(c[2].y, c[3].y));
  quad->max_y = std::max(std::max(c[0].y, c[1].y), std::max(c[2].y, c[3].y));
  Order(c, 4, twice < 0);
  int turn[4];  // at each corner; the triangles along one diagonal are the turns at the corners that are not on it
  for (int i = 0; i < 4; ++i) turn[i] = SignOf(Orientation(c[(i + 3) % 4], c[i], c[(i + 1) % 4]));
  quad->count = 0;
  quad->diagonal = 0;
  if (turn[0] >= 0 && turn[1] >= 0 && turn[2] >= 0 && turn[3] >= 0) {
    // A corner that is not one: equal to its neighbour, or on a straight side. There is one at most, since the area is
    // not 0. It goes to the end, as a copy of the last.
    quad->count = 4;
    for (int i = 0; i < 4; ++i) {
      if (turn[i] != 0) continue;
      std::copy(c + i + 1, c + 4, c + i);
      Order(c, 3, false);
      c[3] = c[2];
      quad->count = 3;
      break;
    }
    quad->area = ConvexArea(c, quad->count);  // the same bits as for a hull with these corners
    return;
  }
  // From the corners in their order: the exact sum of the terms does not depend on where the caller begins, its last
  // rounding may.
  quad->area = Cross(c[0], c[2], c[1], c[3]) / 2;
  if (turn[1] < 0 || turn[3] < 0) quad->diagonal = turn[0] >= 0 && turn[2] >= 0;
  quad->sign[0] = static_cast<int16_t>(turn[(quad->diagonal + 1) % 4]);
  quad->sign[1] = static_cast<int16_t>(turn[(quad->diagonal + 3) % 4]);
}

template <class Ratio>
double SameScale(const Quad& a, const Quad& b, Ratio ratio) {
  if (a.exponent == b.exponent) return ratio(a, b);
  const int exponent = std::max(a.exponent, b.exponent);
  return ratio(a.exponent == exponent ? a : Rescaled(a, exponent), b.exponent == exponent ? b : Rescaled(b, exponent));
}

}  // namespace

Quad MakeQuad(const double* coordinates) {
  for (int i = 0; i < 8; ++i) {
    if (!std::isfinite(coordinates[i])) return {};
  }
  return MakeQuad(coordinates, ExponentOf(coordinates, 8));
}

Quad MakeQuad(const double* coordinates, int exponent) {
  Quad quad = {};
  // Adding 0 makes a 0 of -0, so that equal corners have equal bits.
  for (int i = 0; i < 4; ++i) quad.corner[i] = {coordinates[2 * i] + 0.0, coordinates[2 * i + 1] + 0.0};
  if (exponent != 0) return Rescaled(quad, exponent);
  Complete(&quad);
  return quad;
}

Quad Rescaled(const Quad& quad, int exponent) {
  Quad scaled = quad;
  for (Point& p : scaled.corner) {
    p = {std::scalbn(p.x, quad.exponent - exponent), std::scalbn(p.y, quad.exponent - exponent)};
  }
  Complete(&scaled);
  scaled.exponent = static_cast<int16_t>(exponent);
  return scaled;
}

void Split(const Quad& quad, QuadPieces* pieces) {
  if (quad.count != 0) {
    std::copy(quad.corner, quad.corner + 4, pieces->corner[0]);
    pieces->sign[0] = 1;
    pieces->corners = quad.count;
    pieces->count = 1;
    return;
  }
  pieces->corners = 3;
  pieces->count = 0;
  for (int which = 0; which < 2; ++which) {
    if (quad.sign[which] == 0) continue;
    TriangleOf(quad, which, pieces->corner[pieces->count]);
    pieces->sign[pieces->count++] = quad.sign[which];
  }
}

double QuadOverlap(const Quad& a, const Quad& b) {
  if (a.max_x <= b.min_x || b.max_x <= a.min_x || a.max_y <= b.min_y || b.max_y <= a.min_y) return 0;
  if (!(a.area > 0) || !(b.area > 0)) return 0;
  if (SameCorners(a, b)) return a.area;
  const bool in_order = ComesFirst(a, b);
  const Quad& first = in_order ? a : b;
  const Quad& second = in_order ? b : a;
  double overlap = 0;
  if (first.count != 0 && second.count != 0) {
    overlap = ConvexOverlap(first.corner, first.count, second.corner, second.count);
  } else {
    QuadPieces first_pieces, second_pieces;
    Split(first, &first_pieces);
    Split(second, &second_pieces);
    bool cancels = false;
    for (int i = 0; i < first_pieces.count; ++i) {
      for (int j = 0; j < second_pieces.count; ++j) {
        const double part =
            ConvexOverlap(first_pieces.corner[i], first_pieces.corners, second_pieces.corner[j], second_pieces.corners);
        const int sign = first_pieces.sign[i] * second_pieces.sign[j];
        overlap += sign * part;
        cancels |= sign < 0 && part > 0;
      }
    }
    // Where both triangles of a quadrilateral whose sides cross lie, it is not: what is there twice, once of each sign,
    // differs by its rounding, and is nothing.
    if (cancels && overlap <= RoundingOf(first, second)) return 0;
  }
  return std::clamp(overlap, 0.0, std::min(a.area, b.area));
}

double QuadIou(const Quad& a, const Quad& b) {
  return SameScale(a, b, [](const Quad& first, const Quad& second) {
    const double overlap = QuadOverlap(first, second);
    // Not above 1: the overlap is not larger than either area, and sums are rounded in order.
    return overlap > 0 ? overlap / (first.area + second.area - overlap) : 0.0;
  });
}

double QuadIof(const Quad& a, const Quad& b) {
  return SameScale(a, b, [](const Quad& first, const Quad& second) {
    const double overlap = QuadOverlap(first, second);
    return overlap > 0 ? overlap / first.area : 0.0;
  });
}

}  // namespace detops::boxes
