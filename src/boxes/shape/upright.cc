#include "boxes/shape/upright.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boxes/shape/upright-inl.h"
#include "core/element_type.h"

namespace detops::boxes {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr UprightBox kNoBox = {kInfinity, kInfinity, -kInfinity, -kInfinity, 0};

}  // namespace

UprightBox MakeUprightBox(double x1, double y1, double x2, double y2, double offset) {
  if (!std::isfinite(x1) || !std::isfinite(y1) || !std::isfinite(x2) || !std::isfinite(y2)) return kNoBox;
  UprightBox box = {x1, y1, x2 + offset, y2 + offset, kWideArea};
  if (box.x_max <= box.x_min || box.y_max <= box.y_min) return kNoBox;
  const double width = box.x_max - box.x_min;
  const double height = box.y_max - box.y_min;
  if (OrdinaryLength(width) && OrdinaryLength(height)) box.area = width * height;
  return box;
}

UprightBox ReadUprightBox(mluOpDataType_t type, const void* rows, int64_t row, double offset) {
  return WithElementType(type, [&]<typename T>() {
    const auto number = [&](int64_t k) { return static_cast<double>(LoadReal<T>(rows, 4 * row + k)); };
    return MakeUprightBox(number(0), number(1), number(2), number(3), offset);
  });
}

UprightPlanes UprightPlanes::Take(Arena& arena, int64_t count) {
  const int64_t padded = SaturatingAdd(count, kPlanePadding);
  UprightPlanes planes = {};
  for (double** plane : {&planes.x_min, &planes.y_min, &planes.x_max, &planes.y_max, &planes.area}) {
    *plane = arena.Take<double>(padded);
  }
  planes.count = count;
  return planes;
}

void UprightPlanes::Set(int64_t index, const UprightBox& box) const {
  x_min[index] = box.x_min;
  y_min[index] = box.y_min;
  x_max[index] = box.x_max;
  y_max[index] = box.y_max;
  area[index] = box.area;
}

UprightBox UprightPlanes::Get(int64_t index) const {
  return {x_min[index], y_min[index], x_max[index], y_max[index], area[index]};
}

void UprightPlanes::Pad() const {
  for (int64_t i = count; i < count + kPlanePadding; ++i) Set(i, kNoBox);
}

void FillUpright(const UprightPlanes& planes, mluOpDataType_t type, const void* rows, double offset, int64_t begin,
                 int64_t end) {
  for (int64_t i = begin; i < end; ++i) planes.Set(i, ReadUprightBox(type, rows, i, offset));
}

// The target of the -inl.h, whose functions gcc does not inline into those of another (64-bit ARM).
HWY_BEFORE_NAMESPACE();
double UprightValueOf(PairValue value, const UprightBox& a, const UprightBox& b) {
  namespace here = detops::HWY_NAMESPACE;
  const hwy::HWY_NAMESPACE::CappedTag<double, 1> d;
  const auto first = here::SetUpright(d, a);
  const auto second = here::SetUpright(d, b);
  switch (value) {
    case PairValue::kOverlap:
      return here::hn::GetLane(here::UprightValue<PairValue::kOverlap>(d, first, second));
    case PairValue::kIou:
      return here::hn::GetLane(here::UprightValue<PairValue::kIou>(d, first, second));
    case PairValue::kIofFirst:
      return here::hn::GetLane(here::UprightValue<PairValue::kIofFirst>(d, first, second));
    default:
      return here::hn::GetLane(here::UprightValue<PairValue::kIofSecond>(d, first, second));
  }
}
HWY_AFTER_NAMESPACE();

// Each axis is scaled by its own power of two, which changes no ratio, so that the longer of the two sides is about 1.
double WideUprightValue(PairValue value, const UprightBox& a, const UprightBox& b) {
  if (a.x_max <= a.x_min || b.x_max <= b.x_min) return 0;
  struct Lengths {
    double shared, first, second;
    int exponent;
  };
  const auto along = [](double a_min, double a_max, double b_min, double b_max) -> Lengths {
    const double shared = std::min(a_max, b_max) / 4 - std::max(a_min, b_min) / 4;
    const double first = a_max / 4 - a_min / 4;
    const double second = b_max / 4 - b_min / 4;
    const int exponent = std::ilogb(std::max(first, second));
    const auto scaled = [exponent](double length) { return std::scalbn(length, -exponent); };
    return {std::max(scaled(shared), 0.0), scaled(first), scaled(second), exponent + 2};
  };
  const Lengths x = along(a.x_min, a.x_max, b.x_min, b.x_max);
  const Lengths y = along(a.y_min, a.y_max, b.y_min, b.y_max);
  const double overlap = x.shared * y.shared;
  const double area_a = x.first * y.first;
  const double area_b = x.second * y.second;
  if (!(overlap > 0)) return 0;
  switch (value) {
    case PairValue::kOverlap:
      return std::scalbn(overlap, x.exponent + y.exponent);
    case PairValue::kIou:
      return overlap / (area_a + area_b - overlap);
    case PairValue::kIofFirst:
      return overlap / area_a;
    default:
      return overlap / area_b;
  }
}

}  // namespace detops::boxes
