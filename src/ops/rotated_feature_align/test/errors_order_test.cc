// Which of two faults is reported: for every pair of rules a call that breaks both. Programs written for the
// accelerator rely on its order, and so does every check on those above it: a rule that came too early would read what
// nobody has looked at yet.
#include <fnmatch.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ops/rotated_feature_align/test/bad_call.h"

namespace detops_test {
namespace {

constexpr int64_t kTwoTo31 = int64_t{1} << 31;

class RotatedFeatureAlignOrder : public RotatedFeatureAlignRefusals {};
INSTANTIATE_TEST_SUITE_P(Directions, RotatedFeatureAlignOrder, testing::ValuesIn(kDirections), DirectionName);

struct Rule {
  std::string name;
  mluOpStatus_t status;
  std::string sentence;  // a pattern with "*": numbers depend on the other fault
  Spoil spoil;
  std::vector<std::string> excludes = {};  // later rules that the same call cannot break as well
};

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;

std::vector<Rule> DescriptorRules() {
  return {
      {"handle", kBad, "handle is NULL, *", [](BadCall& c) { c.with_handle = false; }},
      {"source descriptor", kBad, "the descriptor of $S is NULL, *", [](BadCall& c) { c.source.described = false; }},
      {"boxes descriptor", kBad, "the descriptor of bboxes is NULL, *", [](BadCall& c) { c.boxes.described = false; }},
      {"target descriptor", kBad, "the descriptor of $T is NULL, *", [](BadCall& c) { c.target.described = false; }},
      {"source rank", kBad, "$S has rank 5, *", [](BadCall& c) { c.source.rank = 5; }},
      {"boxes rank", kBad, "bboxes has rank 3, *", [](BadCall& c) { c.boxes.rank = 3; }},
      {"target rank", kBad, "$T has rank 5, *", [](BadCall& c) { c.target.rank = 5; }},
      {"source type", kBad, "$S has type int32, expected float or half.",
       [](BadCall& c) { c.source.type = MLUOP_DTYPE_INT32; }},
      {"boxes type", kBad, "bboxes has type half, *", [](BadCall& c) { c.boxes.type = MLUOP_DTYPE_HALF; }},
      {"target type", kBad, "$T has type half, *", [](BadCall& c) { c.target.type = MLUOP_DTYPE_HALF; }},
      {"source layout", kBad, "$S has layout NCHW, *", [](BadCall& c) { c.source.layout = MLUOP_LAYOUT_NCHW; }},
      {"target layout", kBad, "$T has layout NCHW, *", [](BadCall& c) { c.target.layout = MLUOP_LAYOUT_NCHW; }},
      // A tensor without elements has no strides, so these two do not meet the rule of zero channels.
      {"source strides", kLimit, "$S has stride *", [](BadCall& c) { c.source.odd_strides[1] = 1; }, {"zero"}},
      {"boxes strides", kLimit, "bboxes has stride *", [](BadCall& c) { c.boxes.odd_strides[1] = 1; }},
      {"target strides", kLimit, "$T has stride *", [](BadCall& c) { c.target.odd_strides[1] = 1; }, {"zero"}},
  };
}

std::vector<Rule> ShapeRules() {
  std::vector<Rule> rules;
  for (size_t axis = 0; axis < 4; ++axis) {
    const std::string on_axis = std::to_string(axis);
    rules.push_back({"target axis " + on_axis, kBad, "$T has extent * on axis " + on_axis + ", expected * as in $S; *",
                     [axis](BadCall& c) { c.target.surplus[axis] = 1; }});
  }
  for (size_t axis = 0; axis < 4; ++axis) {
    const std::string on_axis = std::to_string(axis);
    rules.push_back({"boxes axis " + on_axis, kBad,
                     "bboxes has extent * on axis " + on_axis + (axis == 3 ? ", expected 5; *" : ", expected *"),
                     [axis](BadCall& c) { c.boxes.surplus[axis] = 1; }});
  }
  return rules;
}

std::vector<Rule> ScalarRules() {
  return {{"points", kBad, "points is 2, *", [](BadCall& c) { c.points = 2; }},
          {"scale", kBad, "spatial_scale is 0, *", [](BadCall& c) { c.spatial_scale = 0; }}};
}

// Source and target have the same shape here, and boxes are empty only when these are: nothing else can be broken.
std::vector<Rule> CountRules() {
  return {
      {"source count",
       kLimit,
       "$S has * elements, expected fewer than 2147483648; *",
       [](BadCall& c) { c.shape.channels = kTwoTo31; },
       {"zero"}},
      // As few images as do, and at most one channel, so that the count of the source stays below.
      {"boxes count", kLimit, "bboxes has * elements, expected fewer than 2147483648; *",
       [](BadCall& c) {
         c.shape.channels = std::min<int64_t>(c.shape.channels, 1);
         c.shape.batch = kTwoTo31 / (c.shape.height * c.shape.width * 5) + 1;
       }},
      {"zero", kBad, "$S has 0 elements, *", [](BadCall& c) { c.shape.channels = 0; }},
  };
}

std::vector<Rule> DataRules() {
  return {
      {"source data",
       kBad,
       "the data pointer of $S is NULL, *",
       [](BadCall& c) { c.source.data = nullptr; },
       {"source overlap"}},
      {"boxes data",
       kBad,
       "the data pointer of bboxes is NULL, *",
       [](BadCall& c) { c.boxes.data = nullptr; },
       {"boxes overlap", "values"}},
      {"target data",
       kBad,
       "the data pointer of $T is NULL, *",
       [](BadCall& c) { c.target.data = nullptr; },
       {"source overlap", "boxes overlap"}},
      {"source overlap",
       kBad,
       "$T overlaps $S in memory, *",
       [](BadCall& c) { c.target.data = c.source.data; },
       {"boxes overlap"}},
      {"boxes overlap", kBad, "$T overlaps bboxes in memory, *", [](BadCall& c) { c.target.data = c.boxes.data; }},
      {"values", kBad, "bboxes* is nan, *",
       [](BadCall& c) { c.problem.boxes.Set(0, std::numeric_limits<double>::quiet_NaN()); }},
  };
}

// The order of the public headers: backward looks at points and scale before the counts; the contract puts overlap and
// values last.
std::vector<Rule> RulesInOrder(Direction direction) {
  const bool forward = direction == Direction::kForward;
  std::vector<Rule> rules;
  const auto append = [&](std::vector<Rule> more) { std::move(more.begin(), more.end(), std::back_inserter(rules)); };
  append(DescriptorRules());
  append(ShapeRules());
  if (!forward) append(ScalarRules());
  append(CountRules());
  if (forward) append(ScalarRules());
  append(DataRules());
  return rules;
}

bool Excludes(const Rule& rule, const Rule& later) {
  return std::find(rule.excludes.begin(), rule.excludes.end(), later.name) != rule.excludes.end();
}

TEST_P(RotatedFeatureAlignOrder, EveryRuleAlone) {
  for (const Rule& rule : RulesInOrder(GetParam())) {
    SCOPED_TRACE(rule.name);
    BadCall call(GetParam());
    rule.spoil(call);
    const std::string text = Refuse(call, rule.status);
    EXPECT_EQ(fnmatch(InWordsOf(GetParam(), rule.sentence).c_str(), text.c_str(), 0), 0) << text;
  }
}

// Not only neighbours: a rule may have been moved over several others.
TEST_P(RotatedFeatureAlignOrder, EarlierOfTwoIsReported) {
  const std::vector<Rule> rules = RulesInOrder(GetParam());
  for (size_t first = 0; first < rules.size(); ++first) {
    for (size_t second = first + 1; second < rules.size(); ++second) {
      if (Excludes(rules[first], rules[second])) continue;
      SCOPED_TRACE(rules[first].name + ", " + rules[second].name);
      BadCall call(GetParam());
      rules[second].spoil(call);
      rules[first].spoil(call);
      const std::string text = Refuse(call, rules[first].status);
      EXPECT_EQ(fnmatch(InWordsOf(GetParam(), rules[first].sentence).c_str(), text.c_str(), 0), 0) << text;
    }
  }
}

// The documented rules hold for everything at once too: undoing the reported fault uncovers the next.
TEST_P(RotatedFeatureAlignOrder, DocumentedChecksComeBeforeOverlapAndValues) {
  for (const bool value_checks : {true, false}) {
    BadCall call(GetParam());
    call.value_checks = value_checks;
    call.problem.boxes.Set(0, std::numeric_limits<double>::quiet_NaN());
    call.target.data = call.boxes.data;
    call.source.data = nullptr;
    EXPECT_EQ(Refuse(call, kBad), InWordsOf(GetParam(), "the data pointer of $S is NULL, expected 144 elements."));
    call.source.data = call.problem.source.data();
    EXPECT_EQ(Refuse(call, kBad), InWordsOf(GetParam(), "$T overlaps bboxes in memory, expected separate buffers."));
    call.target.data = call.target_tensor.data();
    if (value_checks) {
      EXPECT_EQ(Refuse(call, kBad), InWordsOf(GetParam(), "bboxes[0, 0, 0, 0] is nan, expected a finite number."));
    } else {
      EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS);
    }
  }
}

}  // namespace
}  // namespace detops_test
