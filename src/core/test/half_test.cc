#include "core/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "support/element.h"

namespace detops {
namespace {

// The library's element as double, and the tests' own rounding.
template <typename T>
void ExpectRounded(mluOpDataType_t type, double value) {
  const T element = FromDouble<T>(value);
  const double actual = ToFloat(element), expected = detops_test::RoundToElement(type, value);
  if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(actual)) << value;
    return;
  }
  ASSERT_EQ(actual, expected) << value;
  ASSERT_EQ(std::signbit(actual), std::signbit(value)) << value;
}

// Every half and bfloat16, the middles between neighbours, and what lies next to both.
TEST(HalfTest, DoublesAreRoundedOnce) {
  for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
    const auto low = static_cast<uint16_t>(bits), high = static_cast<uint16_t>(bits + 1);
    const double numbers[] = {ToFloat(Half{low}), (double{ToFloat(Half{low})} + ToFloat(Half{high})) / 2,
                              ToFloat(BFloat16{low}), (double{ToFloat(BFloat16{low})} + ToFloat(BFloat16{high})) / 2};
    for (const double number : numbers) {
      for (const double value : {number, std::nextafter(number, INFINITY), std::nextafter(number, -INFINITY)}) {
        ExpectRounded<Half>(MLUOP_DTYPE_HALF, value);
        // Below 2^-126 a double is rounded to a float first: docs of ShortenToFloat.
        if (!(std::abs(value) < 0x1p-126) || value == number) ExpectRounded<BFloat16>(MLUOP_DTYPE_BFLOAT16, value);
      }
    }
  }
}

TEST(HalfTest, ElementsGoWhereTheyBelong) {
  unsigned char bytes[13] = {};
  StoreElement(bytes + 1, 2, 1.5F);
  EXPECT_EQ(LoadElement<float>(bytes + 1, 2), 1.5F);
  EXPECT_EQ(bytes[8], 0);
  EXPECT_EQ(FromDouble<float>(1e300), INFINITY);
  EXPECT_EQ(FromDouble<double>(1e300), 1e300);
}

}  // namespace
}  // namespace detops
