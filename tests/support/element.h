// Reads and writes tensor elements as double. Written apart from the library's own conversions, so that a defect there
// cannot hide: the tests' half and bfloat16 come from the definition of the formats.
#ifndef DETOPS_TESTS_SUPPORT_ELEMENT_H_
#define DETOPS_TESTS_SUPPORT_ELEMENT_H_

#include <cstddef>
#include <cstdint>

#include "mlu_op.h"

namespace detops_test {

// All functions know HALF, BFLOAT16, FLOAT, DOUBLE, INT32, UINT32, INT64 and BOOL. Data may be misaligned.

// 0 for types not listed above.
size_t ElementSize(mluOpDataType_t type);

// "half", "float", ...; fit for the name of a test.
const char* ElementName(mluOpDataType_t type);

// NaN for types not listed above.
double ReadElement(mluOpDataType_t type, const void* data, int64_t index);

// Rounds once, to nearest even; values too large become infinite; NaN stays NaN. Integers are truncated, values too
// large become the largest or the least, and NaN 0; a bool is whether the value is not 0.
void WriteElement(mluOpDataType_t type, void* data, int64_t index, double value);

// The value as an element of the type would hold it.
double RoundToElement(mluOpDataType_t type, double value);

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_ELEMENT_H_
