#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "arguments.h"
#include "array.h"
#include "call.h"
#include "detops.h"
#include "operators.h"

namespace detops_python {
namespace {

detopsPsRoiPoolConvention_t ConventionOf(const std::string& word, const char* function) {
  return Choice<detopsPsRoiPoolConvention_t>(word,
                                             {{"rfcn", DETOPS_PSROIPOOL_RFCN},
                                              {"torchvision", DETOPS_PSROIPOOL_TORCHVISION},
                                              {"consistent", DETOPS_PSROIPOOL_CONSISTENT}},
                                             {function, "convention"});
}

mluOpTensorLayout_t LayoutOf(const std::string& word, const char* function) {
  return Choice<mluOpTensorLayout_t>(word, {{"NHWC", MLUOP_LAYOUT_NHWC}, {"NCHW", MLUOP_LAYOUT_NCHW}},
                                     {function, "layout"});
}

std::vector<int64_t> PooledShape(mluOpTensorLayout_t layout, int64_t rois, int64_t height, int64_t width,
                                 int64_t output_dim) {
  if (layout == MLUOP_LAYOUT_NHWC) return {rois, height, width, output_dim};
  return {rois, output_dim, height, width};
}

void RequireRoisShape(const Array& rois, const char* function) {
  if (rois.rank() == 2 && rois.extent(1) == 5) return;
  throw nb::value_error(Argument{function, "rois"}.Text("has not the shape (R, 5).").c_str());
}

nb::object Forward(nb::handle input, nb::handle rois, nb::handle pooled_size, double spatial_scale,
                   const std::string& convention, const std::string& layout_name, nb::handle mapping_channel,
                   nb::handle out) {
  constexpr char kFunction[] = "psroipool_forward";
  const mluOpTensorLayout_t layout = LayoutOf(layout_name, kFunction);
  const detopsPsRoiPoolConvention_t bins = ConventionOf(convention, kFunction);
  const std::vector<int> pooled = Sizes(pooled_size, 2, {kFunction, "pooled_size"});
  const Array map = Array::Numbers(input, {kFunction, "input"});
  const Array regions = Array::Numbers(rois, {kFunction, "rois"}, &map);
  if (map.rank() != 4) throw nb::value_error(Argument{kFunction, "input"}.Text("has not rank 4.").c_str());
  RequireRoisShape(regions, kFunction);
  const int64_t bin_count = int64_t{pooled[0]} * pooled[1];
  const int64_t channels = map.extent(layout == MLUOP_LAYOUT_NHWC ? 3 : 1);
  if (pooled[0] < 1 || pooled[1] < 1 || channels % bin_count != 0) {
    throw nb::value_error(Argument{kFunction, "input"}
                              .Text("has " + std::to_string(channels) + " channels, expected a multiple of the " +
                                    std::to_string(bin_count) + " bins of pooled_size.")
                              .c_str());
  }
  const int64_t output_dim = channels / bin_count;
  const std::vector<int64_t> shape = PooledShape(layout, regions.extent(0), pooled[0], pooled[1], output_dim);
  const Array result = Array::Output(out, {kFunction, "out"}, map.type(), shape);
  const Array mapping = mapping_channel.is_none()
                            ? Array()
                            : Array::Output(mapping_channel, {kFunction, "mapping_channel"}, MLUOP_DTYPE_INT32, shape);
  if (result.elements() == 0) return result.object();  // No rois: the contract refuses what is simply empty.
  const Descriptor map_desc(map, layout);
  const Descriptor regions_desc(regions);
  const Descriptor result_desc(result, layout);
  const Descriptor mapping_desc(mapping, layout);
  Run([&](mluOpHandle_t handle) {
    return detopsPsRoiPoolForward(handle, bins, pooled[0], pooled[1], spatial_scale, static_cast<int>(output_dim),
                                  map_desc, map.data(), regions_desc, regions.data(), result_desc, result.data(),
                                  mapping_desc, mapping.data());
  });
  return result.object();
}

nb::object Backward(nb::handle top_grad, nb::handle rois, nb::handle input_shape, double spatial_scale,
                    const std::string& convention, const std::string& layout_name, nb::handle mapping_channel,
                    nb::handle out) {
  constexpr char kFunction[] = "psroipool_backward";
  const mluOpTensorLayout_t layout = LayoutOf(layout_name, kFunction);
  const detopsPsRoiPoolConvention_t bins = ConventionOf(convention, kFunction);
  const bool channels_last = layout == MLUOP_LAYOUT_NHWC;
  const std::vector<int64_t> shape = Shape(input_shape, {kFunction, "input_shape"});
  const Array gradient = Array::Numbers(top_grad, {kFunction, "top_grad"});
  const Array regions = Array::Numbers(rois, {kFunction, "rois"}, &gradient);
  const Array mapping =
      mapping_channel.is_none() ? Array() : Array::Indices(mapping_channel, {kFunction, "mapping_channel"});
  const Array result = Array::Output(out, {kFunction, "out"}, gradient.type(), shape);
  RequireRoisShape(regions, kFunction);
  if (regions.extent(0) == 0 && gradient.rank() == 4 && gradient.extent(0) == 0) {
    result.Fill(0);
    return result.object();
  }
  const Descriptor gradient_desc(gradient, layout);
  const Descriptor regions_desc(regions);
  const Descriptor mapping_desc(mapping, layout);
  const Descriptor result_desc(result, layout);
  const auto pooled_height = static_cast<int>(gradient.extent(channels_last ? 1 : 2));
  const auto pooled_width = static_cast<int>(gradient.extent(channels_last ? 2 : 3));
  const auto output_dim = static_cast<int>(gradient.extent(channels_last ? 3 : 1));
  Run([&](mluOpHandle_t handle) {
    return detopsPsRoiPoolBackward(handle, bins, pooled_height, pooled_width, spatial_scale, output_dim, gradient_desc,
                                   gradient.data(), regions_desc, regions.data(), mapping_desc, mapping.data(),
                                   result_desc, result.data());
  });
  return result.object();
}

}  // namespace

void AddPsRoiPool(nb::module_& module) {
  module.def("psroipool_forward", &Forward, nb::arg("input").none(), nb::arg("rois").none(),
             nb::arg("pooled_size").none(), nb::arg("spatial_scale"), nb::arg("convention"), nb::arg("layout"),
             nb::arg("mapping_channel").none(), nb::arg("out").none());
  module.def("psroipool_backward", &Backward, nb::arg("top_grad").none(), nb::arg("rois").none(),
             nb::arg("input_shape").none(), nb::arg("spatial_scale"), nb::arg("convention"), nb::arg("layout"),
             nb::arg("mapping_channel").none(), nb::arg("out").none());
}

}  // namespace detops_python
