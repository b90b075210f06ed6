// Rules about numbers: those that are arguments, and those in tensors.
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "harness/rule_parts.h"
#include "harness/rules.h"

namespace detops_harness {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

}  // namespace

// ---- numbers ----

Rules Integer(const std::string& argument, IntegerRule rule) {
  return {{argument, kBad,
           [=](Judgement& j) {
             const int64_t value = j.call.integer(argument);
             return Unless(rule.allowed(value, j.call),
                           Format("%s is %lld, expected %s.", argument.c_str(), static_cast<long long>(value),
                                  rule.expectation.c_str()));
           },
           [=](const Contract&, const Call&) {
             Faults faults;
             for (const int64_t value : rule.wrong) {
               faults.push_back({rule.bad_class, argument + " " + std::to_string(value), WithInteger(argument, value)});
             }
             for (const int64_t value : {-1, 0, 1, 2, 3, 4, 5, 6, INT_MAX, INT_MIN}) {
               faults.push_back(
                   {rule.bad_class, argument + " " + std::to_string(value), WithInteger(argument, value), false});
             }
             return faults;
           }}};
}

Rules Positive(const Names& arguments, const std::string& expectation) {
  Rules rules;
  for (const std::string& argument : arguments) {
    const Rules one = Integer(
        argument, {[](int64_t value, const Call&) { return value > 0; }, expectation, {0, -1}, BadClass::kSizes});
    rules.push_back(one[0]);
  }
  return rules;
}

Rules Enumerator(const std::string& argument, int64_t least, int64_t most, const std::string& expectation) {
  return Integer(argument, {[=](int64_t value, const Call&) { return value >= least && value <= most; },
                            expectation,
                            {least - 1, most + 1, 99},
                            BadClass::kEnumerator});
}

Rules Number(const std::string& argument, const FloatRule& rule) {
  return {{argument, kBad,
           [=](Judgement& j) {
             const auto value = static_cast<float>(j.call.number(argument));
             return Unless(rule.allowed(value, j.call),
                           argument + " is " + NumberText(value) + ", expected " + rule.expectation + ".");
           },
           [=](const Contract&, const Call&) {
             Faults faults;
             const auto add = [&](double value, bool listed) {
               faults.push_back(
                   {BadClass::kNotFinite, argument + " " + std::to_string(value), WithNumber(argument, value), listed});
             };
             for (const double value : rule.wrong) add(value, true);
             for (const double value : {kNan, kInf, -kInf, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0}) add(value, false);
             return faults;
           }}};
}

Rules NotNan(const std::string& argument) {
  return Number(argument, {[](float value, const Call&) { return !std::isnan(value); }, "a number", {kNan}});
}

Rules FiniteAboveZero(const std::string& argument, Precision precision) {
  const bool in_float = precision == Precision::kFloat;
  return {{argument, kBad,
           [=](Judgement& j) {
             const double value = j.call.number(argument);
             const auto rounded = static_cast<float>(value);
             const bool good = in_float ? std::isfinite(rounded) && rounded > 0 : std::isfinite(value) && value > 0;
             return Unless(good, argument + " is " + (in_float ? NumberText(rounded) : NumberText(value)) +
                                     ", expected a finite number above 0.");
           },
           [=](const Contract&, const Call&) {
             Faults faults;
             for (const double value : {0.0, -1.0, kNan, kInf}) {
               faults.push_back(
                   {BadClass::kNotFinite, argument + " " + std::to_string(value), WithNumber(argument, value)});
             }
             for (const double value : {-0.0, -0.5, -kInf, static_cast<double>(FLT_MIN), static_cast<double>(FLT_MAX),
                                        static_cast<double>(FLT_TRUE_MIN), 1.0}) {
               faults.push_back(
                   {BadClass::kNotFinite, argument + " " + std::to_string(value), WithNumber(argument, value), false});
             }
             return faults;
           }}};
}

// ---- elements ----

namespace {

// A double does not hold every int64.
std::string ElementText(const Tensor& tensor, int64_t index) {
  if (tensor.type != MLUOP_DTYPE_INT64) return NumberText(tensor.Get(index));
  int64_t number = 0;
  std::memcpy(&number, tensor.contents.data() + index * static_cast<int64_t>(sizeof(number)), sizeof(number));
  return std::to_string(number);
}

}  // namespace

Rules Elements(const std::string& tensor, const ElementRule& rule) {
  Rules rules = ForEach(
      {tensor}, "values", kBad,
      [=](Judgement& j, const Tensor& checked) -> Sentence {
        // A description may say more than there is; what is not there breaks no rule, and the call is not carried out.
        const int64_t count = std::min(checked.elements(), checked.stored());
        for (int64_t i = 0; i < count; ++i) {
          const double value = checked.Get(i);
          if (rule.allowed(value, i, j.call)) continue;
          return checked.name + PositionText(checked, i) + " is " + ElementText(checked, i) + ", expected " +
                 rule.expectation(i, j.call) + ".";
        }
        return {};
      },
      [=](const Contract&, const Call& good, const std::string& name) {
        Faults faults;
        for (const ElementRule::Trial& trial : rule.trials(good)) {
          faults.push_back({rule.bad_class, trial.text, WithElement(name, trial.index, trial.value)});
          if (rule.checked != Checked::kHarmlessIfOff) continue;
          faults.push_back({rule.bad_class, trial.text + ", value checks off",
                            [=](Call& call) {
                              WithElement(name, trial.index, trial.value)(call);
                              call.value_checks = false;
                            },
                            false});
        }
        return faults;
      });
  rules[0].checked = rule.checked;
  return rules;
}

Rules Finite(const std::string& tensor, const std::string& owner) {
  return Elements(tensor, {[](double value, int64_t, const Call&) { return std::isfinite(value); },
                           [](int64_t, const Call&) { return "a finite number"; },
                           [=](const Call& good) {
                             std::vector<ElementRule::Trial> trials;
                             const int64_t last = good[tensor].elements() - 1;
                             for (const double value : {kNan, kInf, -kInf}) {
                               for (const int64_t index : {int64_t{0}, std::min<int64_t>(7, last), last}) {
                                 trials.push_back({index, value, owner + " has " + std::to_string(value)});
                               }
                             }
                             return trials;
                           },
                           BadClass::kNotFinite, Checked::kHarmlessIfOff});
}

}  // namespace detops_harness
