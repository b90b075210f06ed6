#include "harness/contract.h"

#include <algorithm>
#include <climits>
#include <stdexcept>

namespace detops_harness {
namespace {

// As the comments of the headers write it.
std::string NameOf(mluOpStatus_t status) {
  constexpr const char* kNames[] = {"success",          "NOT_INITIALIZED", "ALLOC_FAILED",
                                    "BAD_PARAM",        "INTERNAL_ERROR",  "ARCH_MISMATCH",
                                    "EXECUTION_FAILED", "NOT_SUPPORTED",   "NUMERICAL_OVERFLOW"};
  return kNames[status];
}

}  // namespace

Contract& Contract::Check(std::string clause, std::initializer_list<Rules> rules) {
  for (const Rules& some : rules) rules_.insert(rules_.end(), some.begin(), some.end());
  for (const Rules& some : rules) {
    for (const Rule& rule : some) {
      if (rule.status != rules_.back().status) throw std::logic_error(function_ + ": two statuses in: " + clause);
    }
  }
  clauses_.emplace_back(rules_.back().status, std::move(clause));
  return *this;
}

const std::vector<Dim>& Contract::shape(const std::string& tensor) const {
  const auto at = shapes_.find(tensor);
  if (at == shapes_.end()) throw std::logic_error(function_ + " gives no shape for " + tensor);
  return at->second;
}

Answer Contract::Judge(const Call& call) const {
  Judgement judgement{*this, call};
  for (const Rule& rule : rules_) {
    const bool looks = rule.checked == Checked::kAlways || (rule.checked != Checked::kNever && call.value_checks);
    if (!looks && rule.checked == Checked::kHarmlessIfOff) continue;
    const std::optional<std::string> sentence = rule.judge(judgement);
    if (!sentence.has_value()) continue;
    if (!looks) return {.undefined = true};
    return {rule.status, rule.status == MLUOP_STATUS_SUCCESS ? "" : messages_ + ": " + *sentence, &rule};
  }
  return {};
}

Faults Contract::FaultsOf(const Rule* rule, const Call& good) const {
  if (rule == nullptr) return more_;
  return rule->faults ? rule->faults(*this, good) : Faults{};
}

void Contract::SetDim(Call& call, const std::string& dim, int64_t value) const {
  const auto argument = call.integers.find(dim);
  // Such arguments are of type int: one that cannot be so large gets the nearest.
  if (argument != call.integers.end()) argument->second = std::clamp<int64_t>(value, INT_MIN, INT_MAX);
  for (Tensor& tensor : call.tensors) {
    const auto shape = shapes_.find(tensor.name);
    if (shape == shapes_.end()) continue;
    for (size_t axis = 0; axis < std::min(shape->second.size(), tensor.extents.size()); ++axis) {
      if (shape->second[axis].name == dim) tensor.extents[axis] = value;
    }
  }
}

std::optional<Judgement::Bound> Contract::BoundOf(const Judgement& judgement, const std::string& dim) const {
  const auto known = judgement.dims.find(dim);
  if (known != judgement.dims.end()) return known->second;
  const auto computed = computed_.find(dim);
  if (computed != computed_.end()) return Judgement::Bound{computed->second(judgement.call), ""};
  const auto argument = judgement.call.integers.find(dim);
  if (argument != judgement.call.integers.end()) return Judgement::Bound{argument->second, ""};
  return std::nullopt;
}

std::vector<std::string> Contract::Order() const {
  std::vector<std::string> lines;
  mluOpStatus_t last = MLUOP_STATUS_INTERNAL_ERROR;
  const auto add = [&](mluOpStatus_t status, const std::string& clause) {
    if (status == last) {
      lines.back() += "; " + clause;
    } else {
      lines.push_back(NameOf(status) + "  " + clause);
    }
    last = status;
  };
  for (const auto& [status, clause] : clauses_) add(status, clause);
  for (const auto& [status, clause] : failures_) add(status, clause);
  return lines;
}

}  // namespace detops_harness
