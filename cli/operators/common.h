// What the operators' files share: tensors and their data.
#ifndef DETOPS_CLI_OPERATORS_COMMON_H_
#define DETOPS_CLI_OPERATORS_COMMON_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "case.h"
#include "operators/old_operator.h"

namespace detops_cli::old {

// With memory for its elements, all zero.
HostTensor InputTensor(const char* name, mluOpTensorLayout_t layout, mluOpDataType_t type,
                       std::vector<int64_t> extents);

// Without: an output's data is in the library's memory.
HostTensor OutputTensor(const char* name, mluOpTensorLayout_t layout, mluOpDataType_t type,
                        std::vector<int64_t> extents);

// Uniform in [-1, 1) before rounding to the type.
void FillUniform(HostTensor& tensor, uint64_t seed);

void Fill(HostTensor& tensor, const std::vector<float>& values);

// NaN and both infinities here and there, if the shape says so.
void FillSpecials(HostTensor& tensor, const Shape& shape);
ShapeKey SpecialsKey();

// Bytes of all tensors once: the default of the standard's io formula.
double AllBytes(const Case& the_case);

std::vector<double> ToDouble(const std::vector<int32_t>& values);

// A refusal that the operator's document lists, of a spoilt argument.
BadCall Refused(std::string what, std::vector<mluOpStatus_t> expected, std::function<void(Invocation&)> spoil);

// A refusal of a value in a tensor.
BadCall RefusedValue(const Case& the_case, int input, int64_t element, double value);

// Makes "params" of the wanted kind.
template <class T>
T& ParamsAs(Invocation& invocation) {
  return std::get<T>(invocation.params);
}

inline constexpr mluOpStatus_t kBadParam = MLUOP_STATUS_BAD_PARAM;
inline constexpr mluOpStatus_t kNotSupported = MLUOP_STATUS_NOT_SUPPORTED;

}  // namespace detops_cli::old

#endif  // DETOPS_CLI_OPERATORS_COMMON_H_
