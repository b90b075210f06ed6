// The few things that are asked of NumPy itself, and names of types for error texts.
#ifndef DETOPS_PYTHON_SRC_NUMPY_NUMPY_BRIDGE_H_
#define DETOPS_PYTHON_SRC_NUMPY_NUMPY_BRIDGE_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "detops.h"

namespace detops_python {

namespace nb = nanobind;

// As numpy.empty. bfloat16 needs the package ml_dtypes; without it ImportError.
nb::object NewNumpyArray(std::span<const int64_t> shape, mluOpDataType_t type, std::string_view function);

// The type of an object's elements in its own words, as "int8".
std::string DtypeNameOf(nb::handle array);

// "list", "torch.Tensor" and so on.
std::string TypeNameOf(nb::handle object);

bool IsNumpyBfloat16(nb::handle array);

// An array of numpy.ma: its buffer is that of the numbers alone.
bool IsMaskedArray(nb::handle object);

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_NUMPY_NUMPY_BRIDGE_H_
