// exp of vectors on every SIMD target: how near it is, and that all give the same bits.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "core/simd_target.h"
#include "gtest/gtest.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/test/exp_test.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {

// As many numbers as whole vectors have.
void ExpAll(const double* from, size_t count, double* to) {
  const hn::ScalableTag<double> d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) hn::StoreU(ExpNotAboveZero(d, hn::LoadU(d, from + i)), d, to + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops {

HWY_EXPORT(ExpAll);

namespace {

// A multiple of 64 of them.
std::vector<double> Numbers() {
  std::vector<double> numbers = {0.0, -0.0, -1e-300, -0x1p-54, -707.9999, -708, -708.0001, -745, -1e6, -HUGE_VAL};
  for (int i = 1; numbers.size() < 64 * 1000; ++i) {
    numbers.push_back(-i * 0.011);
    numbers.push_back(-std::exp2(-i * 0.001));
  }
  return numbers;
}

TEST(Exp, WithinTwoUnitsAndAlikeOnAllTargets) {
  const std::vector<double> numbers = Numbers();
  std::vector<double> first;
  std::istringstream names(SupportedTargetNames());
  for (std::string name; std::getline(names, name, ',');) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(ForceTarget(name.c_str()));
    std::vector<double> results(numbers.size());
    DETOPS_DISPATCH_UP_TO_AVX2(ExpAll)(numbers.data(), numbers.size(), results.data());
    for (size_t i = 0; i < numbers.size(); ++i) {
      const long double exact = std::exp(static_cast<long double>(numbers[i]));
      const double nearest = static_cast<double>(exact);
      if (numbers[i] < -708) {
        ASSERT_EQ(results[i], 0) << numbers[i];
        continue;
      }
      const double unit = nearest - std::nextafter(nearest, 0.0);
      ASSERT_LE(std::fabs(static_cast<double>(static_cast<long double>(results[i]) - exact)), 2 * unit) << numbers[i];
      ASSERT_LE(results[i], 1) << numbers[i];
    }
    if (first.empty()) first = results;
    EXPECT_EQ(std::memcmp(results.data(), first.data(), first.size() * sizeof(double)), 0);
  }
  ForceTarget(nullptr);
  EXPECT_EQ(first[0], 1);
}

}  // namespace
}  // namespace detops
#endif  // HWY_ONCE
