#include "common/psroipool.h"

#include <string>
#include <vector>

namespace detops_binding {
namespace {

std::vector<int64_t> PooledShape(mluOpTensorLayout_t layout, int64_t rois, int64_t height, int64_t width,
                                 int64_t output_dim) {
  if (layout == MLUOP_LAYOUT_NHWC) return {rois, height, width, output_dim};
  return {rois, output_dim, height, width};
}

void RequireRoisShape(const View& rois, const char* function) {
  if (rois.rank != 2 || rois.extent(1) != 5) Argument{function, "rois"}.RefuseShape(rois.shape(), "(R, 5)");
}

}  // namespace

PsRoiPoolMode::PsRoiPoolMode(std::string_view convention_name, std::string_view layout_name, const char* function)
    : convention(Choice<detopsPsRoiPoolConvention_t>(convention_name,
                                                     {{"rfcn", DETOPS_PSROIPOOL_RFCN},
                                                      {"torchvision", DETOPS_PSROIPOOL_TORCHVISION},
                                                      {"consistent", DETOPS_PSROIPOOL_CONSISTENT}},
                                                     {function, "convention"})),
      layout(Choice<mluOpTensorLayout_t>(layout_name, {{"NHWC", MLUOP_LAYOUT_NHWC}, {"NCHW", MLUOP_LAYOUT_NCHW}},
                                         {function, "layout"})) {}

void PsRoiPoolForward(Binding& binding, const PsRoiPoolMode& mode, const View& map, const View& rois,
                      const std::array<int, 2>& pooled_size, double spatial_scale) {
  constexpr char kFunction[] = "psroipool_forward";
  const auto [height, width] = pooled_size;
  const bool channels_last = mode.layout == MLUOP_LAYOUT_NHWC;
  if (map.rank != 4) {
    Argument{kFunction, "input"}.RefuseShape(map.shape(), channels_last ? "(N, H, W, C)" : "(N, C, H, W)");
  }
  RequireRoisShape(rois, kFunction);
  if (height < 1 || width < 1) {
    const std::array<int64_t, 2> found = {height, width};
    Argument{kFunction, "pooled_size"}.Refuse("is " + TextOf(found) + ", expected 1 or more bins along each axis.");
  }
  const int64_t bin_count = int64_t{height} * width;
  const int64_t channels = map.extent(channels_last ? 3 : 1);
  if (channels % bin_count != 0) {
    Argument{kFunction, "input"}.Refuse("has " + std::to_string(channels) + " channels, expected a multiple of the " +
                                        std::to_string(bin_count) + " bins of pooled_size.");
  }
  const int64_t output_dim = channels / bin_count;
  const std::vector<int64_t> shape = PooledShape(mode.layout, rois.extent(0), height, width, output_dim);
  const View result = binding.Output(0, map.type, shape);
  const View mapping = binding.IsGiven(1) ? binding.Output(1, MLUOP_DTYPE_INT32, shape) : View();
  if (result.elements() == 0) return;  // No rois: the contract refuses what is simply empty.
  const Descriptor map_desc(map, mode.layout);
  const Descriptor rois_desc(rois);
  const Descriptor result_desc(result, mode.layout);
  const Descriptor mapping_desc(mapping, mode.layout);
  binding.Run([&, height = height, width = width](mluOpHandle_t handle) {
    return detopsPsRoiPoolForward(handle, mode.convention, height, width, spatial_scale, static_cast<int>(output_dim),
                                  map_desc, map.data, rois_desc, rois.data, result_desc, result.data, mapping_desc,
                                  mapping.data);
  });
}

void PsRoiPoolBackward(Binding& binding, const PsRoiPoolMode& mode, const View& gradient, const View& rois,
                       const View& mapping, std::span<const int64_t> input_shape, double spatial_scale) {
  const bool channels_last = mode.layout == MLUOP_LAYOUT_NHWC;
  const View result = binding.Output(0, gradient.type, input_shape);
  RequireRoisShape(rois, "psroipool_backward");
  if (rois.extent(0) == 0 && gradient.rank == 4 && gradient.extent(0) == 0) {
    result.Fill(0);
    return;
  }
  const Descriptor gradient_desc(gradient, mode.layout);
  const Descriptor rois_desc(rois);
  const Descriptor mapping_desc(mapping, mode.layout);
  const Descriptor result_desc(result, mode.layout);
  const auto pooled_height = static_cast<int>(gradient.extent(channels_last ? 1 : 2));
  const auto pooled_width = static_cast<int>(gradient.extent(channels_last ? 2 : 3));
  const auto output_dim = static_cast<int>(gradient.extent(channels_last ? 3 : 1));
  binding.Run([&](mluOpHandle_t handle) {
    return detopsPsRoiPoolBackward(handle, mode.convention, pooled_height, pooled_width, spatial_scale, output_dim,
                                   gradient_desc, gradient.data, rois_desc, rois.data, mapping_desc, mapping.data,
                                   result_desc, result.data);
  });
}

}  // namespace detops_binding
