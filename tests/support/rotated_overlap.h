// What rotated boxes have in common, by cutting one box along the sides of the other: for references and tests. The
// library integrates along sides and cuts nothing. Real is long double, or a type with more digits.
#ifndef DETOPS_TESTS_SUPPORT_ROTATED_OVERLAP_H_
#define DETOPS_TESTS_SUPPORT_ROTATED_OVERLAP_H_

#include <cmath>
#include <stdexcept>

namespace detops_test {

// A box without area if a number is not finite or a side is not above 0.
template <class Real>
struct RotatedRectangle {
  Real x = 0, y = 0, w = 0, h = 0, cosine = 1, sine = 0;
  bool some = false;
  Real Area() const { return some ? w * h : Real(0); }
};

inline RotatedRectangle<long double> MakeRectangle(double x, double y, double w, double h, double angle) {
  const bool finite =
      std::isfinite(x) && std::isfinite(y) && std::isfinite(w) && std::isfinite(h) && std::isfinite(angle);
  if (!finite || w <= 0 || h <= 0) return {};
  return {x, y, w, h, std::cos(static_cast<long double>(angle)), std::sin(static_cast<long double>(angle)), true};
}

// A convex polygon of few corners.
template <class Real>
class SmallPolygon {
 public:
  void Add(Real x, Real y) {
    if (count_ == kMostCorners) throw std::logic_error("a polygon of too many corners");
    x_[count_] = x;
    y_[count_] = y;
    ++count_;
  }

  // The part on which x (or y) times `sign` is at most `limit`.
  SmallPolygon Below(bool along_x, int sign, Real limit) const {
    SmallPolygon part;
    const auto beyond = [&](int i) {
      const Real& number = along_x ? x_[i] : y_[i];
      return (sign > 0 ? number : -number) - limit;
    };
    for (int i = 0; i < count_; ++i) {
      const int next = (i + 1) % count_;
      const Real here = beyond(i), there = beyond(next);
      if (!(here > Real(0))) part.Add(x_[i], y_[i]);
      if ((here > Real(0)) == (there > Real(0))) continue;
      const Real way = here / (here - there);
      part.Add(x_[i] + way * (x_[next] - x_[i]), y_[i] + way * (y_[next] - y_[i]));
    }
    return part;
  }

  Real Area() const {
    Real twice = 0;
    for (int i = 1; i + 1 < count_; ++i) {
      twice = twice + (x_[i] - x_[0]) * (y_[i + 1] - y_[0]) - (x_[i + 1] - x_[0]) * (y_[i] - y_[0]);
    }
    return twice / Real(2);
  }

 private:
  static constexpr int kMostCorners = 16;  // 4, and each cut adds one, or a few that are equal but for rounding
  Real x_[kMostCorners] = {}, y_[kMostCorners] = {};
  int count_ = 0;
};

template <class Real>
Real RectangleOverlap(const RotatedRectangle<Real>& a, const RotatedRectangle<Real>& b) {
  if (!a.some || !b.some) return Real(0);
  const Real dx = b.x - a.x, dy = b.y - a.y;
  const Real cosine = a.cosine * b.cosine + a.sine * b.sine, sine = a.cosine * b.sine - a.sine * b.cosine;
  const Real x = dx * a.cosine + dy * a.sine, y = dy * a.cosine - dx * a.sine;
  SmallPolygon<Real> polygon;
  const int corners[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  for (const auto& corner : corners) {
    const Real p = b.w * Real(corner[0]) / Real(2), q = b.h * Real(corner[1]) / Real(2);
    polygon.Add(x + p * cosine - q * sine, y + p * sine + q * cosine);
  }
  const Real right = a.w / Real(2), top = a.h / Real(2);
  polygon = polygon.Below(true, 1, right).Below(true, -1, right).Below(false, 1, top).Below(false, -1, top);
  const Real area = polygon.Area();
  return area > Real(0) ? area : Real(0);
}

// Without what is no more than rounding of long double. Equal boxes share all, however slim they are.
inline long double SharedArea(const RotatedRectangle<long double>& a, const RotatedRectangle<long double>& b) {
  const bool same_place = a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h;
  if (a.some && b.some && same_place && a.cosine == b.cosine && a.sine == b.sine) return a.Area();
  const long double area = std::fmin(RectangleOverlap(a, b), std::fmin(a.Area(), b.Area()));
  return area > 1e-17L * (a.w + a.h) * (b.w + b.h) ? area : 0;
}

// What rounding errors of a shared area are relative to: products of coordinates, which cancel.
inline long double SharedMagnitude(const RotatedRectangle<long double>& a, const RotatedRectangle<long double>& b) {
  if (!a.some || !b.some) return 0;
  const long double reach = std::fmax(a.w + a.h, b.w + b.h) + std::fabs(a.x - b.x) + std::fabs(a.y - b.y);
  return reach * std::fmin(a.w + a.h, b.w + b.h);
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_ROTATED_OVERLAP_H_
