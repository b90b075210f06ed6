#include "recording/gen_case_tensor.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "core/data_type.h"
#include "core/half.h"

namespace detops {
namespace {

// Calls function.operator()<T>() with the element type; false if it is none that operators compute with.
template <class Function>
bool VisitType(mluOpDataType_t type, const Function& function) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
      function.template operator()<Half>();
      return true;
    case MLUOP_DTYPE_BFLOAT16:
      function.template operator()<BFloat16>();
      return true;
    case MLUOP_DTYPE_FLOAT:
      function.template operator()<float>();
      return true;
    case MLUOP_DTYPE_DOUBLE:
      function.template operator()<double>();
      return true;
    case MLUOP_DTYPE_INT32:
      function.template operator()<int32_t>();
      return true;
    case MLUOP_DTYPE_INT64:
      function.template operator()<int64_t>();
      return true;
    case MLUOP_DTYPE_BOOL:
      function.template operator()<uint8_t>();
      return true;
    default:
      return false;
  }
}

// An element as a number that can be compared and written.
float NumberOf(Half value) { return ToFloat(value); }
float NumberOf(BFloat16 value) { return ToFloat(value); }
float NumberOf(float value) { return value; }
double NumberOf(double value) { return value; }
int64_t NumberOf(int32_t value) { return value; }
int64_t NumberOf(int64_t value) { return value; }
int64_t NumberOf(uint8_t value) { return value != 0 ? 1 : 0; }  // of bool tensors

uint64_t BitsOf(Half value) { return value.bits; }
uint64_t BitsOf(BFloat16 value) { return value.bits; }
uint64_t BitsOf(float value) { return std::bit_cast<uint32_t>(value); }
uint64_t BitsOf(double value) { return std::bit_cast<uint64_t>(value); }

// What stands before each value. Integers are decimal in both forms: readers of MLU-OPS take hexadecimal digits for
// floating types only.
template <typename T>
std::string_view ValueName(bool hex) {
  if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, uint8_t>) return "  value_i: ";
  if constexpr (std::is_same_v<T, int64_t>) return "  value_l: ";
  return hex ? "  value_h: \"" : "  value_f: ";
}

template <typename T>
void WriteValues(const CaseTensor& tensor, bool hex, AtomicFile& file) {
  if (std::is_same_v<T, double>) hex = true;  // value_f is a float
  const std::string_view name = ValueName<T>(hex);
  const int64_t count = tensor.shape->element_count();
  for (int64_t i = 0; i < count; ++i) {
    const T value = LoadElement<T>(tensor.data, i);
    file.Text(name);
    if constexpr (!std::is_integral_v<T>) {
      if (hex) {
        file.Hex(BitsOf(value));
        file.Text("\"\n");
        continue;
      }
    }
    file.Number(NumberOf(value));
    file.Text("\n");
  }
}

template <typename Number>
struct Bounds {
  Number low, high;
};

// The smallest and the largest finite value; the form's defaults if there is none.
template <typename T>
auto FiniteBounds(const CaseTensor& tensor) {
  using Number = decltype(NumberOf(T{}));
  Bounds<Number> bounds = {-1, 1};
  bool found = false;
  const int64_t count = HasValues(tensor) ? tensor.shape->element_count() : 0;
  for (int64_t i = 0; i < count; ++i) {
    const Number value = NumberOf(LoadElement<T>(tensor.data, i));
    if constexpr (std::is_floating_point_v<Number>) {
      if (!std::isfinite(value)) continue;
    }
    if (!found || value < bounds.low) bounds.low = value;
    if (!found || value > bounds.high) bounds.high = value;
    found = true;
  }
  return bounds;
}

// Integers beyond 2^24 need not be floats: the bounds go inwards, so that no random value is outside.
Bounds<float> ToFloats(Bounds<int64_t> bounds) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Bounds<float> floats = {static_cast<float>(bounds.low), static_cast<float>(bounds.high)};
  if (static_cast<double>(floats.low) < static_cast<double>(bounds.low)) {
    floats.low = std::nextafter(floats.low, kInfinity);
  }
  if (static_cast<double>(floats.high) > static_cast<double>(bounds.high)) {
    floats.high = std::nextafter(floats.high, -kInfinity);
  }
  if (floats.low > floats.high) floats.low = floats.high;  // no float lies between
  return floats;
}
Bounds<float> ToFloats(Bounds<float> bounds) { return bounds; }

template <typename Number>
void WriteBounds(Bounds<Number> bounds, AtomicFile& file) {
  constexpr bool kDouble = std::is_same_v<Number, double>;
  file.Text(kDouble ? "    lower_bound_double: " : "    lower_bound: ");
  file.Number(bounds.low);
  file.Text(kDouble ? "\n    upper_bound_double: " : "\n    upper_bound: ");
  file.Number(bounds.high);
}

void WriteRandomData(const CaseTensor& tensor, int seed, AtomicFile& file) {
  file.Text("  random_data {\n    seed: ");
  file.Number(int64_t{seed});
  file.Text("\n");
  const bool known = VisitType(tensor.type, [&]<typename T>() {
    const auto bounds = FiniteBounds<T>(tensor);
    if constexpr (std::is_same_v<T, double>) {
      WriteBounds(bounds, file);
    } else {
      WriteBounds(ToFloats(bounds), file);
    }
  });
  if (!known) WriteBounds(Bounds<float>{-1, 1}, file);
  file.Text("\n    distribution: UNIFORM\n  }\n");
}

void WriteType(const char* field, mluOpDataType_t type, AtomicFile& file) {
  const char* const name = FullTypeName(type);  // the form has the same names, but other numbers
  file.Text(field);
  file.Text(name != nullptr ? name : "DTYPE_INVALID");
  file.Text("\n");
}

void WriteHead(const CaseTensor& tensor, AtomicFile& file) {
  file.Text("  id: \"");
  file.Text(tensor.id);
  file.Text("\"\n  shape {\n");
  for (int axis = 0; axis < tensor.shape->rank(); ++axis) {
    file.Text("    dims: ");
    file.Number(tensor.shape->extent(axis));
    file.Text("\n");
  }
  const char* const layout = FullLayoutName(tensor.layout);
  file.Text("  }\n  layout: ");
  file.Text(layout != nullptr ? layout : "LAYOUT_ARRAY");
  file.Text("\n");
  WriteType("  dtype: ", tensor.type, file);
  if (tensor.onchip_type != MLUOP_DTYPE_INVALID) WriteType("  onchip_dtype: ", tensor.onchip_type, file);
}

}  // namespace

bool HasValues(const CaseTensor& tensor) {
  return tensor.data != nullptr && tensor.shape->element_count() > 0 && VisitType(tensor.type, []<typename T>() {});
}

void WriteTensor(const CaseTensor& tensor, CaseData data, int seed, const char* file_name, AtomicFile& file) {
  file.Text(tensor.input ? "input {\n" : "output {\n");
  WriteHead(tensor, file);
  switch (data) {
    case CaseData::kNone:
      break;
    case CaseData::kRandom:
      WriteRandomData(tensor, seed, file);
      break;
    case CaseData::kText:
    case CaseData::kHex:
      VisitType(tensor.type, [&]<typename T>() { WriteValues<T>(tensor, data == CaseData::kHex, file); });
      break;
    case CaseData::kFile:
      file.Text("  path: \"");
      file.Text(file_name);
      file.Text("\"\n");
      break;
  }
  file.Text("}\n");
}

}  // namespace detops
