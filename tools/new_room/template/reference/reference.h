// @room@ as its page words it, for tests: plain loops in double, nothing shared with the library.
#ifndef DETOPS_OPS_@ROOM@_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_@ROOM@_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

// Not rounded to the tensors' type.
std::vector<double> @Room@(mluOpDataType_t type, int64_t elements, const void* input, float factor);

}  // namespace detops_reference

#endif  // DETOPS_OPS_@ROOM@_REFERENCE_REFERENCE_H_
