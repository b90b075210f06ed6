// From the type number of a tensor to C++ types.
#ifndef DETOPS_CORE_ELEMENT_TYPE_H_
#define DETOPS_CORE_ELEMENT_TYPE_H_

#include <cstdint>
#include <type_traits>

#include "core/half.h"
#include "mlu_op.h"

namespace detops {

// The type in which a tensor type is decided and added up.
template <typename T>
using RealOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Element `index` of a tensor of T, exactly.
template <typename T>
RealOf<T> LoadReal(const void* data, int64_t index) {
  const T element = LoadElement<T>(data, index);
  if constexpr (std::is_same_v<T, double>) {
    return element;
  } else {
    return ToFloat(element);
  }
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
