// Descriptors for calls without memory, made before.
#ifndef DETOPS_TESTS_ALLOCATION_CASE_H_
#define DETOPS_TESTS_ALLOCATION_CASE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_test::hooks {

// Descriptors, made before any allocation fails.
class Descriptors {
 public:
  ~Descriptors() {
    for (mluOpTensorDescriptor_t desc : made_) mluOpDestroyTensorDescriptor(desc);
  }
  mluOpTensorDescriptor_t Make(mluOpTensorLayout_t layout, mluOpDataType_t type, const std::vector<int64_t>& extents) {
    mluOpTensorDescriptor_t desc = nullptr;
    mluOpCreateTensorDescriptor(&desc);
    mluOpSetTensorDescriptor_v2(desc, layout, type, static_cast<int>(extents.size()), extents.data());
    made_.push_back(desc);
    return desc;
  }

 private:
  std::vector<mluOpTensorDescriptor_t> made_;
};

}  // namespace detops_test::hooks

#endif  // DETOPS_TESTS_ALLOCATION_CASE_H_
