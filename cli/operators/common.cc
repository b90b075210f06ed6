#include "operators/common.h"

#include <fmt/format.h>

#include <limits>
#include <random>
#include <utility>

namespace detops_cli::old {

HostTensor OutputTensor(const char* name, mluOpTensorLayout_t layout, mluOpDataType_t type,
                        std::vector<int64_t> extents) {
  return {.name = name, .layout = layout, .type = type, .extents = std::move(extents)};
}

HostTensor InputTensor(const char* name, mluOpTensorLayout_t layout, mluOpDataType_t type,
                       std::vector<int64_t> extents) {
  HostTensor tensor = OutputTensor(name, layout, type, std::move(extents));
  tensor.data.resize(tensor.bytes());
  return tensor;
}

void FillUniform(HostTensor& tensor, uint64_t seed) {
  std::mt19937_64 random(seed);
  const int64_t elements = tensor.elements();
  for (int64_t i = 0; i < elements; ++i) tensor.Set(i, static_cast<double>(random() >> 11) * 0x1p-52 - 1);
}

void Fill(HostTensor& tensor, const std::vector<float>& values) {
  for (size_t i = 0; i < values.size(); ++i) tensor.Set(static_cast<int64_t>(i), static_cast<double>(values[i]));
}

void FillSpecials(HostTensor& tensor, const Shape& shape) {
  if (shape.Int("specials") == 0) return;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSpecials[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity};
  constexpr int64_t kEvery = 97;  // most results stay finite and are compared
  for (int64_t i = 0; i * kEvery < tensor.elements(); ++i) tensor.Set(i * kEvery, kSpecials[i % 3]);
}

ShapeKey SpecialsKey() { return {"specials", "0", "1: NaN and infinities among the features"}; }

double AllBytes(const Case& the_case) {
  double bytes = 0;
  for (const HostTensor& tensor : the_case.inputs) bytes += static_cast<double>(tensor.bytes());
  for (const HostTensor& tensor : the_case.outputs) bytes += static_cast<double>(tensor.bytes());
  return bytes;
}

std::vector<double> ToDouble(const std::vector<int32_t>& values) { return {values.begin(), values.end()}; }

BadCall Refused(std::string what, std::vector<mluOpStatus_t> expected, std::function<void(Invocation&)> spoil) {
  return {
      .what = std::move(what), .basis = Basis::kDocument, .expected = std::move(expected), .spoil = std::move(spoil)};
}

BadCall RefusedValue(const Case& the_case, int input, int64_t element, double value) {
  const HostTensor& tensor = the_case.inputs.at(static_cast<size_t>(input));
  return {.what = fmt::format("{}: element {} is {}", tensor.name, element, value),
          .basis = Basis::kPromise,
          .expected = {kBadParam},
          .spoil = {},
          .input = input,
          .element = element,
          .value = value};
}

}  // namespace detops_cli::old
