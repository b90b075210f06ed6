// Pairs of rotated boxes that are hard to compare, and what they truly have in common.
#ifndef DETOPS_TESTS_SUPPORT_ROTATED_PAIRS_H_
#define DETOPS_TESTS_SUPPORT_ROTATED_PAIRS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

#include "support/double_double.h"
#include "support/rotated_overlap.h"

namespace detops_test {

using RotatedRow = std::array<double, 5>;  // centre, sides, angle

// Numbers of T, so that a tensor of T holds the pair exactly.
template <class T>
class RotatedPairMaker {
 public:
  explicit RotatedPairMaker(uint64_t seed) : random_(seed) {}

  enum Kind {
    kEqual,
    kOneStep,   // one number is the next one of T
    kTurned,    // by 1e-7
    kTouching,  // side by side, or all but for 1e-3 to 1e-14 of their size
    kNested,
    kNoise,  // each number by 1e-7 to 1e-3 of itself
    kAny,
    kSlim,          // sides up to 1:1000, anywhere
    kSlimTouching,  // side by side
    kKinds
  };

  struct Pair {
    RotatedRow a, b;
  };

  Pair Make(Kind kind) {
    const bool slim = kind == kSlim || kind == kSlimTouching;
    const double size = OneIn(8) ? 1e-3 : std::pow(10.0, Uniform(-3, 3));
    // The last: where a step of float is a part of the box, or larger.
    const double field = OneIn(2) ? size : OneIn(2) ? 10 * size : OneIn(2) ? 1e6 : 1e6 * size;
    RotatedRow a = {Uniform(-field, field), Uniform(-field, field), size * Uniform(0.5, 1), 0, Uniform(-4, 4)};
    a[3] = a[2] * std::pow(10.0, -Uniform(0, slim ? 3 : 1));
    if (OneIn(2)) std::swap(a[2], a[3]);
    if (OneIn(6)) a[4] = 0;
    if (OneIn(20)) a[4] = Uniform(-1e6, 1e6);
    a = Stored(a);
    return {a, Stored(Other(kind, a))};
  }

 private:
  RotatedRow Other(Kind kind, const RotatedRow& a) {
    RotatedRow b = a;
    switch (kind) {
      case kEqual:
        break;
      case kOneStep: {
        double& number = b[random_() % 5];
        number = std::nextafter(static_cast<T>(number), std::numeric_limits<T>::max() * (OneIn(2) ? 1 : -1));
        break;
      }
      case kTurned:
        b[4] += OneIn(2) ? 1e-7 : -1e-7;
        break;
      case kTouching:
      case kSlimTouching:
        return Beside(a);
      case kNested:
        b[2] *= Uniform(0.01, 0.9);
        b[3] *= Uniform(0.01, 0.9);
        break;
      case kNoise: {
        const double noise = std::pow(10.0, -Uniform(3, 7));
        for (double& number : b) number *= 1 + Uniform(-noise, noise);
        break;
      }
      default: {
        const double reach = std::max(a[2], a[3]);
        b = {a[0] + reach * Uniform(-1, 1), a[1] + reach * Uniform(-1, 1), a[2] * Uniform(0.1, 3),
             a[3] * Uniform(0.1, 3), Uniform(-4, 4)};
        if (OneIn(4)) b[4] = a[4];
        if (OneIn(4)) b[4] = a[4] + Uniform(-1e-3, 1e-3);
      }
    }
    return b;
  }

  RotatedRow Beside(const RotatedRow& a) {
    RotatedRow b = a;
    b[2] *= Uniform(0.2, 2);
    b[3] *= Uniform(0.2, 2);
    const bool above = OneIn(2);
    double dx = above ? Uniform(-1, 1) * a[2] : (a[2] + b[2]) / 2;
    double dy = above ? (a[3] + b[3]) / 2 : Uniform(-1, 1) * a[3];
    if (OneIn(3)) {
      dx *= 1 + std::pow(10.0, -Uniform(3, 14));
      dy *= 1 - std::pow(10.0, -Uniform(3, 14));
    }
    b[0] += std::cos(a[4]) * dx - std::sin(a[4]) * dy;
    b[1] += std::sin(a[4]) * dx + std::cos(a[4]) * dy;
    if (OneIn(3)) b[4] += std::acos(-1.0) / 2 * static_cast<double>(random_() % 4);
    return b;
  }

  static RotatedRow Stored(RotatedRow row) {
    for (double& number : row) number = static_cast<T>(number);
    return row;
  }
  bool OneIn(uint64_t count) { return random_() % count == 0; }
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }

  std::mt19937_64 random_;
};

// The truth, to 2^-90 of the boxes' sizes: 2^37 times as exact as a double's rounding.
struct ExactPair {
  ExactPair(const RotatedRow& a, const RotatedRow& b) {
    const auto rectangle = [](const RotatedRow& row) {
      const auto [cosine, sine] = CosineAndSine(row[4]);
      return RotatedRectangle<DoubleDouble>{row[0], row[1], row[2], row[3], cosine, sine, row[2] > 0 && row[3] > 0};
    };
    const auto first = rectangle(a), second = rectangle(b);
    const DoubleDouble shared = RectangleOverlap(first, second);
    overlap = shared;
    const double sides_a = a[2] + a[3], sides_b = b[2] + b[3], least = std::min(sides_a, sides_b);
    const double distance = std::abs(b[0] - a[0]) + std::abs(b[1] - a[1]);
    unit = 0x1p-52 * (std::max(sides_a, sides_b) + distance) * least;
    // What is left of boxes that touch or are apart.
    if (!(shared > 0x1p-30 * unit)) return;
    iou = shared / (first.Area() + second.Area() - shared);
  }

  DoubleDouble overlap = 0, iou = 0;
  double unit = 0;  // of the rounding errors of an overlap that is computed in double
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_ROTATED_PAIRS_H_
