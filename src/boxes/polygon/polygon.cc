#include "boxes/polygon/polygon.h"

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

// Squares of numbers in this range, and what rounding leaves of them, are in the range of double.
constexpr double kHuge = 0x1p300;
constexpr double kTiny = 0x1p-300;

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
  const double first = Extent(clip, clip_count);
  const double second = Extent(subject, subject_count);
  // Seen from the smaller one: the corners of a small polygon are exact from there, wherever in a large one it lies.
  const double area = ClippedArea(clip, clip_count, subject, subject_count, first < second ? clip[0] : subject[0]);
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

}  // namespace detops::boxes
