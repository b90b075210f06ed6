// Arguments in the order of a C function's parameters, in which most tensors are two: descriptor and data.
#ifndef DETOPS_HARNESS_PASS_H_
#define DETOPS_HARNESS_PASS_H_

#include <string_view>
#include <tuple>

#include "harness/arguments.h"

namespace detops_harness {

struct T {
  std::string_view tensor;
};

inline auto Parameters(const Arguments& arguments, T argument) {
  return std::tuple(arguments.desc(argument.tensor), arguments.data(argument.tensor));
}
template <class Value>
auto Parameters(const Arguments& /*arguments*/, Value value) {
  return std::tuple(value);
}

// Pass(f, handle, a, 3, T{"input"}) is f(handle, 3, a.desc("input"), a.data("input")).
template <class Function, class... Values>
mluOpStatus_t Pass(Function function, mluOpHandle_t handle, const Arguments& arguments, Values... values) {
  return std::apply(function, std::tuple_cat(std::tuple(handle), Parameters(arguments, values)...));
}

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_PASS_H_
