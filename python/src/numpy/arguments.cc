#include "numpy/arguments.h"

#include <limits>
#include <string>

#include "numpy/numpy_bridge.h"

namespace detops_python {
namespace {

// How a sentence speaks of a number that is the argument, or one of those in it.
struct Place {
  const char* verb_of_value;
  const char* verb_of_type;
  const char* expected;
};
constexpr Place kAlone = {"is ", "is a ", ", expected a number that fits "};
constexpr Place kAmong = {"has ", "holds a ", ", expected numbers that fit "};

[[noreturn]] void RefuseTypeOf(nb::handle item, const Place& place, const char* expected, const Argument& argument) {
  argument.RefuseType(place.verb_of_type + TypeNameOf(item) + ", expected " + expected + ".");
}

[[noreturn]] void RefuseValueOf(nb::handle item, const Place& place, const char* expected, const Argument& argument) {
  std::string found = "a number of thousands of digits";  // Python does not print those.
  try {
    found = nb::str(item).c_str();
  } catch (const nb::python_error&) {
  }
  argument.Refuse(place.verb_of_value + found + place.expected + expected + ".");
}

template <typename Int>
Int IntegerOf(nb::handle item, const Place& place, const Argument& argument) {
  if (PyIndex_Check(item.ptr()) == 0) RefuseTypeOf(item, place, "int", argument);
  const Py_ssize_t value = PyNumber_AsSsize_t(item.ptr(), PyExc_OverflowError);
  bool fits = value >= std::numeric_limits<Int>::min() && value <= std::numeric_limits<Int>::max();
  if (value == -1 && PyErr_Occurred() != nullptr) {
    const nb::python_error error;
    // An array of several numbers can be asked to be one, and cannot be.
    if (error.matches(PyExc_TypeError)) RefuseTypeOf(item, place, "int", argument);
    if (!error.matches(PyExc_OverflowError)) throw error;
    fits = false;
  }
  if (!fits) RefuseValueOf(item, place, sizeof(Int) == sizeof(int32_t) ? "int32" : "int64", argument);
  return static_cast<Int>(value);
}

double RealOf(nb::handle item, const Place& place, const Argument& argument) {
  const double value = PyFloat_AsDouble(item.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    const nb::python_error error;
    if (error.matches(PyExc_TypeError)) RefuseTypeOf(item, place, "float", argument);
    if (!error.matches(PyExc_OverflowError)) throw error;
    RefuseValueOf(item, place, "float64", argument);
  }
  return value;
}

template <typename Number, typename Convert>
std::vector<Number> NumbersOf(nb::handle source, const char* kind, const Argument& argument, Convert convert) {
  nb::object items;
  // Tensors of torch are no sequences to Python; as arrays they can be asked for an index, and be gone through.
  if (PyUnicode_Check(source.ptr()) == 0 && (PySequence_Check(source.ptr()) != 0 || PyIndex_Check(source.ptr()) != 0)) {
    items = nb::steal(PySequence_Fast(source.ptr(), ""));
    if (!items.is_valid()) {
      const nb::python_error error;
      if (!error.matches(PyExc_TypeError)) throw error;
    }
  }
  if (!items.is_valid()) argument.RefuseType(std::string("is not a sequence, expected a tuple of ") + kind + ".");
  const Py_ssize_t count = PySequence_Size(items.ptr());
  std::vector<Number> numbers;
  numbers.reserve(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(items.ptr(), i));
    if (!item.is_valid()) throw nb::python_error();
    numbers.push_back(convert(item, kAmong, argument));
  }
  return numbers;
}

// Arrays of NumPy and tensors can be asked for an index, whatever they hold; those of one number have no length.
bool IsOneNumber(nb::handle source) {
  if (PyLong_Check(source.ptr())) return true;
  if (PyIndex_Check(source.ptr()) == 0) return false;
  if (PyObject_Size(source.ptr()) >= 0) return false;
  PyErr_Clear();
  return true;
}

}  // namespace

int Int32Of(nb::handle source, const Argument& argument) { return IntegerOf<int>(source, kAlone, argument); }

int64_t Int64Of(nb::handle source, const Argument& argument) { return IntegerOf<int64_t>(source, kAlone, argument); }

double DoubleOf(nb::handle source, const Argument& argument) { return RealOf(source, kAlone, argument); }

bool BoolOf(nb::handle source, const Argument& argument) {
  if (PyBool_Check(source.ptr()) == 0) RefuseTypeOf(source, kAlone, "bool", argument);
  return source.ptr() == Py_True;
}

std::string_view WordOf(nb::handle source, const Argument& argument) {
  if (PyUnicode_Check(source.ptr()) == 0) RefuseTypeOf(source, kAlone, "str", argument);
  Py_ssize_t bytes = 0;
  const char* text = PyUnicode_AsUTF8AndSize(source.ptr(), &bytes);
  if (text == nullptr) throw nb::python_error();
  return {text, static_cast<size_t>(bytes)};
}

std::vector<int64_t> Shape(nb::handle source, const Argument& argument) {
  return NumbersOf<int64_t>(source, "int", argument, &IntegerOf<int64_t>);
}

std::vector<double> Doubles(nb::handle source, const Argument& argument) {
  return NumbersOf<double>(source, "float", argument, &RealOf);
}

std::vector<int> Sizes(nb::handle source, const Argument& argument) {
  return NumbersOf<int>(source, "int", argument, &IntegerOf<int>);
}

std::vector<int> Sizes(nb::handle source, int count, const Argument& argument) {
  if (IsOneNumber(source)) {
    return std::vector<int>(static_cast<size_t>(count), IntegerOf<int>(source, kAmong, argument));
  }
  std::vector<int> sizes = Sizes(source, argument);
  if (sizes.size() != static_cast<size_t>(count)) {
    argument.Refuse("has " + std::to_string(sizes.size()) + " numbers, expected one or " + std::to_string(count) + ".");
  }
  return sizes;
}

}  // namespace detops_python
