// Tells torch of the operators, and of the settings of a thread.
#include <torch/csrc/stable/library.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "common/call.h"
#include "common/operators.h"
#include "torch_ops/call.h"

namespace detops_torch {
namespace {

using detops_binding::ForEachList;
using detops_binding::SettingsOfThisThread;
using torch::stable::detail::to;
using Library = torch::stable::detail::StableLibrary;

// Torch's dispatcher calls functions without any data of their own: one for each operator.
template <const auto& kList, size_t kIndex>
void Run(StableIValue* stack, uint64_t num_arguments, uint64_t num_results) {
  const detops_binding::Operator& op = kList[kIndex];
  STD_TORCH_CHECK(num_arguments == op.schema.torch_parameters().size() && num_results == op.schema.results(),
                  "detops: a schema was not understood");
  TorchCall call(op.schema, stack);
  op.run(call);
  call.PutResults(stack);
}

template <const auto& kList, size_t... kIndex>
void ImplementEach(Library& library, std::index_sequence<kIndex...> /*indices*/) {
  (library.impl(std::string(kList[kIndex].schema.name()).c_str(), &Run<kList, kIndex>), ...);
}

// Python's context managers put back what these return.
void SwapThreads(StableIValue* stack, uint64_t /*num_arguments*/, uint64_t /*num_results*/) {
  const auto num_threads = static_cast<int>(to<int64_t>(stack[0]));
  stack[0] = torch::stable::detail::from(int64_t{std::exchange(SettingsOfThisThread().num_threads, num_threads)});
}

void SwapValueChecks(StableIValue* stack, uint64_t /*num_arguments*/, uint64_t /*num_results*/) {
  stack[0] = torch::stable::detail::from(std::exchange(SettingsOfThisThread().value_checks, to<bool>(stack[0])));
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(detops, library) {
  ForEachList([&]<const auto & kList>() {
    for (const detops_binding::Operator& op : kList) library.def(op.schema.text());
  });
  library.def("_swap_threads_of_this_thread(int num_threads) -> int");
  library.def("_swap_value_checks(bool on) -> bool");
}

STABLE_TORCH_LIBRARY_IMPL(detops, CPU, library) {
  ForEachList([&]<const auto & kList>() {
    ImplementEach<kList>(library, std::make_index_sequence<std::tuple_size_v<std::decay_t<decltype(kList)>>>());
  });
}

STABLE_TORCH_LIBRARY_IMPL(detops, CompositeExplicitAutograd, library) {
  library.impl("_swap_threads_of_this_thread", &SwapThreads);
  library.impl("_swap_value_checks", &SwapValueChecks);
}

}  // namespace detops_torch
