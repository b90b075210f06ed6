// The measures of difference of the MLU-OPS accuracy standard between an evaluated result e and a baseline b.
//
// NaN and Inf: where either side has one, the other must have the same (NaN, or the Inf of the same sign), otherwise
// every measure is infinite. Such positions are then left out; the finite ones are always compared, unlike in the
// MLU-OPS evaluator, which skips a tensor's finite elements as soon as one NaN matches. Different lengths are infinite.
#ifndef DETOPS_TESTS_SUPPORT_DIFF_H_
#define DETOPS_TESTS_SUPPORT_DIFF_H_

#include <cstdint>
#include <vector>

namespace detops_test {

// The first position where NaN or Inf do not match; -1 when there is none. Both vectors have the same length.
int64_t FirstClassMismatch(const std::vector<double>& evaluated, const std::vector<double>& baseline);

// sum|e - b| / (sum|b| + 1e-9)
double Diff1(const std::vector<double>& evaluated, const std::vector<double>& baseline);

// sqrt(sum (e - b)^2 / (sum b^2 + 1e-9))
double Diff2(const std::vector<double>& evaluated, const std::vector<double>& baseline);

// The standard's pair, split by |b| > threshold (1e-6 for float, 1e-4 for half).
struct Diff3Pair {
  double relative;  // largest |e - b| / |b| above the threshold
  double absolute;  // largest |e - b| at or below it
};
Diff3Pair Diff3(const std::vector<double>& evaluated, const std::vector<double>& baseline, double threshold);

// The evaluator's single number: the largest of |e - b| where |b| < eps, |e - b| / (|b| + 1e-9) elsewhere.
double Diff3Max(const std::vector<double>& evaluated, const std::vector<double>& baseline, double eps);

// Largest |e - b|; the standard's diff3_2.
double LargestError(const std::vector<double>& evaluated, const std::vector<double>& baseline);

// The share of e < b among the distinct pairs with e != b; -1 when these are fewer than 100.
double Diff4(const std::vector<double>& evaluated, const std::vector<double>& baseline);

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_DIFF_H_
