// The functions of a library, by their names: of the one that a program is linked with, or of any that was loaded at
// run time.
#ifndef DETOPS_HARNESS_LIBRARY_H_
#define DETOPS_HARNESS_LIBRARY_H_

#include <string_view>

#include "detops.h"

namespace detops_harness {

// As released, which is what every library exports; the header has an overload for the design document's form.
using PsRoiPoolForwardFunction = mluOpStatus_t (*)(mluOpHandle_t, int, int, float, int, int, mluOpTensorDescriptor_t,
                                                   const void*, mluOpTensorDescriptor_t, const void*,
                                                   mluOpTensorDescriptor_t, void*, mluOpTensorDescriptor_t, void*);

// Likewise; the header has an overload for the form of older releases.
using GetNmsWorkspaceSizeFunction = mluOpStatus_t (*)(mluOpHandle_t, mluOpNmsDescriptor_t, mluOpTensorDescriptor_t,
                                                      mluOpTensorDescriptor_t, size_t*);

// Functions that the library lacks are nullptr. The list is tests/interface/exported_symbols.txt.
struct Functions {
#define DETOPS_FUNCTION(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses): it declares
#include "harness/exported_functions.inc"
#undef DETOPS_FUNCTION
  PsRoiPoolForwardFunction mluOpPsRoiPoolForward = nullptr;
  GetNmsWorkspaceSizeFunction mluOpGetNmsWorkspaceSize = nullptr;

  bool Has(std::string_view function) const {
#define DETOPS_FUNCTION(name) \
  if (function == #name) return (name) != nullptr;
#include "harness/exported_functions.inc"
#undef DETOPS_FUNCTION
    if (function == "mluOpGetNmsWorkspaceSize") return mluOpGetNmsWorkspaceSize != nullptr;
    return function == "mluOpPsRoiPoolForward" && mluOpPsRoiPoolForward != nullptr;
  }
};

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_LIBRARY_H_
