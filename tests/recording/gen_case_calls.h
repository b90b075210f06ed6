// The smallest calls of three operators, with results that can be computed by hand: what is said about recording here
// does not depend on the operator. What does is looked at in cli/case_file/test/recorded_calls_test.cc.
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
struct ConvolutionForwardCall {
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpIndiceConvolutionForward(handle, features.desc(), features.data(), filters.desc(), filters.data(),
                                         pairs.desc(), pairs.data(), indice_num, 2, 0, 0, nullptr, 0, out.desc(),
                                         out.data());
  }
  Filled features{kArray, MLUOP_DTYPE_FLOAT, {2, 1}, {1, 2}};
  Filled filters{kArray, MLUOP_DTYPE_FLOAT, {1, 1, 1, 1, 1}, {0.5}};
  Filled pairs{kArray, MLUOP_DTYPE_INT32, {1, 2, 2}, {0, 1, 1, 0}};
  int64_t indice_num[1] = {2};
  Tensor out{kArray, MLUOP_DTYPE_FLOAT, {2, 1}};
};

inline const std::string kAlignFunction = "mluOpRotatedFeatureAlignForward";
inline const std::string kAlign = "rotated_feature_align_forward", kAlignBackward = "rotated_feature_align_backward";
inline const std::string kConvolution = "indice_convolution_forward";
// What is printed of the call.
inline const std::string kAlignLine =
    kAlign +
    " input [1, 1, 2, 1] NHWC float, bboxes [1, 1, 2, 5] ARRAY float -> output [1, 1, 2, 1] NHWC float; "
    "spatial_scale 0.25, points 1";

// Every box samples the first pixel.
struct AlignCallTensors {
  explicit AlignCallTensors(mluOpDataType_t type = MLUOP_DTYPE_FLOAT, const std::vector<double>& features = {1, 3})
      : AlignCallTensors(type, features, static_cast<int64_t>(features.size())) {}
  AlignCallTensors(mluOpDataType_t type, const std::vector<double>& features, int64_t pixels)
      : source(kNhwc, type, {1, 1, pixels, 1}, features),
        boxes(kArray, type, {1, 1, pixels, 5}, std::vector<double>(5 * features.size())),
        target(kNhwc, type, {1, 1, pixels, 1}) {}
  Filled source, boxes;
  Tensor target;
};

template <auto function>
struct AlignCall : AlignCallTensors {
  using AlignCallTensors::AlignCallTensors;
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return function(handle, source.desc(), source.data(), boxes.desc(), boxes.data(), 0.25f, 1, target.desc(),
                    target.data());
  }
};
using AlignForwardCall = AlignCall<mluOpRotatedFeatureAlignForward>;
using AlignBackwardCall = AlignCall<mluOpRotatedFeatureAlignBackward>;

// Lines that a handle sends.
struct Sink {
  static void Take(void* opaque, detopsLogLevel_t, const char* line) {
    static_cast<Sink*>(opaque)->lines.push_back(line);
  }
  void Attach(mluOpHandle_t handle) { Must(detopsSetLog(handle, DETOPS_LOG_DISPATCH, Take, this), "detopsSetLog"); }
  std::vector<std::string> lines;
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_RECORDING_GEN_CASE_CALLS_H_
