#include "common/indice_pool.h"

#include "torch_ops/box.h"
#include "torch_ops/pairs.h"
#include "torch_ops/tensor.h"

namespace detops_torch {
namespace {

Tensor Forward(const Tensor& features, const Tensor& indice_pairs, const Tensor& indice_num,
               std::optional<int64_t> num_act_out, const Word& pool, const Word& start) {
  constexpr char kFunction[] = "indice_pool_forward";
  const detopsPoolMethod_t method = detops_binding::IndicePoolOf(pool, kFunction);
  const detopsMaximumStart_t first = detops_binding::MaximumStartOf(start, kFunction);
  const Input rows = Input::Numbers(features, {kFunction, "features"});
  const Pairs pairs(indice_pairs, indice_num, false, kFunction);
  const int64_t result_rows =
      detops_binding::RowsOf(num_act_out, false, pairs.length(), std::nullopt, {kFunction, "num_act_out"});
  TorchCall call(kFunction);
  detops_binding::IndicePoolForward(call, method, first, rows.view(), pairs.lists, result_rows);
  return call.Result(0);
}

Tensor Backward(const Tensor& output_grad, const std::optional<Tensor>& features,
                const std::optional<Tensor>& features_out, const Tensor& indice_pairs, const Tensor& indice_num,
                std::optional<int64_t> num_act_in, const Word& pool) {
  constexpr char kFunction[] = "indice_pool_backward";
  const detopsPoolMethod_t method = detops_binding::IndicePoolOf(pool, kFunction);
  const Input gradient = Input::Numbers(output_grad, {kFunction, "output_grad"});
  const auto numbers_if = [&](const std::optional<Tensor>& tensor, const char* name) {
    const bool needed = method == DETOPS_POOL_MAXIMUM && tensor.has_value();
    return needed ? Input::Numbers(*tensor, {kFunction, name}, &gradient.view()) : Input();
  };
  const Input inputs = numbers_if(features, "features");
  const Input outputs = numbers_if(features_out, "features_out");
  const Pairs pairs(indice_pairs, indice_num, false, kFunction);
  const int64_t result_rows =
      detops_binding::RowsOf(num_act_in, true, pairs.length(), std::nullopt, {kFunction, "num_act_in"});
  TorchCall call(kFunction);
  detops_binding::IndicePoolBackward(call, method, gradient.view(), inputs.view(), outputs.view(), pairs.lists,
                                     result_rows);
  return call.Result(0);
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(detops, library) {
  Define(library,
         "indice_pool_forward(Tensor features, Tensor indice_pairs, Tensor indice_num, SymInt? num_act_out=None, "
         "str pool='max', str start='zero') -> Tensor");
  Define(library,
         "indice_pool_backward(Tensor output_grad, Tensor? features, Tensor? features_out, Tensor indice_pairs, "
         "Tensor indice_num, SymInt? num_act_in=None, str pool='max') -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(detops, CPU, library) {
  Implement<&Forward>(library, "indice_pool_forward");
  Implement<&Backward>(library, "indice_pool_backward");
}

}  // namespace detops_torch
