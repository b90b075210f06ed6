#include "numpy/array.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "numpy/arguments.h"
#include "numpy/numpy_bridge.h"

namespace detops_python {

using detops_binding::Int32Range;
using detops_binding::IsFloating;
using detops_binding::NameOfType;
using detops_binding::RequireFloating;
using detops_binding::TextOf;

namespace {

mluOpDataType_t TypeOfFormat(const char* format, int64_t item_bytes) {
  if (format == nullptr) return MLUOP_DTYPE_UINT8;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (*format == '\0' || format[1] != '\0') return MLUOP_DTYPE_INVALID;
  if (std::strchr("efd", *format) != nullptr) {
    return item_bytes == 2 ? MLUOP_DTYPE_HALF : item_bytes == 4 ? MLUOP_DTYPE_FLOAT : MLUOP_DTYPE_DOUBLE;
  }
  if (std::strchr("hilqn", *format) != nullptr) {
    return item_bytes == 4 ? MLUOP_DTYPE_INT32 : item_bytes == 8 ? MLUOP_DTYPE_INT64 : MLUOP_DTYPE_INT16;
  }
  if (*format == 'H') return MLUOP_DTYPE_UINT16;
  return MLUOP_DTYPE_INVALID;
}

mluOpDataType_t TypeOfDlpack(nb::dlpack::dtype type) {
  if (type.lanes != 1) return MLUOP_DTYPE_INVALID;
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Float:
      return type.bits == 16   ? MLUOP_DTYPE_HALF
             : type.bits == 32 ? MLUOP_DTYPE_FLOAT
             : type.bits == 64 ? MLUOP_DTYPE_DOUBLE
                               : MLUOP_DTYPE_INVALID;
    case nb::dlpack::dtype_code::Bfloat:
      return type.bits == 16 ? MLUOP_DTYPE_BFLOAT16 : MLUOP_DTYPE_INVALID;
    case nb::dlpack::dtype_code::Int:
      return type.bits == 32 ? MLUOP_DTYPE_INT32 : type.bits == 64 ? MLUOP_DTYPE_INT64 : MLUOP_DTYPE_INVALID;
    default:
      return MLUOP_DTYPE_INVALID;
  }
}

// Calls visit(address, position) for the elements in row-major order.
template <typename Visit>
void ForEachElement(const std::byte* data, std::span<const int64_t> shape, const int64_t* stride_bytes, Visit visit) {
  const int rank = static_cast<int>(shape.size());
  for (const int64_t extent : shape) {
    if (extent == 0) return;
  }
  std::array<int64_t, kMaxRank> index = {};
  const int64_t inner = rank > 0 ? shape[rank - 1] : 1;
  const int64_t inner_stride = rank > 0 ? stride_bytes[rank - 1] : 0;
  for (int64_t position = 0;;) {
    for (int64_t i = 0; i < inner; ++i) visit(data + i * inner_stride, position++);
    int axis = rank - 2;
    for (; axis >= 0; --axis) {
      data += stride_bytes[axis];
      if (++index[axis] < shape[axis]) break;
      data -= shape[axis] * stride_bytes[axis];
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

// Memory for a copy of an argument.
std::unique_ptr<std::byte[]> Allocate(const View& view, int64_t item_bytes, const Argument& argument) {
  // One byte more, because an empty tensor still has an address.
  const auto bytes = static_cast<size_t>(view.elements() * item_bytes) + 1;
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]);
  if (memory == nullptr) argument.RefuseCopy(view.shape());
  return memory;
}

void RequireHostMemory(int device, const Argument& argument) {
  // Page-locked memory of accelerators is the host's own memory.
  if (device == nb::device::cpu::value || device == nb::device::cuda_host::value ||
      device == nb::device::rocm_host::value) {
    return;
  }
  argument.Refuse("is on DLPack device type " + std::to_string(device) + ", expected the CPU (1).");
}

// Raises what a producer has raised, in a sentence that names the argument.
[[noreturn]] void RaiseOf(nb::python_error& error, const Argument& argument) {
  for (PyObject* type : {PyExc_BufferError, PyExc_RuntimeError, PyExc_TypeError, PyExc_ValueError}) {
    if (!error.matches(type)) continue;
    const std::string text = nb::str(error.value()).c_str();
    nb::raise_from(error, type, "%s", argument.Text("could not be read through DLPack: " + text).c_str());
  }
  throw;
}

// A capsule that nobody has taken yet. Old producers do not know versions; new ones refuse what is read-only without.
nb::object CapsuleOf(nb::handle source, const Argument& argument, bool writable) {
  const nb::object method = source.attr("__dlpack__");
  const auto ask = [&method](bool versioned) -> nb::object {
    return versioned ? method(nb::arg("max_version") = nb::make_tuple(1, 0)) : method();
  };
  nb::object capsule;
  try {
    try {
      capsule = ask(writable);
    } catch (const nb::python_error& error) {
      if (!error.matches(PyExc_BufferError) && !error.matches(PyExc_TypeError)) throw;
      try {
        capsule = ask(!writable);
      } catch (const nb::python_error&) {
        capsule = ask(false);  // The error of the plain question is the one that says most.
      }
    }
  } catch (nb::python_error& error) {
    RaiseOf(error, argument);
  }
  const char* name = PyCapsule_CheckExact(capsule.ptr()) ? PyCapsule_GetName(capsule.ptr()) : "no capsule";
  const std::string_view text = name == nullptr ? "" : name;
  if (text == "dltensor" || text == "dltensor_versioned") return capsule;
  if (text.starts_with("used_dltensor")) {
    argument.Refuse(
        "hands out a DLPack capsule that was used before, expected a new one from each call of __dlpack__.");
  }
  argument.Refuse("hands out an object of type " + TypeNameOf(capsule) + " (" + std::string(text) +
                  "), expected a DLPack capsule from __dlpack__.");
}

}  // namespace

Array::Array(Array&& other) noexcept
    : view_(other.view_),
      read_only_(other.read_only_),
      item_bytes_(other.item_bytes_),
      stride_bytes_(other.stride_bytes_),
      buffer_(std::exchange(other.buffer_, std::nullopt)),
      dlpack_(std::move(other.dlpack_)),
      copy_(std::move(other.copy_)),
      object_(std::move(other.object_)) {}

Array::~Array() {
  if (buffer_) PyBuffer_Release(&*buffer_);
}

bool Array::IsDense() const {
  if (view_.elements() == 0) return true;
  int64_t expected = item_bytes_;
  for (int axis = view_.rank - 1; axis >= 0; --axis) {
    if (view_.extents[axis] != 1 && stride_bytes_[axis] != expected) return false;
    expected *= view_.extents[axis];
  }
  return true;
}

bool Array::ImportBuffer(nb::handle source) {
  Py_buffer view;
  if (PyObject_GetBuffer(source.ptr(), &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  buffer_ = view;
  view_.rank = view.ndim;
  item_bytes_ = view.itemsize;
  view_.type = TypeOfFormat(view.format, view.itemsize);
  read_only_ = view.readonly != 0;
  view_.data = view.buf;
  for (int axis = 0; axis < view_.rank && axis < kMaxRank; ++axis) {
    view_.extents[axis] = view.shape[axis];
    stride_bytes_[axis] = view.strides[axis];
  }
  return true;
}

void Array::ImportDlpack(nb::handle source, const Argument& argument, bool writable) {
  if (!nb::hasattr(source, "__dlpack__")) {
    argument.RefuseType("is of type " + TypeNameOf(source) + ", expected a NumPy array or an object with __dlpack__.");
  }
  // Asked before the tensor is: an accelerator would wait for its work and may refuse for reasons of its own.
  if (nb::hasattr(source, "__dlpack_device__")) {
    try {
      const nb::object device = source.attr("__dlpack_device__")();
      RequireHostMemory(nb::cast<int>(nb::int_(nb::object(device[0]))), argument);
    } catch (nb::python_error& error) {
      RaiseOf(error, argument);
    }
  }
  const bool has_buffer = PyObject_CheckBuffer(source.ptr()) != 0;
  nb::object capsule;
  try {
    capsule = CapsuleOf(source, argument, writable);
  } catch (const nb::python_error&) {
    if (!has_buffer) throw;
    argument.RefuseType("has type " + DtypeNameOf(source) + ", expected numbers.");
  }
  // nanobind takes a capsule as the protocol says: it is called used from then on. One that it asks for it does not.
  nb::ndarray<nb::ro> tensor;
  nb::ndarray<> writable_tensor;
  if (writable && nb::try_cast(capsule, writable_tensor)) {
    tensor = nb::ndarray<nb::ro>(writable_tensor);
  } else if (nb::try_cast(capsule, tensor)) {
    read_only_ = true;
  } else {
    argument.Refuse("could not be read through DLPack.");
  }
  RequireHostMemory(tensor.device_type(), argument);
  view_.rank = static_cast<int>(tensor.ndim());
  item_bytes_ = static_cast<int64_t>(tensor.itemsize());
  view_.type = TypeOfDlpack(tensor.dtype());
  view_.data = const_cast<void*>(static_cast<const void*>(tensor.data()));
  for (int axis = 0; axis < view_.rank && axis < kMaxRank; ++axis) {
    view_.extents[axis] = tensor.shape_ptr()[axis];
    stride_bytes_[axis] = tensor.stride_ptr()[axis] * item_bytes_;
  }
  dlpack_.emplace(std::move(tensor));
}

void Array::Import(nb::handle source, const Argument& argument, bool writable) {
  if (IsMaskedArray(source)) {
    argument.RefuseType("is a masked array, whose mask nobody would see. Pass what its method filled(...) returns.");
  }
  // Buffers first: for NumPy they take a third of the time of DLPack.
  const bool has_buffer = PyObject_CheckBuffer(source.ptr()) != 0;
  if (has_buffer && ImportBuffer(source)) {
    // Done.
  } else if (has_buffer && IsNumpyBfloat16(source)) {
    // NumPy exports no types that it does not know itself.
    if (!ImportBuffer(source.attr("view")("uint16"))) argument.Refuse("has no buffer.");
    view_.type = MLUOP_DTYPE_BFLOAT16;
  } else {
    ImportDlpack(source, argument, writable);
  }
  if (view_.rank > kMaxRank) {
    argument.Refuse("has rank " + std::to_string(view_.rank) + ", expected 8 or less.");
  }
  if (view_.rank == 0) {
    argument.Refuse("has rank 0, expected an array with axes.");
  }
  int64_t bytes = item_bytes_;
  for (const int64_t extent : view_.shape()) {
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) {
      argument.Refuse("has more bytes than int64 can count.");
    }
  }
  view_.given = true;
}

void Array::MakeDense(const Argument& argument) {
  if (IsDense()) return;
  const int64_t item = item_bytes_;
  std::unique_ptr<std::byte[]> dense = Allocate(view_, item, argument);
  std::byte* to = dense.get();
  const auto copy = [&]<size_t kBytes>(std::integral_constant<size_t, kBytes>) {
    ForEachElement(static_cast<const std::byte*>(view_.data), view_.shape(), stride_bytes_.data(),
                   [to](const std::byte* from, int64_t i) { std::memcpy(to + i * kBytes, from, kBytes); });
  };
  if (item == 2) copy(std::integral_constant<size_t, 2>());
  if (item == 4) copy(std::integral_constant<size_t, 4>());
  if (item == 8) copy(std::integral_constant<size_t, 8>());
  copy_ = std::move(dense);
  view_.data = copy_.get();
}

void Array::NarrowToInt32(const Argument& argument) {
  std::unique_ptr<std::byte[]> narrow = Allocate(view_, 4, argument);
  std::byte* to = narrow.get();
  Int32Range range;
  ForEachElement(static_cast<const std::byte*>(view_.data), view_.shape(), stride_bytes_.data(),
                 [&](const std::byte* from, int64_t position) {
                   int64_t value;
                   std::memcpy(&value, from, 8);
                   const int32_t cut = range.Take(value, position);
                   std::memcpy(to + position * 4, &cut, 4);
                 });
  range.Check(view_.shape(), argument);
  copy_ = std::move(narrow);
  view_.data = copy_.get();
  view_.type = MLUOP_DTYPE_INT32;
  item_bytes_ = 4;
}

Array Array::Numbers(nb::handle source, const Argument& argument, const View* like) {
  Array array;
  array.Import(source, argument, false);
  const mluOpDataType_t type = array.view_.type;
  // The name of a type is asked for only if it is part of an error.
  const bool fits = IsFloating(type) && (like == nullptr || type == like->type);
  if (!fits) RequireFloating(type, DtypeNameOf(source), like, argument);
  array.MakeDense(argument);
  return array;
}

void Array::ImportIntegers(nb::handle source, const Argument& argument) {
  Import(source, argument, false);
  if (view_.type != MLUOP_DTYPE_INT32 && view_.type != MLUOP_DTYPE_INT64) {
    argument.RefuseType("has type " + DtypeNameOf(source) + ", expected int32 or int64.");
  }
}

Array Array::Indices(nb::handle source, const Argument& argument) {
  Array array;
  array.ImportIntegers(source, argument);
  if (array.view_.type == MLUOP_DTYPE_INT64) {
    array.NarrowToInt32(argument);
  } else {
    array.MakeDense(argument);
  }
  return array;
}

Array Array::Integers(nb::handle source, const Argument& argument) {
  Array array;
  array.ImportIntegers(source, argument);
  array.MakeDense(argument);
  return array;
}

void Array::TakeOutput(nb::handle out, const Argument& argument, mluOpDataType_t type) {
  Import(out, argument, true);
  if (view_.type != type) {
    argument.RefuseType("has type " + DtypeNameOf(out) + ", expected " + NameOfType(type) + ".");
  }
  if (read_only_) argument.Refuse("is read-only, expected a writable array.");
  if (!IsDense()) {
    argument.Refuse("is not C-contiguous, expected an array without gaps.");
  }
  object_ = nb::borrow(out);
}

Array Array::Room(nb::handle out, const Argument& argument, mluOpDataType_t type, std::span<const int64_t> shape) {
  Array array;
  const bool is_new = out.is_none();
  const nb::object target = is_new ? NewNumpyArray(shape, type, argument.function) : nb::borrow(out);
  array.TakeOutput(target, argument, type);
  return array;
}

Array Array::Output(nb::handle out, const Argument& argument, mluOpDataType_t type, std::span<const int64_t> shape) {
  Array array = Room(out, argument, type, shape);
  const std::span<const int64_t> found = array.view_.shape();
  if (!std::equal(found.begin(), found.end(), shape.begin(), shape.end())) {
    argument.Refuse("has shape " + TextOf(found) + ", expected " + TextOf(shape) + ".");
  }
  return array;
}

std::vector<int64_t> Counts(nb::handle source, const Argument& argument) {
  if (PyList_Check(source.ptr()) || PyTuple_Check(source.ptr())) {
    return Shape(source, argument);
  }
  const Array array = Array::Indices(source, argument);
  if (array.view().rank != 1) {
    argument.Refuse("has rank " + std::to_string(array.view().rank) + ", expected 1.");
  }
  const auto* values = static_cast<const int32_t*>(array.view().data);
  return {values, values + array.view().elements()};
}

}  // namespace detops_python
