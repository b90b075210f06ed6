// Rules made of rules, an operator's own, and the changes that faults are made of.
#include "harness/rules.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "harness/function.h"
#include "harness/rule_parts.h"

namespace detops_harness {

std::string Format(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char text[512];
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

bool IsAbsent(const Tensor& tensor) { return !tensor.described && !tensor.has_data; }

bool AnyEmpty(const Call& call, const Names& tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [&](const auto& name) { return call[name].elements() == 0; });
}

Apply WithDim(const std::string& dim, int64_t value) {
  return [=](Call& call) { call.function->contract().SetDim(call, dim, value); };
}
Apply WithInteger(const std::string& argument, int64_t value) {
  return [=](Call& call) { call.integers.at(argument) = value; };
}
Apply WithNumber(const std::string& argument, double value) {
  return [=](Call& call) { call.numbers.at(argument) = value; };
}
Apply WithElement(const std::string& tensor, int64_t index, double value) {
  return [=](Call& call) {
    if (index >= 0 && index < call[tensor].stored()) call[tensor].Set(index, value);
  };
}

Rules Implied(Rules rules) {
  for (Rule& rule : rules) rule.implied = true;
  return rules;
}

Rules When(const std::function<bool(const Call&)>& condition, Rules rules, const Apply& arrange) {
  for (Rule& rule : rules) {
    rule.judge = [condition, judge = std::move(rule.judge)](Judgement& j) {
      return condition(j.call) ? judge(j) : Sentence();
    };
    if (!arrange || !rule.faults) continue;
    rule.faults = [=, faults = std::move(rule.faults)](const Contract& contract, const Call& good) {
      Call arranged = good;
      arrange(arranged);
      Faults all = faults(contract, arranged);
      for (Fault& fault : all) {
        fault.apply = [=, apply = fault.apply](Call& call) {
          arrange(call);
          apply(call);
        };
      }
      return all;
    };
  }
  return rules;
}

Rules WithFaults(Rules rules, const Faults& more) {
  Rule& last = rules.back();
  last.faults = [own = std::move(last.faults), more](const Contract& contract, const Call& good) {
    Faults faults = own ? own(contract, good) : Faults{};
    faults.insert(faults.end(), more.begin(), more.end());
    return faults;
  };
  return rules;
}

// ---- an operator's own ----

Rules Own(OwnRule rule) {
  return {{rule.about, rule.status, std::move(rule.judge),
           [faults = std::move(rule.faults)](const Contract&, const Call&) { return faults; }, false, rule.checked}};
}

Rules Vouched(const std::string& about, std::function<bool(const Call&)> holds) {
  return Own({.about = about,
              .status = kBad,
              .judge = [holds = std::move(holds)](Judgement& j) { return Unless(holds(j.call), "undefined"); },
              .checked = Checked::kNever});
}

Rules Done(const std::string& about, std::function<bool(const Call&)> condition, Faults faults) {
  return {{about, MLUOP_STATUS_SUCCESS, [=](Judgement& j) { return condition(j.call) ? Sentence("") : Sentence(); },
           [=](const Contract&, const Call&) { return faults; }}};
}

}  // namespace detops_harness
