#include "sparse/contract/scene.h"

#include <algorithm>
#include <string>
#include <utility>

#include "harness/catalogue.h"

namespace detops_harness::sparse {
namespace {

constexpr char kRepeats[] = "repeats";

const Function& PairFunction() { return *WholeCatalogue().Find("mluOpGetIndicePairs"); }

// What the shape says of sites and convolution.
Shape GridOf(const Shape& shape) {
  Shape grid;
  for (const ShapeKey& key : PairFunction().keys()) {
    const bool given = key.offered && shape.Has(key.name);
    grid.Set(key.name, given ? shape.Word(key.name) : key.fallback);
  }
  return grid;
}

// Every third pair of an offset takes the output of the one before, every fifth its input.
void RepeatRows(Pairs& pairs) {
  for (int64_t k = 0; k < pairs.offsets; ++k) {
    for (int64_t i = 1; i < pairs.counts[static_cast<size_t>(k)]; ++i) {
      if (i % 3 == 0) pairs.At(k, 1, i) = pairs.At(k, 1, i - 1);
      if (i % 5 == 0) pairs.At(k, 0, i) = pairs.At(k, 0, i - 1);
    }
  }
}

Pairs MakeScene(const Shape& grid, uint64_t seed) {
  Call call = PairFunction().MakeIn(DETOPS_PROFILE_FULL, grid, MLUOP_DTYPE_INT32, seed);
  for (Tensor& tensor : call.tensors) tensor.address = &call;  // there are outputs, which nobody writes
  const Expected made = PairFunction().Reference(call);
  const Tensor& list = call["indice_pairs"];
  Pairs pairs;
  pairs.offsets = list.extents[0];
  pairs.columns = list.extents[2];
  pairs.rows[0] = call["indices"].extents[0];
  pairs.rows[1] = made.results.at("num_act_out");
  const std::vector<double>&indices = made.tensors.at("indice_pairs"), &counts = made.tensors.at("indice_num");
  pairs.indices.assign(indices.begin(), indices.end());
  pairs.counts.assign(counts.begin(), counts.end());
  return pairs;
}

}  // namespace

void AddSceneKeys(std::vector<ShapeKey>& keys) {
  const auto named = [&](const std::string& name) {
    return std::find_if(keys.begin(), keys.end(), [&](const ShapeKey& key) { return key.name == name; });
  };
  named("pairs")->usual = "scene";
  for (ShapeKey& key : PairFunction().UsersKeys()) {
    const auto known = named(key.name);
    if (known != keys.end() && key.offered) known->usual = key.fallback;
    if (known != keys.end() || !key.offered) continue;
    key.choices.clear();
    keys.push_back(std::move(key));
  }
  keys.push_back({kRepeats, "0", "1: rows appear more than once in the pairs of an offset"});
}

bool IsScene(const Shape& shape) { return shape.Word("pairs") == "scene"; }

void ValidateScene(const Shape& shape) {
  PairFunction().Validate(GridOf(shape));
  shape.Int(kRepeats);
}

const Pairs& ScenePairs(const Shape& shape, uint64_t seed) {
  thread_local Pairs last;
  thread_local std::string last_scene;
  const Shape grid = GridOf(shape);
  const bool repeats = shape.Int(kRepeats) != 0;
  const std::string scene = grid.text() + (repeats ? "," : ";") + std::to_string(seed);
  if (scene == last_scene) return last;
  last_scene.clear();  // stays so if something below throws
  last = MakeScene(grid, seed);
  if (repeats) RepeatRows(last);
  last_scene = scene;
  return last;
}

double CountedPairs(const Call& call) {
  double total = 0;
  for (const int64_t count : CountsOf(call)) total += static_cast<double>(count);
  return total;
}

double CountedBytes(const Call& call) {
  double bytes = AllBytes(call) + 2 * sizeof(int32_t) * CountedPairs(call);
  for (const Tensor& tensor : call.tensors) {
    if (tensor.name == "indice_pairs") bytes -= static_cast<double>(tensor.byte_count());
  }
  return bytes;
}

}  // namespace detops_harness::sparse
