#include "common/indice_convolution.h"

#include "torch_ops/box.h"
#include "torch_ops/pairs.h"
#include "torch_ops/tensor.h"

namespace detops_torch {
namespace {

using detops_binding::Epilogue;
using detops_binding::FilterShape;

Tensor Convolve(const char* function, const Tensor& features, const Tensor& filters, const Tensor& indice_pairs,
                const Tensor& indice_num, std::optional<int64_t> num_act_out, const Word& filters_layout, bool inverse,
                const std::optional<Tensor>& bias, const std::optional<Tensor>& residual, Epilogue* epilogue) {
  const Input rows = Input::Numbers(features, {function, "features"});
  const Input weights = Input::Numbers(filters, {function, "filters"}, &rows.view());
  const FilterShape shape(weights.view().shape(), filters_layout, {function, "filters"});
  const Pairs pairs(indice_pairs, indice_num, inverse, function);
  const auto numbers_or_none = [&](const std::optional<Tensor>& tensor, const char* name) {
    return tensor.has_value() ? Input::Numbers(*tensor, {function, name}, &rows.view()) : Input();
  };
  const Input added = numbers_or_none(bias, "bias");
  const Input skipped = numbers_or_none(residual, "residual");
  if (epilogue != nullptr) {
    epilogue->bias = added.view();
    epilogue->residual = skipped.view();
  }
  const int64_t result_rows =
      detops_binding::RowsOf(num_act_out, inverse, pairs.length(), std::nullopt, {function, "num_act_out"});
  TorchCall call(function);
  detops_binding::IndiceConvolutionForward(call, rows.view(), weights.view(), shape, pairs.lists, result_rows,
                                           epilogue);
  return call.Result(0);
}

Tensor Forward(const Tensor& features, const Tensor& filters, const Tensor& indice_pairs, const Tensor& indice_num,
               std::optional<int64_t> num_act_out, const Word& filters_layout, bool inverse) {
  return Convolve("indice_convolution_forward", features, filters, indice_pairs, indice_num, num_act_out,
                  filters_layout, inverse, std::nullopt, std::nullopt, nullptr);
}

Tensor ForwardFused(const Tensor& features, const Tensor& filters, const Tensor& indice_pairs, const Tensor& indice_num,
                    std::optional<int64_t> num_act_out, const std::optional<Tensor>& bias,
                    const std::optional<Tensor>& residual, const Word& activation, double negative_slope,
                    const Word& filters_layout, bool inverse) {
  constexpr char kFunction[] = "indice_convolution_forward_fused";
  Epilogue epilogue = {.activation = detops_binding::ActivationOf(activation, kFunction),
                       .negative_slope = static_cast<float>(negative_slope)};
  return Convolve(kFunction, features, filters, indice_pairs, indice_num, num_act_out, filters_layout, inverse, bias,
                  residual, &epilogue);
}

Tensor BackwardData(const Tensor& output_grad, const Tensor& filters, const Tensor& indice_pairs,
                    const Tensor& indice_num, std::optional<int64_t> num_act_in, const Word& filters_layout,
                    bool inverse) {
  constexpr char kFunction[] = "indice_convolution_backward_data";
  const Input gradient = Input::Numbers(output_grad, {kFunction, "output_grad"});
  const Input weights = Input::Numbers(filters, {kFunction, "filters"}, &gradient.view());
  const FilterShape shape(weights.view().shape(), filters_layout, {kFunction, "filters"});
  const Pairs pairs(indice_pairs, indice_num, inverse, kFunction);
  const int64_t result_rows =
      detops_binding::RowsOf(num_act_in, !inverse, pairs.length(), std::nullopt, {kFunction, "num_act_in"});
  TorchCall call(kFunction);
  detops_binding::IndiceConvolutionBackwardData(call, gradient.view(), weights.view(), shape, pairs.lists, result_rows);
  return call.Result(0);
}

Tensor BackwardFilter(const Tensor& features, const Tensor& output_grad, const Tensor& indice_pairs,
                      const Tensor& indice_num, const Sizes& filters_shape, const Word& filters_layout, bool inverse) {
  constexpr char kFunction[] = "indice_convolution_backward_filter";
  const Input rows = Input::Numbers(features, {kFunction, "features"});
  const Input gradient = Input::Numbers(output_grad, {kFunction, "output_grad"}, &rows.view());
  const Pairs pairs(indice_pairs, indice_num, inverse, kFunction);
  const FilterShape shape(filters_shape, filters_layout, {kFunction, "filters_shape"});
  TorchCall call(kFunction);
  detops_binding::IndiceConvolutionBackwardFilter(call, rows.view(), gradient.view(), filters_shape, shape,
                                                  pairs.lists);
  return call.Result(0);
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(detops, library) {
  Define(library,
         "indice_convolution_forward(Tensor features, Tensor filters, Tensor indice_pairs, Tensor indice_num, "
         "SymInt? num_act_out=None, str filters_layout='KIO', bool inverse=False) -> Tensor");
  Define(library,
         "indice_convolution_forward_fused(Tensor features, Tensor filters, Tensor indice_pairs, Tensor indice_num, "
         "SymInt? num_act_out=None, Tensor? bias=None, Tensor? residual=None, str activation='none', "
         "float negative_slope=0.01, str filters_layout='KIO', bool inverse=False) -> Tensor");
  Define(library,
         "indice_convolution_backward_data(Tensor output_grad, Tensor filters, Tensor indice_pairs, Tensor indice_num, "
         "SymInt? num_act_in=None, str filters_layout='KIO', bool inverse=False) -> Tensor");
  Define(library,
         "indice_convolution_backward_filter(Tensor features, Tensor output_grad, Tensor indice_pairs, "
         "Tensor indice_num, SymInt[] filters_shape, str filters_layout='KIO', bool inverse=False) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(detops, CPU, library) {
  Implement<&Forward>(library, "indice_convolution_forward");
  Implement<&ForwardFused>(library, "indice_convolution_forward_fused");
  Implement<&BackwardData>(library, "indice_convolution_backward_data");
  Implement<&BackwardFilter>(library, "indice_convolution_backward_filter");
}

}  // namespace detops_torch
