// How long tests run that are better the longer they run: the environment variable DETOPS_TEST_LONG asks for the full
// count, as ./dev nightly does.
#ifndef DETOPS_TESTS_SUPPORT_LONG_TESTS_H_
#define DETOPS_TESTS_SUPPORT_LONG_TESTS_H_

#include <cstdlib>

namespace detops_test {

inline int Rounds(int usual, int full) { return std::getenv("DETOPS_TEST_LONG") == nullptr ? usual : full; }

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_LONG_TESTS_H_
