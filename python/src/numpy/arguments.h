// Arguments that are neither tensors nor plain numbers: words, and sizes of several axes.
#ifndef DETOPS_PYTHON_SRC_NUMPY_ARGUMENTS_H_
#define DETOPS_PYTHON_SRC_NUMPY_ARGUMENTS_H_

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "numpy/array.h"

namespace detops_python {

// An int for each of `count` axes: `source` is a sequence of as many, or one int for all.
std::vector<int> Sizes(nb::handle source, int count, const Argument& argument);

// A sequence of int of any length.
std::vector<int64_t> Shape(nb::handle source, const Argument& argument);

nb::tuple TupleOf(std::span<const int> numbers);

// As many numbers as the array holds.
template <size_t kCount>
std::array<int, kCount> SizesArray(nb::handle source, const Argument& argument) {
  std::array<int, kCount> sizes;
  const std::vector<int> numbers = Sizes(source, static_cast<int>(kCount), argument);
  std::copy(numbers.begin(), numbers.end(), sizes.begin());
  return sizes;
}

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_NUMPY_ARGUMENTS_H_
