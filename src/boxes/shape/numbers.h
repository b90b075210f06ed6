// Numbers of a tensor as double, exactly, and back with one rounding: for operators that decide and compute in double
// whatever the type.
#ifndef DETOPS_BOXES_SHAPE_NUMBERS_H_
#define DETOPS_BOXES_SHAPE_NUMBERS_H_

#include <cstdint>

#include "core/element_type.h"
#include "core/half.h"
#include "mlu_op/types.h"

namespace detops::boxes {

// `count` numbers from element `first` on of a tensor of half, bfloat16, float or double.
inline void ReadNumbers(mluOpDataType_t type, const void* data, int64_t first, int count, double* numbers) {
  WithElementType(type, [&]<typename T>() {
    for (int i = 0; i < count; ++i) numbers[i] = static_cast<double>(LoadReal<T>(data, first + i));
  });
}

inline void WriteNumbers(mluOpDataType_t type, const double* numbers, int count, void* data, int64_t first) {
  WithElementType(type, [&]<typename T>() {
    for (int i = 0; i < count; ++i) StoreElement(data, first + i, FromDouble<T>(numbers[i]));
  });
}

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_SHAPE_NUMBERS_H_
