// Tensors that come from and go to Python, as plain memory for the C API.
#ifndef DETOPS_PYTHON_SRC_NUMPY_ARRAY_H_
#define DETOPS_PYTHON_SRC_NUMPY_ARRAY_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/call.h"
#include "common/view.h"
#include "detops.h"

namespace detops_python {

namespace nb = nanobind;

using detops_binding::Argument;
using detops_binding::Call;
using detops_binding::kMaxRank;
using detops_binding::Parameter;
using detops_binding::Schema;
using detops_binding::View;

// A view of memory in row-major order without gaps, and what keeps it alive. A new one is an argument that was left
// out.
class Array {
 public:
  Array() = default;
  Array(Array&& other) noexcept;
  Array& operator=(Array&&) = delete;
  ~Array();

  // An input of floating numbers. If `like` is given, it must have the same type.
  static Array Numbers(nb::handle source, const Argument& argument, const View* like = nullptr);
  // An input of int32. int64 is converted.
  static Array Indices(nb::handle source, const Argument& argument);
  // An input of int32 or int64, as it is.
  static Array Integers(nb::handle source, const Argument& argument);
  // A new NumPy array if `out` is None, else `out`, which must have this type and shape.
  static Array Output(nb::handle out, const Argument& argument, mluOpDataType_t type, std::span<const int64_t> shape);
  // As Output, but `out` may have any shape: the library decides whether there is enough room.
  static Array Room(nb::handle out, const Argument& argument, mluOpDataType_t type, std::span<const int64_t> shape);

  const View& view() const { return view_; }
  // What Python gets as the result; outputs only.
  const nb::object& object() const { return object_; }

 private:
  void Import(nb::handle source, const Argument& argument, bool writable);
  void ImportIntegers(nb::handle source, const Argument& argument);
  bool ImportBuffer(nb::handle source);
  void ImportDlpack(nb::handle source, const Argument& argument, bool writable);
  void TakeOutput(nb::handle out, const Argument& argument, mluOpDataType_t type);
  bool IsDense() const;
  void MakeDense(const Argument& argument);
  void NarrowToInt32(const Argument& argument);

  View view_;
  bool read_only_ = false;
  int64_t item_bytes_ = 0;
  std::array<int64_t, kMaxRank> stride_bytes_ = {};

  std::optional<Py_buffer> buffer_;
  std::optional<nb::ndarray<nb::ro>> dlpack_;
  std::unique_ptr<std::byte[]> copy_;
  nb::object object_;
};

// The numbers of an array of int32 or int64, or of a list or tuple of int.
std::vector<int64_t> Counts(nb::handle source, const Argument& argument);

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_NUMPY_ARRAY_H_
