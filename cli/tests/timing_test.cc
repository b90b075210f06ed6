// Percentiles of times.
#include "judge/timing.h"

#include <numeric>
#include <vector>

#include "gtest/gtest.h"

namespace detops_cli {
namespace {

// 1, 2, 3 ...
double PercentileOfNumbers(size_t count, size_t per_mille) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 1);
  return Percentile(numbers, per_mille);
}

TEST(PercentileTest, IsTheTimeThatSoManyDoNotExceed) {
  EXPECT_EQ(PercentileOfNumbers(100, 990), 99);
  EXPECT_EQ(PercentileOfNumbers(101, 990), 100);  // 99 of 101 are fewer than 99 %
  EXPECT_EQ(PercentileOfNumbers(200, 990), 198);
  EXPECT_EQ(PercentileOfNumbers(1000, 999), 999);
  EXPECT_EQ(PercentileOfNumbers(1001, 999), 1000);
  EXPECT_EQ(PercentileOfNumbers(100000, 999), 99900);
}

TEST(PercentileTest, IsNoneOfTooFewCalls) {
  EXPECT_EQ(PercentileOfNumbers(0, 990), 0);
  EXPECT_EQ(PercentileOfNumbers(99, 990), 0);
  EXPECT_EQ(PercentileOfNumbers(999, 999), 0);
}

}  // namespace
}  // namespace detops_cli
