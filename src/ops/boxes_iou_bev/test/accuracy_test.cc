// How exact overlaps and IoUs of volumes are, and the laws that hold bit for bit, on pairs of all kinds against
// arithmetic of 100 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
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
using Rows = std::vector<std::array<T, 7>>;

enum class Asked { kOverlap, kCentre, kBottom };

// All pairs, or boxes of the same number.
template <class T>
std::vector<T> Values(Asked asked, Handle& handle, bool aligned, const Rows<T>& first, const Rows<T>& second) {
  const auto n = static_cast<int64_t>(first.size()), m = static_cast<int64_t>(second.size());
  const Descriptor first_desc(MLUOP_LAYOUT_ARRAY, kType<T>, {n, 7}), second_desc(MLUOP_LAYOUT_ARRAY, kType<T>, {m, 7});
  const Descriptor output_desc(MLUOP_LAYOUT_ARRAY, kType<T>,
                               aligned ? std::vector<int64_t>{n} : std::vector<int64_t>{n, m});
  std::vector<T> values(static_cast<size_t>(aligned ? n : n * m), T{-1});
  if (asked == Asked::kOverlap) {
    Must(detopsBoxesOverlapBev(handle.get(), aligned, first_desc.get(), first.data(), second_desc.get(), second.data(),
                               output_desc.get(), values.data()),
         "detopsBoxesOverlapBev");
  } else {
    Must(detopsBoxesIou3d(handle.get(), aligned, asked == Asked::kBottom ? DETOPS_BOX_Z_BOTTOM : DETOPS_BOX_Z_CENTRE,
                          first_desc.get(), first.data(), second_desc.get(), second.data(), output_desc.get(),
                          values.data()),
         "detopsBoxesIou3d");
  }
  return values;
}

template <class T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

struct Heights {
  double z_a, dz_a, z_b, dz_b;
};

// Pairs of boxes whose heights touch, differ a little, or do not.
template <class T>
class PairsInSpace {
 public:
  explicit PairsInSpace(uint64_t seed) : maker_(seed), random_(seed) {}

  void Add(int kind) {
    pairs_.push_back(maker_.Make(static_cast<typename RotatedPairMaker<T>::Kind>(kind)));
    const double dz_a = Stored(Uniform(0.5, 3)), z_a = Stored(Uniform(-1, 1) * (random_() % 3 == 0 ? 1e6 : 10));
    const double dz_b = random_() % 2 == 0 ? dz_a : Stored(Uniform(0.5, 3));
    const double shifts[] = {0, 0, 0.25, Uniform(-3, 3), (dz_a + dz_b) / 2, dz_a};
    heights_.push_back({z_a, dz_a, Stored(z_a + shifts[random_() % 6]), dz_b});
    first.push_back(RowOf(pairs_.back().a, z_a, dz_a));
    second.push_back(RowOf(pairs_.back().b, heights_.back().z_b, dz_b));
  }

  const typename RotatedPairMaker<T>::Pair& pair(size_t i) const { return pairs_[i]; }
  const Heights& heights(size_t i) const { return heights_[i]; }

  Rows<T> first, second;

 private:
  static double Stored(double number) { return static_cast<T>(number); }
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  static std::array<T, 7> RowOf(const RotatedRow& row, double z, double dz) {
    const double numbers[] = {row[0], row[1], z, row[2], row[3], dz, row[4]};
    std::array<T, 7> stored;
    for (size_t i = 0; i < 7; ++i) stored[i] = static_cast<T>(numbers[i]);
    return stored;
  }

  RotatedPairMaker<T> maker_;
  std::mt19937_64 random_;
  std::vector<typename RotatedPairMaker<T>::Pair> pairs_;
  std::vector<Heights> heights_;
};

DoubleDouble SharedHeight(const Heights& heights, bool bottom) {
  const auto lesser = [](const DoubleDouble& a, const DoubleDouble& b) { return a < b ? a : b; };
  const DoubleDouble apart = DoubleDouble(heights.z_b) - heights.z_a, part = bottom ? 0 : 0.5;
  // Bottoms and tops relative to the first z.
  const DoubleDouble low_a = -(part * heights.dz_a), low_b = apart - part * heights.dz_b;
  const DoubleDouble top = lesser(low_a + heights.dz_a, low_b + heights.dz_b);
  const DoubleDouble height = top - (low_a < low_b ? low_b : low_a);
  return height > 0.0 ? height : DoubleDouble(0);
}

template <class T>
class BoxesIouBevAccuracy : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(BoxesIouBevAccuracy, Types);

TYPED_TEST(BoxesIouBevAccuracy, ErrorsAreWithinTheBars) {
  using T = TypeParam;
  constexpr bool kFloat = std::is_same_v<T, float>;
  Handle handle(DETOPS_PROFILE_FULL, 1);
  for (int round = 0; round < Rounds(30, 2000); ++round) {
    PairsInSpace<T> pairs(static_cast<uint64_t>(round));
    for (int i = 0; i < 1000; ++i) pairs.Add(i % RotatedPairMaker<T>::kKinds);
    const std::vector<T> overlaps = Values(Asked::kOverlap, handle, true, pairs.first, pairs.second);
    const std::vector<T> centre = Values(Asked::kCentre, handle, true, pairs.first, pairs.second);
    const std::vector<T> bottom = Values(Asked::kBottom, handle, true, pairs.first, pairs.second);
    ASSERT_TRUE(SameBits(overlaps, Values(Asked::kOverlap, handle, true, pairs.second, pairs.first)));
    ASSERT_TRUE(SameBits(centre, Values(Asked::kCentre, handle, true, pairs.second, pairs.first)));
    ASSERT_TRUE(SameBits(bottom, Values(Asked::kBottom, handle, true, pairs.second, pairs.first)));
    for (const T iou : Values(Asked::kCentre, handle, true, pairs.first, pairs.first)) ASSERT_EQ(iou, 1);
    for (const T iou : Values(Asked::kBottom, handle, true, pairs.second, pairs.second)) ASSERT_EQ(iou, 1);
    for (size_t i = 0; i < 1000; ++i) {
      const auto& [a, b] = pairs.pair(i);
      const Heights& heights = pairs.heights(i);
      const ExactPair exact(a, b);
      const DoubleDouble area_a = DoubleDouble(a[2]) * a[3], area_b = DoubleDouble(b[2]) * b[3];
      const double least = std::min(static_cast<double>(area_a), static_cast<double>(area_b));
      const double error = std::abs(static_cast<double>(DoubleDouble(overlaps[i]) - exact.overlap));
      // What is 0 because it is not above four units may be one of them more.
      const double zero = overlaps[i] == 0 ? 5 * exact.unit : exact.unit;
      ASSERT_LE(error, std::max(zero, kFloat ? 0x1p-23 * least : 1e-14 * least)) << i;
      for (const bool is_bottom : {false, true}) {
        const T iou = is_bottom ? bottom[i] : centre[i];
        ASSERT_TRUE(iou >= 0 && iou <= 1);
        const DoubleDouble shared = exact.overlap * SharedHeight(heights, is_bottom);
        const DoubleDouble whole = area_a * heights.dz_a + area_b * heights.dz_b - shared;
        if (exact.iou > 0.0 && shared > 0.0) {
          const double bar = std::max(kFloat ? 0x1p-23 : 1e-14, 5 * exact.unit / least);
          ASSERT_LE(std::abs(static_cast<double>(DoubleDouble(iou) - shared / whole)), bar) << i;
        } else {
          ASSERT_EQ(iou, 0) << i;
        }
      }
    }
  }
}

TYPED_TEST(BoxesIouBevAccuracy, AValueHasTheSameBitsWhereverItStands) {
  using T = TypeParam;
  PairsInSpace<T> pairs(77);
  for (int i = 0; i < 100; ++i) pairs.Add(i % RotatedPairMaker<T>::kKinds);
  for (const Asked asked : {Asked::kOverlap, Asked::kCentre, Asked::kBottom}) {
    std::vector<T> expected;
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      const std::vector<T> matrix = Values(asked, handle, false, pairs.first, pairs.second);
      const std::vector<T> mirror = Values(asked, handle, false, pairs.second, pairs.first);
      const std::vector<T> aligned = Values(asked, handle, true, pairs.first, pairs.second);
      if (expected.empty()) expected = matrix;
      ASSERT_TRUE(SameBits(matrix, expected));
      for (size_t i = 0; i < 100; ++i) {
        ASSERT_EQ(aligned[i], matrix[i * 100 + i]);
        for (size_t j = 0; j < 100; ++j) ASSERT_EQ(matrix[i * 100 + j], mirror[j * 100 + i]);
      }
    });
  }
}

}  // namespace
}  // namespace detops_test
