// Numbers of 104 bits and more, as the sum of two doubles: for tests that ask how exact a double is.
//
// Sums and products of doubles are exact as such a pair (Knuth's and Dekker's algorithms; no fused instruction is
// needed). Each operation on pairs errs by less than 2^-100 of its result, differences of its larger operand: 2^-47 of
// what a double's rounding costs. Operands far below 2^900 and above 2^-900.
#ifndef DETOPS_TESTS_SUPPORT_DOUBLE_DOUBLE_H_
#define DETOPS_TESTS_SUPPORT_DOUBLE_DOUBLE_H_

#include <cmath>
#include <cstdint>
#include <utility>

namespace detops_test {

class DoubleDouble {
 public:
  DoubleDouble() = default;
  DoubleDouble(double number) : high_(number) {}  // NOLINT(google-explicit-constructor): it is a number

  explicit operator double() const { return high_ + low_; }

  DoubleDouble operator-() const { return {-high_, -low_}; }
  friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble high = Sum(a.high_, b.high_), low = Sum(a.low_, b.low_);
    const DoubleDouble first = Ordered(high.high_, high.low_ + low.high_);
    return Ordered(first.high_, first.low_ + low.low_);
  }
  friend DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }
  friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble product = Product(a.high_, b.high_);
    return Ordered(product.high_, product.low_ + (a.high_ * b.low_ + a.low_ * b.high_));
  }
  friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double first = a.high_ / b.high_;
    const DoubleDouble rest = a - b * first;
    const double second = rest.high_ / b.high_;
    const double third = (rest - b * second).high_ / b.high_;
    return Ordered(first, second) + third;
  }
  friend bool operator<(const DoubleDouble& a, const DoubleDouble& b) {
    return a.high_ != b.high_ ? a.high_ < b.high_ : a.low_ < b.low_;
  }
  friend bool operator>(const DoubleDouble& a, const DoubleDouble& b) { return b < a; }

 private:
  DoubleDouble(double high, double low) : high_(high), low_(low) {}

  // Exactly; `large` is not the smaller one.
  static DoubleDouble Ordered(double large, double small) {
    const double sum = large + small;
    return {sum, small - (sum - large)};
  }
  // Exactly.
  static DoubleDouble Sum(double a, double b) {
    const double sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }
  static DoubleDouble Product(double a, double b) {
    const auto split = [](double number) {
      const double scaled = number * 134217729, high = scaled - (scaled - number);  // 2^27 + 1
      return std::pair(high, number - high);
    };
    const auto [a_high, a_low] = split(a);
    const auto [b_high, b_low] = split(b);
    const double product = a * b;
    return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
  }

  double high_ = 0, low_ = 0;
};

// The cosine and the sine of an angle, of which |angle| < 2^20: to 2^-98.
inline std::pair<DoubleDouble, DoubleDouble> CosineAndSine(double angle) {
  // Half of pi to 159 bits. The quarters are a whole number of 21 bits, so their products with each part are exact.
  constexpr double kParts[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
  const double quarters = std::nearbyint(angle / kParts[0]);
  DoubleDouble rest = angle;
  for (const double part : kParts) rest = rest - DoubleDouble(part) * quarters;
  // Taylor's series of an eighth of it: below 0.1 sixteen terms leave 2^-100. Then the angle is doubled three times.
  const DoubleDouble small = rest / 8, square = small * small;
  DoubleDouble sine = 1, versed = 1;  // sine(x) / x, and (1 - cosine(x)) * 2 / x^2
  for (int n = 18; n >= 2; n -= 2) {
    sine = DoubleDouble(1) - square * sine / (n * (n + 1));
    versed = DoubleDouble(1) - square * versed / ((n + 1) * (n + 2));
  }
  sine = sine * small;
  versed = versed * square / 2;
  for (int i = 0; i < 3; ++i) {
    // 1 - cos(2x) = 2 sin(x)^2, sin(2x) = 2 sin(x) cos(x)
    const DoubleDouble cosine = DoubleDouble(1) - versed;
    versed = sine * sine * 2;
    sine = sine * cosine * 2;
  }
  const DoubleDouble cosine = DoubleDouble(1) - versed;
  switch (static_cast<int64_t>(quarters) & 3) {
    case 0:
      return {cosine, sine};
    case 1:
      return {-sine, cosine};
    case 2:
      return {-cosine, -sine};
    default:
      return {sine, -cosine};
  }
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_DOUBLE_DOUBLE_H_
