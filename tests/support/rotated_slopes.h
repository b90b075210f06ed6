// How the area that two rotated boxes share changes with the numbers of the first: for references. One box is cut along
// the sides of the other, and it is remembered which side of which box each side of the rest comes from. The library
// cuts nothing.
#ifndef DETOPS_TESTS_SUPPORT_ROTATED_SLOPES_H_
#define DETOPS_TESTS_SUPPORT_ROTATED_SLOPES_H_

#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

namespace detops_test {

struct RotatedSlopes {
  long double area = 0;
  long double x = 0, y = 0, w = 0, h = 0, angle = 0;
  // What rounding errors of the area and of each slope, in this order, are relative to: coordinates that cancel.
  long double magnitudes[6] = {};
  // How much of the sides may lie in or out of the other box where positions are known but for their rounding in
  // double: no more than that, but for sides that run nearly along one another, which cross anywhere then.
  long double open = 0;
};

namespace rotated_slopes {

using Real = long double;

// A corner of a polygon, and whose the side is that begins there: 0 to 3 those of the first box (top, left, bottom,
// right), -1 one of the second.
struct Corner {
  Real x, y;
  int side;
};
using Polygon = std::vector<Corner>;

// The part with nx * x + ny * y <= limit; new sides are `side`.
inline Polygon Cut(const Polygon& polygon, Real nx, Real ny, Real limit, int side) {
  Polygon part;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Corner &here = polygon[i], &next = polygon[(i + 1) % polygon.size()];
    const Real from = nx * here.x + ny * here.y - limit, to = nx * next.x + ny * next.y - limit;
    if (from <= 0) part.push_back(here);
    if ((from <= 0) == (to <= 0)) continue;
    const Real way = from / (from - to);
    // Where the polygon goes out, the cut's side begins; where it comes in, its own side goes on.
    part.push_back({here.x + way * (next.x - here.x), here.y + way * (next.y - here.y), from <= 0 ? side : here.side});
  }
  return part;
}

// Adds the sides of the first box, in whose frame the polygon is, times `weight`.
inline void AddSides(const Polygon& polygon, Real weight, Real sums[4], Real moments[4]) {
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Corner &here = polygon[i], &next = polygon[(i + 1) % polygon.size()];
    if (here.side < 0) continue;
    const Real length = std::hypot(next.x - here.x, next.y - here.y);
    const bool flat = here.side == 0 || here.side == 2;
    const Real middle = flat ? (here.x + next.x) / 2 : (here.y + next.y) / 2;
    sums[here.side] += weight * length;
    moments[here.side] += weight * length * middle;
  }
}

}  // namespace rotated_slopes

// Boxes are x, y, w, h, angle. All 0 if the boxes share no area. Sides that run along one of the other box count half.
inline RotatedSlopes SlopesOfSharedArea(const double first[5], const double second[5]) {
  using rotated_slopes::Cut;
  using rotated_slopes::Polygon;
  using rotated_slopes::Real;
  for (const double* const box : {first, second}) {
    for (int i = 0; i < 5; ++i) {
      if (!std::isfinite(box[i])) return {};
    }
    if (box[2] <= 0 || box[3] <= 0) return {};
  }
  const Real cosine = std::cos(Real{first[4]}), sine = std::sin(Real{first[4]});
  const Real turn = Real{second[4]} - Real{first[4]};
  Real c = std::cos(turn), s = std::sin(turn);
  if (Real{first[4]} + turn != Real{second[4]} || Real{second[4]} - turn != Real{first[4]}) {
    // Of angles like 1e20 the difference is rounded.
    const Real other_cosine = std::cos(Real{second[4]}), other_sine = std::sin(Real{second[4]});
    c = other_cosine * cosine + other_sine * sine;
    s = other_sine * cosine - other_cosine * sine;
  }
  const Real dx = Real{second[0]} - Real{first[0]}, dy = Real{second[1]} - Real{first[1]};
  const Real x = dx * cosine + dy * sine, y = dy * cosine - dx * sine;
  const Real w = first[2], h = first[3], other_w = second[2], other_h = second[3];

  // The first box, cut along the sides of the second: sides of both in one place are the first's.
  Polygon own = {{w / 2, h / 2, 0}, {-w / 2, h / 2, 1}, {-w / 2, -h / 2, 2}, {w / 2, -h / 2, 3}};
  const Real along = x * c + y * s, across = y * c - x * s;
  own = Cut(own, c, s, along + other_w / 2, -1);
  own = Cut(own, -c, -s, other_w / 2 - along, -1);
  own = Cut(own, -s, c, across + other_h / 2, -1);
  own = Cut(own, s, -c, other_h / 2 - across, -1);

  // The second box, cut along those of the first: there they are the second's.
  Polygon cut;
  for (const auto& [p, q] : {std::pair<int, int>{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
    const Real a = p * other_w / 2, b = q * other_h / 2;
    cut.push_back({x + a * c - b * s, y + a * s + b * c, -1});
  }
  cut = Cut(cut, 0, 1, h / 2, 0);
  cut = Cut(cut, -1, 0, w / 2, 1);
  cut = Cut(cut, 0, -1, h / 2, 2);
  cut = Cut(cut, 1, 0, w / 2, 3);

  RotatedSlopes slopes;
  for (size_t i = 1; i + 1 < own.size(); ++i) {
    slopes.area +=
        ((own[i].x - own[0].x) * (own[i + 1].y - own[0].y) - (own[i + 1].x - own[0].x) * (own[i].y - own[0].y)) / 2;
  }
  // What is no more than rounding is nothing.
  if (slopes.area <= 1e-17L * (w + h) * (other_w + other_h)) return {};
  Real sums[4] = {}, moments[4] = {};
  rotated_slopes::AddSides(own, 0.5L, sums, moments);
  rotated_slopes::AddSides(cut, 0.5L, sums, moments);
  const Real right = sums[3] - sums[1], up = sums[0] - sums[2];
  slopes.x = right * cosine - up * sine;
  slopes.y = right * sine + up * cosine;
  slopes.w = (sums[3] + sums[1]) / 2;
  slopes.h = (sums[0] + sums[2]) / 2;
  slopes.angle = moments[0] - moments[2] - moments[3] + moments[1];
  const Real size = w + h, other_size = other_w + other_h;
  const Real reach = std::fmax(size, other_size) + std::fabs(dx) + std::fabs(dy);
  const Real magnitudes[] = {reach * std::fmin(size, other_size), reach, reach, reach, reach, reach * size};
  for (int i = 0; i < 6; ++i) slopes.magnitudes[i] = magnitudes[i];
  const Real noise = 0x1p-49L * reach;
  for (const int sign : {1, -1}) {
    for (const bool flat : {true, false}) {
      const Real px = flat ? 0 : sign * w / 2, py = flat ? sign * h / 2 : 0, half = (flat ? w : h) / 2;
      for (const auto& [nx, ny, limit] : {std::tuple(c, s, other_w / 2), {-s, c, other_h / 2}}) {
        const Real beyond = std::fabs((px - x) * nx + (py - y) * ny) - limit, step = std::fabs(flat ? nx : ny);
        const bool exact = beyond == 0 && step == 0;
        if (!exact && std::fabs(beyond) <= step * half + noise) slopes.open += 2 * std::fmin(half, noise / step);
      }
    }
  }
  return slopes;
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_ROTATED_SLOPES_H_
