// Rulebooks for Python, which keeps their addresses: operators that make and free one, and those that take one.
#include <torch/csrc/stable/library.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "common/operators.h"
#include "common/pairs.h"
#include "torch_ops/call.h"

namespace detops_torch {
namespace {

using detops_binding::kIndiceConvolution;
using detops_binding::kIndicePool;
using Library = torch::stable::detail::StableLibrary;

const Schema& kPairs = detops_binding::kGetIndicePairs[0].schema;
constexpr Schema kCreate("_create_rulebook(Tensor indice_pairs, Tensor indice_num, int num_act_out) -> int");

detopsRulebook_t RulebookOf(StableIValue value) {
  return reinterpret_cast<detopsRulebook_t>(torch::stable::detail::to<int64_t>(value));
}

void Create(StableIValue* stack, uint64_t /*num_arguments*/, uint64_t /*num_results*/) {
  TorchCall call(kCreate, stack);
  const detops_binding::PairLists lists(call, kCreate["indice_pairs"], kCreate["indice_num"]);
  const detops_binding::Descriptor pairs_desc(lists.pairs);
  const int64_t num_act_out = call.Int64(kCreate["num_act_out"]);
  detopsRulebook_t made = nullptr;
  call.Run([&](mluOpHandle_t handle) {
    return detopsCreateRulebook(handle, pairs_desc, lists.pairs.data, lists.counts.data(), lists.pairs.extent(2),
                                num_act_out, &made);
  });
  stack[0] = torch::stable::detail::from(static_cast<int64_t>(reinterpret_cast<intptr_t>(made)));
}

// What detops::_build_rulebook is given before the arguments of detops::get_indice_pairs: a rulebook to make anew, or
// 0.
void Build(StableIValue* stack, uint64_t /*num_arguments*/, uint64_t /*num_results*/) {
  TorchCall call(kPairs, stack + 1);
  detopsRulebook_t made = RulebookOf(stack[0]);
  detops_binding::BuildRulebook(call, made);
  stack[0] = call.Release(0);
  stack[1] = call.Release(2);
  stack[2] = torch::stable::detail::from(static_cast<int64_t>(reinterpret_cast<intptr_t>(made)));
}

void Destroy(StableIValue* stack, uint64_t /*num_arguments*/, uint64_t /*num_results*/) {
  detopsDestroyRulebook(RulebookOf(stack[0]));
}

template <const auto& kList, size_t kIndex>
void Run(StableIValue* stack, uint64_t /*num_arguments*/, uint64_t /*num_results*/) {
  TorchCall call(kList[kIndex].schema, stack + 1, RulebookOf(stack[0]));
  kList[kIndex].run(call);
  call.PutResults(stack);
}

// detops::_on_rulebook_<name> has one argument more than detops::<name>, the first.
void Define(Library& library, const Schema& schema) {
  std::string text = "_on_rulebook_" + std::string(schema.text());
  text.insert(text.find('(') + 1, "int rulebook, ");
  library.def(text.c_str());
}

template <const auto& kList, size_t... kIndex>
void ImplementEach(Library& library, std::index_sequence<kIndex...> /*indices*/) {
  (library.impl(("_on_rulebook_" + std::string(kList[kIndex].schema.name())).c_str(), &Run<kList, kIndex>), ...);
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(detops, library) {
  library.def(kCreate.text());
  std::string build = "_build_rulebook(int rulebook, " + std::string(kPairs.text());
  build.erase(build.find(kPairs.name()), kPairs.name().size() + 1);
  build.erase(build.find(" -> "));
  library.def((build + " -> (Tensor out_indices, Tensor indice_num, int rulebook)").c_str());
  library.def("_destroy_rulebook(int rulebook) -> ()");
  for (const detops_binding::Operator& op : kIndiceConvolution) Define(library, op.schema);
  for (const detops_binding::Operator& op : kIndicePool) Define(library, op.schema);
}

STABLE_TORCH_LIBRARY_IMPL(detops, CPU, library) {
  library.impl("_create_rulebook", &Create);
  library.impl("_build_rulebook", &Build);
  ImplementEach<kIndiceConvolution>(library, std::make_index_sequence<kIndiceConvolution.size()>());
  ImplementEach<kIndicePool>(library, std::make_index_sequence<kIndicePool.size()>());
}

STABLE_TORCH_LIBRARY_IMPL(detops, CompositeExplicitAutograd, library) { library.impl("_destroy_rulebook", &Destroy); }

}  // namespace detops_torch
