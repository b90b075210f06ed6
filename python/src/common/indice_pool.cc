#include "common/operators.h"
#include "common/pairs.h"

namespace detops_binding {
namespace {

constexpr Schema kForward(
    "indice_pool_forward(Tensor features, Tensor indice_pairs, Tensor indice_num, SymInt? num_act_out=None, "
    "str pool='max', str start='zero') -> Tensor");
constexpr Schema kBackward(
    "indice_pool_backward(Tensor output_grad, Tensor? features, Tensor? features_out, Tensor indice_pairs, "
    "Tensor indice_num, SymInt? num_act_in=None, str pool='max') -> Tensor");

detopsPoolMethod_t ReadPool(Call& call, const Parameter& parameter) {
  return call.Choice<detopsPoolMethod_t>(parameter, {{"max", DETOPS_POOL_MAXIMUM}, {"avg", DETOPS_POOL_AVERAGE}});
}

void Forward(Call& call) {
  const detopsPoolMethod_t method = ReadPool(call, kForward["pool"]);
  const auto start = call.Choice<detopsMaximumStart_t>(
      kForward["start"], {{"zero", DETOPS_MAXIMUM_FROM_ZERO}, {"lowest", DETOPS_MAXIMUM_FROM_LOWEST}});
  const View features = call.Numbers(kForward["features"]);
  const PairLists lists(call, kForward["indice_pairs"], kForward["indice_num"]);
  const int64_t rows = ReadRows(call, kForward["num_act_out"], false, lists);
  const View result = call.Output(0, features.type, {rows, features.extent(1)});
  call.Run([&](mluOpHandle_t handle) {
    if (call.rulebook() != nullptr) {
      return detopsRulebookPoolForward(handle, call.rulebook(), method, start, Descriptor(features), features.data,
                                       Descriptor(result), result.data);
    }
    return detopsIndicePoolForward(handle, method, start, Descriptor(features), features.data, Descriptor(lists.pairs),
                                   lists.pairs.data, lists.counts.data(), rows, Descriptor(result), result.data);
  });
}

void Backward(Call& call) {
  const detopsPoolMethod_t method = ReadPool(call, kBackward["pool"]);
  const View gradient = call.Numbers(kBackward["output_grad"]);
  // The average needs neither, and leaves them alone.
  const auto read = [&](const Parameter& parameter) {
    const bool is_max = method == DETOPS_POOL_MAXIMUM;
    if (is_max && call.IsNone(parameter)) call.At(parameter).RefuseType("is None, but pool='max' needs it.");
    return call.NumbersIf(is_max, parameter, &gradient);
  };
  const View features = read(kBackward["features"]);
  const View features_out = read(kBackward["features_out"]);
  const PairLists lists(call, kBackward["indice_pairs"], kBackward["indice_num"]);
  const int64_t rows = ReadRows(call, kBackward["num_act_in"], true, lists);
  const View result = call.Output(0, gradient.type, {rows, gradient.extent(1)});
  call.Run([&](mluOpHandle_t handle) {
    if (call.rulebook() != nullptr) {
      return detopsRulebookPoolBackward(handle, call.rulebook(), method, Descriptor(features), features.data,
                                        Descriptor(features_out), features_out.data, Descriptor(gradient),
                                        gradient.data, Descriptor(result), result.data);
    }
    return detopsIndicePoolBackward(handle, method, Descriptor(features), features.data, Descriptor(features_out),
                                    features_out.data, Descriptor(gradient), gradient.data, Descriptor(lists.pairs),
                                    lists.pairs.data, lists.counts.data(), Descriptor(result), result.data);
  });
}

}  // namespace

constinit const std::array<Operator, 2> kIndicePool = {{{kForward, &Forward}, {kBackward, &Backward}}};

}  // namespace detops_binding
