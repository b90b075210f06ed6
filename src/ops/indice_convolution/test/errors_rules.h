// What the tests of refusals share: how a refusal is judged, and rules as a table from which every rule alone and
// every two rules together are put to every function of a way.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_TEST_ERRORS_RULES_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_TEST_ERRORS_RULES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/bad_call.h"

namespace detops_test {

inline constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;
inline constexpr detopsProfile_t kProfiles[] = {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL};
inline constexpr const char* kLifts = "the full profile lifts this limit";

// Whether the text holds the parts of the pattern between its "*", one behind the other; with "|" between patterns:
// those of one of them.
inline bool Says(const std::string& text, const std::string& patterns) {
  std::istringstream alternatives(patterns);
  for (std::string pattern; std::getline(alternatives, pattern, '|');) {
    std::istringstream parts(pattern);
    size_t at = 0;
    for (std::string part; at != std::string::npos && std::getline(parts, part, '*');) {
      at = text.find(part, at);
      if (at != std::string::npos) at += part.size();
    }
    if (at != std::string::npos) return true;
  }
  return false;
}

inline int64_t ElementsOf(const std::vector<int64_t>& extents) {
  int64_t elements = 1;
  for (const int64_t extent : extents) elements *= extent;
  return elements;
}

// A function with a profile in which it looks at its arguments: the extensions refuse everything in the contract.
struct Function {
  Entry entry;
  detopsProfile_t profile;
  bool contract() const { return profile == DETOPS_PROFILE_CONTRACT; }
};

inline std::vector<Function> FunctionsOf(Way way) {
  std::vector<Function> functions;
  for (const Entry entry : EntriesOf(way)) {
    if (entry == Entry::kCall || entry == Entry::kSize) functions.push_back({entry, DETOPS_PROFILE_CONTRACT});
    functions.push_back({entry, DETOPS_PROFILE_FULL});
  }
  return functions;
}

inline std::string NameOf(Way way, const Function& function) {
  return NameOf(way, function.entry) + (function.contract() ? ", contract profile" : ", full profile");
}

// All refusals of a test go through one handle: it has to survive every one before.
class ConvolutionRefusals : public testing::TestWithParam<Way> {
 protected:
  // Runs the function and expects a refusal that says the pattern, no changed byte and a handle that works on.
  void Refuse(BadCall& call, Entry entry, mluOpStatus_t status, const std::string& patterns) {
    const std::vector<unsigned char> before = call.Bytes();
    const Answer answer = call.Run(handle_, entry);
    const std::string name = NameOf(call.way, entry) + ": ";
    EXPECT_EQ(answer.status, status) << name << "expected \"" << patterns << "\", said \"" << answer.text << "\"";
    EXPECT_EQ(answer.text.substr(0, name.size()), name);
    EXPECT_TRUE(Says(answer.text, patterns)) << "expected \"" << patterns << "\", said \"" << answer.text << "\"";
    if (judges_lifts_) {
      EXPECT_EQ(Says(answer.text, kLifts), Says(patterns, kLifts)) << "what the full profile lifts: " << answer.text;
    }
    EXPECT_TRUE(answer.text.ends_with(".")) << answer.text;
    EXPECT_TRUE(call.Bytes() == before) << "a refused call changed memory";
    EXPECT_TRUE(call.SurroundingsIntact());
    EXPECT_TRUE(call.PlacesIntact());
    call.Forget();
    ExpectGoodCall(call.way);
    ++refused_;
  }

  // Runs the function and expects success: a size of 0, a rulebook, or a result in every element.
  void Accept(BadCall& call, Entry entry) {
    call.target().FillCanary();
    const Answer answer = call.Run(handle_, entry);
    EXPECT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << NameOf(call.way, entry) << ", " << answer.text;
    EXPECT_EQ(answer.text, "");
    EXPECT_TRUE(call.SurroundingsIntact());
    if (entry == Entry::kSize) {
      EXPECT_EQ(call.size, 0u);
    } else if (entry == Entry::kCreate) {
      EXPECT_FALSE(call.PlacesIntact());
      EXPECT_NE(call.made, nullptr);
    } else {
      const std::vector<double> values = call.target().Values();
      const size_t described = static_cast<size_t>(ElementsOf(call.Extents(TargetOf(call.way))));
      EXPECT_TRUE(std::all_of(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(described),
                              [](double value) { return value == value; }))
          << NameOf(call.way, entry) << " left elements unwritten";
      EXPECT_TRUE(std::all_of(values.begin() + static_cast<std::ptrdiff_t>(described), values.end(),
                              [](double value) { return value != value; }))
          << NameOf(call.way, entry) << " wrote behind the tensor";
    }
    call.Forget();
    call.target().FillCanary();
  }

  // The result, not only the status: a refused call may have left something in the handle's scratch.
  void ExpectGoodCall(Way way) {
    std::unique_ptr<Good>& good = good_[static_cast<int>(way)];
    if (good == nullptr) good = std::make_unique<Good>(way);
    good->call.target().FillCanary();
    const Answer answer = good->call.Run(handle_, Entry::kCall);
    EXPECT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << answer.text;
    EXPECT_EQ(answer.text, "");
    EXPECT_TRUE(good->call.target().Values() == good->expected) << "a wrong result after a refusal";
  }

  // Puts the same fault to every function of the way.
  void RefuseEverywhere(Way way, mluOpStatus_t status, const std::string& patterns, const Spoil& spoil) {
    for (const Function& function : FunctionsOf(way)) {
      SCOPED_TRACE(NameOf(way, function));
      BadCall call(way);
      call.profile = function.profile;
      spoil(call);
      Refuse(call, function.entry, status, patterns);
    }
  }

  void AcceptEverywhere(Way way, const Spoil& spoil) {
    for (const Function& function : FunctionsOf(way)) {
      SCOPED_TRACE(NameOf(way, function));
      BadCall call(way);
      call.profile = function.profile;
      spoil(call);
      Accept(call, function.entry);
    }
  }

  void TearDown() override { RecordProperty("refused_calls", refused_); }

  Handle handle_;
  int refused_ = 0;
  bool judges_lifts_ = true;  // false where the full profile would refuse the call too, for another reason

 private:
  struct Good {
    explicit Good(Way way) : call(way) {
      const detops_reference::ConvolutionPairs pairs = {
          kOffsets, kSites, Copy<int32_t>(call.memory[kPairs]->data(), kOffsets * 2 * kSites),
          Copy<int64_t>(call.num(), kOffsets)};
      const auto layout = detops_reference::LayoutOfFilters(MLUOP_LAYOUT_ARRAY, kOffsets, kCi, kCo);
      const auto values = [&](Role role) { return call.memory[role]->Values(); };
      expected = way == Way::kForward
                     ? IndiceConvolutionForward(pairs, layout, values(kIn), values(kFilters), kRows).values
                 : way == Way::kBackwardData
                     ? IndiceConvolutionBackwardData(pairs, layout, values(kOut), values(kFilters), kSites).values
                     : IndiceConvolutionBackwardFilter(pairs, layout, values(kIn), values(kOut)).values;
    }
    template <class T>
    static std::vector<T> Copy(const void* data, int64_t count) {
      return {static_cast<const T*>(data), static_cast<const T*>(data) + count};
    }
    BadCall call;
    std::vector<double> expected;
  };
  std::unique_ptr<Good> good_[3];
};

// ---- rules as a table ----

// Where a rule holds.
enum Where : unsigned {
  kInCall = 1,
  kInSize = 2,
  kInFused = 4,
  kInRulebook = 8,
  kInCreate = 16,
  kContractOnly = 32,
  kFullOnly = 64,
  kOnPairs = kInCall | kInSize | kInFused,  // what a rulebook has settled
  kOnData = kInCall | kInFused | kInRulebook,
  kExtended = kInFused | kInRulebook,
  kEverywhere = kInCall | kInSize | kInFused | kInRulebook
};

struct Rule {
  std::string name;
  mluOpStatus_t status;
  std::string sentence;  // as Says takes it: numbers depend on the other fault
  unsigned where;
  Spoil spoil;
  std::string kind = {};
  bool loose = false;                      // the documents give it no place among the rules of its kind
  std::vector<std::string> excludes = {};  // later rules that the same call cannot break as well

  bool TiesWith(const Rule& other) const { return !kind.empty() && kind == other.kind && (loose || other.loose); }
};

// ---- rules that all ways have ----

inline Rule Loose(Rule rule) {
  rule.loose = true;
  return rule;
}

inline Rule DescriptorRule(Way way, Role role, unsigned where) {
  const std::string name = NameOf(way, role);
  return {name + " descriptor", kBad, "the descriptor of " + name + " is NULL", where,
          [=](BadCall& c) { c.tensors[role].described = false; }};
}

// Before all descriptors; `where` leaves out the functions that the way has not got.
inline std::vector<Rule> HandleRules() {
  return {{"workspace_size", kBad, "workspace_size is NULL", kInSize, [](BadCall& c) { c.with_result = false; }},
          {"handle", kBad, "handle is NULL", kEverywhere, [](BadCall& c) { c.with_handle = false; }},
          {"rulebook", kBad, "rulebook is NULL", kInRulebook, [](BadCall& c) { c.with_rulebook = false; }}};
}

inline Rule NullNumRule() {
  return {"num", kBad, "indice_num is NULL", kOnPairs, [](BadCall& c) { c.with_num = false; }};
}

inline Rule ProfileRule() {
  return {"profile", kLimit, kLifts, kExtended, [](BadCall& c) { c.profile = DETOPS_PROFILE_CONTRACT; }};
}

inline Rule TypeRule(Way way, Role role, unsigned where) {
  const std::string name = NameOf(way, role);
  const mluOpDataType_t wrong = role == kPairs ? MLUOP_DTYPE_INT64 : MLUOP_DTYPE_INT32;
  return {name + " type", kBad, name + " has type int", where, [=](BadCall& c) { c.tensors[role].type = wrong; },
          "type"};
}

inline Rule RankRule(Way way, Role role, int surplus, mluOpStatus_t status, unsigned where) {
  const std::string name = NameOf(way, role);
  return {
      name + " rank", status, name + " has rank", where, [=](BadCall& c) { c.tensors[role].surplus_rank = surplus; },
      "rank"};
}

inline Rule StrideRule(Way way, Role role, unsigned where) {
  const std::string name = NameOf(way, role);
  return {
      name + " stride", kLimit, name + " has stride", where, [=](BadCall& c) { c.tensors[role].odd_strides[0] = 1; },
      "stride"};
}

// More elements than the contract allows, or more bytes than int64 can count.
inline std::vector<Rule> CountRules(Way way, Role role, unsigned where, const Spoil& large, const Spoil& beyond,
                                    const std::vector<std::string>& excludes = {}) {
  const std::string name = NameOf(way, role);
  return {{name + " count", kLimit, name + " has*" + kLifts, where | kContractOnly, large, "count", false, excludes},
          {name + " bytes", kLimit, name + " has", where | kFullOnly, beyond, "count", false, excludes}};
}

inline Rule ExtentRule(Way way, Role role, size_t axis, const std::string& relatives, unsigned where) {
  const std::string name = NameOf(way, role);
  return {name + " axis " + std::to_string(axis), kBad, name + relatives, where,
          // Another surplus for pairs, or two tensors would agree again.
          [=](BadCall& c) { c.tensors[role].surplus[axis] += role == kPairs ? 2 : 1; }, "shape", true};
}

inline Rule DataRule(Way way, Role role, unsigned where) {
  const std::string name = NameOf(way, role);
  return {name + " data",
          kBad,
          "the data pointer of " + name + " is NULL",
          where,
          [=](BadCall& c) { c.tensors[role].data = nullptr; },
          "data"};
}

// Behind the data pointers: workspace, overlap, and values in their order.
inline std::vector<Rule> LastRules(Way way) {
  const Role target = TargetOf(way), input = target == kIn ? kOut : kIn;
  return {{"workspace", kBad, "workspace is NULL", kInCall, [](BadCall& c) { c.workspace = nullptr; }},
          {"overlap", kBad, NameOf(way, target) + " overlaps |overlaps " + NameOf(way, target), kOnData,
           [=](BadCall& c) { c.tensors[target].data = c.tensors[input].data; }, "overlap", true},
          {"workspace overlap", kBad, "workspace overlaps |overlaps workspace", kInCall,
           [=](BadCall& c) { c.workspace = c.tensors[input].data; }, "overlap", true}};
}

inline std::vector<Rule> ValueRules() {
  return {{"value of row 0", kBad, "indice_pairs[9, 0, 1] is -1", kInCall | kInFused,
           [](BadCall& c) { c.Pair(9, 0, 1) = -1; }, "value", true},
          {"value of row 1", kBad, "indice_pairs[24, 1, 2] is 13", kInCall | kInFused,
           [](BadCall& c) { c.Pair(24, 1, 2) = 13; }, "value", true}};
}

inline void Append(std::vector<Rule>& rules, std::vector<Rule> more) {
  std::move(more.begin(), more.end(), std::back_inserter(rules));
}

class ConvolutionOrder : public ConvolutionRefusals {
 protected:
  static bool Holds(const Rule& rule, const Function& function) {
    const unsigned other_profile = function.contract() ? kFullOnly : kContractOnly;
    return (rule.where & (1u << static_cast<unsigned>(function.entry))) != 0 && (rule.where & other_profile) == 0;
  }

  static bool Excludes(const Rule& rule, const Rule& later) {
    return std::ranges::find(rule.excludes, later.name) != rule.excludes.end();
  }

  // What the size function does not look at, it must not refuse.
  void ExpectEachAlone(Way way, const std::vector<Function>& functions, const std::vector<Rule>& rules) {
    for (const Function& function : functions) {
      for (const Rule& rule : rules) {
        SCOPED_TRACE(NameOf(way, function) + ", " + rule.name);
        BadCall call(way);
        call.profile = function.profile;
        rule.spoil(call);
        if (Holds(rule, function)) {
          Refuse(call, function.entry, rule.status, rule.sentence);
        } else if (function.entry == Entry::kSize && Holds(rule, {Entry::kCall, function.profile})) {
          Accept(call, function.entry);
        }
      }
    }
  }

  // Not only neighbours: a rule may have been moved over several others.
  void ExpectEarlierOfTwo(Way way, const std::vector<Function>& functions, const std::vector<Rule>& rules) {
    for (const Function& function : functions) {
      for (size_t i = 0; i < rules.size(); ++i) {
        for (size_t j = i + 1; j < rules.size(); ++j) {
          const Rule &first = rules[i], &second = rules[j];
          if (!Holds(first, function) || !Holds(second, function) || Excludes(first, second)) continue;
          SCOPED_TRACE(NameOf(way, function) + ", " + first.name + ", " + second.name);
          BadCall call(way);
          call.profile = function.profile;
          second.spoil(call);
          first.spoil(call);
          if (first.TiesWith(second)) {
            RefuseEither(call, function.entry, first, second);
          } else {
            Refuse(call, function.entry, first.status, first.sentence);
          }
        }
      }
    }
  }

 private:
  void RefuseEither(BadCall& call, Entry entry, const Rule& first, const Rule& second) {
    const Answer answer = call.Run(handle_, entry);
    const bool is_first = answer.status == first.status && Says(answer.text, first.sentence);
    const bool is_second = answer.status == second.status && Says(answer.text, second.sentence);
    EXPECT_TRUE(is_first || is_second) << mluOpGetErrorString(answer.status) << ": " << answer.text;
    if (is_first) Refuse(call, entry, first.status, first.sentence);
    if (!is_first && is_second) Refuse(call, entry, second.status, second.sentence);
  }
};

}  // namespace detops_test

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_TEST_ERRORS_RULES_H_
