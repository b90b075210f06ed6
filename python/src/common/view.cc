#include "common/view.h"

#include <cstring>

#include "common/call.h"

namespace detops_binding {

std::string Argument::Text(const std::string& sentence) const {
  return std::string(function) + ": " + std::string(name) + " " + sentence;
}

void Argument::Refuse(const std::string& sentence) const { throw std::invalid_argument(Text(sentence)); }

void Argument::RefuseType(const std::string& sentence) const { throw WrongType(Text(sentence)); }

void Argument::RefuseShape(std::span<const int64_t> shape, const std::string& expected) const {
  Refuse("has shape " + TextOf(shape) + ", expected " + expected + ".");
}

void Argument::RefuseCopy(std::span<const int64_t> shape) const {
  throw OutOfMemory(Text("has shape " + TextOf(shape) +
                         " and is expanded, or has gaps or another type: there is no "
                         "memory for a copy."));
}

int64_t View::elements() const {
  int64_t count = 1;
  for (const int64_t extent : shape()) count *= extent;
  return count;
}

int64_t View::bytes() const { return elements() * ItemBytes(type); }

void View::Fill(int byte) const {
  if (elements() > 0) std::memset(data, byte, static_cast<size_t>(bytes()));
}

bool IsFloating(mluOpDataType_t type) {
  return type == MLUOP_DTYPE_HALF || type == MLUOP_DTYPE_FLOAT || type == MLUOP_DTYPE_DOUBLE ||
         type == MLUOP_DTYPE_BFLOAT16;
}

int64_t ItemBytes(mluOpDataType_t type) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
    case MLUOP_DTYPE_BFLOAT16:
      return 2;
    case MLUOP_DTYPE_DOUBLE:
    case MLUOP_DTYPE_INT64:
      return 8;
    default:
      return 4;
  }
}

const char* NameOfType(mluOpDataType_t type) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
      return "float16";
    case MLUOP_DTYPE_FLOAT:
      return "float32";
    case MLUOP_DTYPE_DOUBLE:
      return "float64";
    case MLUOP_DTYPE_BFLOAT16:
      return "bfloat16";
    case MLUOP_DTYPE_INT32:
      return "int32";
    case MLUOP_DTYPE_INT64:
      return "int64";
    default:
      return "unknown";
  }
}

std::string TextOf(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += std::to_string(shape[i]) + (shape.size() == 1 ? "," : i + 1 < shape.size() ? ", " : "");
  }
  return text + ")";
}

void RequireFloating(mluOpDataType_t type, const std::string& found, const View* like, const Argument& argument) {
  if (!IsFloating(type)) {
    argument.RefuseType("has type " + found + ", expected float16, float32, float64 or bfloat16.");
  }
  if (like != nullptr && type != like->type) {
    argument.RefuseType("has type " + found + ", expected " + NameOfType(like->type) + " as the arguments before it.");
  }
}

void Int32Range::Check(std::span<const int64_t> shape, const Argument& argument) const {
  if (position_ < 0) return;
  std::string place;
  int64_t position = position_;
  for (size_t axis = shape.size(); axis-- > 0;) {
    place.insert(0, std::to_string(position % shape[axis]) + (place.empty() ? "" : ", "));
    position /= shape[axis];
  }
  argument.Refuse("has " + std::to_string(value_) + " at [" + place + "], expected numbers that fit int32.");
}

Descriptor::Descriptor(const View& view, mluOpTensorLayout_t layout) {
  if (view.given) Set(view.type, layout, view.shape());
}

Descriptor::Descriptor(mluOpDataType_t type, mluOpTensorLayout_t layout, std::span<const int64_t> shape) {
  Set(type, layout, shape);
}

void Descriptor::Set(mluOpDataType_t type, mluOpTensorLayout_t layout, std::span<const int64_t> shape) {
  mluOpTensorDescriptor_t descriptor = nullptr;
  Check(mluOpCreateTensorDescriptor(&descriptor));
  descriptor_.reset(descriptor);
  Check(mluOpSetTensorDescriptor_v2(descriptor, layout, type, static_cast<int>(shape.size()), shape.data()));
}

}  // namespace detops_binding
