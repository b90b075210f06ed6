// Calls of rotated_feature_align for tests of what surrounds the operators: real work, with results to compare.
#ifndef DETOPS_TESTS_HANDLE_ALIGN_CASE_H_
#define DETOPS_TESTS_HANDLE_ALIGN_CASE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "harness/catalogue.h"
#include "harness/placed_call.h"
#include "support/element.h"
#include "support/tensor.h"
#include "support/tolerance.h"

namespace detops_test {

struct AlignShape {
  int batch, height, width, channels;
  int points;
};

// Empty if the result is within the promise for float, otherwise what is wrong.
inline std::string Disagreement(const std::vector<float>& actual, std::vector<double> expected) {
  if (actual.size() != expected.size()) return "sizes differ";
  for (double& value : expected) value = RoundToElement(MLUOP_DTYPE_FLOAT, value);
  return Disagreement({actual.begin(), actual.end()}, expected, ToleranceFor(MLUOP_DTYPE_FLOAT));
}

inline const std::string kForwardName = "mluOpRotatedFeatureAlignForward";
inline const std::string kBackwardName = "mluOpRotatedFeatureAlignBackward";

// Features and boxes with fixed random numbers. Several threads may use one case at the same time.
class AlignCase {
 public:
  explicit AlignCase(const AlignShape& shape)
      : points_(shape.points),
        forward_(MakeCall(kForwardName, shape)),
        backward_(MakeCall(kBackwardName, shape)),
        features_(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, forward_["input"].extents),
        boxes_(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, forward_["bboxes"].extents) {}

  size_t size() const { return forward_["input"].contents.size() / sizeof(float); }

  mluOpStatus_t Forward(mluOpHandle_t handle, float* output) const {
    return Run(mluOpRotatedFeatureAlignForward, handle, forward_, output);
  }
  mluOpStatus_t Backward(mluOpHandle_t handle, float* gradient) const {
    return Run(mluOpRotatedFeatureAlignBackward, handle, backward_, gradient);
  }
  std::vector<double> ForwardReference() const { return forward_.function->Reference(forward_).tensors.at("output"); }
  std::vector<double> BackwardReference() const {
    return backward_.function->Reference(backward_).tensors.at("bottom_input");
  }

 private:
  static detops_harness::Call MakeCall(const std::string& function, const AlignShape& shape) {
    const auto key = [](const char* name, int value) { return std::string(name) + "=" + std::to_string(value); };
    return detops_harness::WholeCatalogue().Find(function)->MakeSample(
        key("batch", shape.batch) + "," + key("height", shape.height) + "," + key("width", shape.width) + "," +
            key("channels", shape.channels) + "," + key("points", shape.points) + ",scale=1,boxes=anywhere",
        MLUOP_DTYPE_FLOAT, DETOPS_PROFILE_CONTRACT, 12345);
  }

  template <class Function>
  mluOpStatus_t Run(Function function, mluOpHandle_t handle, const detops_harness::Call& call, float* output) const {
    return function(handle, features_.get(), call.tensors[0].contents.data(), boxes_.get(),
                    call.tensors[1].contents.data(), 1.0f, points_, features_.get(), output);
  }

  int points_;
  detops_harness::Call forward_, backward_;
  Descriptor features_, boxes_;
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_HANDLE_ALIGN_CASE_H_
