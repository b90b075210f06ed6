#include "core/arg_check.h"

#include <cstdarg>
#include <cstdio>

#include "core/context.h"
#include "core/data_type.h"
#include "core/half.h"
#include "core/value_check.h"

namespace detops {
namespace {

// "[2, 4, 4, 30]", shortened with "..." when long.
struct ShapeText {
  explicit ShapeText(const mluOpTensorStruct& desc) {
    size_t used = static_cast<size_t>(std::snprintf(text, sizeof(text), "["));
    for (int axis = 0; axis < desc.rank(); ++axis) {
      if (used + 28 > sizeof(text)) {
        std::snprintf(text + used, sizeof(text) - used, ", ...");
        used += 5;
        break;
      }
      used += static_cast<size_t>(std::snprintf(text + used, sizeof(text) - used, axis == 0 ? "%lld" : ", %lld",
                                                static_cast<long long>(desc.extent(axis))));
    }
    std::snprintf(text + used, sizeof(text) - used, "]");
  }
  char text[160];
};

// "[0, 3, 2, 4]": the position of a flat index.
struct PositionText {
  PositionText(const mluOpTensorStruct& desc, int64_t flat) {
    size_t used = static_cast<size_t>(std::snprintf(text, sizeof(text), "["));
    for (int axis = 0; axis < desc.rank() && used + 24 < sizeof(text); ++axis) {
      const int64_t stride = desc.DenseStride(axis);
      used += static_cast<size_t>(std::snprintf(text + used, sizeof(text) - used, axis == 0 ? "%lld" : ", %lld",
                                                static_cast<long long>(flat / stride)));
      flat %= stride;
    }
    std::snprintf(text + used, sizeof(text) - used, "]");
  }
  char text[160];
};

// A buffer that is not there overlaps nothing, whatever its size is said to be.
bool Overlap(const void* a, int64_t a_bytes, const void* b, int64_t b_bytes) {
  if (a == nullptr || b == nullptr) return false;
  const auto x = reinterpret_cast<uintptr_t>(a);
  const auto y = reinterpret_cast<uintptr_t>(b);
  // Differences, not sums: an end beyond the address space must not wrap around.
  return x <= y ? b_bytes > 0 && y - x < static_cast<uint64_t>(a_bytes)
                : a_bytes > 0 && x - y < static_cast<uint64_t>(b_bytes);
}

}  // namespace

bool AnyEmpty(TensorList tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const TensorRef& each) {
    return !each.tensor->absent() && each.tensor->desc->element_count() == 0;
  });
}

template <typename... Arguments>
ArgCheck& ArgCheck::Fail(mluOpStatus_t status, const char* format, Arguments... arguments) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"  // formats are literals of this file
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  status_ = call_.Fail(status, format, arguments...);
#pragma GCC diagnostic pop
  return *this;
}

bool ArgCheck::full() const { return call_.handle()->profile == DETOPS_PROFILE_FULL; }

ArgCheck& ArgCheck::Handle() {
  if (failed() || call_.handle() != nullptr) return *this;
  status_ = call_.NullHandle();
  return *this;
}

ArgCheck& ArgCheck::FailDescriptor(const TensorArg& tensor) {
  return Fail(MLUOP_STATUS_BAD_PARAM, "the descriptor of %s is NULL, expected a tensor descriptor.", tensor.name);
}

ArgCheck& ArgCheck::FullProfile() {
  if (failed() || full()) return *this;
  return Fail(MLUOP_STATUS_NOT_SUPPORTED, "handle has the contract profile, expected the full one%s.",
              kFullProfileLifts);
}

ArgCheck& ArgCheck::FailRank(const TensorArg& tensor, int rank) {
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s has rank %d, expected %d.", tensor.name, tensor.desc->rank(), rank);
}

ArgCheck& ArgCheck::FloatingType(const TensorArg& tensor) {
  if (Skips(tensor)) return *this;
  const mluOpDataType_t type = tensor.desc->type;
  if (type == MLUOP_DTYPE_FLOAT || type == MLUOP_DTYPE_HALF) return *this;
  const bool full_only = type == MLUOP_DTYPE_DOUBLE || type == MLUOP_DTYPE_BFLOAT16;
  if (full() && full_only) return *this;
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s has type %s, expected %s%s.", tensor.name, TypeName(type),
              full() ? "float, half, double or bfloat16" : "float or half", full_only ? kFullProfileLifts : "");
}

ArgCheck& ArgCheck::AnyFloatingType(const TensorArg& tensor) {
  if (Skips(tensor)) return *this;
  const mluOpDataType_t type = tensor.desc->type;
  if (type == MLUOP_DTYPE_FLOAT || type == MLUOP_DTYPE_HALF || type == MLUOP_DTYPE_DOUBLE ||
      type == MLUOP_DTYPE_BFLOAT16) {
    return *this;
  }
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s has type %s, expected float, half, double or bfloat16.", tensor.name,
              TypeName(type));
}

ArgCheck& ArgCheck::FloatUnlessFull(const TensorArg& tensor) {
  if (Skips(tensor)) return *this;
  const mluOpDataType_t type = tensor.desc->type;
  if (type == MLUOP_DTYPE_FLOAT) return *this;
  const bool full_only = type == MLUOP_DTYPE_HALF || type == MLUOP_DTYPE_DOUBLE || type == MLUOP_DTYPE_BFLOAT16;
  if (full() && full_only) return *this;
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s has type %s, expected %s%s.", tensor.name, TypeName(type),
              full() ? "float, half, double or bfloat16" : "float", full_only ? kFullProfileLifts : "");
}

ArgCheck& ArgCheck::FailInt32(const TensorArg& tensor) {
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s has type %s, expected int32.", tensor.name, TypeName(tensor.desc->type));
}

ArgCheck& ArgCheck::Int32UnlessFull(const TensorArg& tensor) {
  if (Skips(tensor)) return *this;
  const mluOpDataType_t type = tensor.desc->type;
  const bool full_only = type == MLUOP_DTYPE_INT64;
  if (type == MLUOP_DTYPE_INT32 || (full() && full_only)) return *this;
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s has type %s, expected %s%s.", tensor.name, TypeName(type),
              full() ? "int32 or int64" : "int32", full_only ? kFullProfileLifts : "");
}

ArgCheck& ArgCheck::IndexType(const TensorArg& tensor) {
  if (Skips(tensor)) return *this;
  const mluOpDataType_t type = tensor.desc->type;
  if (type == MLUOP_DTYPE_INT32 || type == MLUOP_DTYPE_INT64) return *this;
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s has type %s, expected int32 or int64.", tensor.name, TypeName(type));
}

ArgCheck& ArgCheck::FailBool(const TensorArg& tensor) {
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s has type %s, expected bool.", tensor.name, TypeName(tensor.desc->type));
}

ArgCheck& ArgCheck::FailSameType(const TensorArg& tensor, const TensorArg& other) {
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s has type %s, expected %s as %s has.", tensor.name,
              TypeName(tensor.desc->type), TypeName(other.desc->type), other.name);
}

ArgCheck& ArgCheck::FailLayout(const TensorArg& tensor, mluOpTensorLayout_t layout) {
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s has layout %s, expected %s.", tensor.name, LayoutName(tensor.desc->layout),
              LayoutName(layout));
}

ArgCheck& ArgCheck::FailDense(const TensorArg& tensor) {
  const int axis = tensor.desc->first_strided_axis();
  return Fail(MLUOP_STATUS_NOT_SUPPORTED,
              "%s has stride %lld on axis %d, expected %lld: only dense tensors are supported.", tensor.name,
              static_cast<long long>(tensor.desc->stride(axis)), axis,
              static_cast<long long>(tensor.desc->DenseStride(axis)));
}

ArgCheck& ArgCheck::Shape(const TensorArg& tensor, std::initializer_list<Extent> extents) {
  if (Skips(tensor)) return *this;
  int axis = 0;
  for (const Extent& expected : extents) {
    if (!expected.Meet(tensor, axis)) return FailExtent(tensor, axis, expected);
    ++axis;
  }
  return *this;
}

ArgCheck& ArgCheck::Axis(const TensorArg& tensor, int axis, const Extent& expected) {
  if (Skips(tensor) || expected.Meet(tensor, axis)) return *this;
  return FailExtent(tensor, axis, expected);
}

ArgCheck& ArgCheck::FailExtent(const TensorArg& tensor, int axis, const Extent& expected) {
  const auto actual = static_cast<long long>(tensor.desc->extent(axis));
  const ShapeText shape(*tensor.desc);
  const Dim* dim = expected.dim_;
  if (dim == nullptr) {
    return Fail(MLUOP_STATUS_BAD_PARAM, "%s has extent %lld on axis %d, expected %lld; its shape is %s.", tensor.name,
                actual, axis, static_cast<long long>(expected.number_), shape.text);
  }
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s has extent %lld on axis %d, expected %s = %lld%s%s; its shape is %s.",
              tensor.name, actual, axis, dim->name_, static_cast<long long>(dim->value_),
              dim->source_[0] != '\0' ? " as in " : "", dim->source_, shape.text);
}

ArgCheck& ArgCheck::LargeCount(const TensorArg& tensor) {
  // Both saturate. Numbers that name no type have no size, and so no bytes.
  if (tensor.desc->byte_count() == INT64_MAX || tensor.desc->element_count() == INT64_MAX) {
    return Fail(MLUOP_STATUS_NOT_SUPPORTED, "%s has shape %s, expected fewer than 2^63 bytes.", tensor.name,
                ShapeText(*tensor.desc).text);
  }
  if (full()) return *this;
  return Fail(MLUOP_STATUS_NOT_SUPPORTED, "%s has %lld elements, expected fewer than 2147483648%s.", tensor.name,
              static_cast<long long>(tensor.desc->element_count()), kFullProfileLifts);
}

ArgCheck& ArgCheck::FailNotEmpty(const TensorArg& tensor) {
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s has 0 elements, expected at least 1; its shape is %s.", tensor.name,
              ShapeText(*tensor.desc).text);
}

ArgCheck& ArgCheck::Integer(const char* argument, int64_t value, bool condition, const char* expectation) {
  if (failed() || condition) return *this;
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s is %lld, expected %s.", argument, static_cast<long long>(value), expectation);
}

ArgCheck& ArgCheck::Number(const char* argument, float value, bool condition, const char* expectation) {
  if (failed() || condition) return *this;
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s is %s, expected %s.", argument, NumberText(value).text, expectation);
}

ArgCheck& ArgCheck::Number(const char* argument, double value, bool condition, const char* expectation) {
  if (failed() || condition) return *this;
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s is %s, expected %s.", argument, NumberText(value).text, expectation);
}

ArgCheck& ArgCheck::Place(const char* result, const void* place) {
  if (failed() || place != nullptr) return *this;
  status_ = call_.NullResult(result);
  return *this;
}

ArgCheck& ArgCheck::CanNumber(const TensorArg& indices, int64_t rows, const TensorArg& other) {
  if (Skips(indices) || indices.desc->type == MLUOP_DTYPE_INT64 || rows <= INT32_MAX) return *this;
  return Fail(MLUOP_STATUS_NOT_SUPPORTED, "%s has type int32, expected int64 to number the %lld rows of %s.",
              indices.name, static_cast<long long>(rows), other.name);
}

ArgCheck& ArgCheck::Supported(bool condition, const char* sentence) {
  if (failed() || condition) return *this;
  return Fail(MLUOP_STATUS_NOT_SUPPORTED, "%s", sentence);
}

ArgCheck& ArgCheck::Rule(bool condition, mluOpStatus_t status, const char* format, ...) {
  if (failed() || condition) return *this;
  va_list arguments;
  va_start(arguments, format);
  status_ = call_.FailWithList(status, format, arguments);
  va_end(arguments);
  return *this;
}

ArgCheck& ArgCheck::FailData(const TensorArg& tensor) {
  const int64_t elements = tensor.desc->element_count();
  return Fail(MLUOP_STATUS_BAD_PARAM, "the data pointer of %s is NULL, expected %lld elements%s.", tensor.name,
              static_cast<long long>(elements), elements == 0 && !full() ? kFullProfileLifts : "");
}

ArgCheck& ArgCheck::DataUnlessEmpty(TensorList tensors) {
  for (const TensorRef& each : tensors) {
    if (!Skips(*each.tensor) && each.tensor->desc->element_count() > 0) Data(*each.tensor);
  }
  return *this;
}

ArgCheck& ArgCheck::WorkspacePointer(const void* workspace, size_t size) {
  if (failed() || workspace != nullptr || size == 0) return *this;
  return Fail(MLUOP_STATUS_BAD_PARAM, "workspace is NULL, expected %zu bytes as workspace_size says.", size);
}

ArgCheck& ArgCheck::WorkspaceSize(size_t size, int64_t needed) {
  if (failed() || size >= static_cast<size_t>(needed)) return *this;
  return Fail(MLUOP_STATUS_BAD_PARAM, "workspace_size is %zu, expected at least %lld bytes.", size,
              static_cast<long long>(needed));
}

ArgCheck& ArgCheck::Separate(const BufferArg& output, std::initializer_list<BufferArg> others) {
  if (failed()) return *this;
  for (const BufferArg& other : others) {
    if (Overlap(output.data, output.bytes, other.data, other.bytes)) {
      return Fail(MLUOP_STATUS_BAD_PARAM, "%s overlaps %s in memory, expected separate buffers.", output.name,
                  other.name);
    }
  }
  return *this;
}

ArgCheck& ArgCheck::Finite(const TensorArg& tensor) {
  if (Skips(tensor) || !call_.handle()->value_checks) return *this;
  int64_t index = -1;
  if (!FindNonFinite(call_.handle()->parallel, tensor.desc->type, tensor.data, tensor.desc->element_count(), &index)) {
    return Fail(MLUOP_STATUS_EXECUTION_FAILED, "the parallel runner failed while %s was checked.", tensor.name);
  }
  return NoBadElement(tensor, index, "a finite number");
}

ArgCheck& ArgCheck::NoBadElement(const TensorArg& tensor, int64_t index, const char* expectation) {
  if (Skips(tensor) || index < 0) return *this;
  // A double does not hold every int64.
  const NumberText value = tensor.desc->type == MLUOP_DTYPE_INT64
                               ? NumberText(LoadElement<int64_t>(tensor.data, index))
                               : NumberText(ElementAsDouble(tensor.desc->type, tensor.data, index));
  return Fail(MLUOP_STATUS_BAD_PARAM, "%s%s is %s, expected %s.", tensor.name, PositionText(*tensor.desc, index).text,
              value.text, expectation);
}

}  // namespace detops
