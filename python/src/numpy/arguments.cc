#include "numpy/arguments.h"

#include <limits>
#include <string>

namespace detops_python {
namespace {

int64_t IntegerOf(nb::handle item, const Argument& argument) {
  if (PyIndex_Check(item.ptr()) == 0) {
    const std::string found = nb::type_name(item.type()).c_str();
    argument.RefuseType("holds a " + found + ", expected int.");
  }
  const Py_ssize_t value = PyNumber_AsSsize_t(item.ptr(), PyExc_OverflowError);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

int Narrow(int64_t value, const Argument& argument) {
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    argument.Refuse("has " + std::to_string(value) + ", expected numbers that fit int32.");
  }
  return static_cast<int>(value);
}

}  // namespace

std::vector<int64_t> Shape(nb::handle source, const Argument& argument) {
  if (PySequence_Check(source.ptr()) == 0 || PyUnicode_Check(source.ptr())) {
    argument.RefuseType("is not a sequence, expected a tuple of int.");
  }
  const Py_ssize_t count = PySequence_Size(source.ptr());
  if (count < 0) throw nb::python_error();
  std::vector<int64_t> numbers;
  numbers.reserve(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(source.ptr(), i));
    if (!item.is_valid()) throw nb::python_error();
    numbers.push_back(IntegerOf(item, argument));
  }
  return numbers;
}

std::vector<int> Sizes(nb::handle source, int count, const Argument& argument) {
  if (PyIndex_Check(source.ptr()) != 0) {
    return std::vector<int>(static_cast<size_t>(count), Narrow(IntegerOf(source, argument), argument));
  }
  const std::vector<int64_t> numbers = Shape(source, argument);
  if (numbers.size() != static_cast<size_t>(count)) {
    argument.Refuse("has " + std::to_string(numbers.size()) + " numbers, expected one or " + std::to_string(count) +
                    ".");
  }
  std::vector<int> sizes;
  sizes.reserve(numbers.size());
  for (const int64_t number : numbers) sizes.push_back(Narrow(number, argument));
  return sizes;
}

nb::tuple TupleOf(std::span<const int> numbers) {
  nb::list list;
  for (const int number : numbers) list.append(number);
  return nb::tuple(list);
}

}  // namespace detops_python
