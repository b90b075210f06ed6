// Functions of the extension that set and tell how the library works.
#ifndef DETOPS_PYTHON_SRC_NUMPY_SETTINGS_H_
#define DETOPS_PYTHON_SRC_NUMPY_SETTINGS_H_

#include <nanobind/nanobind.h>

namespace detops_python {

void AddSettings(nanobind::module_& module);

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_NUMPY_SETTINGS_H_
