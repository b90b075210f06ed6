// Tensors as plain memory, whatever language they come from, and how errors speak of them.
#ifndef DETOPS_PYTHON_SRC_COMMON_VIEW_H_
#define DETOPS_PYTHON_SRC_COMMON_VIEW_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "detops.h"

namespace detops_binding {

inline constexpr int kMaxRank = MLUOP_DIM_MAX;

// A type that is not taken. Python's TypeError; torch knows only its base, a ValueError.
class WrongType : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Beyond a limit of the library.
class NotSupported : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// MemoryError in both, with a text.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(const std::string& text) : text_(text) {}
  const char* what() const noexcept override { return text_.what(); }

 private:
  std::runtime_error text_;  // A text that is copied without an exception.
};

// Whose fault an error is. Texts begin as the library's do: "function: name ...".
struct Argument {
  std::string_view function;
  std::string_view name;

  std::string Text(const std::string& sentence) const;
  [[noreturn]] void Refuse(const std::string& sentence) const;
  [[noreturn]] void RefuseType(const std::string& sentence) const;
  // `expected` in letters: "(R, 5)".
  [[noreturn]] void RefuseShape(std::span<const int64_t> shape, const std::string& expected) const;
  // There is no memory for a copy of what is read in another order than it has in memory.
  [[noreturn]] void RefuseCopy(std::span<const int64_t> shape) const;
};

// Memory in row-major order without gaps; who made the view keeps it alive. A new one is an argument that was left out.
struct View {
  bool given = false;
  int rank = 0;
  mluOpDataType_t type = MLUOP_DTYPE_INVALID;
  std::array<int64_t, kMaxRank> extents = {};
  void* data = nullptr;

  // Extents of axes that are not there are 0, so that shapes can be derived before ranks are judged by the library.
  int64_t extent(int axis) const { return axis < rank ? extents[axis] : 0; }
  std::span<const int64_t> shape() const { return {extents.data(), static_cast<size_t>(rank)}; }
  int64_t elements() const;
  int64_t bytes() const;

  // Sets all bytes, for results that are known without the library.
  void Fill(int byte) const;
};

bool IsFloating(mluOpDataType_t type);
int64_t ItemBytes(mluOpDataType_t type);

// "float32" and so on.
const char* NameOfType(mluOpDataType_t type);

std::string TextOf(std::span<const int64_t> shape);

// Refuses a type of which numbers cannot be, or one other than that of the arguments before it. `found` is how the
// caller calls the type.
void RequireFloating(mluOpDataType_t type, const std::string& found, const View* like, const Argument& argument);

// Finds numbers that do not fit int32 while somebody converts them one after the other.
class Int32Range {
 public:
  int32_t Take(int64_t value, int64_t position) {
    const auto cut = static_cast<int32_t>(value);
    if (cut != value && position_ < 0) {
      position_ = position;
      value_ = value;
    }
    return cut;
  }
  // Refuses if there was one; the shape turns its position into indices.
  void Check(std::span<const int64_t> shape, const Argument& argument) const;

 private:
  int64_t position_ = -1;
  int64_t value_ = 0;
};

// The value that a word stands for. The error lists the words.
template <typename Value>
Value Choice(std::string_view word, std::initializer_list<std::pair<std::string_view, Value>> choices,
             const Argument& argument) {
  for (const auto& [name, value] : choices) {
    if (word == name) return value;
  }
  std::string expected;
  for (const auto& [name, value] : choices) expected += (expected.empty() ? "'" : ", '") + std::string(name) + "'";
  argument.Refuse("is '" + std::string(word) + "', expected one of " + expected + ".");
}

// A descriptor of the C API, made among the arguments of its call; empty for an argument that was left out.
class Descriptor {
 public:
  explicit Descriptor(const View& view, mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY);
  Descriptor(mluOpDataType_t type, mluOpTensorLayout_t layout, std::span<const int64_t> shape);

  // NOLINTNEXTLINE(google-explicit-constructor): stands for the descriptor in calls.
  operator mluOpTensorDescriptor_t() const { return descriptor_.get(); }

 private:
  struct Destroy {
    void operator()(mluOpTensorDescriptor_t descriptor) const { mluOpDestroyTensorDescriptor(descriptor); }
  };
  void Set(mluOpDataType_t type, mluOpTensorLayout_t layout, std::span<const int64_t> shape);

  std::unique_ptr<mluOpTensorStruct, Destroy> descriptor_;
};

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_VIEW_H_
