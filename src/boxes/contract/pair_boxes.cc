// The boxes of calls on pairs.
#include <algorithm>
#include <cmath>
#include <vector>

#include "boxes/contract/pairs.h"

namespace detops_harness::boxes {
namespace {

// In the order of the key's words.
enum class Kind {
  kNear,       // in one place: most overlap
  kScattered,  // over a large field: few meet
  kEqual,      // the second boxes are copies of the first, some with one number a little larger
  kSlim,       // sides 1:1000, crossing each other
  kFar,        // near each other, and far from the origin
  kTouching,   // on a grid, not turned: many share a side or a corner
  kOdd         // sides that are 0, negative, small or large
};

struct Box {
  double x, y, z, w, h, d, angle;
};

// Where a step of the type is still smaller than a box.
double Far(mluOpDataType_t type) {
  return type == MLUOP_DTYPE_HALF ? 1000 : type == MLUOP_DTYPE_BFLOAT16 ? 100 : type == MLUOP_DTYPE_FLOAT ? 1e6 : 1e9;
}

Box NewBox(Kind kind, mluOpDataType_t type, Random& random) {
  const double z = random.Uniform(-1, 1), d = random.Uniform(1, 3);
  switch (kind) {
    case Kind::kScattered:
      return {random.Uniform(0, 1000), random.Uniform(0, 1000), z, random.Uniform(4, 40), random.Uniform(4, 40), d,
              random.Angle()};
    case Kind::kSlim: {
      const double length = random.Uniform(5, 20);
      const bool flat = random.Below(2) == 0;
      return {random.Uniform(0, 3),
              random.Uniform(0, 3),
              z,
              flat ? length : length / 1000,
              flat ? length / 1000 : length,
              d,
              random.Angle()};
    }
    case Kind::kFar:
      return {Far(type) + random.Uniform(0, 6),
              random.Uniform(0, 6) - Far(type),
              Far(type) + z,
              random.Uniform(2, 8),
              random.Uniform(2, 8),
              d,
              random.Angle()};
    case Kind::kTouching:
      return {static_cast<double>(random.Below(5)),
              static_cast<double>(random.Below(5)),
              static_cast<double>(random.Below(3)),
              random.OneOf({1, 2}),
              random.OneOf({1, 2}),
              random.OneOf({1, 2}),
              0};
    case Kind::kOdd:
      return {random.Uniform(-2, 2),
              random.Uniform(-2, 2),
              z,
              random.OneOf({0, -1, 1, 3, 1e-3, 100}),
              random.OneOf({0, -2, 2, 3, 1e-3, 100}),
              random.OneOf({0, -1, 1, 2, 4}),
              random.Below(3) == 0 ? 0 : random.Angle()};
    default:
      return {random.Uniform(0, 4), random.Uniform(0, 4), z, random.Uniform(2, 8), random.Uniform(2, 8), d,
              random.Angle()};
  }
}

void Write(const Box& box, PairForm form, int64_t row, Tensor& tensor) {
  std::vector<double> numbers;
  switch (form) {
    case PairForm::kUpright:
      numbers = {box.x, box.y, box.x + box.w, box.y + box.h};
      break;
    case PairForm::kRotated:
      numbers = {box.x, box.y, box.w, box.h, box.angle};
      break;
    default:
      numbers = {box.x, box.y, box.z, box.w, box.h, box.d, box.angle};
  }
  const auto width = static_cast<int64_t>(numbers.size());
  for (int64_t i = 0; i < width; ++i) tensor.Set(row * width + i, numbers[static_cast<size_t>(i)]);
}

// An upright rectangle that holds the box.
struct Bounds {
  double x_min, y_min, x_max, y_max;
};

Bounds BoundsOf(const Tensor& tensor, PairForm form, int64_t row) {
  const int64_t width = form == PairForm::kUpright ? 4 : form == PairForm::kRotated ? 5 : 7;
  const auto number = [&](int64_t i) { return tensor.Get(row * width + i); };
  if (form == PairForm::kUpright) return {number(0), number(1), number(2), number(3)};
  const int64_t w = form == PairForm::kRotated ? 2 : 3;
  const double cosine = std::abs(std::cos(number(width - 1))), sine = std::abs(std::sin(number(width - 1)));
  const double x = (cosine * number(w) + sine * number(w + 1)) / 2, y = (sine * number(w) + cosine * number(w + 1)) / 2;
  return {number(0) - x, number(1) - y, number(0) + x, number(1) + y};
}

}  // namespace

ShapeKey PairsKey() {
  return {"boxes",
          "near",
          "near, scattered, equal, slim, far, touching, odd",
          {"near", "scattered", "equal", "slim", "far", "touching", "odd"}};
}

void FillPairs(const Shape& shape, PairForm form, Tensor& first, Tensor& second, Random& random) {
  const auto kind =
      static_cast<Kind>(shape.Choice("boxes", {"near", "scattered", "equal", "slim", "far", "touching", "odd"}));
  std::vector<Box> boxes;
  for (int64_t i = 0; i < first.extents[0]; ++i) {
    boxes.push_back(NewBox(kind, first.type, random));
    Write(boxes.back(), form, i, first);
  }
  for (int64_t i = 0; i < second.extents[0]; ++i) {
    Box box = NewBox(kind, first.type, random);
    if (kind == Kind::kEqual && !boxes.empty()) {
      box = boxes[static_cast<size_t>(i) % boxes.size()];
      double* const numbers[] = {&box.x, &box.y, &box.w, &box.h, &box.d};
      if (random.Below(3) == 0) *numbers[random.Below(5)] *= 1 + random.OneOf({0x1p-7, 0x1p-10, 0x1p-20});
    }
    Write(box, form, i, second);
  }
}

double MeetingPairs(const Call& call, PairForm form, const PairNames& names) {
  const Tensor &first = call[names.first], &second = call[names.second];
  std::vector<Bounds> others;
  others.reserve(static_cast<size_t>(second.extents[0]));
  for (int64_t i = 0; i < second.extents[0]; ++i) others.push_back(BoundsOf(second, form, i));
  double pairs = 0;
  for (int64_t i = 0; i < first.extents[0]; ++i) {
    const Bounds a = BoundsOf(first, form, i);
    const auto meets = [&](const Bounds& b) {
      return a.x_min < b.x_max && b.x_min < a.x_max && a.y_min < b.y_max && b.y_min < a.y_max;
    };
    pairs += static_cast<double>(IsAligned(call) ? meets(others[static_cast<size_t>(i)])
                                                 : std::count_if(others.begin(), others.end(), meets));
  }
  return pairs;
}

}  // namespace detops_harness::boxes
