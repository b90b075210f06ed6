#include "boxes/polygon.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace detops::boxes {
namespace {

// Half of the distance from 1 to the next double.
constexpr double kUnit = 0x1p-53;
// What a cross product of differences may be wrong by, relative to the sum of its two terms: three roundings of each.
constexpr double kCrossError = (3 + 16 * kUnit) * kUnit;

struct Pair {
  double high, low;  // the sum is exact
};

Pair ExactDifference(double a, double b) {
  const double high = a - b;
  const double part = a - high;
  const double whole = high + part;
  return {high, (a - whole) + (part - b)};
}

// Numbers whose exact sum counts, none overlapping another, in ascending order of magnitude.
class Expansion {
 public:
  void Add(double term) {
    if (term == 0) return;
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      const double sum = term + part_[i];
      const double share = sum - term;
      const double rest = (term - (sum - share)) + (part_[i] - share);
      if (rest != 0) part_[kept++] = rest;
      term = sum;
    }
    if (term != 0) part_[kept++] = term;
    count_ = kept;
  }

  void AddProduct(const Pair& a, const Pair& b, double sign) {
    for (const double part : {a.low, a.high}) {
      for (const double other : {b.low, b.high}) {
        const double high = part * other;
        Add(sign * high);
        Add(sign * std::fma(part, other, -high));
      }
    }
  }

  // Each part is larger than the sum of those before it: the sign is that of the last.
  double Value() const {
    double sum = 0;
    for (int i = 0; i < count_; ++i) sum += part_[i];
    return sum;
  }

 private:
  double part_[16];  // eight products of two parts each
  int count_ = 0;
};

double ExactCross(const Point& a, const Point& b, const Point& c, const Point& d) {
  const Pair ux = ExactDifference(b.x, a.x), uy = ExactDifference(b.y, a.y);
  const Pair vx = ExactDifference(d.x, c.x), vy = ExactDifference(d.y, c.y);
  Expansion sum;
  sum.AddProduct(ux, vy, 1);
  sum.AddProduct(uy, vx, -1);
  return sum.Value();
}

// The plain cross product if it is larger than `error` times the sum of its terms, else the exact one, rounded.
inline double FilteredCross(const Point& a, const Point& b, const Point& c, const Point& d, double error) {
  const double left = (b.x - a.x) * (d.y - c.y);
  const double right = (b.y - a.y) * (d.x - c.x);
  const double cross = left - right;
  if (std::abs(cross) > error * (std::abs(left) + std::abs(right))) return cross;
  return ExactCross(a, b, c, d);
}

bool LowerPoint(const Point& a, const Point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; }

// A line along a side of `a` with all of `a` on its left has all of `b` on its right.
bool HasSeparatingSide(const Point* a, int a_count, const Point* b, int b_count) {
  for (int i = 0; i < a_count; ++i) {
    const Point& begin = a[i];
    const Point& end = a[i + 1 == a_count ? 0 : i + 1];
    bool apart = true;
    for (int j = 0; j < b_count && apart; ++j) apart = Orientation(begin, end, b[j]) <= 0;
    if (apart) return true;
  }
  return false;
}

// Corners after cutting. Every cut of a convex polygon adds at most one; rounding may bend one so that it is not quite
// convex, but a cut never adds more than half of the corners: 9 -> 13 -> 19 -> 28 -> 42 (4 sides), 4 x 1.5^9 = 153.
constexpr int kMaxCorners = 160;

struct Cut {
  Point corner[kMaxCorners];
  double distance[kMaxCorners];
};

// The part of `subject`, relative to `origin`, that lies left of all sides of `clip`: its area.
double ClippedArea(const Point* clip, int clip_count, const Point* subject, int subject_count, const Point& origin) {
  Cut cuts[2];
  Cut* from = &cuts[0];
  Cut* to = &cuts[1];
  int count = subject_count;
  for (int i = 0; i < count; ++i) from->corner[i] = {subject[i].x - origin.x, subject[i].y - origin.y};
  Point begin = {clip[clip_count - 1].x - origin.x, clip[clip_count - 1].y - origin.y};
  for (int side = 0; side < clip_count; ++side) {
    const Point end = {clip[side].x - origin.x, clip[side].y - origin.y};
    const double dx = end.x - begin.x;
    const double dy = end.y - begin.y;
    double lowest = 0, highest = 0;
    for (int i = 0; i < count; ++i) {
      const double distance = dx * (from->corner[i].y - begin.y) - dy * (from->corner[i].x - begin.x);
      from->distance[i] = distance;
      lowest = std::min(lowest, distance);
      highest = std::max(highest, distance);
    }
    begin = end;
    if (highest <= 0) return 0;
    if (lowest >= 0) continue;
    int kept = 0;
    Point last = from->corner[count - 1];
    double last_distance = from->distance[count - 1];
    for (int i = 0; i < count; ++i) {
      const Point next = from->corner[i];
      const double distance = from->distance[i];
      if ((last_distance < 0 && distance > 0) || (last_distance > 0 && distance < 0)) {
        // The two have opposite signs: the share is in (0, 1) and nothing is divided by 0.
        const double share = last_distance / (last_distance - distance);
        to->corner[kept++] = {last.x + share * (next.x - last.x), last.y + share * (next.y - last.y)};
      }
      if (distance >= 0) to->corner[kept++] = next;
      last = next;
      last_distance = distance;
    }
    count = kept;
    std::swap(from, to);
  }
  double twice = 0;
  const Point& first = from->corner[0];
  for (int i = 1; i + 1 < count; ++i) {
    const Point& p = from->corner[i];
    const Point& q = from->corner[i + 1];
    twice += (p.x - first.x) * (q.y - first.y) - (p.y - first.y) * (q.x - first.x);
  }
  return std::max(0.0, twice / 2);
}

double Extent(const Point* corners, int count) {
  Point low = corners[0], high = corners[0];
  for (int i = 1; i < count; ++i) {
    low = {std::min(low.x, corners[i].x), std::min(low.y, corners[i].y)};
    high = {std::max(high.x, corners[i].x), std::max(high.y, corners[i].y)};
  }
  return (high.x - low.x) + (high.y - low.y);
}

// What rounding alone can make of an overlap that is 0, divided by the sum and the smaller of the two extents.
constexpr double kOverlapError = 32 * kUnit;

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
  quad->sign[0] = static_cast<int8_t>(turn[(quad->diagonal + 1) % 4]);
  quad->sign[1] = static_cast<int8_t>(turn[(quad->diagonal + 3) % 4]);
}

// Squares of numbers in this range, and what rounding leaves of them, are in the range of double.
constexpr double kHuge = 0x1p300;
constexpr double kTiny = 0x1p-300;

template <class Ratio>
double SameScale(const Quad& a, const Quad& b, Ratio ratio) {
  if (a.exponent == b.exponent) return ratio(a, b);
  const int exponent = std::max(a.exponent, b.exponent);
  return ratio(a.exponent == exponent ? a : Rescaled(a, exponent), b.exponent == exponent ? b : Rescaled(b, exponent));
}

}  // namespace

double Cross(const Point& a, const Point& b, const Point& c, const Point& d) {
  return FilteredCross(a, b, c, d, 0x1p-10);  // ten bits lost at most
}

double Orientation(const Point& a, const Point& b, const Point& c) { return FilteredCross(a, b, a, c, kCrossError); }

int ConvexHull(const Point* points, int count, int* corners) {
  int order[kMaxHullPoints];
  int distinct = 0;
  for (int i = 0; i < count; ++i) {
    int place = distinct;
    while (place > 0 && LowerPoint(points[i], points[order[place - 1]])) --place;
    if (place > 0 && points[order[place - 1]] == points[i]) continue;
    std::copy_backward(order + place, order + distinct, order + distinct + 1);
    order[place] = i;
    ++distinct;
  }
  if (distinct < 3) {
    std::copy(order, order + distinct, corners);
    return distinct;
  }
  // Twice along the sorted points, there below and back above: what does not turn left is no corner.
  int chain[2 * kMaxHullPoints];
  int length = 0;
  int fixed = 1;
  for (int step = 0; step < 2 * distinct - 1; ++step) {
    const int next = order[step < distinct ? step : 2 * distinct - 2 - step];
    if (step == distinct) fixed = length;
    while (length > fixed && Orientation(points[chain[length - 2]], points[chain[length - 1]], points[next]) <= 0) {
      --length;
    }
    chain[length++] = next;
  }
  --length;  // the first came again
  std::copy(chain, chain + length, corners);
  return length;
}

double ConvexArea(const Point* corners, int count) {
  double twice = 0;
  for (int i = 1; i + 1 < count; ++i) twice += Cross(corners[0], corners[i], corners[0], corners[i + 1]);
  return twice / 2;
}

double ConvexOverlap(const Point* clip, int clip_count, const Point* subject, int subject_count) {
  const double area = ClippedArea(clip, clip_count, subject, subject_count, clip[0]);
  const double first = Extent(clip, clip_count);
  const double second = Extent(subject, subject_count);
  if (area > kOverlapError * (first + second) * std::min(first, second)) return area;
  const bool apart = HasSeparatingSide(clip, clip_count, subject, subject_count) ||
                     HasSeparatingSide(subject, subject_count, clip, clip_count);
  return apart ? 0 : area;
}

int ExponentOf(const double* numbers, int count) {
  double largest = 0;
  for (int i = 0; i < count; ++i) largest = std::max(largest, std::abs(numbers[i]));
  return largest == 0 || (largest >= kTiny && largest <= kHuge) ? 0 : std::ilogb(largest);
}

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
  scaled.exponent = exponent;
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
