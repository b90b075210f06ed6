// The library that a test, fuzz target or benchmark is linked with.
#ifndef DETOPS_HARNESS_LINKED_LIBRARY_H_
#define DETOPS_HARNESS_LINKED_LIBRARY_H_

#include "harness/library.h"

namespace detops_harness {

inline const Functions& LinkedLibrary() {
  static const Functions functions = [] {
    Functions linked;
#define DETOPS_FUNCTION(name) linked.name = &::name;
#include "harness/exported_functions.inc"
#undef DETOPS_FUNCTION
    linked.mluOpPsRoiPoolForward = static_cast<PsRoiPoolForwardFunction>(&::mluOpPsRoiPoolForward);
    linked.mluOpGetNmsWorkspaceSize = static_cast<GetNmsWorkspaceSizeFunction>(&::mluOpGetNmsWorkspaceSize);
    return linked;
  }();
  return functions;
}

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_LINKED_LIBRARY_H_
