// What cases of calls without memory share: descriptors that are made before, and results that are looked at behind.
#ifndef DETOPS_TESTS_ALLOCATION_CASE_H_
#define DETOPS_TESTS_ALLOCATION_CASE_H_

#include <algorithm>
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

// All results of a call: floats and integers that no call leaves as they are.
class Results {
 public:
  void Mark() {
    std::fill(floats.begin(), floats.end(), 77.5f);
    std::fill(ints.begin(), ints.end(), 77);
  }
  bool Untouched() const {
    return std::all_of(floats.begin(), floats.end(), [](float x) { return x == 77.5f; }) &&
           std::all_of(ints.begin(), ints.end(), [](int32_t x) { return x == 77; });
  }
  void Keep() {
    good_floats_ = floats;
    good_ints_ = ints;
  }
  bool Right() const { return floats == good_floats_ && ints == good_ints_; }

  std::vector<float> floats;
  std::vector<int32_t> ints;

 private:
  std::vector<float> good_floats_;
  std::vector<int32_t> good_ints_;
};

}  // namespace detops_test::hooks

#endif  // DETOPS_TESTS_ALLOCATION_CASE_H_
