#include "support/diff.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace detops_test {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = 1e-9;  // keeps the evaluator's quotients finite when the baseline is all zeros
constexpr size_t kFewestPairs = 100;

bool ClassesAgree(double e, double b) {
  if (std::isnan(e) || std::isnan(b)) return std::isnan(e) && std::isnan(b);
  if (std::isinf(e) || std::isinf(b)) return e == b;
  return true;
}

bool Comparable(const std::vector<double>& evaluated, const std::vector<double>& baseline) {
  return evaluated.size() == baseline.size() && FirstClassMismatch(evaluated, baseline) < 0;
}

// Calls visit(e, b) for the finite positions of comparable vectors.
template <class Visit>
void ForEachFinite(const std::vector<double>& evaluated, const std::vector<double>& baseline, Visit visit) {
  for (size_t i = 0; i < evaluated.size(); ++i) {
    if (std::isfinite(evaluated[i])) visit(evaluated[i], baseline[i]);
  }
}

}  // namespace

int64_t FirstClassMismatch(const std::vector<double>& evaluated, const std::vector<double>& baseline) {
  for (size_t i = 0; i < evaluated.size(); ++i) {
    if (!ClassesAgree(evaluated[i], baseline[i])) return static_cast<int64_t>(i);
  }
  return -1;
}

double Diff1(const std::vector<double>& evaluated, const std::vector<double>& baseline) {
  if (!Comparable(evaluated, baseline)) return kInfinite;
  double error = 0, size = 0;
  ForEachFinite(evaluated, baseline, [&](double e, double b) {
    error += std::fabs(e - b);
    size += std::fabs(b);
  });
  return error / (size + kEpsilon);
}

double Diff2(const std::vector<double>& evaluated, const std::vector<double>& baseline) {
  if (!Comparable(evaluated, baseline)) return kInfinite;
  double error = 0, size = 0;
  ForEachFinite(evaluated, baseline, [&](double e, double b) {
    error += (e - b) * (e - b);
    size += b * b;
  });
  return std::sqrt(error / (size + kEpsilon));
}

Diff3Pair Diff3(const std::vector<double>& evaluated, const std::vector<double>& baseline, double threshold) {
  if (!Comparable(evaluated, baseline)) return {kInfinite, kInfinite};
  Diff3Pair largest = {0, 0};
  ForEachFinite(evaluated, baseline, [&](double e, double b) {
    const double error = std::fabs(e - b);
    if (std::fabs(b) > threshold) {
      largest.relative = std::max(largest.relative, error / std::fabs(b));
    } else {
      largest.absolute = std::max(largest.absolute, error);
    }
  });
  return largest;
}

double Diff3Max(const std::vector<double>& evaluated, const std::vector<double>& baseline, double eps) {
  if (!Comparable(evaluated, baseline)) return kInfinite;
  double largest = 0;
  ForEachFinite(evaluated, baseline, [&](double e, double b) {
    const double error = std::fabs(e - b);
    largest = std::max(largest, std::fabs(b) < eps ? error : error / (std::fabs(b) + kEpsilon));
  });
  return largest;
}

double LargestError(const std::vector<double>& evaluated, const std::vector<double>& baseline) {
  if (!Comparable(evaluated, baseline)) return kInfinite;
  double largest = 0;
  ForEachFinite(evaluated, baseline, [&](double e, double b) { largest = std::max(largest, std::fabs(e - b)); });
  return largest;
}

double Diff4(const std::vector<double>& evaluated, const std::vector<double>& baseline) {
  if (!Comparable(evaluated, baseline)) return kInfinite;
  std::vector<std::pair<double, double>> unequal;
  ForEachFinite(evaluated, baseline, [&](double e, double b) {
    if (e != b) unequal.emplace_back(e, b);
  });
  std::sort(unequal.begin(), unequal.end());
  unequal.erase(std::unique(unequal.begin(), unequal.end()), unequal.end());
  if (unequal.size() < kFewestPairs) return -1;
  const auto below = std::count_if(unequal.begin(), unequal.end(), [](const auto& p) { return p.first < p.second; });
  return static_cast<double>(below) / static_cast<double>(unequal.size());
}

}  // namespace detops_test
