// What the files of the contract of nms share.
#ifndef DETOPS_OPS_NMS_CONTRACT_NMS_H_
#define DETOPS_OPS_NMS_CONTRACT_NMS_H_

#include <cstdint>
#include <string>

#include "harness/contract.h"
#include "harness/rules.h"

namespace detops_harness::nms {

enum class Kind { kRun, kSize };

// What the shapes of a call say. Only of calls whose boxes have rank 2 or 3.
struct Sizes {
  int64_t images = 1, classes = 1, count = 0, numbers = 0;
  size_t count_axis = 0, numbers_axis = 0;
  bool bev() const { return numbers == 7; }
};
Sizes SizesOf(const Call& call);

// mluOpSetNmsDescriptor takes what the call says.
bool IsSettable(const Call& call);
// The input_layout that the size function goes by.
int64_t LayoutOf(const Call& call);
bool HoldsIndices(const Call& call);
// Boxes of one class that may stay, and the elements that output must have.
int64_t Most(const Call& call);
int64_t Needed(const Call& call);

Contract MakeContract(Kind kind);

}  // namespace detops_harness::nms

#endif  // DETOPS_OPS_NMS_CONTRACT_NMS_H_
