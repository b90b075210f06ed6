// The library under test, loaded at run time. The program reaches it only through the functions below, so that any
// implementation of mlu_op.h can be judged.
#ifndef DETOPS_CLI_LIBRARY_H_
#define DETOPS_CLI_LIBRARY_H_

#include <string>
#include <vector>

#include "detops.h"

// As released, which is what every library exports; the header has an overload for the design document's form.
using PsRoiPoolForwardFunction = mluOpStatus_t (*)(mluOpHandle_t, int, int, float, int, int, mluOpTensorDescriptor_t,
                                                   const void*, mluOpTensorDescriptor_t, const void*,
                                                   mluOpTensorDescriptor_t, void*, mluOpTensorDescriptor_t, void*);

// clang-format off: it finds no end with lists like these
// What no case can do without.
#define DETOPS_CLI_BASIC_FUNCTIONS(X) \
  X(mluOpCreate) X(mluOpDestroy) X(mluOpCreateTensorDescriptor) X(mluOpDestroyTensorDescriptor) \
  X(mluOpSetTensorDescriptor) X(cnrtMalloc) X(cnrtFree) X(cnrtMemcpy)

// What some operators, checks or texts need.
#define DETOPS_CLI_OTHER_FUNCTIONS(X) \
  X(mluOpGetErrorString) X(mluOpGetLibVersion) X(mluOpSetQueue) X(mluOpSetTensorDescriptor_v2) \
  X(mluOpSetTensorDescriptorEx_v2) X(cnrtQueueCreate) X(cnrtQueueDestroy) X(cnrtQueueSync) \
  X(mluOpCreateSparseConvolutionDescriptor) X(mluOpDestroySparseConvolutionDescriptor) \
  X(mluOpSetSparseConvolutionDescriptor) X(mluOpGetSparseConvolutionNumActOut) X(mluOpRotatedFeatureAlignForward) \
  X(mluOpRotatedFeatureAlignBackward) X(mluOpPsRoiPoolBackward) X(mluOpGetRoiAwarePool3dForwardWorkspaceSize) \
  X(mluOpRoiAwarePool3dForward) X(mluOpRoiAwarePool3dBackward) X(mluOpGetIndicePairsWorkspaceSize) \
  X(mluOpGetIndicePairs) X(mluOpGetIndiceConvolutionForwardWorkspaceSize) X(mluOpIndiceConvolutionForward) \
  X(mluOpGetIndiceConvolutionBackwardDataWorkspaceSize) X(mluOpIndiceConvolutionBackwardData) \
  X(mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize) X(mluOpIndiceConvolutionBackwardFilter) \
  X(detopsSetNumThreads) X(detopsGetNumThreads) X(detopsSetProfile) X(detopsGetLastError) \
  X(detopsSetSparseConvolutionDescriptor) X(detopsSetLog) X(detopsGetTarget) X(detopsSetTarget) \
  X(detopsGetSupportedTargets) X(detopsGetVersion)
// clang-format on

namespace detops_cli {

// Functions that the library lacks are nullptr.
struct Functions {
#define DETOPS_CLI_DECLARE(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses): it declares
  DETOPS_CLI_BASIC_FUNCTIONS(DETOPS_CLI_DECLARE)
  DETOPS_CLI_OTHER_FUNCTIONS(DETOPS_CLI_DECLARE)
#undef DETOPS_CLI_DECLARE
  PsRoiPoolForwardFunction mluOpPsRoiPoolForward = nullptr;
};

class Library {
 public:
  // "" is our own library, beside the program. Throws UsageError if the file cannot be loaded or lacks a basic
  // function.
  explicit Library(const std::string& path);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const Functions* operator->() const { return &functions_; }
  const std::string& path() const { return path_; }
  const std::vector<std::string>& missing() const { return missing_; }

  // The library's own sentence about the last failed call on the handle, or the status as text.
  std::string Explain(mluOpHandle_t handle, mluOpStatus_t status) const;

 private:
  std::string path_;
  Functions functions_;
  std::vector<std::string> missing_;
};

}  // namespace detops_cli

#endif  // DETOPS_CLI_LIBRARY_H_
