// Turns a status that the test itself does not examine into an exception, which GoogleTest reports as a failure.
#ifndef DETOPS_TESTS_SUPPORT_STATUS_H_
#define DETOPS_TESTS_SUPPORT_STATUS_H_

#include <stdexcept>
#include <string>

#include "detops.h"

namespace detops_test {

inline void Must(mluOpStatus_t status, const char* what) {
  if (status == MLUOP_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": " + mluOpGetErrorString(status) + ": " + detopsGetLastError(nullptr));
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_STATUS_H_
