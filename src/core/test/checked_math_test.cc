// Products that know when they overflow, at every boundary.
#include "core/checked_math.h"

#include <cstdint>
#include <random>

#include "gtest/gtest.h"

namespace detops {
namespace {

constexpr int64_t kMarker = -77;

// Whether a * b fits, by 128-bit arithmetic.
bool Fits(int64_t a, int64_t b) { return static_cast<__int128>(a) * b <= kMaxInt64; }

void ExpectProduct(int64_t a, int64_t b) {
  int64_t product = kMarker;
  const bool fits = Fits(a, b);
  EXPECT_EQ(CheckedMultiply(a, b, &product), fits) << a << " * " << b;
  // Unsigned: the product of two numbers that do not fit is not looked at, but must not be undefined either.
  const auto expected = static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  EXPECT_EQ(product, fits ? expected : kMarker) << a << " * " << b;
  EXPECT_EQ(SaturatingMultiply(a, b), fits ? expected : kMaxInt64) << a << " * " << b;
}

TEST(CheckedMathTest, LargestNumber) { EXPECT_EQ(kMaxInt64, 9223372036854775807); }

TEST(CheckedMathTest, ProductsAtBoundaries) {
  const int64_t numbers[] = {0,
                             1,
                             2,
                             3,
                             7,
                             (int64_t{1} << 31) - 1,
                             int64_t{1} << 31,
                             (int64_t{1} << 31) + 1,
                             3037000499,  // the largest number whose square fits
                             3037000500,
                             (int64_t{1} << 32) - 1,
                             int64_t{1} << 32,
                             int64_t{1} << 61,
                             (int64_t{1} << 62) - 1,
                             int64_t{1} << 62,
                             (int64_t{1} << 62) + 1,
                             kMaxInt64 / 3,
                             kMaxInt64 / 3 + 1,
                             kMaxInt64 / 7,  // 7 divides 2^63 - 1
                             kMaxInt64 - 1,
                             kMaxInt64};
  for (const int64_t a : numbers) {
    for (const int64_t b : numbers) ExpectProduct(a, b);
  }
}

TEST(CheckedMathTest, NamedCases) {
  int64_t product = kMarker;
  EXPECT_TRUE(CheckedMultiply(3037000499, 3037000499, &product));
  EXPECT_EQ(product, 9223372030926249001);
  EXPECT_FALSE(CheckedMultiply(3037000500, 3037000500, &product));
  EXPECT_EQ(product, 9223372030926249001) << "a product that does not fit was written";
  EXPECT_TRUE(CheckedMultiply(7, kMaxInt64 / 7, &product));
  EXPECT_EQ(product, kMaxInt64);
  EXPECT_EQ(SaturatingMultiply(int64_t{1} << 32, int64_t{1} << 31), kMaxInt64);
  EXPECT_EQ(SaturatingMultiply(kMaxInt64, 0), 0);
  EXPECT_EQ(SaturatingMultiply(0, kMaxInt64), 0);
  EXPECT_EQ(SaturatingMultiply(6, 7), 42);
}

TEST(CheckedMathTest, RandomProducts) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const auto a = static_cast<int64_t>(random() >> (1 + random() % 63));
    const auto b = static_cast<int64_t>(random() >> (1 + random() % 63));
    ExpectProduct(a, b);
  }
}

TEST(CheckedMathTest, SumsAtBoundaries) {
  const int64_t numbers[] = {0,
                             1,
                             (int64_t{1} << 31) - 1,
                             int64_t{1} << 31,
                             (int64_t{1} << 32) - 1,
                             (int64_t{1} << 62) - 1,
                             int64_t{1} << 62,
                             kMaxInt64 - 1,
                             kMaxInt64};
  for (const int64_t a : numbers) {
    for (const int64_t b : numbers) {
      const __int128 sum = static_cast<__int128>(a) + b;
      EXPECT_EQ(SaturatingAdd(a, b), sum > kMaxInt64 ? kMaxInt64 : static_cast<int64_t>(sum)) << a << " + " << b;
      EXPECT_EQ(SaturatingAdd(a, -b), a - b) << a << " - " << b;
    }
  }
  EXPECT_EQ(SaturatingAdd(kMaxInt64 - 1, 1), kMaxInt64);
  EXPECT_EQ(SaturatingAdd(0, -kMaxInt64 - 1), -kMaxInt64 - 1);
}

TEST(CheckedMathTest, DivideRoundUp) {
  EXPECT_EQ(DivideRoundUp(0, 1), 0);
  EXPECT_EQ(DivideRoundUp(0, 5), 0);
  EXPECT_EQ(DivideRoundUp(1, 5), 1);
  EXPECT_EQ(DivideRoundUp(4, 5), 1);
  EXPECT_EQ(DivideRoundUp(5, 5), 1);
  EXPECT_EQ(DivideRoundUp(6, 5), 2);
  EXPECT_EQ(DivideRoundUp(10, 5), 2);
  EXPECT_EQ(DivideRoundUp(kMaxInt64, 1), kMaxInt64);
  EXPECT_EQ(DivideRoundUp(kMaxInt64, 2), int64_t{1} << 62);
  EXPECT_EQ(DivideRoundUp(kMaxInt64, kMaxInt64), 1);
  EXPECT_EQ(DivideRoundUp(kMaxInt64 - 1, kMaxInt64), 1);
  EXPECT_EQ(DivideRoundUp(1, kMaxInt64), 1);
}

}  // namespace
}  // namespace detops
