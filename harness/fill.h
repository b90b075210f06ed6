// Numbers for the tensors of a call: the same on every machine and with every compiler. They come from integer
// arithmetic, and the conversion to a tensor's type is exact or the rounding of tests/support.
#ifndef DETOPS_HARNESS_FILL_H_
#define DETOPS_HARNESS_FILL_H_

#include <cstdint>
#include <initializer_list>

#include "harness/call.h"

namespace detops_harness {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next();
  // A number in [0, end).
  int64_t Below(int64_t end) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(end)); }
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  // In [low, high), in steps of 2^-24 of the distance.
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(Below(1 << 24)) / (1 << 24));
  }
  double OneOf(std::initializer_list<double> numbers) {
    return *(numbers.begin() + Below(static_cast<int64_t>(numbers.size())));
  }
  // One of 35 angles of either sign. Their true sines and cosines are at least 0.3 units of the last place away from
  // where a double's rounding turns over, so every C library gives the same.
  double Angle();

 private:
  uint64_t state_;
};

// In [-1, 1) with 24 bits, so that sums are not exact and show their order.
void FillSigned(Tensor& tensor, Random& random);

// NaN and both infinities here and there; most results stay finite and are compared.
void FillSpecials(Tensor& tensor);

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_FILL_H_
