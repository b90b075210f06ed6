// From the type number of a tensor to C++ types.
#ifndef DETOPS_CORE_ELEMENT_TYPE_H_
#define DETOPS_CORE_ELEMENT_TYPE_H_

#include <cstdint>
#include <type_traits>

#include "core/half.h"
#include "mlu_op/types.h"

namespace detops {

// The type in which the elements of a tensor type are compared and added up.
template <typename T>
using Accumulator = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Exactly.
template <typename T>
Accumulator<T> ToAccumulator(T element) {
  if constexpr (std::is_same_v<T, double>) {
    return element;
  } else {
    return ToFloat(element);
  }
}

// Element `index` of a tensor of T.
template <typename T>
Accumulator<T> LoadReal(const void* data, int64_t index) {
  return ToAccumulator(LoadElement<T>(data, index));
}

// An index as an element of an int64, int32 or uint32 tensor, which can hold it.
inline void StoreIndex(mluOpDataType_t type, void* data, int64_t at, int64_t index) {
  if (type == MLUOP_DTYPE_INT64) return StoreElement<int64_t>(data, at, index);
  StoreElement<int32_t>(data, at, static_cast<int32_t>(index));
}

// Calls function.template operator()<T>() with the C++ type of a floating tensor type.
template <class Function>
auto WithElementType(mluOpDataType_t type, const Function& function) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
      return function.template operator()<Half>();
    case MLUOP_DTYPE_BFLOAT16:
      return function.template operator()<BFloat16>();
    case MLUOP_DTYPE_DOUBLE:
      return function.template operator()<double>();
    default:
      return function.template operator()<float>();
  }
}

}  // namespace detops

#endif  // DETOPS_CORE_ELEMENT_TYPE_H_
