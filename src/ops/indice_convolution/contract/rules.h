// The contracts of the convolutions on pairs and rulebooks.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_CONTRACT_RULES_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_CONTRACT_RULES_H_

#include <string>

#include "harness/rules.h"

namespace detops_harness::indice_convolution {

enum class Way { kForward, kBackwardData, kBackwardFilter };
// The call, its workspace size, the fused call, the call on a rulebook.
enum class Entry { kCall, kSize, kFused, kRulebook };

// What each way calls its tensors.
struct TensorNames {
  std::string in, out, filters, target;
};
TensorNames NamesOf(Way way);

Contract MakeContract(Way way, Entry entry);
Contract MakeRulebookContract();  // of detopsCreateRulebook

// ---- between the files of contracts ----

struct Kind {
  Way way;
  Entry entry;

  TensorNames names() const { return NamesOf(way); }
  bool on_rulebook() const { return entry == Entry::kRulebook; }
  bool has_data() const { return entry != Entry::kSize; }
  bool has_finish() const { return entry == Entry::kFused || (way == Way::kForward && on_rulebook()); }
  bool extension() const { return entry == Entry::kFused || on_rulebook(); }
  // The tensors of numbers, and with the pairs all tensors, but for bias and residual.
  Names all() const;
};

bool IsInverse(const Call& call);
// "<argument> is <value>, expected 0 or 1."
Rules ZeroOrOne(const std::string& argument);
// The contract profile knows no inverse convolution.
Rules NoInverse(mluOpStatus_t status);
// The rules of a tensor that may be left out: its descriptor is NULL.
Rules Optional(const std::string& tensor, Rules rules);

void AddShapes(Contract& contract, const Kind& kind);
// From "a tensor has no elements" on.
void AddMemory(Contract& contract, const Kind& kind);
// The rows of the tables that no rule's own fault makes.
void AddTable(Contract& contract, const Kind& kind);
void CheckForward(Contract& contract, const Kind& kind);
void CheckBackwardData(Contract& contract, const Kind& kind);
void CheckBackwardFilter(Contract& contract, const Kind& kind);

}  // namespace detops_harness::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_CONTRACT_RULES_H_
