#include <cstdint>
#include <vector>

#include "demo.h"
#include "ops/rotated_feature_align/rotated_feature_align_cases.h"
#include "ops/rotated_feature_align/rotated_feature_align_reference.h"
#include "support/diff.h"
#include "support/tensor.h"
#include "support/tolerance.h"

namespace detops_demo {
namespace {

using detops_cases::RotatedFeatureAlignCase;
using detops_test::Tensor;

void Assign(Tensor& tensor, const std::vector<float>& values) {
  for (size_t i = 0; i < values.size(); ++i) tensor.Set(static_cast<int64_t>(i), static_cast<double>(values[i]));
}

std::string ShapeText(const RotatedFeatureAlignCase& shape) {
  return std::to_string(shape.batch) + "x" + std::to_string(shape.height) + "x" + std::to_string(shape.width) + "x" +
         std::to_string(shape.channels) + ", " + std::to_string(shape.points) +
         (shape.points == 1 ? " point" : " points");
}

bool RunCase(mluOpHandle_t handle, int threads, const RotatedFeatureAlignCase& shape, mluOpDataType_t type,
             bool backward) {
  const std::vector<int64_t> extents = {shape.batch, shape.height, shape.width, shape.channels};
  const std::vector<int64_t> box_extents = {shape.batch, shape.height, shape.width, 5};
  Tensor source(MLUOP_LAYOUT_NHWC, type, extents);
  Tensor boxes(MLUOP_LAYOUT_ARRAY, type, box_extents);
  Tensor target(MLUOP_LAYOUT_NHWC, type, extents);
  Assign(source, detops_cases::MakeFeatures(shape, 1));
  Assign(boxes, detops_cases::MakeBoxes(shape, detops_cases::Boxes::kNear, 2));

  const auto align = backward ? mluOpRotatedFeatureAlignBackward : mluOpRotatedFeatureAlignForward;
  const auto call = [&] {
    detops_test::Must(align(handle, source.desc(), source.data(), boxes.desc(), boxes.data(), shape.spatial_scale,
                            shape.points, target.desc(), target.data()),
                      "rotated_feature_align");
  };
  const auto reference =
      backward ? detops_reference::RotatedFeatureAlignBackward : detops_reference::RotatedFeatureAlignForward;
  const std::vector<double> expected = reference(type, shape.batch, shape.height, shape.width, shape.channels,
                                                 source.data(), boxes.data(), shape.spatial_scale, shape.points);
  const detops_bench::Timing timing =
      detops_bench::TimeCall(threads, detops_cases::WorkOf(shape, detops_test::ElementSize(type)), call, 0.2);
  const std::vector<double> result = target.Values();
  return Print({.operation = backward ? "rotated_feature_align_backward" : "rotated_feature_align_forward",
                .shape = ShapeText(shape),
                .type = detops_test::ElementName(type),
                .diff1 = detops_test::Diff1(result, expected),
                .diff2 = detops_test::Diff2(result, expected),
                .limit = detops_test::ToleranceFor(type).diff1,
                .timing = timing});
}

}  // namespace

bool RunRotatedFeatureAlign(mluOpHandle_t handle, int threads) {
  bool good = true;
  for (const bool backward : {false, true}) {
    for (const RotatedFeatureAlignCase& shape : detops_cases::kRotatedFeatureAlignCases) {
      for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}) {
        good = RunCase(handle, threads, shape, type, backward) && good;
      }
    }
  }
  return good;
}

}  // namespace detops_demo
