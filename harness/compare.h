// Whether a call's results are those of the reference.
#ifndef DETOPS_HARNESS_COMPARE_H_
#define DETOPS_HARNESS_COMPARE_H_

#include <string>

#include "harness/function.h"

namespace detops_harness {

// Of a call that was carried out, within the function's promise: integers exactly, floats by the measures of the
// accuracy standard. Empty if they agree; otherwise the first output that does not, and why.
std::string Disagreement(const Call& call, const Expected& expected);

// Element by element, relative to the magnitudes of the terms: for inputs with enormous, tiny and special numbers,
// where a sum over all elements means nothing.
std::string ElementDisagreement(const Call& call, const Expected& expected);

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_COMPARE_H_
