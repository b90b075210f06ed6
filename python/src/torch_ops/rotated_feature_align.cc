#include "common/rotated_feature_align.h"

#include "torch_ops/box.h"
#include "torch_ops/tensor.h"

namespace detops_torch {
namespace {

using Pass = void (*)(Binding&, const View&, const View&, double, int);

Tensor Align(const char* function, const char* source_name, Pass pass, const Tensor& source, const Tensor& bboxes,
             double spatial_scale, int64_t points) {
  const Input map = Input::Numbers(source, {function, source_name});
  const Input boxes = Input::Numbers(bboxes, {function, "bboxes"}, &map.view());
  TorchCall call(function);
  pass(call, map.view(), boxes.view(), spatial_scale, Int(points, {function, "points"}));
  return call.Result(0);
}

Tensor Forward(const Tensor& input, const Tensor& bboxes, double spatial_scale, int64_t points) {
  return Align("rotated_feature_align_forward", "input", &detops_binding::RotatedFeatureAlignForward, input, bboxes,
               spatial_scale, points);
}

Tensor Backward(const Tensor& top_output, const Tensor& bboxes, double spatial_scale, int64_t points) {
  return Align("rotated_feature_align_backward", "top_output", &detops_binding::RotatedFeatureAlignBackward, top_output,
               bboxes, spatial_scale, points);
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(detops, library) {
  Define(library,
         "rotated_feature_align_forward(Tensor input, Tensor bboxes, float spatial_scale=1.0, int points=1) -> Tensor");
  Define(library,
         "rotated_feature_align_backward(Tensor top_output, Tensor bboxes, float spatial_scale=1.0, int points=1) -> "
         "Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(detops, CPU, library) {
  Implement<&Forward>(library, "rotated_feature_align_forward");
  Implement<&Backward>(library, "rotated_feature_align_backward");
}

}  // namespace detops_torch
