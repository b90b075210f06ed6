// Arguments that are no tensors: numbers, words, and sizes of several axes. What is of another type, or does not fit,
// is refused under the argument's name; functions take nb::handle, as nanobind's own refusals name none.
#ifndef DETOPS_PYTHON_SRC_NUMPY_ARGUMENTS_H_
#define DETOPS_PYTHON_SRC_NUMPY_ARGUMENTS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "numpy/array.h"

namespace detops_python {

int Int32Of(nb::handle source, const Argument& argument);
int64_t Int64Of(nb::handle source, const Argument& argument);
double DoubleOf(nb::handle source, const Argument& argument);
bool BoolOf(nb::handle source, const Argument& argument);

// Lives as long as `source`.
std::string_view WordOf(nb::handle source, const Argument& argument);

// An int for each of `count` axes: `source` is a sequence of as many, or one int for all. Arrays and tensors are
// sequences too.
std::vector<int> Sizes(nb::handle source, int count, const Argument& argument);

// Sequences of int of any length.
std::vector<int> Sizes(nb::handle source, const Argument& argument);
std::vector<int64_t> Shape(nb::handle source, const Argument& argument);

// A sequence of numbers of any length.
std::vector<double> Doubles(nb::handle source, const Argument& argument);

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_NUMPY_ARGUMENTS_H_
