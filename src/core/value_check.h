// Checks of the values inside tensors: one vectorised pass before any output byte is written.
#ifndef DETOPS_CORE_VALUE_CHECK_H_
#define DETOPS_CORE_VALUE_CHECK_H_

#include <cstdint>

#include "core/parallel.h"

namespace detops {

// *index becomes the first element that is NaN or Inf, -1 if there is none. `type` is half, bfloat16, float or double.
// False if the caller's runner failed.
bool FindNonFinite(const Parallel& parallel, mluOpDataType_t type, const void* data, int64_t count, int64_t* index);

// One element of such a tensor, or of one of int32 or int64, for a message.
double ElementAsDouble(mluOpDataType_t type, const void* data, int64_t index);

}  // namespace detops

#endif  // DETOPS_CORE_VALUE_CHECK_H_
