#include "support/tolerance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>

#include "support/diff.h"

namespace detops_test {
namespace {

double LargestFinite(const std::vector<double>& values) {
  double largest = 0;
  for (double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

// Where the finite elements differ most, to be found again by a reader of the message.
size_t WorstPosition(const std::vector<double>& evaluated, const std::vector<double>& baseline) {
  size_t worst = 0;
  double largest = -1;
  for (size_t i = 0; i < evaluated.size(); ++i) {
    const double error = std::fabs(evaluated[i] - baseline[i]);
    if (error > largest) {
      largest = error;
      worst = i;
    }
  }
  return worst;
}

}  // namespace

Tolerance ToleranceFor(mluOpDataType_t type) {
  switch (type) {
    case MLUOP_DTYPE_FLOAT:
      return {1e-5, 1e-5};
    case MLUOP_DTYPE_HALF:
      return {1e-3, 1e-3};
    case MLUOP_DTYPE_BFLOAT16:
      return {4e-3, 4e-3};
    case MLUOP_DTYPE_DOUBLE:
      return {1e-12, 1e-12};
    default:
      return {0, 0};
  }
}

bool IsUnbiased(double diff4) { return diff4 == -1 || (diff4 > 0 && diff4 < 1); }

std::string Disagreement(const std::vector<double>& evaluated, const std::vector<double>& baseline,
                         const Tolerance& tolerance) {
  std::ostringstream text;
  text.precision(9);
  if (evaluated.size() != baseline.size()) {
    text << evaluated.size() << " elements, expected " << baseline.size();
    return text.str();
  }
  const int64_t mismatch = FirstClassMismatch(evaluated, baseline);
  if (mismatch >= 0) {
    const size_t i = static_cast<size_t>(mismatch);
    text << "element " << i << " is " << evaluated[i] << ", expected " << baseline[i];
    return text.str();
  }
  const double diff1 = Diff1(evaluated, baseline), diff2 = Diff2(evaluated, baseline);
  const double largest = LargestError(evaluated, baseline), bound = 2 * tolerance.diff1 * LargestFinite(baseline);
  const double diff4 = Diff4(evaluated, baseline);
  // Written so that a NaN, which overflow could give, fails.
  if (diff1 <= tolerance.diff1 && diff2 <= tolerance.diff2 && largest <= bound && IsUnbiased(diff4)) return "";
  const size_t worst = WorstPosition(evaluated, baseline);
  text << "diff1 " << diff1 << " (at most " << tolerance.diff1 << "), diff2 " << diff2 << " (at most "
       << tolerance.diff2 << "), largest error " << largest << " (at most " << bound << "), diff4 " << diff4
       << "; element " << worst << " is " << evaluated[worst] << ", expected " << baseline[worst];
  return text.str();
}

}  // namespace detops_test
