// The generator of case files against its rule, worked out here a second time.
#include "case_file/random_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace detops_cli {
namespace {

std::vector<double> Draw(const mluoptest::RandomData& random, int count, bool in_double = false) {
  std::vector<double> values;
  GenerateRandom(random, in_double, count, [&](double value) { values.push_back(value); });
  return values;
}

mluoptest::RandomData Uniform(float lower, float upper) {
  mluoptest::RandomData random;
  random.set_lower_bound(lower);
  random.set_upper_bound(upper);
  return random;
}

TEST(RandomDataTest, SeedIs23AndTheEngineIsTheStandardOne) {
  // The default engine is x -> 16807 x mod (2^31 - 1); a draw is (x - 1) / (2^31 - 2) of the way from bound to bound.
  const std::vector<double> values = Draw(Uniform(-2, 3), 100);
  int64_t state = 23;
  for (const double value : values) {
    state = state * 16807 % 2147483647;
    EXPECT_NEAR(value, -2 + 5 * static_cast<double>(state - 1) / 2147483646, 1e-6);
  }
}

TEST(RandomDataTest, UniformInFloatBitByBit) {
  mluoptest::RandomData random = Uniform(-1, 1);
  random.set_seed(25);
  std::default_random_engine engine(25);
  std::uniform_real_distribution<float> distribution(-1.0f, std::nextafter(1.0f, -INFINITY));
  for (const double value : Draw(random, 1000)) EXPECT_EQ(value, static_cast<double>(distribution(engine)));
}

TEST(RandomDataTest, UniformInDoubleBitByBit) {
  mluoptest::RandomData random;
  random.set_seed(7);
  random.set_lower_bound_double(0.1);
  random.set_upper_bound_double(0.2);
  std::default_random_engine engine(7);
  std::uniform_real_distribution<double> distribution(0.1, std::nextafter(0.2, -INFINITY));
  for (const double value : Draw(random, 1000, true)) EXPECT_EQ(value, distribution(engine));
}

TEST(RandomDataTest, BoundsDefaultToOneAndMinusOne) {
  mluoptest::RandomData random;
  EXPECT_EQ(Draw(random, 20), Draw(Uniform(-1, 1), 20));
}

TEST(RandomDataTest, DoubleFieldsWinAndSuitFloatToo) {
  mluoptest::RandomData random = Uniform(-100, 100);
  random.set_lower_bound_double(2);
  random.set_upper_bound_double(4);
  EXPECT_EQ(Draw(random, 20), Draw(Uniform(2, 4), 20));
}

TEST(RandomDataTest, TheUpperBoundIsNeverReached) {
  // Two neighbours: without pulling the bound down, rounding would give the upper one half of the time.
  const float upper = std::nextafter(1.0f, 2.0f);
  for (const double value : Draw(Uniform(1, upper), 200)) EXPECT_EQ(value, 1);
}

TEST(RandomDataTest, EqualBoundsAreAConstant) {
  EXPECT_EQ(Draw(Uniform(2.5f, 2.5f), 3), (std::vector<double>{2.5, 2.5, 2.5}));
}

TEST(RandomDataTest, GaussianBitByBit) {
  mluoptest::RandomData random;
  random.set_seed(3);
  random.set_distribution(mluoptest::GAUSSIAN);
  random.set_mu(10);
  random.set_sigma(2);
  std::default_random_engine engine(3);
  std::normal_distribution<float> distribution(10, 2);
  double sum = 0;
  for (const double value : Draw(random, 1000)) {
    EXPECT_EQ(value, static_cast<double>(distribution(engine)));
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 10, 0.3);

  random.set_mu_double(-10);
  random.set_sigma_double(2);
  std::default_random_engine engine_of_double(3);
  std::normal_distribution<double> distribution_of_double(-10, 2);
  for (const double value : Draw(random, 100, true)) EXPECT_EQ(value, distribution_of_double(engine_of_double));
}

TEST(RandomDataTest, Refusals) {
  EXPECT_THROW(Draw(Uniform(1, -1), 1), std::invalid_argument);
  EXPECT_THROW(Draw(Uniform(0, INFINITY), 1), std::invalid_argument);
  EXPECT_THROW(Draw(Uniform(NAN, 1), 1), std::invalid_argument);
  mluoptest::RandomData random;
  random.set_distribution(mluoptest::UNIQUE_INDEX);
  EXPECT_THROW(Draw(random, 1), std::invalid_argument);
  random.set_distribution(mluoptest::GAUSSIAN);
  random.set_sigma(-1);
  EXPECT_THROW(Draw(random, 1), std::invalid_argument);
}

}  // namespace
}  // namespace detops_cli
