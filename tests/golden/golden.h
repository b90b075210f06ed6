// Cases whose every output byte is known: the samples of all functions of the catalogue, each in all types. Their input
// is the same on every machine and with every compiler (harness/fill.h).
#ifndef DETOPS_TESTS_GOLDEN_GOLDEN_H_
#define DETOPS_TESTS_GOLDEN_GOLDEN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/function.h"
#include "support/handle.h"

namespace detops_golden {

struct Case {
  std::string name;  // "<function>/<shape>"
  const detops_harness::Function* function;
  std::string shape;
};
using Cases = std::vector<Case>;

// In the order of the file.
Cases AllCases();

// Makes the call in all types and hashes all that it writes. NaN has bits that nobody promises, so every NaN counts
// alike.
uint64_t RunCase(const detops_test::Handle& handle, const Case& one);

}  // namespace detops_golden

#endif  // DETOPS_TESTS_GOLDEN_GOLDEN_H_
