// Both directions, all types, one and five points, channels around the lengths of vectors, two scales.
#include "golden/golden.h"

namespace detops_golden {
namespace {

struct Shape {
  int64_t batch, height, width, channels;
};

// Boxes on the map and a little beside it; whole sixteenths of a pixel.
void FillBoxes(Run& run, const Shape& shape, double scale, Tensor& boxes) {
  const auto pixels = [&](int64_t low, int64_t high) {
    return static_cast<double>(run.Between(16 * low, 16 * high)) / 16 / scale;
  };
  for (int64_t i = 0; i < boxes.elements(); i += 5) {
    boxes.Set(i, pixels(-1, shape.height));
    boxes.Set(i + 1, pixels(-1, shape.width));
    boxes.Set(i + 2, pixels(0, 4));
    boxes.Set(i + 3, pixels(0, 4));
    boxes.Set(i + 4, run.Angle());
  }
}

void Align(Run& run, bool forward, mluOpDataType_t type, const Shape& shape, int points, float scale) {
  Tensor boxes(MLUOP_LAYOUT_ARRAY, type, {shape.batch, shape.height, shape.width, 5});
  FillBoxes(run, shape, static_cast<double>(scale), boxes);
  const std::vector<int64_t> extents = {shape.batch, shape.height, shape.width, shape.channels};
  const Signed input(run, type, extents, MLUOP_LAYOUT_NHWC);
  Tensor output(MLUOP_LAYOUT_NHWC, type, extents);
  const auto function = forward ? mluOpRotatedFeatureAlignForward : mluOpRotatedFeatureAlignBackward;
  run.Must(function(run.handle(), input.desc(), input.data(), boxes.desc(), boxes.data(), scale, points, output.desc(),
                    output.data()));
  run.Result(output);
}

}  // namespace

void AddRotatedFeatureAlign(Cases& cases) {
  const auto add = [&](bool forward, mluOpDataType_t type, const Shape& shape, int points, float scale,
                       const char* end) {
    cases.push_back(
        {Name({"rotated_feature_align", forward ? "forward" : "backward", detops_test::ElementName(type),
               std::to_string(points), Label("c", shape.channels), scale == 1 ? "scale1" : "scale1_8", end}),
         [=](Run& run) { Align(run, forward, type, shape, points, scale); }});
  };
  for (const bool forward : {true, false}) {
    for (const mluOpDataType_t type : kTypes) {
      for (const int points : {1, 5}) {
        for (const float scale : {1.0f, 0.125f}) {
          for (const int64_t channels : {1, 3, 8, 17, 33, 64})
            add(forward, type, {2, 7, 6, channels}, points, scale, "");
        }
        add(forward, type, {1, 60, 60, points == 1 ? 96 : 32}, points, 1.0f, "large");
      }
    }
  }
}

}  // namespace detops_golden
