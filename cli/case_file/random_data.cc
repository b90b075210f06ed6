#include "case_file/random_data.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace detops_cli {
namespace {

constexpr int kDefaultSeed = 23;

template <class Real>
void Generate(const mluoptest::RandomData& random, int64_t count, const std::function<void(double)>& store) {
  std::default_random_engine engine(
      static_cast<std::default_random_engine::result_type>(random.has_seed() ? random.seed() : kDefaultSeed));
  if (random.distribution() == mluoptest::GAUSSIAN) {
    const Real mu = static_cast<Real>(random.has_mu_double() ? random.mu_double() : random.mu());
    const Real sigma = static_cast<Real>(random.has_sigma_double() ? random.sigma_double() : random.sigma());
    if (!std::isfinite(mu) || !std::isfinite(sigma) || sigma <= 0) {
      throw std::invalid_argument(fmt::format("mu {} and sigma {}: expected finite numbers, sigma above 0", mu, sigma));
    }
    std::normal_distribution<Real> distribution(mu, sigma);
    for (int64_t i = 0; i < count; ++i) store(distribution(engine));
    return;
  }
  const Real lower =
      static_cast<Real>(random.has_lower_bound_double() ? random.lower_bound_double() : random.lower_bound());
  const Real upper =
      static_cast<Real>(random.has_upper_bound_double() ? random.upper_bound_double() : random.upper_bound());
  if (!std::isfinite(lower) || !std::isfinite(upper) || lower > upper) {
    throw std::invalid_argument(
        fmt::format("bounds {} and {}: expected finite numbers, the lower one not above the upper", lower, upper));
  }
  if (lower == upper) {
    for (int64_t i = 0; i < count; ++i) store(lower);
    return;
  }
  std::uniform_real_distribution<Real> distribution(lower,
                                                    std::nextafter(upper, -std::numeric_limits<Real>::infinity()));
  for (int64_t i = 0; i < count; ++i) store(distribution(engine));
}

}  // namespace

void GenerateRandom(const mluoptest::RandomData& random, bool in_double, int64_t count,
                    const std::function<void(double)>& store) {
  if (random.distribution() != mluoptest::UNIFORM && random.distribution() != mluoptest::GAUSSIAN) {
    throw std::invalid_argument(fmt::format("distribution {} is not supported, UNIFORM and GAUSSIAN are",
                                            mluoptest::RandomDistribution_Name(random.distribution())));
  }
  if (in_double) {
    Generate<double>(random, count, store);
  } else {
    Generate<float>(random, count, store);
  }
}

}  // namespace detops_cli
