// Tensors that come from and go to Python, as plain memory for the C API.
#ifndef DETOPS_PYTHON_SRC_ARRAY_H_
#define DETOPS_PYTHON_SRC_ARRAY_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detops.h"

namespace detops_python {

namespace nb = nanobind;

inline constexpr int kMaxRank = MLUOP_DIM_MAX;

// Whose fault an error is. Texts begin as the library's do: "function: name ...".
struct Argument {
  const char* function;
  const char* name;

  std::string Text(const std::string& sentence) const;
};

// Memory in row-major order without gaps, and what keeps it alive. A new one is an argument that was left out.
class Array {
 public:
  Array() = default;
  Array(Array&& other) noexcept;
  Array& operator=(Array&&) = delete;
  ~Array();

  // An input of floating numbers. If `like` is given, it must have the same type.
  static Array Numbers(nb::handle source, const Argument& argument, const Array* like = nullptr);
  // An input of int32. int64 is converted.
  static Array Indices(nb::handle source, const Argument& argument);
  // A new NumPy array if `out` is None, else `out`, which must have this type and shape.
  static Array Output(nb::handle out, const Argument& argument, mluOpDataType_t type, std::span<const int64_t> shape);
  // As Output, but `out` may have any shape: the library decides whether there is enough room.
  static Array Room(nb::handle out, const Argument& argument, mluOpDataType_t type, std::span<const int64_t> shape);

  bool given() const { return given_; }
  int rank() const { return rank_; }
  // Extents of axes that are not there are 0, so that shapes can be derived before ranks are judged by the library.
  int64_t extent(int axis) const { return axis < rank_ ? shape_[axis] : 0; }
  std::span<const int64_t> shape() const { return {shape_.data(), static_cast<size_t>(rank_)}; }
  int64_t elements() const;
  mluOpDataType_t type() const { return type_; }
  void* data() const { return data_; }
  // What Python gets as the result; outputs only.
  const nb::object& object() const { return object_; }

  // Sets all bytes, for results that are known without the library.
  void Fill(int byte) const;

 private:
  void Import(nb::handle source, const Argument& argument, bool writable);
  bool ImportBuffer(nb::handle source);
  void ImportDlpack(nb::handle source, const Argument& argument, bool writable);
  void TakeOutput(nb::handle out, const Argument& argument, mluOpDataType_t type);
  bool IsDense() const;
  void MakeDense();
  void NarrowToInt32(const Argument& argument);

  bool given_ = false;
  bool read_only_ = false;
  int rank_ = 0;
  mluOpDataType_t type_ = MLUOP_DTYPE_INVALID;
  int64_t item_bytes_ = 0;
  std::array<int64_t, kMaxRank> shape_ = {};
  std::array<int64_t, kMaxRank> stride_bytes_ = {};
  void* data_ = nullptr;

  std::optional<Py_buffer> buffer_;
  std::optional<nb::ndarray<nb::ro>> dlpack_;
  std::unique_ptr<std::byte[]> copy_;
  nb::object object_;
};

// The numbers of an array of int32 or int64, or of a list or tuple of int.
std::vector<int64_t> Counts(nb::handle source, const Argument& argument);

// A descriptor of the C API for the time of one call; empty for an array that was left out.
class Descriptor {
 public:
  explicit Descriptor(const Array& array, mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY);
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

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_ARRAY_H_
