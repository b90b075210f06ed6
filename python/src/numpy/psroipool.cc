#include "common/psroipool.h"

#include <nanobind/nanobind.h>

#include <vector>

#include "numpy/arguments.h"
#include "numpy/array.h"
#include "numpy/call.h"
#include "numpy/operators.h"

namespace detops_python {
namespace {

using detops_binding::PsRoiPoolMode;

nb::object Forward(nb::handle input, nb::handle rois, nb::handle pooled_size, nb::handle spatial_scale,
                   nb::handle convention, nb::handle layout, nb::handle mapping_channel, nb::handle out) {
  constexpr char kFunction[] = "psroipool_forward";
  const PsRoiPoolMode mode(WordOf(convention, {kFunction, "convention"}), WordOf(layout, {kFunction, "layout"}),
                           kFunction);
  const double scale = DoubleOf(spatial_scale, {kFunction, "spatial_scale"});
  const std::array<int, 2> pooled = SizesArray<2>(pooled_size, {kFunction, "pooled_size"});
  const Array map = Array::Numbers(input, {kFunction, "input"});
  const Array regions = Array::Numbers(rois, {kFunction, "rois"}, &map.view());
  NumpyCall call(kFunction, out);
  call.AddOutput("mapping_channel", mapping_channel);
  detops_binding::PsRoiPoolForward(call, mode, map.view(), regions.view(), pooled, scale);
  return call.Result(0);
}

nb::object Backward(nb::handle top_grad, nb::handle rois, nb::handle input_shape, nb::handle spatial_scale,
                    nb::handle convention, nb::handle layout, nb::handle mapping_channel, nb::handle out) {
  constexpr char kFunction[] = "psroipool_backward";
  const PsRoiPoolMode mode(WordOf(convention, {kFunction, "convention"}), WordOf(layout, {kFunction, "layout"}),
                           kFunction);
  const double scale = DoubleOf(spatial_scale, {kFunction, "spatial_scale"});
  const std::vector<int64_t> shape = Shape(input_shape, {kFunction, "input_shape"});
  const Array gradient = Array::Numbers(top_grad, {kFunction, "top_grad"});
  const Array regions = Array::Numbers(rois, {kFunction, "rois"}, &gradient.view());
  const Array mapping =
      mapping_channel.is_none() ? Array() : Array::Indices(mapping_channel, {kFunction, "mapping_channel"});
  NumpyCall call(kFunction, out);
  detops_binding::PsRoiPoolBackward(call, mode, gradient.view(), regions.view(), mapping.view(), shape, scale);
  return call.Result(0);
}

}  // namespace

void AddPsRoiPool(nb::module_& module) {
  module.def("psroipool_forward", &Forward, nb::arg("input").none(), nb::arg("rois").none(),
             nb::arg("pooled_size").none(), nb::arg("spatial_scale").none(), nb::arg("convention").none(),
             nb::arg("layout").none(), nb::arg("mapping_channel").none(), nb::arg("out").none());
  module.def("psroipool_backward", &Backward, nb::arg("top_grad").none(), nb::arg("rois").none(),
             nb::arg("input_shape").none(), nb::arg("spatial_scale").none(), nb::arg("convention").none(),
             nb::arg("layout").none(), nb::arg("mapping_channel").none(), nb::arg("out").none());
}

}  // namespace detops_python
