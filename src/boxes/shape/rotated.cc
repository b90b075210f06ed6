#include "boxes/shape/rotated.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boxes/shape/rotated-inl.h"
#include "core/element_type.h"

namespace detops::boxes {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of ordinary boxes.
constexpr double kLargestCentre = 0x1p400;
// A turn by less moves no corner by a part of a rounding error. The slope of an edge stays finite.
constexpr double kSmallestSine = 0x1p-120;

constexpr RotatedBox kNoBox = {0, 0, 0, 0, 1, 0, 0, 0, kInfinity, kInfinity, -kInfinity, -kInfinity};

// [centre - reach, centre + reach], wider by more than what rounding has taken.
void SetRange(double centre, double reach, double* low, double* high) {
  const double slack = (std::abs(centre) + reach) * 0x1p-50;
  *low = centre - reach - slack;
  *high = centre + reach + slack;
}

}  // namespace

RotatedBox MakeRotatedBox(double cx, double cy, double w, double h, double angle) {
  const bool finite = std::isfinite(cx) && std::isfinite(cy) && std::isfinite(w) && std::isfinite(h);
  if (!finite || !std::isfinite(angle) || w <= 0 || h <= 0) return kNoBox;
  RotatedBox box = {cx,    cy,        w,          h,          std::cos(angle), std::sin(angle),
                    angle, kWideArea, -kInfinity, -kInfinity, kInfinity,       kInfinity};
  if (std::abs(box.sine) < kSmallestSine) box.sine = 0;
  if (!OrdinaryLength(w) || !OrdinaryLength(h) || std::abs(cx) > kLargestCentre || std::abs(cy) > kLargestCentre) {
    return box;
  }
  box.area = w * h;
  const double cosine = std::abs(box.cosine);
  const double sine = std::abs(box.sine);
  SetRange(cx, 0.5 * (cosine * w + sine * h), &box.x_min, &box.x_max);
  SetRange(cy, 0.5 * (sine * w + cosine * h), &box.y_min, &box.y_max);
  return box;
}

RotatedBox ReadRotatedBox(RowFormat format, mluOpDataType_t type, const void* rows, int64_t row) {
  return WithElementType(type, [&]<typename T>() {
    const int64_t first = row * NumbersOf(format);
    const auto number = [&](int64_t k) { return static_cast<double>(LoadReal<T>(rows, first + k)); };
    if (format == RowFormat::kRotated) return MakeRotatedBox(number(0), number(1), number(2), number(3), number(4));
    // A box is as finite as all its numbers, also those that do not count.
    const bool finite = std::isfinite(number(2)) && std::isfinite(number(5)) && std::isfinite(number(6));
    if (!finite) return kNoBox;
    return MakeRotatedBox(number(0), number(1), number(3), number(4), format == RowFormat::kBev ? number(6) : 0);
  });
}

RotatedPlanes RotatedPlanes::Take(Arena& arena, int64_t count) {
  const int64_t padded = SaturatingAdd(count, kPlanePadding);
  RotatedPlanes planes = {};
  for (double** plane : {&planes.cx, &planes.cy, &planes.w, &planes.h, &planes.cosine, &planes.sine, &planes.angle,
                         &planes.area, &planes.x_min, &planes.y_min, &planes.x_max, &planes.y_max}) {
    *plane = arena.Take<double>(padded);
  }
  planes.count = count;
  return planes;
}

void RotatedPlanes::Set(int64_t index, const RotatedBox& box) const {
  cx[index] = box.cx;
  cy[index] = box.cy;
  w[index] = box.w;
  h[index] = box.h;
  cosine[index] = box.cosine;
  sine[index] = box.sine;
  angle[index] = box.angle;
  area[index] = box.area;
  x_min[index] = box.x_min;
  y_min[index] = box.y_min;
  x_max[index] = box.x_max;
  y_max[index] = box.y_max;
}

RotatedBox RotatedPlanes::Get(int64_t index) const {
  return {cx[index],    cy[index],   w[index],     h[index],     cosine[index], sine[index],
          angle[index], area[index], x_min[index], y_min[index], x_max[index],  y_max[index]};
}

void RotatedPlanes::Pad() const {
  for (int64_t i = count; i < count + kPlanePadding; ++i) Set(i, kNoBox);
}

void FillRotated(const RotatedPlanes& planes, RowFormat format, mluOpDataType_t type, const void* rows, int64_t begin,
                 int64_t end) {
  for (int64_t i = begin; i < end; ++i) planes.Set(i, ReadRotatedBox(format, type, rows, i));
}

// The target of the -inl.h, whose functions gcc does not inline into those of another (64-bit ARM).
HWY_BEFORE_NAMESPACE();
double RotatedValueOf(PairValue value, const RotatedBox& a, const RotatedBox& b) {
  namespace here = detops::HWY_NAMESPACE;
  const hwy::HWY_NAMESPACE::CappedTag<double, 1> d;
  const auto first = here::SetRotated(d, a);
  const auto second = here::SetRotated(d, b);
  switch (value) {
    case PairValue::kOverlap:
      return here::hn::GetLane(here::RotatedValue<PairValue::kOverlap>(d, first, second));
    case PairValue::kIou:
      return here::hn::GetLane(here::RotatedValue<PairValue::kIou>(d, first, second));
    case PairValue::kIofFirst:
      return here::hn::GetLane(here::RotatedValue<PairValue::kIofFirst>(d, first, second));
    default:
      return here::hn::GetLane(here::RotatedValue<PairValue::kIofSecond>(d, first, second));
  }
}
HWY_AFTER_NAMESPACE();

bool ScaleWidePair(const RotatedBox& a, const RotatedBox& b, RotatedBox* small_a, RotatedBox* small_b, int* exponent) {
  if (a.w <= 0 || b.w <= 0) return false;
  const double longest = std::max(std::max(a.w, a.h), std::max(b.w, b.h));
  *exponent = std::ilogb(longest);
  const int power = -*exponent;
  const double dx = std::scalbn(b.cx, power) - std::scalbn(a.cx, power);
  const double dy = std::scalbn(b.cy, power) - std::scalbn(a.cy, power);
  if (!(std::abs(dx) < 8 && std::abs(dy) < 8)) return false;  // also where a centre has become infinite
  const auto scaled = [power](const RotatedBox& box, double x, double y) {
    RotatedBox small = box;
    small.cx = x;
    small.cy = y;
    small.w = std::scalbn(box.w, power);
    small.h = std::scalbn(box.h, power);
    small.area = small.w * small.h;
    return small;
  };
  // The difference keeps its sign when the boxes change places, and so does the choice between them.
  *small_a = scaled(a, 0, 0);
  *small_b = scaled(b, dx, dy);
  return true;
}

// A box that has no area when it is scaled is so small that the ratio is 0 but for rounding, or so slim that no two
// such boxes share an area that double could tell; only the box itself is known to.
double WideRotatedValue(PairValue value, const RotatedBox& a, const RotatedBox& b) {
  if (a.w <= 0 || b.w <= 0) return 0;
  const bool equal = a.cx == b.cx && a.cy == b.cy && a.w == b.w && a.h == b.h && a.angle == b.angle;
  if (equal) return value == PairValue::kOverlap ? a.w * a.h : 1;
  RotatedBox small_a, small_b;
  int exponent = 0;
  if (!ScaleWidePair(a, b, &small_a, &small_b, &exponent)) return 0;
  const double result = RotatedValueOf(value, small_a, small_b);
  return value == PairValue::kOverlap ? std::scalbn(result, 2 * exponent) : result;
}

}  // namespace detops::boxes
