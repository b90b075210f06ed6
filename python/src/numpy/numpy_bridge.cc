#include "numpy/numpy_bridge.h"

namespace detops_python {
namespace {

// References that live as long as the process: module state would be gone before the last arrays are.
struct NumpyObjects {
  PyObject* array;
  PyObject* empty;
  PyObject* half;
  PyObject* single;
  PyObject* full;
  PyObject* index;
  PyObject* wide_index;
};

const NumpyObjects& Numpy() {
  static const NumpyObjects objects = [] {
    const nb::module_ numpy = nb::module_::import_("numpy");
    const auto dtype = [&numpy](const char* name) { return nb::object(numpy.attr("dtype")(name)).release().ptr(); };
    return NumpyObjects{.array = nb::object(numpy.attr("ndarray")).release().ptr(),
                        .empty = nb::object(numpy.attr("empty")).release().ptr(),
                        .half = dtype("float16"),
                        .single = dtype("float32"),
                        .full = dtype("float64"),
                        .index = dtype("int32"),
                        .wide_index = dtype("int64")};
  }();
  return objects;
}

nb::object Bfloat16(std::string_view function) {
  try {
    return nb::module_::import_("ml_dtypes").attr("bfloat16");
  } catch (nb::python_error& error) {
    nb::raise_from(error, PyExc_ImportError,
                   "%s: a bfloat16 result needs the package ml_dtypes, or an array passed as out.",
                   std::string(function).c_str());
  }
}

nb::object DtypeOf(mluOpDataType_t type, std::string_view function) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
      return nb::borrow(Numpy().half);
    case MLUOP_DTYPE_FLOAT:
      return nb::borrow(Numpy().single);
    case MLUOP_DTYPE_DOUBLE:
      return nb::borrow(Numpy().full);
    case MLUOP_DTYPE_INT32:
      return nb::borrow(Numpy().index);
    case MLUOP_DTYPE_INT64:
      return nb::borrow(Numpy().wide_index);
    default:
      return Bfloat16(function);
  }
}

}  // namespace

nb::object NewNumpyArray(std::span<const int64_t> shape, mluOpDataType_t type, std::string_view function) {
  const nb::object extents = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  if (!extents.is_valid()) throw nb::python_error();
  for (size_t i = 0; i < shape.size(); ++i) {
    PyObject* extent = PyLong_FromLongLong(shape[i]);
    if (extent == nullptr || PyTuple_SetItem(extents.ptr(), static_cast<Py_ssize_t>(i), extent) != 0) {
      throw nb::python_error();
    }
  }
  return nb::handle(Numpy().empty)(extents, DtypeOf(type, function));
}

std::string DtypeNameOf(nb::handle array) {
  if (nb::hasattr(array, "dtype")) return nb::str(nb::object(array.attr("dtype"))).c_str();
  return "of a " + TypeNameOf(array);
}

std::string TypeNameOf(nb::handle object) { return nb::type_name(object.type()).c_str(); }

bool IsMaskedArray(nb::handle object) {
  // Nearly all are plain arrays, for which no names are looked up.
  if (reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())) == Numpy().array) return false;
  const int is_array = PyObject_IsInstance(object.ptr(), Numpy().array);
  if (is_array < 0) throw nb::python_error();
  return is_array == 1 && nb::hasattr(object, "mask") && nb::hasattr(object, "filled");
}

bool IsNumpyBfloat16(nb::handle array) {
  return nb::hasattr(array, "dtype") && nb::hasattr(array, "view") && DtypeNameOf(array) == "bfloat16";
}

}  // namespace detops_python
