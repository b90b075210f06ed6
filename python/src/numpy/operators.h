// The functions of the extension, one file per operator.
#ifndef DETOPS_PYTHON_SRC_NUMPY_OPERATORS_H_
#define DETOPS_PYTHON_SRC_NUMPY_OPERATORS_H_

#include <nanobind/nanobind.h>

namespace detops_python {

void AddRotatedFeatureAlign(nanobind::module_& module);
void AddPsRoiPool(nanobind::module_& module);
void AddRoiAwarePool3d(nanobind::module_& module);
void AddGetIndicePairs(nanobind::module_& module);
void AddIndiceConvolution(nanobind::module_& module);
void AddIndicePool(nanobind::module_& module);
void AddPointToVoxel(nanobind::module_& module);
void AddSettings(nanobind::module_& module);

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_NUMPY_OPERATORS_H_
