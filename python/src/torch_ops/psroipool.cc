#include "common/psroipool.h"

#include "torch_ops/box.h"
#include "torch_ops/tensor.h"

namespace detops_torch {
namespace {

using detops_binding::PsRoiPoolMode;

Tensor Forward(const Tensor& input, const Tensor& rois, const Sizes& pooled_size, double spatial_scale,
               const Word& convention, const Word& layout) {
  constexpr char kFunction[] = "psroipool_forward";
  const PsRoiPoolMode mode(convention, layout, kFunction);
  const std::array<int, 2> pooled = IntArray<2>(pooled_size, {kFunction, "pooled_size"});
  const Input map = Input::Numbers(input, {kFunction, "input"});
  const Input regions = Input::Numbers(rois, {kFunction, "rois"}, &map.view());
  TorchCall call(kFunction);
  detops_binding::PsRoiPoolForward(call, mode, map.view(), regions.view(), pooled, spatial_scale);
  return call.Result(0);
}

Tensor Backward(const Tensor& top_grad, const Tensor& rois, const Sizes& input_shape, double spatial_scale,
                const Word& convention, const Word& layout) {
  constexpr char kFunction[] = "psroipool_backward";
  const PsRoiPoolMode mode(convention, layout, kFunction);
  const Input gradient = Input::Numbers(top_grad, {kFunction, "top_grad"});
  const Input regions = Input::Numbers(rois, {kFunction, "rois"}, &gradient.view());
  const View no_mapping;
  TorchCall call(kFunction);
  detops_binding::PsRoiPoolBackward(call, mode, gradient.view(), regions.view(), no_mapping, input_shape,
                                    spatial_scale);
  return call.Result(0);
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(detops, library) {
  Define(library,
         "psroipool_forward(Tensor input, Tensor rois, int[] pooled_size, float spatial_scale=1.0, "
         "str convention='rfcn', str layout='NHWC') -> Tensor");
  Define(library,
         "psroipool_backward(Tensor top_grad, Tensor rois, SymInt[] input_shape, float spatial_scale=1.0, "
         "str convention='rfcn', str layout='NHWC') -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(detops, CPU, library) {
  Implement<&Forward>(library, "psroipool_forward");
  Implement<&Backward>(library, "psroipool_backward");
}

}  // namespace detops_torch
