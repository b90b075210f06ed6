// The library under test, loaded at run time. The program reaches it only through the functions below, so that any
// implementation of mlu_op.h can be judged.
#ifndef DETOPS_CLI_LIBRARY_LIBRARY_H_
#define DETOPS_CLI_LIBRARY_LIBRARY_H_

#include <string>
#include <vector>

#include "detops.h"
#include "harness/library.h"

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
  X(mluOpRotatedFeatureAlignBackward) X(mluOpPsRoiPoolForward) X(mluOpPsRoiPoolBackward) \
  X(mluOpGetRoiAwarePool3dForwardWorkspaceSize) \
  X(mluOpRoiAwarePool3dForward) X(mluOpRoiAwarePool3dBackward) X(mluOpGetIndicePairsWorkspaceSize) \
  X(mluOpGetIndicePairs) X(mluOpGetIndiceConvolutionForwardWorkspaceSize) X(mluOpIndiceConvolutionForward) \
  X(mluOpGetIndiceConvolutionBackwardDataWorkspaceSize) X(mluOpIndiceConvolutionBackwardData) \
  X(mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize) X(mluOpIndiceConvolutionBackwardFilter) \
  X(detopsSetNumThreads) X(detopsGetNumThreads) X(detopsSetProfile) X(detopsGetLastError) \
  X(detopsSetSparseConvolutionDescriptor) X(detopsSetLog) X(detopsGetTarget) X(detopsSetTarget) \
  X(detopsGetSupportedTargets) X(detopsGetVersion)
// clang-format on

namespace detops_cli {

class Library {
 public:
  // "" is our own library, next to the program. Throws UsageError if the file cannot be loaded or lacks a basic
  // function.
  explicit Library(const std::string& path);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const detops_harness::Functions* operator->() const { return &functions_; }
  const detops_harness::Functions& functions() const { return functions_; }
  const std::string& path() const { return path_; }
  // Of the lists above.
  const std::vector<std::string>& missing() const { return missing_; }

  // The library's own sentence about the last failed call on the handle, or the status as text.
  std::string Explain(mluOpHandle_t handle, mluOpStatus_t status) const;

 private:
  std::string path_;
  detops_harness::Functions functions_;
  std::vector<std::string> missing_;
};

}  // namespace detops_cli

#endif  // DETOPS_CLI_LIBRARY_LIBRARY_H_
