// Rules about pointers, numbers, memory and elements, and rules made of rules.
#include "harness/rules.h"

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <utility>

#include "harness/function.h"
#include "harness/rule_parts.h"

namespace detops_harness {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

}  // namespace

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

// ---- pointers ----

Rules Handle() {
  return {{"handle", kBad,
           [](Judgement& j) { return Unless(j.call.with_handle, "handle is NULL, expected a handle of mluOpCreate."); },
           [](const Contract&, const Call&) {
             return Faults{{BadClass::kNull, "handle", [](Call& call) { call.with_handle = false; }}};
           }}};
}

Rules NotNull(const Names& arguments, const std::string& expected) {
  Rules rules;
  for (const std::string& name : arguments) {
    rules.push_back({name, kBad,
                     [=](Judgement& j) {
                       return Unless(j.call.nulls.count(name) == 0, name + " is NULL, expected " + expected + ".");
                     },
                     [=](const Contract&, const Call&) {
                       return Faults{{BadClass::kNull, name, [=](Call& call) { call.nulls.insert(name); }}};
                     }});
  }
  return rules;
}

Rules PlaceForResult(const Names& results) { return NotNull(results, "a place for the result"); }

Rules OutputPlace(const Names& outputs) {
  Rules rules;
  for (const std::string& name : outputs) {
    rules.push_back({name, kBad,
                     [=](Judgement& j) {
                       return Unless(j.call[name].address != nullptr,
                                     name + " is NULL, expected a place for the result.");
                     },
                     [=](const Contract&, const Call&) {
                       return Faults{Of(name, BadClass::kNull, name, [](Tensor& tensor) { tensor.has_data = false; })};
                     }});
  }
  return rules;
}

Rules Descriptors(const Names& tensors) {
  Rules rules;
  for (const std::string& name : tensors) {
    rules.push_back({"descriptor of " + name, kBad,
                     [=](Judgement& j) {
                       return Unless(j.call[name].described,
                                     "the descriptor of " + name + " is NULL, expected a tensor descriptor.");
                     },
                     [=](const Contract&, const Call&) {
                       return Faults{Of(name, BadClass::kNull, "descriptor of " + name,
                                        [](Tensor& tensor) { tensor.described = false; })};
                     }});
  }
  return rules;
}

namespace {

Rules DataPointers(const Names& tensors, bool only_of_elements) {
  return ForEach(
      tensors, "data", kBad,
      [=](Judgement&, const Tensor& tensor) {
        return Unless(tensor.address != nullptr || (only_of_elements && tensor.elements() == 0),
                      Format("the data pointer of %s is NULL, expected %lld elements.", tensor.name.c_str(),
                             static_cast<long long>(tensor.elements())));
      },
      [](const Contract&, const Call&, const std::string& name) {
        return Faults{Of(name, BadClass::kNull, "data of " + name, [](Tensor& tensor) { tensor.has_data = false; })};
      });
}

}  // namespace

Rules Data(const Names& tensors) { return DataPointers(tensors, false); }
Rules DataOfElements(const Names& tensors) { return DataPointers(tensors, true); }

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

// ---- memory ----

Rules WorkspacePointer() {
  return {{"workspace", kBad,
           [](Judgement& j) {
             const int64_t size = j.call.integer("workspace_size");
             return Unless(j.call.workspace.address != nullptr || size == 0,
                           Format("workspace is NULL, expected %llu bytes as workspace_size says.",
                                  static_cast<unsigned long long>(size)));
           },
           [](const Contract&, const Call& good) {
             const int64_t size = std::max<int64_t>(good.integer("workspace_size"), 16);
             return Faults{{BadClass::kWorkspace, "workspace", [size](Call& call) {
                              call.workspace.has_data = false;
                              call.integers.at("workspace_size") = size;
                            }}};
           }}};
}

Rules WorkspaceSize(std::function<int64_t(const Call&)> needed) {
  return {{"size of workspace", kBad,
           [=](Judgement& j) {
             const int64_t size = j.call.integer("workspace_size");
             const int64_t least = j.call.asked_workspace.has_value() ? *j.call.asked_workspace : needed(j.call);
             return Unless(size >= least, Format("workspace_size is %lld, expected at least %lld bytes.",
                                                 static_cast<long long>(size), static_cast<long long>(least)));
           },
           [](const Contract&, const Call& good) {
             const int64_t size = good.integer("workspace_size");
             Faults faults;
             for (const int64_t wrong : {size - 1, int64_t{1}, int64_t{0}}) {
               faults.push_back({BadClass::kWorkspace, "workspace_size " + std::to_string(wrong),
                                 WithInteger("workspace_size", std::max<int64_t>(0, wrong)), wrong == size - 1});
             }
             return faults;
           }}};
}

namespace {

struct Buffer {
  const void* address;
  int64_t bytes;
};

Buffer BufferOf(const Call& call, const std::string& name) {
  const auto list = call.integer_lists.find(name);
  if (list != call.integer_lists.end()) {
    const auto bytes = static_cast<int64_t>(list->second.size() * sizeof(int64_t));
    return call.nulls.count(name) != 0 ? Buffer{nullptr, 0} : Buffer{call.list_address(name), bytes};
  }
  if (name == "workspace") {
    const int64_t size = call.integer("workspace_size");  // negative: a size_t that no int64 holds
    return {call.workspace.address, call.workspace.address == nullptr ? 0 : size < 0 ? INT64_MAX : size};
  }
  const Tensor& tensor = call[name];
  return {tensor.address, tensor.described ? tensor.byte_count() : 0};
}

bool Overlap(const Buffer& a, const Buffer& b) {
  const auto x = reinterpret_cast<uintptr_t>(a.address), y = reinterpret_cast<uintptr_t>(b.address);
  return x <= y ? b.bytes > 0 && y - x < static_cast<uint64_t>(a.bytes)
                : a.bytes > 0 && x - y < static_cast<uint64_t>(b.bytes);
}

}  // namespace

Rules Separate(const std::string& output, const Names& others) {
  Rules rules;
  for (const std::string& other : others) {
    rules.push_back({"overlap of " + output + " with " + other, kBad,
                     [=](Judgement& j) {
                       return Unless(!Overlap(BufferOf(j.call, output), BufferOf(j.call, other)),
                                     output + " overlaps " + other + " in memory, expected separate buffers.");
                     },
                     [=](const Contract&, const Call& good) {
                       Faults faults;
                       const bool list = good.integer_lists.count(other) != 0;
                       if (IsAbsent(good[output]) || (!list && !good[other].has_data)) return faults;
                       const auto own = static_cast<int64_t>(good[output].memory_bytes());
                       const auto bytes = std::max<int64_t>(
                           1, list ? static_cast<int64_t>(good.integer_lists.at(other).size() * sizeof(int64_t))
                                   : static_cast<int64_t>(good[other].memory_bytes()));
                       for (const int64_t at : {int64_t{0}, bytes - 1, 1 - own}) {
                         faults.push_back(Of(
                             output, BadClass::kOverlap, output + " in " + other,
                             [=](Tensor& tensor) {
                               tensor.inside = other;
                               tensor.inside_at = at;
                             },
                             at == 0));
                       }
                       return faults;
                     }});
  }
  return rules;
}

// ---- elements ----

Rules Elements(const std::string& tensor, const ElementRule& rule) {
  Rules rules = ForEach(
      {tensor}, "values", kBad,
      [=](Judgement& j, const Tensor& checked) -> Sentence {
        // A description may say more than there is; what is not there breaks no rule, and the call is not carried out.
        const int64_t count = std::min(checked.elements(), checked.stored());
        for (int64_t i = 0; i < count; ++i) {
          const double value = checked.Get(i);
          if (rule.allowed(value, i, j.call)) continue;
          return checked.name + PositionText(checked, i) + " is " + NumberText(value) + ", expected " +
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
