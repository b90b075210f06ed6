// How exact bbox_overlaps is, and the laws that hold bit for bit, on boxes of all kinds against arithmetic of 100 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "detops.h"
#include "support/configurations.h"
#include "support/double_double.h"
#include "support/long_tests.h"
#include "support/tensor.h"

namespace detops_test {
namespace {

template <class T>
constexpr mluOpDataType_t kType = std::is_same_v<T, float> ? MLUOP_DTYPE_FLOAT : MLUOP_DTYPE_DOUBLE;

template <class T>
using Rows = std::vector<std::array<T, 4>>;

// All pairs, or boxes of the same number.
template <class T>
std::vector<T> Ious(Handle& handle, bool aligned, int offset, const Rows<T>& first, const Rows<T>& second,
                    int mode = 0) {
  const auto n = static_cast<int64_t>(first.size()), m = static_cast<int64_t>(second.size());
  const Descriptor first_desc(MLUOP_LAYOUT_ARRAY, kType<T>, {n, 4}), second_desc(MLUOP_LAYOUT_ARRAY, kType<T>, {m, 4});
  const Descriptor ious_desc(MLUOP_LAYOUT_ARRAY, kType<T>,
                             aligned ? std::vector<int64_t>{n} : std::vector<int64_t>{n, m});
  std::vector<T> ious(static_cast<size_t>(aligned ? n : n * m), T{-1});
  Must(mluOpBboxOverlaps(handle.get(), mode, aligned, offset, first_desc.get(), first.data(), second_desc.get(),
                         second.data(), ious_desc.get(), ious.data()),
       "mluOpBboxOverlaps");
  return ious;
}

template <class T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Boxes near one another, of which the second is often the first, with noise, a step away or side by side.
template <class T>
void AddPair(std::mt19937_64& random, Rows<T>& first, Rows<T>& second) {
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
  };
  const double size = std::pow(10.0, uniform(-3, 3)), place = random() % 4 == 0 ? 1e4 * size : size;
  const auto box = [&](double x, double y) {
    return std::array<T, 4>{static_cast<T>(x), static_cast<T>(y), static_cast<T>(x + size * uniform(0.1, 2)),
                            static_cast<T>(y + size * uniform(0.1, 2))};
  };
  const std::array<T, 4> a = box(uniform(-place, place), uniform(-place, place));
  std::array<T, 4> b = a;
  switch (random() % 5) {
    case 0:
      b = box(static_cast<double>(a[0]) + size * uniform(-1, 1), static_cast<double>(a[1]) + size * uniform(-1, 1));
      break;
    case 1: {
      T& number = b[random() % 4];
      number = std::nextafter(number, std::numeric_limits<T>::max() * (random() % 2 == 0 ? 1 : -1));
      break;
    }
    case 2:
      for (T& number : b) number *= static_cast<T>(1 + uniform(-1e-4, 1e-4));
      break;
    case 3:
      b[0] = a[2];
      b[2] = static_cast<T>(static_cast<double>(a[2]) + size);
      break;
    default:
      break;
  }
  first.push_back(a);
  second.push_back(b);
}

// Corners relative to the first box's, so that nothing is lost.
template <class T>
DoubleDouble ExactIou(const std::array<T, 4>& a, const std::array<T, 4>& b, int offset) {
  const auto side = [offset](T low, T high) { return DoubleDouble(high) - low + offset; };
  const auto lesser = [](const DoubleDouble& p, const DoubleDouble& q) { return p < q ? p : q; };
  const DoubleDouble width_a = side(a[0], a[2]), height_a = side(a[1], a[3]);
  const DoubleDouble width_b = side(b[0], b[2]), height_b = side(b[1], b[3]);
  for (const DoubleDouble& each : {width_a, height_a, width_b, height_b}) {
    if (!(each > 0.0)) return 0;
  }
  const DoubleDouble width = lesser(DoubleDouble(a[2]), DoubleDouble(b[2])) + offset - std::max(a[0], b[0]);
  const DoubleDouble height = lesser(DoubleDouble(a[3]), DoubleDouble(b[3])) + offset - std::max(a[1], b[1]);
  if (!(width > 0.0) || !(height > 0.0)) return 0;
  const DoubleDouble shared = width * height;
  return shared / (width_a * height_a + width_b * height_b - shared);
}

// In double x2 + 1 is rounded, which shows if x2 is much larger than the box.
template <class T>
double Bar(const std::array<T, 4>& a, const std::array<T, 4>& b, int offset) {
  if constexpr (std::is_same_v<T, float>) return 0x1p-23;
  double largest = 0, least = std::numeric_limits<double>::infinity();
  for (const auto& box : {a, b}) {
    for (const size_t axis : {0, 1}) {
      largest = std::max(largest, std::abs(static_cast<double>(box[axis + 2])));
      least = std::min(least, static_cast<double>(box[axis + 2]) - static_cast<double>(box[axis]) + offset);
    }
  }
  return 1e-14 + (offset == 0 ? 0 : 0x1p-50 * largest / least);
}

template <class T>
class BboxOverlapsAccuracy : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(BboxOverlapsAccuracy, Types);

TYPED_TEST(BboxOverlapsAccuracy, ErrorsAreWithinTheBars) {
  using T = TypeParam;
  std::mt19937_64 random(1);
  Handle handle(DETOPS_PROFILE_FULL, 1);
  for (int round = 0; round < Rounds(100, 10'000); ++round) {
    const int offset = round % 2;
    Rows<T> first, second;
    for (int i = 0; i < 1000; ++i) AddPair(random, first, second);
    const std::vector<T> ious = Ious(handle, true, offset, first, second);
    ASSERT_TRUE(SameBits(ious, Ious(handle, true, offset, second, first)));
    for (size_t i = 0; i < ious.size(); ++i) {
      const DoubleDouble exact = ExactIou(first[i], second[i], offset);
      ASSERT_TRUE(ious[i] >= 0 && ious[i] <= 1);
      if (!(exact > 0.0)) {
        ASSERT_EQ(ious[i], 0) << i;
      } else {
        ASSERT_LE(std::abs(static_cast<double>(DoubleDouble(ious[i]) - exact)), Bar(first[i], second[i], offset)) << i;
      }
    }
    for (const T iou : Ious(handle, true, offset, first, first)) ASSERT_EQ(iou, 1);
    for (const T iof : Ious(handle, true, offset, first, first, 1)) ASSERT_EQ(iof, 1);
    for (const T iof : Ious(handle, true, offset, first, second, 1)) ASSERT_TRUE(iof >= 0 && iof <= 1);
  }
}

TYPED_TEST(BboxOverlapsAccuracy, AValueHasTheSameBitsWhereverItStands) {
  using T = TypeParam;
  std::mt19937_64 random(2);
  Rows<T> first, second;
  for (int i = 0; i < 150; ++i) AddPair(random, first, second);
  const Rows<T> few(second.begin(), second.begin() + 5);
  std::vector<T> expected;
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) {
    const std::vector<T> matrix = Ious(handle, false, 0, first, second);
    const std::vector<T> mirror = Ious(handle, false, 0, second, first);
    const std::vector<T> aligned = Ious(handle, true, 0, first, second), narrow = Ious(handle, false, 0, first, few);
    if (expected.empty()) expected = matrix;
    ASSERT_TRUE(SameBits(matrix, expected));
    for (size_t i = 0; i < 150; ++i) {
      ASSERT_EQ(aligned[i], matrix[i * 150 + i]);
      for (size_t j = 0; j < 150; ++j) ASSERT_EQ(matrix[i * 150 + j], mirror[j * 150 + i]);
      for (size_t j = 0; j < 5; ++j) ASSERT_EQ(narrow[i * 5 + j], matrix[i * 150 + j]);
    }
  });
}

}  // namespace
}  // namespace detops_test
