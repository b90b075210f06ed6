// How far a result may be from the double-precision reference. The numbers are the project's promise, so they stand
// here once and no test writes its own.
#ifndef DETOPS_TESTS_SUPPORT_TOLERANCE_H_
#define DETOPS_TESTS_SUPPORT_TOLERANCE_H_

#include <string>
#include <vector>

#include "mlu_op.h"

namespace detops_test {

struct Tolerance {
  double diff1;
  double diff2;
};

// float 1e-5, half 1e-3, bfloat16 4e-3, double 1e-12; 0 (exact) for other types.
Tolerance ToleranceFor(mluOpDataType_t type);

// A unit of double in units of float, or of double: what is rounded to the type at the end is computed in double.
constexpr double DoubleUnit(mluOpDataType_t type) { return type == MLUOP_DTYPE_DOUBLE ? 1 : 0x1p-29; }

// The evaluator's rule: of at least 100 distinct unequal pairs neither all nor none are too small. Takes Diff4's
// result.
bool IsUnbiased(double diff4);

// Empty when the result agrees with the baseline: diff1 and diff2 within the tolerance, diff4 unbiased, and no single
// element off by more than twice diff1 times the largest baseline element, as the first two are blind to one bad
// element in a large tensor. (Twice: next to a tie the two sides round to neighbours, in bfloat16 2^-7 apart.)
// Otherwise the reason.
std::string Disagreement(const std::vector<double>& evaluated, const std::vector<double>& baseline,
                         const Tolerance& tolerance);

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_TOLERANCE_H_
