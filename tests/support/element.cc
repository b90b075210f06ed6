#include "support/element.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace detops_test {
namespace {

// A 16-bit format: sign, exponent, `fraction_bits` of fraction. `min_exponent` is that of the smallest normal number.
struct SmallFormat {
  int fraction_bits;
  int min_exponent;
  uint16_t infinity;
};
constexpr SmallFormat kHalf = {10, -14, 0x7C00};
constexpr SmallFormat kBfloat16 = {7, -126, 0x7F80};

uint16_t Encode(const SmallFormat& format, double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | format.infinity | (1u << (format.fraction_bits - 1));
  if (value == 0) return sign;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | format.infinity;
  const int exponent = std::max(std::ilogb(magnitude), format.min_exponent);
  // nearbyint rounds to even in the default mode. A carry into the next power of two, also out of the subnormals,
  // comes out right because the formats' bit patterns ascend with their values.
  const double units = std::nearbyint(std::ldexp(magnitude, format.fraction_bits - exponent));
  const int64_t bits =
      (static_cast<int64_t>(exponent - format.min_exponent) << format.fraction_bits) + static_cast<int64_t>(units);
  return sign | static_cast<uint16_t>(std::min<int64_t>(bits, format.infinity));
}

double Decode(const SmallFormat& format, uint16_t bits) {
  const int magnitude = bits & 0x7FFF;
  const int fraction = magnitude & ((1 << format.fraction_bits) - 1);
  const int biased = magnitude >> format.fraction_bits;
  double value;
  if (magnitude > format.infinity) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (magnitude == format.infinity) {
    value = std::numeric_limits<double>::infinity();
  } else if (biased == 0) {
    value = std::ldexp(fraction, format.min_exponent - format.fraction_bits);
  } else {
    value = std::ldexp(fraction + (1 << format.fraction_bits), biased - 1 + format.min_exponent - format.fraction_bits);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

template <class T>
T Load(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

// Truncated; the nearest that the type holds; 0 for NaN, which no integer is near to.
template <class T>
T NearestInteger(double value) {
  constexpr double kEnd = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;  // the first above all
  if (std::isnan(value)) return 0;
  if (value >= kEnd) return std::numeric_limits<T>::max();
  return static_cast<T>(std::max(value, static_cast<double>(std::numeric_limits<T>::min())));
}

template <class T>
void Store(void* data, int64_t index, T value) {
  std::memcpy(static_cast<char*>(data) + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

}  // namespace

size_t ElementSize(mluOpDataType_t type) {
  switch (type) {
    case MLUOP_DTYPE_BOOL:
      return 1;
    case MLUOP_DTYPE_HALF:
    case MLUOP_DTYPE_BFLOAT16:
      return 2;
    case MLUOP_DTYPE_FLOAT:
    case MLUOP_DTYPE_INT32:
    case MLUOP_DTYPE_UINT32:
      return 4;
    case MLUOP_DTYPE_DOUBLE:
    case MLUOP_DTYPE_INT64:
      return 8;
    default:
      return 0;
  }
}

const char* ElementName(mluOpDataType_t type) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
      return "half";
    case MLUOP_DTYPE_BFLOAT16:
      return "bfloat16";
    case MLUOP_DTYPE_FLOAT:
      return "float";
    case MLUOP_DTYPE_DOUBLE:
      return "double";
    case MLUOP_DTYPE_INT32:
      return "int32";
    case MLUOP_DTYPE_UINT32:
      return "uint32";
    case MLUOP_DTYPE_INT64:
      return "int64";
    case MLUOP_DTYPE_BOOL:
      return "bool";
    default:
      return "other";
  }
}

double ReadElement(mluOpDataType_t type, const void* data, int64_t index) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
      return Decode(kHalf, Load<uint16_t>(data, index));
    case MLUOP_DTYPE_BFLOAT16:
      return Decode(kBfloat16, Load<uint16_t>(data, index));
    case MLUOP_DTYPE_FLOAT:
      return static_cast<double>(Load<float>(data, index));
    case MLUOP_DTYPE_DOUBLE:
      return Load<double>(data, index);
    case MLUOP_DTYPE_INT32:
      return static_cast<double>(Load<int32_t>(data, index));
    case MLUOP_DTYPE_UINT32:
      return static_cast<double>(Load<uint32_t>(data, index));
    case MLUOP_DTYPE_INT64:
      return static_cast<double>(Load<int64_t>(data, index));
    case MLUOP_DTYPE_BOOL:
      return Load<uint8_t>(data, index) != 0 ? 1 : 0;
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

void WriteElement(mluOpDataType_t type, void* data, int64_t index, double value) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
      return Store(data, index, Encode(kHalf, value));
    case MLUOP_DTYPE_BFLOAT16:
      return Store(data, index, Encode(kBfloat16, value));
    case MLUOP_DTYPE_FLOAT:
      return Store(data, index, static_cast<float>(value));
    case MLUOP_DTYPE_DOUBLE:
      return Store(data, index, value);
    case MLUOP_DTYPE_INT32:
      return Store(data, index, NearestInteger<int32_t>(value));
    case MLUOP_DTYPE_UINT32:
      return Store(data, index, NearestInteger<uint32_t>(value));
    case MLUOP_DTYPE_INT64:
      return Store(data, index, NearestInteger<int64_t>(value));
    case MLUOP_DTYPE_BOOL:
      return Store(data, index, static_cast<uint8_t>(value != 0 ? 1 : 0));
    default:
      return;
  }
}

double RoundToElement(mluOpDataType_t type, double value) {
  unsigned char bytes[sizeof(double)] = {};
  WriteElement(type, bytes, 0, value);
  return ReadElement(type, bytes, 0);
}

}  // namespace detops_test
