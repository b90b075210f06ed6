#include <array>
#include <string>
#include <vector>

#include "common/operators.h"

namespace detops_binding {
namespace {

constexpr Schema kForward(
    "psroipool_forward(Tensor input, Tensor rois, int[] pooled_size, float spatial_scale=1.0, "
    "str convention='rfcn', str layout='NHWC') -> Tensor");
constexpr Schema kBackward(
    "psroipool_backward(Tensor top_grad, Tensor rois, SymInt[] input_shape, float spatial_scale=1.0, "
    "str convention='rfcn', str layout='NHWC') -> Tensor",
    "Tensor? mapping_channel");

// What both passes have.
struct Mode {
  detopsPsRoiPoolConvention_t convention;
  mluOpTensorLayout_t layout;
  double scale;

  Mode(Call& call, const Parameter& convention_word, const Parameter& layout_word, const Parameter& spatial_scale)
      : convention(
            call.Choice<detopsPsRoiPoolConvention_t>(convention_word, {{"rfcn", DETOPS_PSROIPOOL_RFCN},
                                                                       {"torchvision", DETOPS_PSROIPOOL_TORCHVISION},
                                                                       {"consistent", DETOPS_PSROIPOOL_CONSISTENT}})),
        layout(
            call.Choice<mluOpTensorLayout_t>(layout_word, {{"NHWC", MLUOP_LAYOUT_NHWC}, {"NCHW", MLUOP_LAYOUT_NCHW}})),
        scale(call.Real(spatial_scale)) {}

  bool channels_last() const { return layout == MLUOP_LAYOUT_NHWC; }
};

View ReadRois(Call& call, const Parameter& parameter, const View& map) {
  const View rois = call.Numbers(parameter, &map);
  if (rois.rank != 2 || rois.extent(1) != 5) call.At(parameter).RefuseShape(rois.shape(), "(R, 5)");
  return rois;
}

// Result 1 is the mapping channels, if NumPy's caller has passed memory for them.
void Forward(Call& call) {
  const Mode mode(call, kForward["convention"], kForward["layout"], kForward["spatial_scale"]);
  const std::array<int, 2> pooled_size = call.IntArray<2>(kForward["pooled_size"]);
  const int height = pooled_size[0];
  const int width = pooled_size[1];
  const View map = call.Numbers(kForward["input"]);
  if (map.rank != 4) {
    call.At(kForward["input"]).RefuseShape(map.shape(), mode.channels_last() ? "(N, H, W, C)" : "(N, C, H, W)");
  }
  const View rois = ReadRois(call, kForward["rois"], map);
  if (height < 1 || width < 1) {
    const std::array<int64_t, 2> found = {height, width};
    call.At(kForward["pooled_size"]).Refuse("is " + TextOf(found) + ", expected 1 or more bins along each axis.");
  }
  const int64_t bin_count = int64_t{height} * width;
  const int64_t channels = map.extent(mode.channels_last() ? 3 : 1);
  if (channels % bin_count != 0) {
    call.At(kForward["input"])
        .Refuse("has " + std::to_string(channels) + " channels, expected a multiple of the " +
                std::to_string(bin_count) + " bins of pooled_size.");
  }
  const int64_t output_dim = channels / bin_count;
  const int64_t count = rois.extent(0);
  const std::array<int64_t, 4> shape = mode.channels_last() ? std::array<int64_t, 4>{count, height, width, output_dim}
                                                            : std::array<int64_t, 4>{count, output_dim, height, width};
  const View result = call.Output(0, map.type, shape);
  const View mapping = call.IsGiven(1) ? call.Output(1, MLUOP_DTYPE_INT32, shape) : View();
  if (result.elements() == 0) return;  // No rois: the contract refuses what is simply empty.
  call.Run([&](mluOpHandle_t handle) {
    return detopsPsRoiPoolForward(handle, mode.convention, height, width, mode.scale, static_cast<int>(output_dim),
                                  Descriptor(map, mode.layout), map.data, Descriptor(rois), rois.data,
                                  Descriptor(result, mode.layout), result.data, Descriptor(mapping, mode.layout),
                                  mapping.data);
  });
}

void Backward(Call& call) {
  const Mode mode(call, kBackward["convention"], kBackward["layout"], kBackward["spatial_scale"]);
  const std::vector<int64_t> input_shape = call.Shape(kBackward["input_shape"]);
  const View gradient = call.Numbers(kBackward["top_grad"]);
  const View rois = ReadRois(call, kBackward["rois"], gradient);
  const View mapping = call.IndicesIf(true, kBackward["mapping_channel"]);
  const View result = call.Output(0, gradient.type, input_shape);
  if (rois.extent(0) == 0 && gradient.rank == 4 && gradient.extent(0) == 0) {
    result.Fill(0);
    return;
  }
  const auto pooled_height = static_cast<int>(gradient.extent(mode.channels_last() ? 1 : 2));
  const auto pooled_width = static_cast<int>(gradient.extent(mode.channels_last() ? 2 : 3));
  const auto output_dim = static_cast<int>(gradient.extent(mode.channels_last() ? 3 : 1));
  call.Run([&](mluOpHandle_t handle) {
    return detopsPsRoiPoolBackward(handle, mode.convention, pooled_height, pooled_width, mode.scale, output_dim,
                                   Descriptor(gradient, mode.layout), gradient.data, Descriptor(rois), rois.data,
                                   Descriptor(mapping, mode.layout), mapping.data, Descriptor(result, mode.layout),
                                   result.data);
  });
}

}  // namespace

constinit const std::array<Operator, 2> kPsRoiPool = {{{kForward, &Forward}, {kBackward, &Backward}}};

}  // namespace detops_binding
