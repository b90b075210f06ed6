#include "common/indice_convolution.h"

#include <nanobind/nanobind.h>

#include <vector>

#include "numpy/arguments.h"
#include "numpy/array.h"
#include "numpy/call.h"
#include "numpy/operators.h"
#include "numpy/pairs.h"

namespace detops_python {
namespace {

using detops_binding::Epilogue;
using detops_binding::FilterShape;

nb::object Forward(nb::handle features, nb::handle filters, nb::handle indice_pairs, nb::handle indice_num,
                   nb::handle num_act_out, nb::handle filters_layout, nb::handle inverse, nb::handle out) {
  constexpr char kFunction[] = "indice_convolution_forward";
  const Array rows = Array::Numbers(features, {kFunction, "features"});
  const Array weights = Array::Numbers(filters, {kFunction, "filters"}, &rows.view());
  const FilterShape shape(weights.view().shape(), WordOf(filters_layout, {kFunction, "filters_layout"}),
                          {kFunction, "filters"});
  const bool is_inverse = BoolOf(inverse, {kFunction, "inverse"});
  const Pairs pairs(indice_pairs, indice_num, is_inverse, kFunction);
  NumpyCall call(kFunction, out);
  const Argument rows_argument = {kFunction, "num_act_out"};
  const int64_t result_rows = detops_binding::RowsOf(Int64OrNone(num_act_out, rows_argument), is_inverse,
                                                     pairs.length(), call.RowsOfOut(0), rows_argument);
  detops_binding::IndiceConvolutionForward(call, rows.view(), weights.view(), shape, pairs.lists, result_rows, nullptr);
  return call.Result(0);
}

nb::object ForwardFused(nb::handle features, nb::handle filters, nb::handle indice_pairs, nb::handle indice_num,
                        nb::handle num_act_out, nb::handle bias, nb::handle residual, nb::handle activation,
                        nb::handle negative_slope, nb::handle filters_layout, nb::handle inverse, nb::handle out) {
  constexpr char kFunction[] = "indice_convolution_forward_fused";
  const Array rows = Array::Numbers(features, {kFunction, "features"});
  const Array weights = Array::Numbers(filters, {kFunction, "filters"}, &rows.view());
  const FilterShape shape(weights.view().shape(), WordOf(filters_layout, {kFunction, "filters_layout"}),
                          {kFunction, "filters"});
  const bool is_inverse = BoolOf(inverse, {kFunction, "inverse"});
  const Pairs pairs(indice_pairs, indice_num, is_inverse, kFunction);
  const auto numbers_or_none = [&](nb::handle source, const char* name) {
    return source.is_none() ? Array() : Array::Numbers(source, {kFunction, name}, &rows.view());
  };
  const Array added = numbers_or_none(bias, "bias");
  const Array skipped = numbers_or_none(residual, "residual");
  const Epilogue epilogue = {
      .bias = added.view(),
      .residual = skipped.view(),
      .activation = detops_binding::ActivationOf(WordOf(activation, {kFunction, "activation"}), kFunction),
      .negative_slope = static_cast<float>(DoubleOf(negative_slope, {kFunction, "negative_slope"}))};
  NumpyCall call(kFunction, out);
  const Argument rows_argument = {kFunction, "num_act_out"};
  const int64_t result_rows = detops_binding::RowsOf(Int64OrNone(num_act_out, rows_argument), is_inverse,
                                                     pairs.length(), call.RowsOfOut(0), rows_argument);
  detops_binding::IndiceConvolutionForward(call, rows.view(), weights.view(), shape, pairs.lists, result_rows,
                                           &epilogue);
  return call.Result(0);
}

nb::object BackwardData(nb::handle output_grad, nb::handle filters, nb::handle indice_pairs, nb::handle indice_num,
                        nb::handle num_act_in, nb::handle filters_layout, nb::handle inverse, nb::handle out) {
  constexpr char kFunction[] = "indice_convolution_backward_data";
  const Array gradient = Array::Numbers(output_grad, {kFunction, "output_grad"});
  const Array weights = Array::Numbers(filters, {kFunction, "filters"}, &gradient.view());
  const FilterShape shape(weights.view().shape(), WordOf(filters_layout, {kFunction, "filters_layout"}),
                          {kFunction, "filters"});
  const bool is_inverse = BoolOf(inverse, {kFunction, "inverse"});
  const Pairs pairs(indice_pairs, indice_num, is_inverse, kFunction);
  NumpyCall call(kFunction, out);
  const Argument rows_argument = {kFunction, "num_act_in"};
  const int64_t result_rows = detops_binding::RowsOf(Int64OrNone(num_act_in, rows_argument), !is_inverse,
                                                     pairs.length(), call.RowsOfOut(0), rows_argument);
  detops_binding::IndiceConvolutionBackwardData(call, gradient.view(), weights.view(), shape, pairs.lists, result_rows);
  return call.Result(0);
}

nb::object BackwardFilter(nb::handle features, nb::handle output_grad, nb::handle indice_pairs, nb::handle indice_num,
                          nb::handle filters_shape, nb::handle filters_layout, nb::handle inverse, nb::handle out) {
  constexpr char kFunction[] = "indice_convolution_backward_filter";
  const Array rows = Array::Numbers(features, {kFunction, "features"});
  const Array gradient = Array::Numbers(output_grad, {kFunction, "output_grad"}, &rows.view());
  const Pairs pairs(indice_pairs, indice_num, BoolOf(inverse, {kFunction, "inverse"}), kFunction);
  const std::vector<int64_t> given_shape = Shape(filters_shape, {kFunction, "filters_shape"});
  const FilterShape shape(given_shape, WordOf(filters_layout, {kFunction, "filters_layout"}),
                          {kFunction, "filters_shape"});
  NumpyCall call(kFunction, out);
  detops_binding::IndiceConvolutionBackwardFilter(call, rows.view(), gradient.view(), given_shape, shape, pairs.lists);
  return call.Result(0);
}

}  // namespace

void AddIndiceConvolution(nb::module_& module) {
  module.def("indice_convolution_forward", &Forward, nb::arg("features").none(), nb::arg("filters").none(),
             nb::arg("indice_pairs").none(), nb::arg("indice_num").none(), nb::arg("num_act_out").none(),
             nb::arg("filters_layout").none(), nb::arg("inverse").none(), nb::arg("out").none());
  module.def("indice_convolution_forward_fused", &ForwardFused, nb::arg("features").none(), nb::arg("filters").none(),
             nb::arg("indice_pairs").none(), nb::arg("indice_num").none(), nb::arg("num_act_out").none(),
             nb::arg("bias").none(), nb::arg("residual").none(), nb::arg("activation").none(),
             nb::arg("negative_slope").none(), nb::arg("filters_layout").none(), nb::arg("inverse").none(),
             nb::arg("out").none());
  module.def("indice_convolution_backward_data", &BackwardData, nb::arg("output_grad").none(),
             nb::arg("filters").none(), nb::arg("indice_pairs").none(), nb::arg("indice_num").none(),
             nb::arg("num_act_in").none(), nb::arg("filters_layout").none(), nb::arg("inverse").none(),
             nb::arg("out").none());
  module.def("indice_convolution_backward_filter", &BackwardFilter, nb::arg("features").none(),
             nb::arg("output_grad").none(), nb::arg("indice_pairs").none(), nb::arg("indice_num").none(),
             nb::arg("filters_shape").none(), nb::arg("filters_layout").none(), nb::arg("inverse").none(),
             nb::arg("out").none());
}

}  // namespace detops_python
