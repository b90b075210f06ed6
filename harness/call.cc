#include "harness/call.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "support/element.h"

namespace detops_harness {
namespace {

// Written apart from the library's own tables, so that a defect there cannot hide.
struct TypeRow {
  mluOpDataType_t type;
  const char* name;
  size_t size;
};
constexpr TypeRow kTypes[] = {{MLUOP_DTYPE_INVALID, "invalid", 0},
                              {MLUOP_DTYPE_HALF, "half", 2},
                              {MLUOP_DTYPE_FLOAT, "float", 4},
                              {MLUOP_DTYPE_INT8, "int8", 1},
                              {MLUOP_DTYPE_INT16, "int16", 2},
                              {MLUOP_DTYPE_INT31, "int31", 4},
                              {MLUOP_DTYPE_INT32, "int32", 4},
                              {MLUOP_DTYPE_UINT8, "uint8", 1},
                              {MLUOP_DTYPE_BOOL, "bool", 1},
                              {MLUOP_DTYPE_INT64, "int64", 8},
                              {MLUOP_DTYPE_UINT32, "uint32", 4},
                              {MLUOP_DTYPE_UINT64, "uint64", 8},
                              {MLUOP_DTYPE_UINT16, "uint16", 2},
                              {MLUOP_DTYPE_DOUBLE, "double", 8},
                              {MLUOP_DTYPE_COMPLEX_HALF, "complex_half", 4},
                              {MLUOP_DTYPE_COMPLEX_FLOAT, "complex_float", 8},
                              {MLUOP_DTYPE_BFLOAT16, "bfloat16", 2}};
constexpr const char* kLayouts[] = {"NCHW", "NHWC", "HWCN", "NDHWC", "ARRAY", "NCDHW",
                                    "TNC",  "NTC",  "NC",   "NLC",   "NCL"};
constexpr TypeRow kUnknown = {MLUOP_DTYPE_INVALID, "unknown", 0};

const TypeRow& RowOf(mluOpDataType_t type) {
  const auto* const row =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeRow& r) { return r.type == type; });
  return row == std::end(kTypes) ? kUnknown : *row;
}

int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

template <class Real>
std::string TextOf(Real number) {
  if (std::isnan(number)) return "nan";
  char text[64];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}

template <class Map>
const auto& Find(const Map& map, std::string_view name) {
  const auto at = map.find(name);
  if (at == map.end()) throw std::logic_error("the call has no argument " + std::string(name));
  return at->second;
}

}  // namespace

const char* TypeName(mluOpDataType_t type) { return RowOf(type).name; }
size_t SizeOfType(mluOpDataType_t type) { return RowOf(type).size; }
const char* LayoutName(mluOpTensorLayout_t layout) {
  return static_cast<size_t>(layout) < std::size(kLayouts) ? kLayouts[layout] : "unknown";
}

int64_t Tensor::elements() const {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return 0;
  int64_t product = 1;
  for (const int64_t extent : extents) product = Times(product, extent);
  return product;
}

int64_t Tensor::byte_count() const { return Times(elements(), static_cast<int64_t>(SizeOfType(type))); }

int64_t Tensor::stored() const {
  const size_t size = SizeOfType(type);
  return size == 0 ? 0 : static_cast<int64_t>(contents.size() / size);
}

int64_t Tensor::DenseStride(size_t axis) const {
  int64_t stride = 1;
  for (size_t later = axis + 1; later < extents.size(); ++later) stride = Times(stride, extents[later]);
  return stride;
}

double Tensor::Get(int64_t index) const {
  const void* data = access == Access::kRead ? contents.data() : address;
  return detops_test::ReadElement(type, data, index);
}
void Tensor::Set(int64_t index, double value) { detops_test::WriteElement(type, contents.data(), index, value); }

std::vector<double> Tensor::Values() const {
  std::vector<double> values(static_cast<size_t>(elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = Get(static_cast<int64_t>(i));
  return values;
}

Tensor Input(std::string name, mluOpTensorLayout_t layout, mluOpDataType_t type, std::vector<int64_t> extents) {
  Tensor tensor{std::move(name), Access::kRead, layout, type, std::move(extents)};
  tensor.contents.resize(static_cast<size_t>(tensor.byte_count()));
  return tensor;
}

Tensor Output(std::string name, mluOpTensorLayout_t layout, mluOpDataType_t type, std::vector<int64_t> extents) {
  Tensor tensor{std::move(name), Access::kWritten, layout, type, std::move(extents)};
  tensor.bytes = static_cast<size_t>(tensor.byte_count());
  return tensor;
}

Tensor Absent(std::string name, Access access) {
  Tensor tensor{std::move(name), access};
  tensor.described = tensor.has_data = false;
  return tensor;
}

const Tensor& Call::operator[](std::string_view name) const {
  const auto at =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& tensor) { return tensor.name == name; });
  if (at != tensors.end()) return *at;
  if (name == workspace.name) return workspace;
  throw std::logic_error("the call has no tensor " + std::string(name));
}
Tensor& Call::operator[](std::string_view name) {
  return const_cast<Tensor&>(std::as_const(*this)[name]);  // the call itself is not const
}
int64_t Call::integer(std::string_view name) const { return Find(integers, name); }
const int64_t* Call::list_address(std::string_view name) const {
  const auto placed = list_addresses.find(name);
  return placed != list_addresses.end() ? placed->second : Find(integer_lists, name).data();
}
double Call::number(std::string_view name) const { return Find(numbers, name); }

std::string ShapeText(const std::vector<int64_t>& extents) {
  constexpr size_t kMost = 160 - 28;  // what a sentence has room for
  std::string text = "[";
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (text.size() > kMost) return text + ", ...]";
    text += (axis == 0 ? "" : ", ") + std::to_string(extents[axis]);
  }
  return text + "]";
}

std::string PositionText(const Tensor& tensor, int64_t index) {
  std::vector<int64_t> position;
  for (size_t axis = 0; axis < tensor.extents.size(); ++axis) {
    const int64_t stride = tensor.DenseStride(axis);
    position.push_back(index / stride);
    index %= stride;
  }
  return ShapeText(position);
}

std::string NumberText(double number) { return TextOf(number); }
std::string NumberText(float number) { return TextOf(number); }

}  // namespace detops_harness
