// For what is made before a call, on any library: the catalogue is linked with none.
#ifndef DETOPS_HARNESS_REQUIRE_H_
#define DETOPS_HARNESS_REQUIRE_H_

#include <stdexcept>
#include <string>

#include "detops.h"

namespace detops_harness {

// Throws std::runtime_error unless the function succeeded.
inline void Require(mluOpStatus_t status, const char* function) {
  if (status == MLUOP_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(function) + " gives status " + std::to_string(static_cast<int>(status)));
}

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_REQUIRE_H_
