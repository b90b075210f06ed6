// Which of two faults is reported: for every pair of rules a call that breaks both. Programs written for the
// accelerator rely on its order, and so does every check on those above it: a rule that came too early would read what
// nobody has looked at yet.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ops/psroipool/test/bad_call.h"

namespace detops_test {
namespace {

constexpr int64_t kTwoTo31 = int64_t{1} << 31;

class PsRoiPoolOrder : public PsRoiPoolRefusals {};
INSTANTIATE_TEST_SUITE_P(Functions, PsRoiPoolOrder, testing::ValuesIn(kFunctions), FunctionName);

struct Rule {
  std::string name;
  mluOpStatus_t status;
  std::string sentence;  // numbers may depend on the other fault
  Spoil spoil;
  std::vector<std::string> excludes = {};  // later rules that the same call cannot break as well
};

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;

std::vector<Rule> DescriptorRules(const Function& function) {
  const std::vector<NamedTensor> tensors = TensorsOf(function);
  std::vector<Rule> rules = {{"handle", kBad, "handle is NULL, *", [](BadCall& c) { c.with_handle = false; }}};
  for (const NamedTensor& t : tensors) {
    if (function.extension && t.tensor == &BadCall::mapping) continue;  // may be left out
    rules.push_back({std::string(t.name) + " descriptor", kBad,
                     "the descriptor of " + std::string(t.name) + " is NULL, *",
                     [t](BadCall& c) { (c.*t.tensor).described = false; }});
  }
  if (function.extension) {
    rules.push_back({"profile", kLimit, "*the full profile lifts this limit.",
                     [](BadCall& c) { c.profile = DETOPS_PROFILE_CONTRACT; }});
  }
  for (const NamedTensor& t : tensors) {
    rules.push_back({std::string(t.name) + " rank", kBad, std::string(t.name) + " has rank 5, *",
                     [t](BadCall& c) { (c.*t.tensor).rank = 5; }});
  }
  for (const NamedTensor& t : tensors) {
    rules.push_back({std::string(t.name) + " type", kBad, std::string(t.name) + " has type *",
                     [t](BadCall& c) { (c.*t.tensor).type = MLUOP_DTYPE_UINT8; }});
  }
  if (function.extension) {
    rules.push_back({"convention", kBad, "convention is 3, *",
                     [](BadCall& c) { c.convention = static_cast<detopsPsRoiPoolConvention_t>(3); }});
  }
  for (const NamedTensor& t : tensors) {
    if (t.tensor == &BadCall::rois) continue;
    rules.push_back({std::string(t.name) + " layout", kBad, std::string(t.name) + " has layout ARRAY, *",
                     [t](BadCall& c) { (c.*t.tensor).layout = MLUOP_LAYOUT_ARRAY; }});
  }
  return rules;
}

std::vector<Rule> ScalarRules(const Function& function) {
  std::vector<Rule> rules = {
      {"pooled_height", kBad, "*pooled_height*", [](BadCall& c) { c.height_surplus = 1; }},
      {"pooled_width", kBad, "*pooled_width*", [](BadCall& c) { c.width_surplus = 1; }},
      {"output_dim", kBad, "*output_dim*", [](BadCall& c) { c.dim_surplus = 1; }},
  };
  if (function.forward && !function.extension) {
    rules.push_back({"group_size", kBad, "*group_size*", [](BadCall& c) { c.group_surplus = 1; }});
  }
  if (!function.extension) {
    rules.push_back({"square", kBad, "*$P*", [](BadCall& c) { c.shape.pooled_width += 1; }});
  }
  if (function.forward && !function.extension) {
    rules.push_back(
        {"no bins", kBad, "*group_size*0*", [](BadCall& c) { c.shape.pooled_height = c.shape.pooled_width = 0; }});
  }
  if (function.extension) {
    rules.push_back({"no rows of bins", kBad, "*pooled_height*0*", [](BadCall& c) { c.shape.pooled_height = 0; }});
    rules.push_back({"no columns of bins", kBad, "*pooled_width*0*", [](BadCall& c) { c.shape.pooled_width = 0; }});
  }
  rules.push_back({"no output channels", kBad, "*output_dim*0*", [](BadCall& c) { c.shape.output_dim = 0; }});
  rules.push_back({"scale", kBad, "spatial_scale is 0, *", [](BadCall& c) { c.spatial_scale = 0; }});
  rules.push_back({"columns of rois", kBad, "rois has extent 6 on axis 1, expected 5; *",
                   [](BadCall& c) { c.rois.surplus[1] = 1; }});
  return rules;
}

std::vector<Rule> ShapeRules(const Function& function) {
  std::vector<Rule> rules;
  // A tensor without elements has no strides.
  for (const NamedTensor& t : TensorsOf(function)) {
    rules.push_back({std::string(t.name) + " strides", kLimit, std::string(t.name) + " has stride *",
                     [t](BadCall& c) { (c.*t.tensor).odd_strides[0] = 1; },
                     t.tensor == &BadCall::map ? std::vector<std::string>{} : std::vector<std::string>{"no rois"}});
  }
  rules.push_back({"rows of rois", kBad, "* has extent * on axis 0, *", [](BadCall& c) { c.rois.surplus[0] = 1; }});
  rules.push_back({"channels", kBad, "$M has extent * on axis 3, *", [](BadCall& c) { c.map.surplus[3] = 1; }});
  for (size_t axis = 0; axis < 4; ++axis) {
    const std::string on_axis = std::to_string(axis);
    rules.push_back({"mapping axis " + on_axis, kBad, "mapping_channel has extent * on axis " + on_axis + ", *",
                     [axis](BadCall& c) { c.mapping.surplus[axis] = 1; }});
  }
  // The extension has no limit on the count but int64.
  const int64_t count = function.extension ? INT64_MAX / 4 : kTwoTo31;
  rules.push_back({"count of rois", kLimit, "$P has *", [count](BadCall& c) { c.shape.rois = count; }});
  rules.push_back({"count of the map", kLimit, "$M has *", [count](BadCall& c) { c.shape.batch = count; }});
  rules.push_back({"no rois", kBad, "rois has 0 elements, *", [](BadCall& c) { c.shape.rois = 0; }});
  return rules;
}

std::vector<Rule> DataRules(const Function& function) {
  std::vector<Rule> rules;
  std::vector<NamedTensor> tensors = {kMap, kRois, kPooled, kMapping};
  if (!function.forward) tensors = {kPooled, kRois, kMap, kMapping};
  for (const NamedTensor& t : tensors) {
    rules.push_back({std::string(t.name) + " data", kBad, "the data pointer of " + std::string(t.name) + " is NULL, *",
                     [t](BadCall& c) { (c.*t.tensor).data = nullptr; }});
  }
  if (function.workspace) {
    rules.push_back({"workspace", kBad, "workspace is NULL, expected 16 bytes as workspace_size says.", [](BadCall& c) {
                       c.workspace = nullptr;
                       c.workspace_size = 16;
                     }});
  }
  const std::string overlap = "* overlaps * in memory, expected separate buffers.";
  rules.push_back({"output over rois", kBad, overlap,
                   [function](BadCall& c) { (function.forward ? c.pooled : c.map).data = c.rois.data; }});
  rules.push_back({"map over pooled", kBad, overlap, [](BadCall& c) { c.map.data = c.pooled.data; }});
  rules.push_back({"map over mapping", kBad, overlap, [](BadCall& c) { c.map.data = c.mapping.data; }});
  if (function.forward) {
    rules.push_back({"mapping over rois", kBad, overlap, [](BadCall& c) { c.mapping.data = c.rois.data; }});
    rules.push_back({"mapping over pooled", kBad, overlap, [](BadCall& c) { c.mapping.data = c.pooled.data; }});
  }
  if (function.workspace) {
    rules.push_back({"workspace over rois", kBad, overlap, [](BadCall& c) {
                       c.workspace = c.rois.data;
                       c.workspace_size = 1;
                     }});
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  rules.push_back({"values", kBad, "rois[0, 1] is nan, *", [nan](BadCall& c) { c.problem.rois.Set(1, nan); }});
  if (!function.forward) {
    rules.push_back({"channels of mapping", kBad, "mapping_channel[0, 0, 0, 0] is -1, *",
                     [](BadCall& c) { c.problem.mapping.Set(0, -1); }});
  }
  return rules;
}

std::vector<Rule> RulesInOrder(const Function& function) {
  std::vector<Rule> rules;
  const auto append = [&](std::vector<Rule> more) { std::move(more.begin(), more.end(), std::back_inserter(rules)); };
  append(DescriptorRules(function));
  append(ScalarRules(function));
  append(ShapeRules(function));
  append(DataRules(function));
  return rules;
}

bool Excludes(const Rule& rule, const Rule& later) {
  return std::find(rule.excludes.begin(), rule.excludes.end(), later.name) != rule.excludes.end();
}

TEST_P(PsRoiPoolOrder, EveryRuleAlone) {
  for (const Rule& rule : RulesInOrder(GetParam())) {
    SCOPED_TRACE(rule.name);
    BadCall call(GetParam());
    rule.spoil(call);
    const std::string text = Refuse(call, rule.status);
    EXPECT_TRUE(Matches(InWordsOf(GetParam(), rule.sentence), text)) << text;
  }
}

// Not only neighbours: a rule may have been moved over several others.
TEST_P(PsRoiPoolOrder, EarlierOfTwoIsReported) {
  const std::vector<Rule> rules = RulesInOrder(GetParam());
  for (size_t first = 0; first < rules.size(); ++first) {
    for (size_t second = first + 1; second < rules.size(); ++second) {
      if (Excludes(rules[first], rules[second])) continue;
      SCOPED_TRACE(rules[first].name + ", " + rules[second].name);
      BadCall call(GetParam());
      rules[second].spoil(call);
      rules[first].spoil(call);
      const std::string text = Refuse(call, rules[first].status);
      EXPECT_TRUE(Matches(InWordsOf(GetParam(), rules[first].sentence), text)) << text;
    }
  }
}

// The documented rules hold for everything at once too: undoing the reported fault uncovers the next.
TEST_P(PsRoiPoolOrder, DocumentedChecksComeBeforeOverlapAndValues) {
  for (const bool value_checks : {true, false}) {
    BadCall call(GetParam());
    call.value_checks = value_checks;
    TensorArgument& written = forward() ? call.pooled : call.map;
    call.problem.rois.Set(6, std::numeric_limits<double>::quiet_NaN());
    written.data = call.rois.data;
    call.rois.data = nullptr;
    EXPECT_EQ(Refuse(call, kBad), InWordsOf(GetParam(), "the data pointer of rois is NULL, expected 30 elements."));
    call.rois.data = call.problem.rois.data();
    EXPECT_EQ(Refuse(call, kBad), InWordsOf(GetParam(), "$T overlaps rois in memory, expected separate buffers."));
    written.data = call.target.data();
    if (value_checks) {
      EXPECT_EQ(Refuse(call, kBad), InWordsOf(GetParam(), "rois[1, 1] is nan, expected a finite number."));
    }
  }
}

}  // namespace
}  // namespace detops_test
