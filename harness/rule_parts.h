// What the files of rules share.
#ifndef DETOPS_HARNESS_RULE_PARTS_H_
#define DETOPS_HARNESS_RULE_PARTS_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "harness/rules.h"

namespace detops_harness {

inline constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;

using Sentence = std::optional<std::string>;
using Apply = std::function<void(Call&)>;

inline Sentence Unless(bool condition, const std::string& sentence) {
  return condition ? Sentence() : Sentence(sentence);
}

// A rule about each of the tensors that are there.
template <class Judge, class MakeFaults>
Rules ForEach(const Names& tensors, const std::string& what, mluOpStatus_t status, Judge judge, MakeFaults faults) {
  Rules rules;
  for (const std::string& name : tensors) {
    rules.push_back({what + " of " + name, status,
                     [name, judge](Judgement& judgement) -> Sentence {
                       const Tensor& tensor = judgement.call[name];
                       return tensor.described ? judge(judgement, tensor) : Sentence();
                     },
                     [name, faults](const Contract& contract, const Call& good) {
                       return IsAbsent(good[name]) ? Faults{} : faults(contract, good, name);
                     }});
  }
  return rules;
}

// A fault of one tensor.
inline Fault Of(const std::string& name, BadClass bad_class, const std::string& text,
                std::function<void(Tensor&)> spoil, bool listed = true) {
  return {bad_class, text, [name, spoil = std::move(spoil)](Call& call) { spoil(call[name]); }, listed};
}

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_RULE_PARTS_H_
