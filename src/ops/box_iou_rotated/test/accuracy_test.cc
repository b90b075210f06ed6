// How exact box_iou_rotated is, and the laws that hold bit for bit, on pairs of all kinds against arithmetic of 100
// bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "detops.h"
#include "support/configurations.h"
#include "support/long_tests.h"
#include "support/rotated_pairs.h"
#include "support/tensor.h"

namespace detops_test {
namespace {

template <class T>
constexpr mluOpDataType_t kType = std::is_same_v<T, float> ? MLUOP_DTYPE_FLOAT : MLUOP_DTYPE_DOUBLE;

template <class T>
using Rows = std::vector<std::array<T, 5>>;

template <class T>
std::array<T, 5> RowOf(const RotatedRow& row) {
  std::array<T, 5> stored;
  for (size_t i = 0; i < 5; ++i) stored[i] = static_cast<T>(row[i]);
  return stored;
}

// All pairs, or boxes of the same number.
template <class T>
std::vector<T> Ious(Handle& handle, bool aligned, const Rows<T>& first, const Rows<T>& second, int mode = 0) {
  const auto n = static_cast<int64_t>(first.size()), m = static_cast<int64_t>(second.size());
  const Descriptor first_desc(MLUOP_LAYOUT_ARRAY, kType<T>, {n, 5});
  const Descriptor second_desc(MLUOP_LAYOUT_ARRAY, kType<T>, {m, 5});
  const Descriptor ious_desc(MLUOP_LAYOUT_ARRAY, kType<T>,
                             aligned ? std::vector<int64_t>{n} : std::vector<int64_t>{n, m});
  std::vector<T> ious(static_cast<size_t>(aligned ? n : n * m), T{-1});
  Must(mluOpBoxIouRotated(handle.get(), mode, aligned, first_desc.get(), first.data(), second_desc.get(), second.data(),
                          ious_desc.get(), ious.data()),
       "mluOpBoxIouRotated");
  return ious;
}

template <class T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

std::string Text(const RotatedRow& a, const RotatedRow& b) {
  std::string text;
  char number[32];
  for (const RotatedRow* row : {&a, &b}) {
    for (const double value : *row) {
      std::snprintf(number, sizeof(number), "%.17g, ", value);
      text += number;
    }
  }
  return text;
}

template <class T>
void ExpectExact(T result, const RotatedRow& a, const RotatedRow& b) {
  const ExactPair exact(a, b);
  const auto iou = static_cast<double>(exact.iou);
  const double error = std::abs(static_cast<double>(DoubleDouble(result) - exact.iou));
  ASSERT_GE(result, 0) << Text(a, b);
  ASSERT_LE(result, 1) << Text(a, b);
  if (iou == 0) {
    ASSERT_EQ(result, 0) << Text(a, b);
  } else if (result == 0) {
    // An overlap that seems not to be above four units, of which its rounding errors may take one.
    ASSERT_FALSE(exact.overlap > 5 * exact.unit && iou > std::numeric_limits<T>::min())
        << "IoU " << iou << " of " << Text(a, b);
  } else {
    const auto aspect = [](const RotatedRow& row) { return std::max(row[2] / row[3], row[3] / row[2]); };
    const bool slim = !std::is_same_v<T, float> && std::max(aspect(a), aspect(b)) > 100;
    const double bar = std::is_same_v<T, float> ? 0x1p-23 : slim ? 1e-12 : 1e-14;
    const double relative = iou > 1e-9 && iou < 1e-3 && !slim ? 1e-5 : 1;
    ASSERT_LE(error, std::min(bar, relative * iou)) << Text(a, b);
  }
}

template <class T>
class BoxIouRotatedAccuracy : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(BoxIouRotatedAccuracy, Types);

TYPED_TEST(BoxIouRotatedAccuracy, ErrorsAreWithinTheBars) {
  using T = TypeParam;
  using Maker = RotatedPairMaker<T>;
  Maker maker(1);
  Handle handle(DETOPS_PROFILE_FULL, 1);
  const int rounds = Rounds(100, 10'000);
  for (int round = 0; round < rounds; ++round) {
    std::vector<typename Maker::Pair> pairs;
    Rows<T> first, second;
    for (int i = 0; i < 1000; ++i) {
      pairs.push_back(maker.Make(static_cast<typename Maker::Kind>(i % Maker::kKinds)));
      first.push_back(RowOf<T>(pairs.back().a));
      second.push_back(RowOf<T>(pairs.back().b));
    }
    const std::vector<T> ious = Ious(handle, true, first, second);
    ASSERT_TRUE(SameBits(ious, Ious(handle, true, second, first)));
    for (size_t i = 0; i < pairs.size(); ++i) ASSERT_NO_FATAL_FAILURE(ExpectExact(ious[i], pairs[i].a, pairs[i].b));
    for (const T iou : Ious(handle, true, first, first)) ASSERT_EQ(iou, 1);
    for (const T iof : Ious(handle, true, second, second, 1)) ASSERT_EQ(iof, 1);
    for (const T iof : Ious(handle, true, first, second, 1)) ASSERT_TRUE(iof >= 0 && iof <= 1);
  }
}

// Alone, in a matrix (dense or sparse, its columns the second boxes or the first), aligned, on every target with any
// number of threads, in either order.
TYPED_TEST(BoxIouRotatedAccuracy, AValueHasTheSameBitsWhereverItStands) {
  using T = TypeParam;
  using Maker = RotatedPairMaker<T>;
  Maker maker(2);
  for (int round = 0; round < Rounds(3, 50); ++round) {
    // Many are near each other, because pairs are: one pair of each kind at each of some places.
    Rows<T> first, second;
    for (int i = 0; i < 200; ++i) {
      const auto pair = maker.Make(static_cast<typename Maker::Kind>(i % Maker::kKinds));
      first.push_back(RowOf<T>(pair.a));
      second.push_back(RowOf<T>(pair.b));
    }
    std::vector<T> expected;
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      const std::vector<T> matrix = Ious(handle, false, first, second), mirror = Ious(handle, false, second, first);
      if (expected.empty()) expected = matrix;
      ASSERT_TRUE(SameBits(matrix, expected));
      const std::vector<T> aligned = Ious(handle, true, first, second);
      const Rows<T> few(second.begin(), second.begin() + 7);
      const std::vector<T> narrow = Ious(handle, false, first, few);
      for (size_t i = 0; i < 200; ++i) {
        ASSERT_EQ(aligned[i], matrix[i * 200 + i]);
        for (size_t j = 0; j < 200; ++j) ASSERT_EQ(matrix[i * 200 + j], mirror[j * 200 + i]) << i << ", " << j;
        for (size_t j = 0; j < 7; ++j) ASSERT_EQ(narrow[i * 7 + j], matrix[i * 200 + j]) << i << ", " << j;
        const Rows<T> one = {first[i]}, other = {second[(i * 7) % 200]};
        ASSERT_EQ(Ious(handle, false, one, other)[0], matrix[i * 200 + (i * 7) % 200]);
      }
      // The first box among others that are all near it: a line that is computed as it stands.
      const Rows<T> near(100, second[0]);
      for (const T iou : Ious(handle, false, {first[0]}, near)) ASSERT_EQ(iou, matrix[0]);
    });
  }
}

// Whatever finite numbers boxes have: sides and centres of 1e-320 to 1e308, slim beyond all measure, any angle.
TEST(BoxIouRotatedLaws, HoldForAnyNumbers) {
  std::mt19937_64 random(5);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
  };
  const auto power = [](double exponent) { return std::pow(10.0, std::clamp(exponent, -323.0, 308.2)); };
  const double bases[] = {-300, -150, 0, 150, 300, 307.5};
  Rows<double> first, second;
  for (int i = 0; i < Rounds(50'000, 2'000'000); ++i) {
    const double base = random() % 3 == 0 ? uniform(-307, 307) : bases[random() % 6];
    RotatedRow rows[2];
    for (RotatedRow& row : rows) {
      const double centre = random() % 6 == 0 ? uniform(-320, 308) : base - uniform(0, 2);
      for (int k = 0; k < 2; ++k) {
        row[static_cast<size_t>(k)] = power(centre + uniform(-1, 0.3)) * (random() % 2 == 0 ? 1 : -1);
        row[static_cast<size_t>(k) + 2] = power(base + uniform(-1, 1) - (random() % 5 == 0 ? uniform(0, 300) : 0));
      }
      row[4] = random() % 5 == 0 ? power(uniform(-300, 300)) : uniform(-4, 4);
      if (random() % 3 == 0) row[0] = row[1] = 0;
    }
    if (random() % 4 == 0) {
      rows[1] = rows[0];
      rows[1][random() % 5] *= 1 + uniform(-1e-3, 1e-3);
    }
    first.push_back(rows[0]);
    second.push_back(rows[1]);
  }
  ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
    const std::vector<double> ious = Ious(handle, true, first, second);
    ASSERT_TRUE(SameBits(ious, Ious(handle, true, second, first)));
    size_t shared = 0;
    for (const double iou : ious) {
      ASSERT_TRUE(iou >= 0 && iou <= 1);
      shared += iou > 0 ? 1 : 0;
    }
    ASSERT_GT(shared, ious.size() / 5);
    for (const double iof : Ious(handle, true, first, second, 1)) ASSERT_TRUE(iof >= 0 && iof <= 1);
    const std::vector<double> own = Ious(handle, true, first, first);
    for (size_t i = 0; i < own.size(); ++i) ASSERT_EQ(own[i], 1) << Text(first[i], second[i]);
  });
}

// In a crowd of which the upright bounds of some do not meet, all are computed or those that meet, and in a list of
// pairs all: with the same bits.
TEST(BoxIouRotatedLaws, BoundsChangeNoValue) {
  Handle handle(DETOPS_PROFILE_FULL, 1);
  std::mt19937_64 random(6);
  for (const double field : {4.0, 8.0, 12.0, 20.0, 40.0}) {
    Rows<double> boxes, first, second;
    for (int i = 0; i < 100; ++i) {
      const auto uniform = [&](double low, double high) {
        return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
      };
      // Some stand on a grid and touch.
      const bool grid = random() % 4 == 0;
      boxes.push_back({grid ? std::floor(uniform(0, field)) : uniform(0, field),
                       grid ? std::floor(uniform(0, field)) : uniform(0, field), grid ? 4 : uniform(2, 6),
                       grid ? 2 : uniform(0.01, 6), grid ? 0 : uniform(-4, 4)});
    }
    for (const auto& a : boxes) {
      for (const auto& b : boxes) {
        first.push_back(a);
        second.push_back(b);
      }
    }
    EXPECT_TRUE(SameBits(Ious(handle, false, boxes, boxes), Ious(handle, true, first, second))) << field;
  }
}

// A box inside of another, and larger and larger: the overlap with a third never shrinks, nor does the IoU with the
// outer one.
TEST(BoxIouRotatedLaws, MonotoneInNestedBoxes) {
  Handle handle(DETOPS_PROFILE_FULL, 1);
  RotatedPairMaker<double> maker(3);
  for (int round = 0; round < 200; ++round) {
    const auto [outer, other] = maker.Make(RotatedPairMaker<double>::kAny);
    Rows<double> nested, third;
    for (int step = 1; step <= 16; ++step) {
      RotatedRow inner = outer;
      inner[2] *= step / 16.0;
      inner[3] *= step / 16.0;
      nested.push_back(inner);
    }
    const std::vector<double> with_outer = Ious<double>(handle, false, {outer}, nested);
    const std::vector<double> shared = Ious<double>(handle, false, {other}, nested, 1);
    for (size_t i = 0; i + 1 < nested.size(); ++i) {
      ASSERT_LT(with_outer[i], with_outer[i + 1]);
      ASSERT_LE(shared[i], shared[i + 1] + 1e-14);
    }
    EXPECT_EQ(with_outer.back(), 1);
  }
}

// Half a turn changes nothing, and the sides may be exchanged with a quarter turn, but for the rounding of the angles.
TEST(BoxIouRotatedLaws, TurnsThatChangeNoBox) {
  Handle handle(DETOPS_PROFILE_FULL, 1);
  using Maker = RotatedPairMaker<double>;
  Maker maker(4);
  const double pi = std::acos(-1.0);
  Rows<double> first, second, turned_first, turned_second, exchanged;
  for (int i = 0; i < 5000; ++i) {
    auto [a, b] = maker.Make(i % 2 == 0 ? Maker::kAny : Maker::kNoise);
    if (std::max({a[2] / a[3], a[3] / a[2], b[2] / b[3], b[3] / b[2]}) > 10) continue;
    for (RotatedRow* row : {&a, &b}) (*row)[4] = std::remainder((*row)[4], 2);
    first.push_back(a);
    second.push_back(b);
    a[4] += pi;
    b[4] += pi;
    turned_first.push_back(a);
    turned_second.push_back(b);
    std::swap(b[2], b[3]);
    b[4] = second.back()[4] + pi / 2;
    exchanged.push_back(b);
  }
  const std::vector<double> ious = Ious(handle, true, first, second);
  const std::vector<double> both_turned = Ious(handle, true, turned_first, turned_second);
  const std::vector<double> same_box = Ious(handle, true, first, exchanged);
  ASSERT_GT(ious.size(), 1000u);
  for (size_t i = 0; i < ious.size(); ++i) {
    // Angles are rounded by up to 2.2e-16 each, of which a side of 10:1 makes ten times as much; and twice the bar.
    ASSERT_NEAR(both_turned[i], ious[i], 2e-14) << i;
    ASSERT_NEAR(same_box[i], ious[i], 2e-14) << i;
  }
}

}  // namespace
}  // namespace detops_test
