// Which of two faults is reported: for every pair of rules a call that breaks both. Every check relies on those above
// it: a rule that came too early would read what nobody has looked at yet.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/point_to_voxel/test/bad_call.h"

namespace detops_test {
namespace {

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;
constexpr const char* kTensors[] = {"points",      "cloud_begins", "voxels",     "means",
                                    "coordinates", "num_points",   "point_voxel"};

struct Rule {
  std::string name;
  mluOpStatus_t status;
  std::string sentence;  // numbers may depend on the other fault
  Spoil spoil;
  std::vector<std::string> excludes = {};  // later rules that the same call cannot break as well
};

// One rule per tensor, all with the same kind of fault.
template <class Fault>
void ForTensors(std::vector<Rule>& rules, const std::string& kind, mluOpStatus_t status, const std::string& sentence,
                const Fault& fault) {
  for (const std::string name : kTensors) {
    std::string text = sentence;
    text.replace(text.find('$'), 1, name);
    rules.push_back({name + " " + kind, status, text, [=](BadCall& c) { fault(c[name]); }});
  }
}

std::vector<Rule> RulesInOrder() {
  std::vector<Rule> rules = {
      {"voxel_num", kBad, "voxel_num is NULL, *", [](BadCall& c) { c.with_voxel_num = false; }},
      {"handle", kBad, "handle is NULL, *", [](BadCall& c) { c.with_handle = false; }},
      {"points NULL", kBad, "the descriptor of points *", [](BadCall& c) { c["points"].described = false; }},
      {"coordinates NULL", kBad, "the descriptor of coordinates *",
       [](BadCall& c) { c["coordinates"].described = false; }},
      {"range_min NULL", kBad, "range_min is NULL, *", [](BadCall& c) { c.with_range_min = false; }},
      {"voxel_size NULL", kBad, "voxel_size is NULL, *", [](BadCall& c) { c.with_voxel_size = false; }},
      {"grid NULL", kBad, "grid is NULL, *", [](BadCall& c) { c.with_grid = false; }},
      {"profile", kLimit, "*full profile lifts *", [](BadCall& c) { c.profile = DETOPS_PROFILE_CONTRACT; }},
      {"ndim", kBad, "ndim is 5, *", [](BadCall& c) { c.ndim = 5; }},
  };
  ForTensors(rules, "rank", kBad, "$ has rank 5, *", [](TensorArgument& tensor) { tensor.rank = 5; });
  rules.push_back({"columns", kBad, "points has 0 columns, *", [](BadCall& c) { c.sizes.features = 0; }});
  rules.push_back({"no begins",
                   kBad,
                   "cloud_begins has 0 elements, *",
                   [](BadCall& c) { c.sizes.clouds = -1; },
                   {"cloud_begins strides", "cloud_begins bytes", "cloud_begins data", "begins"}});
  rules.push_back({"coordinates shape", kBad, "coordinates has extent * on axis 1, *",
                   [](BadCall& c) { c["coordinates"].surplus[1] = 1; }});
  for (const std::string name : {"voxels", "means", "num_points", "point_voxel"}) {
    rules.push_back(
        {name + " shape", kBad, name + " has extent * on axis 0, *", [=](BadCall& c) { c[name].surplus[0] = 1; }});
  }
  ForTensors(rules, "type", kBad, "$ has type *", [](TensorArgument& tensor) { tensor.type = MLUOP_DTYPE_UINT8; });
  rules.push_back({"range_min", kBad, "range_min[0] is *",
                   [](BadCall& c) { c.range_min[0] = std::numeric_limits<double>::quiet_NaN(); }});
  rules.push_back({"voxel_size", kBad, "voxel_size[0] is *", [](BadCall& c) { c.voxel_size[0] = 0; }});
  rules.push_back({"grid", kBad, "grid[0] is *", [](BadCall& c) { c.grid[0] = 0; }, {"bits"}});
  rules.push_back({"next axis", kBad, "range_min[1] is *",
                   [](BadCall& c) { c.range_min[1] = std::numeric_limits<double>::quiet_NaN(); }});
  rules.push_back({"max_points",
                   kBad,
                   "max_points_per_voxel is 0, *",
                   [](BadCall& c) {
                     c.max_points = 0;
                     c["voxels"].surplus[1] = -3;
                   },
                   {"voxels strides", "voxels bytes", "voxels data"}});
  rules.push_back({"max_voxels", kBad, "max_voxels_per_cloud is -1, *", [](BadCall& c) { c.max_voxels = -1; }});
  rules.push_back({"order", kBad, "order is 3, *", [](BadCall& c) { c.order = static_cast<detopsVoxelOrder_t>(3); }});
  ForTensors(rules, "strides", kLimit, "$ has stride *", [](TensorArgument& tensor) { tensor.odd_strides[0] = 5; });
  rules.push_back(
      {"points bytes", kLimit, "points has shape *2^63 bytes.", [](BadCall& c) { c.sizes.points = int64_t{1} << 62; }});
  rules.push_back({"cloud_begins bytes", kLimit, "cloud_begins has shape *2^63 bytes.",
                   [](BadCall& c) { c.sizes.clouds = int64_t{1} << 62; }});
  rules.push_back(
      {"rows bytes", kLimit, "voxels has shape *2^63 bytes.", [](BadCall& c) { c.sizes.rows = int64_t{1} << 62; }});
  rules.push_back(
      {"points limit", kLimit, "points has 2147483648 rows, *", [](BadCall& c) { c.sizes.points = int64_t{1} << 31; }});
  rules.push_back({"clouds limit", kLimit, "cloud_begins describes 2147483648 clouds, *",
                   [](BadCall& c) { c.sizes.clouds = int64_t{1} << 31; }});
  rules.push_back({"bits", kLimit, "grid and clouds need * bits *", [](BadCall& c) { c.grid.assign(4, INT32_MAX); }});
  ForTensors(rules, "data", kBad, "the data pointer of $ is NULL, *",
             [](TensorArgument& tensor) { tensor.data = nullptr; });
  rules.push_back({"overlap", kBad, "point_voxel overlaps means *",
                   [](BadCall& c) { c["point_voxel"].data = c["means"].memory->data(); }});
  rules.push_back({"begins", kBad, "cloud_begins[0] is *", [](BadCall& c) { c["cloud_begins"].memory->Set(0, 1); }});
  return rules;
}

class PointToVoxelOrder : public PointToVoxelRefusals {};

TEST_F(PointToVoxelOrder, EveryRuleAlone) {
  for (const Rule& rule : RulesInOrder()) ExpectRefused(rule.status, rule.sentence, rule.spoil);
}

TEST_F(PointToVoxelOrder, EveryPair) {
  const std::vector<Rule> rules = RulesInOrder();
  for (size_t i = 0; i < rules.size(); ++i) {
    for (size_t j = i + 1; j < rules.size(); ++j) {
      const std::vector<std::string>& excluded = rules[i].excludes;
      if (std::find(excluded.begin(), excluded.end(), rules[j].name) != excluded.end()) continue;
      SCOPED_TRACE(rules[i].name + ", " + rules[j].name);
      ExpectRefused(rules[i].status, rules[i].sentence, [&](BadCall& call) {
        rules[j].spoil(call);
        rules[i].spoil(call);
      });
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace detops_test
