#include <nanobind/nanobind.h>

#include "operators.h"

NB_MODULE(_native, module) {
  using namespace detops_python;  // NOLINT(google-build-using-namespace): the whole file is this list.
  AddSettings(module);
  AddRotatedFeatureAlign(module);
  AddPsRoiPool(module);
  AddRoiAwarePool3d(module);
  AddRoiAwarePool3dCompact(module);
  AddGetIndicePairs(module);
  AddIndiceConvolution(module);
}
