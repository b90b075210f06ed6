#include "common/get_indice_pairs.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "numpy/arguments.h"
#include "numpy/array.h"
#include "numpy/call.h"
#include "numpy/operators.h"

namespace detops_python {
namespace {

nb::tuple GetIndicePairs(nb::handle indices, nb::handle batch_size, nb::handle spatial_shape, nb::handle kernel_size,
                         nb::handle stride, nb::handle padding, nb::handle dilation, nb::handle output_padding,
                         nb::handle output_shape, nb::handle submanifold, nb::handle transposed, nb::handle out) {
  constexpr char kFunction[] = "get_indice_pairs";
  const std::vector<int> space = Sizes(spatial_shape, {kFunction, "spatial_shape"});
  const size_t ndim = space.size();
  detops_binding::RequireSpatialRank(ndim);
  const auto axes_of = [&](const std::vector<int>& numbers) {
    detops_binding::Axes axes(ndim);
    std::copy(numbers.begin(), numbers.end(), axes.all().begin());
    return axes;
  };
  const auto sizes = [&](nb::handle source, const char* name) {
    return axes_of(Sizes(source, static_cast<int>(ndim), {kFunction, name}));
  };
  detops_binding::PairGeometry geometry = {.input = axes_of(space),
                                           .kernel = sizes(kernel_size, "kernel_size"),
                                           .stride = sizes(stride, "stride"),
                                           .dilation = sizes(dilation, "dilation"),
                                           .output_padding = sizes(output_padding, "output_padding"),
                                           .submanifold = BoolOf(submanifold, {kFunction, "submanifold"}),
                                           .transposed = BoolOf(transposed, {kFunction, "transposed"}),
                                           .batch_size = Int32Of(batch_size, {kFunction, "batch_size"})};
  if (padding.is_none()) {
    geometry.SetDefaultPadding();
  } else {
    geometry.padding = sizes(padding, "padding");
  }
  if (output_shape.is_none()) {
    geometry.SetDefaultOutput();
  } else {
    geometry.output = sizes(output_shape, "output_shape");
  }
  const Array sites = Array::Indices(indices, {kFunction, "indices"});
  NumpyCall call(kFunction, out, 3);
  const int num_act_out = detops_binding::GetIndicePairs(call, geometry, sites.view());
  return nb::make_tuple(call.Result(0), call.Result(1), call.Result(2), num_act_out, TupleOf(geometry.output));
}

}  // namespace

void AddGetIndicePairs(nb::module_& module) {
  module.def("get_indice_pairs", &GetIndicePairs, nb::arg("indices").none(), nb::arg("batch_size").none(),
             nb::arg("spatial_shape").none(), nb::arg("kernel_size").none(), nb::arg("stride").none(),
             nb::arg("padding").none(), nb::arg("dilation").none(), nb::arg("output_padding").none(),
             nb::arg("output_shape").none(), nb::arg("submanifold").none(), nb::arg("transposed").none(),
             nb::arg("out").none());
}

}  // namespace detops_python
