#include "cases/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cases/operator.h"
#include "support/element.h"
#include "support/tolerance.h"

namespace detops_cli {

size_t HostTensor::element_bytes() const {
  switch (type) {
    case MLUOP_DTYPE_INT8:
    case MLUOP_DTYPE_UINT8:
    case MLUOP_DTYPE_BOOL:
      return 1;
    case MLUOP_DTYPE_INT16:
    case MLUOP_DTYPE_UINT16:
      return 2;
    case MLUOP_DTYPE_INT31:
    case MLUOP_DTYPE_UINT32:
    case MLUOP_DTYPE_COMPLEX_HALF:
      return 4;
    case MLUOP_DTYPE_UINT64:
    case MLUOP_DTYPE_COMPLEX_FLOAT:
      return 8;
    default:
      return detops_test::ElementSize(type);
  }
}

int64_t HostTensor::elements() const {
  int64_t product = 1;
  for (const int64_t extent : extents) product *= std::max<int64_t>(extent, 0);
  return product;
}

int64_t HostTensor::span() const {
  if (strides.empty() || elements() == 0) return elements();
  int64_t last = 0;
  for (size_t axis = 0; axis < extents.size(); ++axis) last += (extents[axis] - 1) * strides.at(axis);
  return last + 1;
}

size_t HostTensor::bytes() const { return static_cast<size_t>(span()) * element_bytes(); }

double HostTensor::Get(int64_t position) const { return detops_test::ReadElement(type, data.data(), position); }

void HostTensor::Set(int64_t position, double value) { detops_test::WriteElement(type, data.data(), position, value); }

std::vector<double> HostTensor::Values() const {
  std::vector<double> values(static_cast<size_t>(span()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = Get(static_cast<int64_t>(i));
  return values;
}

CaseDescription Describe(const Case& the_case) {
  constexpr const char* kLayouts[] = {"NCHW", "NHWC", "HWCN", "NDHWC", "ARRAY", "NCDHW",
                                      "TNC",  "NTC",  "NC",   "NLC",   "NCL"};
  const auto is_real = [](mluOpDataType_t type) {
    return type == MLUOP_DTYPE_HALF || type == MLUOP_DTYPE_BFLOAT16 || type == MLUOP_DTYPE_FLOAT ||
           type == MLUOP_DTYPE_DOUBLE;
  };
  const HostTensor* typed = &the_case.inputs.front();
  std::vector<std::string> shapes, layouts;
  for (const HostTensor& tensor : the_case.inputs) {
    if (!is_real(typed->type) && is_real(tensor.type)) typed = &tensor;
    shapes.push_back(fmt::format("{}", fmt::join(tensor.extents, "x")));
    const std::string layout = kLayouts[tensor.layout];
    if (std::find(layouts.begin(), layouts.end(), layout) == layouts.end()) layouts.push_back(layout);
  }
  return {std::string(the_case.op->name()), detops_test::ElementName(typed->type),
          fmt::format("{}", fmt::join(shapes, ", ")), fmt::format("{}", fmt::join(layouts, ","))};
}

std::vector<Criterion> PromisedCriteria(const Operator& op, mluOpDataType_t type) {
  const bool real = type == MLUOP_DTYPE_HALF || type == MLUOP_DTYPE_FLOAT || type == MLUOP_DTYPE_DOUBLE ||
                    type == MLUOP_DTYPE_BFLOAT16;
  if (!real) return {{Formula::kDiff3, 0}};
  // Document 002 allows halves more than our library does, and other libraries no less than it.
  const bool wide = op.document() == "002" && type == MLUOP_DTYPE_HALF;
  const detops_test::Tolerance bars = wide ? detops_test::Tolerance{3e-3, 3e-3} : op.function().tolerance(type);
  return {{Formula::kDiff1, bars.diff1}, {Formula::kDiff2, bars.diff2}, {Formula::kDiff4, 0}};
}

}  // namespace detops_cli
