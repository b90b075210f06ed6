#include "boxes/contract/pair_function.h"

#include <string>

namespace detops_harness::boxes {

std::vector<ShapeKey> PairFunction::keys() const {
  std::vector<ShapeKey> keys = {
      {"first", "100", "boxes of " + names().first, {"1", "2", "7", "20"}},
      {"second", "100", "boxes of " + names().second + "; with aligned as many as the first", {"1", "3", "17", "70"}},
      {"aligned", "0", "1: boxes of the same number instead of all pairs", {"0", "1"}},
      PairsKey()};
  keys.insert(keys.end(), pairs_.more_keys.begin(), pairs_.more_keys.end());
  return keys;
}

// The engine tells apart lines of which most columns meet the line's box and others, few columns, several tiles, and
// boxes of the same number.
std::vector<Sample> PairFunction::samples() const {
  const std::vector<std::string>& variants = pairs_.variants;
  const auto variant = [&](size_t number) { return variants.empty() ? "" : variants[number % variants.size()]; };
  std::vector<Sample> samples = {{"first=3,second=4"}};
  for (const std::string& kind : PairsKey().choices) {
    samples.push_back({"first=19,second=37,boxes=" + kind});
    samples.push_back({"first=40,second=5,boxes=" + kind + variant(0)});
    samples.push_back({"first=70,aligned=1,boxes=" + kind + variant(1)});
    samples.push_back({"first=9,aligned=1,boxes=" + kind});
  }
  for (const char* size : {"first=1,second=1", "first=1,second=130", "first=130,second=1", "first=2,second=2100",
                           "first=70,second=64", "first=65,second=16", "first=1,aligned=1"}) {
    samples.push_back({size + variant(samples.size())});
  }
  samples.push_back({"first=300,second=500,boxes=scattered", true});
  samples.push_back({"first=20000,aligned=1" + variant(0), true});
  return samples;
}

Call PairFunction::Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const {
  const bool aligned = shape.Choice("aligned", {"0", "1"}) == 1;
  const int64_t first = shape.Int("first"), second = aligned ? first : shape.Int("second");
  int64_t numbers = contract().shape(names().first)[1].number;
  Call call;
  call.integers["aligned"] = aligned ? 1 : 0;
  for (const ShapeKey& key : pairs_.more_keys) {
    if (key.name == "numbers") {
      numbers = shape.Choice("numbers", {"5", "7"}) == 0 ? 5 : 7;
    } else {
      call.integers[key.name] = shape.Int(key.name);
      Obey(call, {key.name.c_str()});
    }
  }
  call.tensors = {Input(names().first, MLUOP_LAYOUT_ARRAY, type, {first, numbers}),
                  Input(names().second, MLUOP_LAYOUT_ARRAY, type, {second, numbers}),
                  Output(names().output, MLUOP_LAYOUT_ARRAY, type,
                         aligned ? std::vector<int64_t>{first} : std::vector<int64_t>{first, second})};
  Random random(seed);
  FillPairs(shape, FormOf(numbers), call.tensors[0], call.tensors[1], random);
  return call;
}

Work PairFunction::WorkOf(const Call& call) const {
  Work work = Function::WorkOf(call);
  work.flops = pairs_.flops * MeetingPairs(call, FormOf(call[names().first].extents[1]), names());
  work.in_double = true;
  return work;
}

}  // namespace detops_harness::boxes
