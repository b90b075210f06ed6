#include "harness/fill.h"

#include <iterator>
#include <limits>

namespace detops_harness {

// The generator splitmix64.
uint64_t Random::Next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::Angle() {
  constexpr int kSixtyFourths[] = {22,  24,  29,  33,  38,  43,  45,  47,  51,  60,  78,  79,
                                   80,  84,  86,  87,  90,  100, 107, 118, 126, 131, 134, 148,
                                   161, 162, 165, 169, 179, 184, 190, 194, 201, 203, 205};
  const int chosen = kSixtyFourths[Below(std::size(kSixtyFourths))];
  return (Below(2) == 0 ? chosen : -chosen) / 64.0;
}

void FillSigned(Tensor& tensor, Random& random) {
  const int64_t elements = tensor.elements();
  for (int64_t i = 0; i < elements; ++i) tensor.Set(i, random.Uniform(-1, 1));
}

void FillSpecials(Tensor& tensor) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSpecials[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity};
  constexpr int64_t kEvery = 97;
  for (int64_t i = 0; i * kEvery < tensor.elements(); ++i) tensor.Set(i * kEvery, kSpecials[i % 3]);
}

}  // namespace detops_harness
