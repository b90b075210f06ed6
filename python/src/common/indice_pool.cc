#include "common/indice_pool.h"

#include <array>

namespace detops_binding {

detopsPoolMethod_t IndicePoolOf(std::string_view word, const char* function) {
  return Choice<detopsPoolMethod_t>(word, {{"max", DETOPS_POOL_MAXIMUM}, {"avg", DETOPS_POOL_AVERAGE}},
                                    {function, "pool"});
}

detopsMaximumStart_t MaximumStartOf(std::string_view word, const char* function) {
  return Choice<detopsMaximumStart_t>(
      word, {{"zero", DETOPS_MAXIMUM_FROM_ZERO}, {"lowest", DETOPS_MAXIMUM_FROM_LOWEST}}, {function, "start"});
}

void IndicePoolForward(Binding& binding, detopsPoolMethod_t method, detopsMaximumStart_t start, const View& features,
                       const PairLists& lists, int64_t rows) {
  const std::array<int64_t, 2> shape = {rows, features.extent(1)};
  const View result = binding.Output(0, features.type, shape);
  const Descriptor features_desc(features);
  const Descriptor pairs_desc(lists.pairs);
  const Descriptor result_desc(result);
  binding.Run([&](mluOpHandle_t handle) {
    return detopsIndicePoolForward(handle, method, start, features_desc, features.data, pairs_desc, lists.pairs.data,
                                   lists.counts.data(), rows, result_desc, result.data);
  });
}

void IndicePoolBackward(Binding& binding, detopsPoolMethod_t method, const View& gradient, const View& features,
                        const View& features_out, const PairLists& lists, int64_t rows) {
  if (method == DETOPS_POOL_MAXIMUM) {
    constexpr char kFunction[] = "indice_pool_backward";
    if (!features.given) Argument{kFunction, "features"}.RefuseType("is None, but pool='max' needs it.");
    if (!features_out.given) Argument{kFunction, "features_out"}.RefuseType("is None, but pool='max' needs it.");
  }
  const std::array<int64_t, 2> shape = {rows, gradient.extent(1)};
  const View result = binding.Output(0, gradient.type, shape);
  const Descriptor features_desc(features);
  const Descriptor features_out_desc(features_out);
  const Descriptor gradient_desc(gradient);
  const Descriptor pairs_desc(lists.pairs);
  const Descriptor result_desc(result);
  binding.Run([&](mluOpHandle_t handle) {
    return detopsIndicePoolBackward(handle, method, features_desc, features.data, features_out_desc, features_out.data,
                                    gradient_desc, gradient.data, pairs_desc, lists.pairs.data, lists.counts.data(),
                                    result_desc, result.data);
  });
}

}  // namespace detops_binding
