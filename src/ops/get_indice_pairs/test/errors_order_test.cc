// Which of two faults is reported: for every pair of rules a call that breaks both. Programs written for the
// accelerator rely on its order, and so does every check on those above it: a rule that came too early would read what
// nobody has looked at yet.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "ops/get_indice_pairs/test/bad_call.h"

namespace detops_test {
namespace {

class GetIndicePairsOrder : public GetIndicePairsRefusals {};
INSTANTIATE_TEST_SUITE_P(Modes, GetIndicePairsOrder, testing::ValuesIn(kModes), ModeName);

struct Rule {
  std::string name;
  mluOpStatus_t status;
  std::string sentence;  // a pattern with "*": numbers depend on the other fault
  Reach reach;
  Spoil spoil;
  std::vector<std::string> excludes = {};  // later rules that the same call cannot break as well
};

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;
constexpr Reach kLargeSites = {Effect::kRefuses, Effect::kNotAsked};  // more sites than there is data to count

std::vector<Rule> DescriptorRules(Mode mode) {
  std::vector<Rule> rules = {
      {"handle", kBad, "handle is NULL, *", kEverywhere, [](BadCall& c) { c.with_handle = false; }},
      {"descriptor", kBad, "the descriptor of sparse_conv is NULL, *", kEverywhere,
       [](BadCall& c) { c.with_descriptor = false; }},
      {"indices descriptor", kBad, "the descriptor of indices is NULL, *", kEverywhere,
       [](BadCall& c) { c.indices.described = false; }},
      {"pairs descriptor", kBad, "the descriptor of indice_pairs is NULL, *", kNotInCount,
       [](BadCall& c) { c.indice_pairs.described = false; }},
      {"out descriptor", kBad, "the descriptor of out_indices is NULL, *", kNotInCount,
       [](BadCall& c) { c.out_indices.described = false; }},
      {"num descriptor", kBad, "the descriptor of indice_num is NULL, *", kNotInCount,
       [](BadCall& c) { c.indice_num.described = false; }}};
  if (mode == Mode::kRegular) {
    rules.push_back({"transposed",
                     kLimit,
                     "sparse_conv has ndim 3, transpose 1 and *",
                     kEverywhere,
                     [](BadCall& c) { c.conv().transposed = true; },
                     {"inverse"}});
  }
  rules.push_back({"inverse", kLimit, "sparse_conv has ndim 3, transpose * and inverse 1, *", kEverywhere,
                   [](BadCall& c) { c.problem.inverse = true; }});
  return rules;
}

std::vector<Rule> ShapeRules() {
  return {
      {"indices rank", kBad, "indices has rank 3, *", kEverywhere, [](BadCall& c) { c.indices.surplus_rank = 1; }},
      {"pairs rank", kBad, "indice_pairs has rank 4, *", kNotInCount,
       [](BadCall& c) { c.indice_pairs.surplus_rank = 1; }},
      {"out rank", kBad, "out_indices has rank 1, *", kNotInCount, [](BadCall& c) { c.out_indices.surplus_rank = -1; }},
      {"num rank", kBad, "indice_num has rank 2, *", kNotInCount, [](BadCall& c) { c.indice_num.surplus_rank = 1; }},
      {"indices columns", kBad, "indices has extent 5 on axis 1, *", kEverywhere,
       [](BadCall& c) { c.indices.surplus[1] = 1; }},
      {"out columns", kBad, "out_indices has extent 5 on axis 1, *", kNotInCount,
       [](BadCall& c) { c.out_indices.surplus[1] = 1; }},
      {"pairs axis 1", kBad, "indice_pairs has extent 3 on axis 1, *", kNotInCount,
       [](BadCall& c) { c.indice_pairs.surplus[1] = 1; }},
      {"pairs axis 2", kBad, "indice_pairs has extent * on axis 2, *", kNotInCount,
       [](BadCall& c) { c.indice_pairs.surplus[2] = 1; }},
      {"num axis 0", kBad, "indice_num has extent * on axis 0, *", kNotInCount,
       [](BadCall& c) { c.indice_num.surplus[0] += 2; }},
      {"sites",
       kBad,
       "indices has extent * on axis 0, expected at most the * sites of batch x input_space; *",
       kEverywhere,
       [](BadCall& c) { c.conv().input_space = {1, 1, 1}; },
       // The large input spaces of these rules have room for all sites.
       {"indices count", "pairs count", "input space"}},
      {"stride and dilation", kBad, "sparse_conv has stride 2 and dilation 2 on axis 1, *", kEverywhere,
       [](BadCall& c) { c.conv().stride[1] = c.conv().dilation[1] = 2; }},
      {"kernel", kBad, "indice_pairs has extent * on axis 0, expected the 6 offsets of filter_space.", kNotInCount,
       [](BadCall& c) {
         ++c.indice_pairs.surplus[0];
         ++c.indice_num.surplus[0];
       }},
      {"rows",
       kBad,
       "out_indices has extent * on axis 0, expected at most *",
       kNotInCount,
       [](BadCall& c) { c.rows = 1000000; },
       {"out count", "output space", "too few rows"}},
  };
}

std::vector<Rule> LimitRules(Mode mode) {
  constexpr int64_t kLarge = 1 << 15;
  std::vector<Rule> rules = {{"indices strides", kLimit, "indices has stride *", kEverywhere,
                              [](BadCall& c) { c.indices.odd_strides[0] = 1; }},
                             {"pairs strides", kLimit, "indice_pairs has stride *", kNotInCount,
                              [](BadCall& c) { c.indice_pairs.odd_strides[0] = 1; }},
                             {"out strides", kLimit, "out_indices has stride *", kNotInCount,
                              [](BadCall& c) { c.out_indices.odd_strides[0] = 1; }},
                             {"num strides", kLimit, "indice_num has stride *", kNotInCount,
                              [](BadCall& c) { c.indice_num.odd_strides[0] = 1; }},
                             {"indices count",
                              kLimit,
                              "indices has * elements, expected fewer than 2147483648; *",
                              kEverywhere,
                              [](BadCall& c) {
                                c.sites = int64_t{1} << 29;
                                c.conv().input_space = {kLarge, kLarge, kLarge};
                              },
                              {"pairs count", "input space"}},
                             {"pairs count",
                              kLimit,
                              "indice_pairs has * elements, expected fewer than 2147483648; *",
                              kLargeSites,
                              [](BadCall& c) {
                                c.sites = int64_t{1} << 28;
                                c.conv().input_space = {kLarge, kLarge, kLarge};
                              },
                              {"input space"}},
                             {"out count",
                              kLimit,
                              "out_indices has * elements, expected fewer than 2147483648; *",
                              kNotInCount,
                              [](BadCall& c) {
                                c.rows = int64_t{1} << 29;
                                c.conv().input_space = c.conv().output_space = {kLarge, kLarge, kLarge};
                              },
                              {"input space", "output space", "equal spaces", "too few rows"}},
                             {"input space", kLimit, "sparse_conv has too many sites in batch x input_space, *",
                              kEverywhere, [](BadCall& c) { c.conv().input_space = {INT_MAX, INT_MAX, INT_MAX}; }},
                             {"output space", kLimit, "sparse_conv has too many sites in batch x output_space, *",
                              kEverywhere, [](BadCall& c) { c.conv().output_space = {INT_MAX, INT_MAX, INT_MAX}; }},
                             {"indices type", kBad, "indices has type int64, *", kEverywhere,
                              [](BadCall& c) { c.indices.type = MLUOP_DTYPE_INT64; }},
                             {"pairs type", kBad, "indice_pairs has type int64, *", kNotInCount,
                              [](BadCall& c) { c.indice_pairs.type = MLUOP_DTYPE_INT64; }},
                             {"out type", kBad, "out_indices has type float, *", kNotInCount,
                              [](BadCall& c) { c.out_indices.type = MLUOP_DTYPE_FLOAT; }},
                             {"num type", kBad, "indice_num has type int64, *", kNotInCount,
                              [](BadCall& c) { c.indice_num.type = MLUOP_DTYPE_INT64; }}};
  if (mode == Mode::kSubmanifold) {
    rules.push_back({"equal spaces", kBad, "sparse_conv has output_space * on axis 0, *", kEverywhere,
                     [](BadCall& c) { c.conv().output_space[0] += 1; }});
    rules.push_back({"stride", kBad, "sparse_conv has stride 2 on axis 1, *", kEverywhere,
                     [](BadCall& c) { c.conv().stride[1] = 2; }});
    rules.push_back({"dilation", kBad, "sparse_conv has dilation 2 on axis 2, *", kEverywhere,
                     [](BadCall& c) { c.conv().dilation[2] = 2; }});
  }
  return rules;
}

std::vector<Rule> DataRules() {
  return {
      {"indices data",
       kBad,
       "the data pointer of indices is NULL, *",
       kNotInSize,
       [](BadCall& c) { c.indices.data = nullptr; },
       {"overlap", "values"}},
      {"pairs data",
       kBad,
       "the data pointer of indice_pairs is NULL, *",
       kInPairsAlone,
       [](BadCall& c) { c.indice_pairs.data = nullptr; },
       {"overlap"}},
      {"out data", kBad, "the data pointer of out_indices is NULL, *", kInPairsAlone,
       [](BadCall& c) { c.out_indices.data = nullptr; }},
      {"num data", kBad, "the data pointer of indice_num is NULL, *", kInPairsAlone,
       [](BadCall& c) { c.indice_num.data = nullptr; }},
      {"no workspace", kBad, "workspace is NULL, *", kInPairsAlone, [](BadCall& c) { c.workspace = nullptr; }},
      {"small workspace", kBad, "workspace_size is 1, *", kInPairsAlone, [](BadCall& c) { c.workspace_size = 1; }},
      {"overlap", kBad, "* overlaps * in memory, *", kInPairsAlone,
       [](BadCall& c) { c.indice_pairs.data = c.indices.data; }},
      {"values", kBad, "indices[1, 2] is -7, *", kNotInSize,
       [](BadCall& c) { static_cast<int32_t*>(c.indices_tensor.data())[6] = -7; }},
      {"too few rows", kBad, "out_indices has extent 2 on axis 0, expected at least *", kInPairsAlone,
       [](BadCall& c) { c.rows = 2; }},
  };
}

std::vector<Rule> RulesInOrder(Mode mode) {
  std::vector<Rule> rules;
  const auto append = [&](std::vector<Rule> more) { std::move(more.begin(), more.end(), std::back_inserter(rules)); };
  append(DescriptorRules(mode));
  append(ShapeRules());
  append(LimitRules(mode));
  append(DataRules());
  return rules;
}

bool Excludes(const Rule& rule, const Rule& later) {
  return std::find(rule.excludes.begin(), rule.excludes.end(), later.name) != rule.excludes.end();
}

TEST_P(GetIndicePairsOrder, EveryRuleAlone) {
  for (const Rule& rule : RulesInOrder(GetParam())) {
    SCOPED_TRACE(rule.name);
    ExpectRefused(rule.status, rule.sentence, rule.reach, rule.spoil);
  }
}

// Not only neighbours: a rule may have been moved over several others.
TEST_P(GetIndicePairsOrder, EarlierOfTwoIsReported) {
  const std::vector<Rule> rules = RulesInOrder(GetParam());
  for (size_t i = 0; i < rules.size(); ++i) {
    for (size_t j = i + 1; j < rules.size(); ++j) {
      const Rule &first = rules[i], &second = rules[j];
      if (Excludes(first, second)) continue;
      SCOPED_TRACE(first.name + ", " + second.name);
      BadCall call(GetParam());
      second.spoil(call);
      first.spoil(call);
      Refuse(call, Function::kPairs, first.status, first.sentence);
      // Each of the other functions reports the earlier of those that concern it.
      const Rule& for_size = first.reach.size == Effect::kRefuses ? first : second;
      Ask(call, Function::kSize, for_size.reach.size, for_size.status, for_size.sentence);
      const Rule& for_count = first.reach.count == Effect::kRefuses ? first : second;
      if (first.reach.count != Effect::kNotAsked) {
        Ask(call, Function::kCount, for_count.reach.count, for_count.status, for_count.sentence);
      }
    }
  }
}

// All faults of a call one after another: undoing the reported one uncovers the next.
TEST_P(GetIndicePairsOrder, WorkspaceThenOverlapThenValuesThenRows) {
  for (const bool value_checks : {true, false}) {
    BadCall call(GetParam());
    call.value_checks = value_checks;
    call.rows = 2;
    int32_t& coordinate = static_cast<int32_t*>(call.indices_tensor.data())[6];
    const int32_t good = coordinate;
    coordinate = -7;
    call.indice_pairs.data = call.indices.data;
    call.workspace = nullptr;
    call.indice_num.data = nullptr;
    Refuse(call, Function::kPairs, kBad, "the data pointer of indice_num is NULL, expected 6 elements.");
    call.indice_num.data = call.num_tensor.data();
    Refuse(call, Function::kPairs, kBad, "workspace is NULL, *");
    call.workspace = call.workspace_memory.data();
    call.workspace_size = 1;
    Refuse(call, Function::kPairs, kBad, "workspace_size is 1, *");
    call.workspace_size = call.workspace_memory.size();
    Refuse(call, Function::kPairs, kBad, "* overlaps * in memory, expected separate buffers.");
    call.indice_pairs.data = call.pairs_tensor.data();
    if (value_checks) Refuse(call, Function::kPairs, kBad, "indices[1, 2] is -7, *");
    coordinate = good;
    Refuse(call, Function::kPairs, kBad, "out_indices has extent 2 on axis 0, expected at least *");
    call.rows = call.needed_rows;
    Accept(call, Function::kPairs);
  }
}

// The rule that only the full profile knows stands between the counts and the spaces.
TEST_P(GetIndicePairsOrder, SitesBeyondInt32) {
  const auto with_sites = [](BadCall& c) {
    c.profile = DETOPS_PROFILE_FULL;
    c.sites = int64_t{1} << 31;
    if (c.conv().input_space[0] < 1000) c.conv().input_space = c.conv().output_space = {1 << 15, 1 << 15, 1 << 15};
  };
  const std::string sentence = "indices has extent 2147483648 on axis 0, expected fewer than 2^31: *";
  const Spoil later[] = {[](BadCall& c) { c.conv().input_space = c.conv().output_space = {INT_MAX, INT_MAX, INT_MAX}; },
                         [](BadCall& c) { c.indices.type = MLUOP_DTYPE_INT64; },
                         [](BadCall& c) { c.conv().stride[0] = 2; }, [](BadCall& c) { c.indices.data = nullptr; }};
  for (const Spoil& spoil : later) {
    ExpectRefused(kLimit, sentence, kEverywhere, [&](BadCall& c) {
      spoil(c);
      with_sites(c);
    });
  }
  ExpectRefused(kLimit, "indices has stride *", kEverywhere, [&](BadCall& c) {
    with_sites(c);
    c.indices.odd_strides[0] = 1;
  });
  ExpectRefused(kLimit, "out_indices has shape *, expected fewer than 2^63 bytes.",
                {Effect::kRefuses, Effect::kNotAsked}, [&](BadCall& c) {
                  with_sites(c);
                  c.rows = int64_t{1} << 60;
                  c.conv().input_space = c.conv().output_space = {INT_MAX, INT_MAX, 1};
                });
}

}  // namespace
}  // namespace detops_test
