#include <nanobind/nanobind.h>

#include <exception>

#include "common/view.h"
#include "numpy/operators.h"

NB_MODULE(_native, module) {
  using namespace detops_python;  // NOLINT(google-build-using-namespace): the whole file is this list.
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const detops_binding::WrongType& error) {
      PyErr_SetString(PyExc_TypeError, error.what());
    } catch (const detops_binding::NotSupported& error) {
      PyErr_SetString(PyExc_NotImplementedError, error.what());
    } catch (const detops_binding::OutOfMemory& error) {
      PyErr_SetString(PyExc_MemoryError, error.what());
    }
  });
  AddSettings(module);
  AddRotatedFeatureAlign(module);
  AddPsRoiPool(module);
  AddRoiAwarePool3d(module);
  AddGetIndicePairs(module);
  AddIndiceConvolution(module);
  AddIndicePool(module);
  AddPointToVoxel(module);
}
