// The smallest calls of three operators, with results that can be computed by hand: what is said about recording here
// does not depend on the operator. What does is looked at in cli/case_file/recorded_calls_test.cc.
#ifndef DETOPS_TESTS_RECORDING_GEN_CASE_CALLS_H_
#define DETOPS_TESTS_RECORDING_GEN_CASE_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "detops.h"
#include "support/handle.h"
#include "support/tensor.h"

namespace detops_test {

inline constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY;
inline constexpr mluOpTensorLayout_t kNhwc = MLUOP_LAYOUT_NHWC;

// A tensor with values.
class Filled : public Tensor {
 public:
  Filled(mluOpTensorLayout_t layout, mluOpDataType_t type, std::vector<int64_t> extents,
         const std::vector<double>& values)
      : Tensor(layout, type, std::move(extents)) {
    Assign(values);
  }
};

// Each object is one call; Run may be repeated. Outputs are public, the inputs can be spoilt.

// Two rows that change places, times a half.
struct ConvolutionTensors {
  Filled features{kArray, MLUOP_DTYPE_FLOAT, {2, 1}, {1, 2}};
  Filled filters{kArray, MLUOP_DTYPE_FLOAT, {1, 1, 1, 1, 1}, {0.5}};
  Filled pairs{kArray, MLUOP_DTYPE_INT32, {1, 2, 2}, {0, 1, 1, 0}};
  int64_t indice_num[1] = {2};
};

struct ConvolutionForwardCall : ConvolutionTensors {
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpIndiceConvolutionForward(handle, features.desc(), features.data(), filters.desc(), filters.data(),
                                         pairs.desc(), pairs.data(), indice_num, 2, 0, 0, nullptr, 0, out.desc(),
                                         out.data());
  }
  Tensor out{kArray, MLUOP_DTYPE_FLOAT, {2, 1}};
};

// Every box samples the first pixel.
struct AlignCallTensors {
  explicit AlignCallTensors(mluOpDataType_t type = MLUOP_DTYPE_FLOAT)
      : source(kNhwc, type, {1, 1, 2, 1}, {1, 3}),
        boxes(kArray, type, {1, 1, 2, 5}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
        target(kNhwc, type, {1, 1, 2, 1}) {}
  Filled source, boxes;
  Tensor target;
};

struct AlignForwardCall : AlignCallTensors {
  using AlignCallTensors::AlignCallTensors;
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpRotatedFeatureAlignForward(handle, source.desc(), source.data(), boxes.desc(), boxes.data(), 0.25f, 1,
                                           target.desc(), target.data());
  }
};

struct AlignBackwardCall : AlignCallTensors {
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpRotatedFeatureAlignBackward(handle, source.desc(), source.data(), boxes.desc(), boxes.data(), 0.25f, 1,
                                            target.desc(), target.data());
  }
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_RECORDING_GEN_CASE_CALLS_H_
