#include "sparse/contract/pairs.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace detops_harness::sparse {
namespace {

constexpr int32_t kGarbageIndex = -0x5A5A5A5A;
constexpr char kPairs[] = "pairs of the rulebook", kSizes[] = "sizes of the rulebook";
constexpr char kCounts[] = "counts of the rulebook";

using List = std::vector<int32_t>;

void Shuffle(List& list, Random& random) {
  for (size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[static_cast<size_t>(random.Below(static_cast<int64_t>(i)))]);
  }
}

// `count` different numbers below `rows`, ascending.
List Subset(int64_t rows, int64_t count, Random& random) {
  List subset;
  for (int64_t row = 0; row < rows; ++row) {
    if (random.Between(1, rows - row) <= count - static_cast<int64_t>(subset.size())) {
      subset.push_back(static_cast<int32_t>(row));
    }
  }
  return subset;
}

// `count` numbers below `rows`, any.
List Numbers(int64_t rows, int64_t count, Random& random) {
  List numbers(static_cast<size_t>(count));
  for (int32_t& number : numbers) number = static_cast<int32_t>(random.Below(rows));
  return numbers;
}

List Steps(int64_t step, int64_t first, int64_t rows, int64_t count) {
  List numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<int32_t>((i * step + first) % rows));
  return numbers;
}

// The pairs of one offset: input indices and output indices.
std::pair<List, List> MakeList(const std::string& kind, const Pairs& pairs, int64_t offset, Random& random) {
  const int64_t inputs = pairs.rows[0], outputs = pairs.rows[1], columns = pairs.columns;
  const int64_t most = std::min({inputs, outputs, columns});
  if (most == 0 || kind == "none") return {};
  const bool middle = offset == pairs.offsets / 2;
  const int64_t several = random.Between((most + 1) / 2, most);
  if (kind == "spread") {
    const int64_t count = middle ? most : offset % 4 == 3 ? 0 : std::min(most, 3 + offset % 3);
    return {Steps(3, offset, inputs, count), Steps(5, offset, outputs, count)};
  }
  if (kind == "ascending" || (kind == "holes" && offset % 3 == 1)) {
    return {Subset(inputs, several, random), Subset(outputs, several, random)};
  }
  if (kind == "crossed" || kind == "shuffled") {
    List in = Subset(inputs, several, random), out = Subset(outputs, several, random);
    Shuffle(out, random);
    if (kind == "shuffled") Shuffle(in, random);
    return {in, out};
  }
  if (kind == "submanifold") {
    if (middle) return {Steps(1, 0, most, most), Steps(1, 0, most, most)};
    return {Subset(inputs, several / 3, random), Subset(outputs, several / 3, random)};
  }
  if (kind == "random") {
    const int64_t any = random.Between(0, columns);
    return {Numbers(inputs, any, random), Numbers(outputs, any, random)};
  }
  if (kind == "crowded") {
    return {Numbers(std::min<int64_t>(inputs, 5), columns, random),
            Numbers(std::min<int64_t>(outputs, 3), columns, random)};
  }
  if (kind == "one_output") {
    const List in = Subset(inputs, std::min(inputs, columns), random);
    return {in, List(in.size(), static_cast<int32_t>(outputs / 2))};
  }
  if (kind == "one_input") {
    const List out = Subset(outputs, std::min(outputs, columns), random);
    return {List(out.size(), static_cast<int32_t>(inputs / 2)), out};
  }
  return {};  // holes
}

}  // namespace

void Pairs::Add(int64_t offset, int64_t input, int64_t output) {
  const int64_t column = counts.at(static_cast<size_t>(offset))++;
  At(offset, 0, column) = static_cast<int32_t>(input);
  At(offset, 1, column) = static_cast<int32_t>(output);
}

Pairs NoPairs(int64_t offsets, int64_t columns, int64_t inputs, int64_t outputs) {
  return {offsets,
          columns,
          {inputs, outputs},
          List(static_cast<size_t>(offsets * 2 * columns), kGarbageIndex),
          std::vector<int64_t>(static_cast<size_t>(offsets))};
}

ShapeKey PairsKey(const std::string& fallback) {
  return {"pairs",
          fallback,
          "scene, spread, ascending, crossed, shuffled, submanifold, holes, random, crowded, one_output, one_input, "
          "none",
          {"spread", "ascending", "crossed", "shuffled", "submanifold", "holes", "random", "crowded", "one_output",
           "one_input", "none"},
          false};
}

Pairs MakePairs(const Shape& shape, int64_t offsets, int64_t columns, int64_t inputs, int64_t outputs, Random& random) {
  // Throws for a word that is none of these.
  shape.Choice("pairs", {"spread", "ascending", "crossed", "shuffled", "submanifold", "holes", "random", "crowded",
                         "one_output", "one_input", "none"});
  Pairs pairs = NoPairs(offsets, columns, inputs, outputs);
  for (int64_t k = 0; k < offsets; ++k) {
    const auto [in, out] = MakeList(shape.Word("pairs"), pairs, k, random);
    for (size_t i = 0; i < in.size(); ++i) pairs.Add(k, in[i], out[i]);
  }
  return pairs;
}

// ---- in a call ----

Tensor PairsTensor(const Pairs& pairs) {
  Tensor tensor = Input("indice_pairs", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {pairs.offsets, 2, pairs.columns});
  if (!tensor.contents.empty()) std::memcpy(tensor.contents.data(), pairs.indices.data(), tensor.contents.size());
  return tensor;
}

void KeepForRulebook(Call& call, const Pairs& pairs) {
  call.integer_lists[kSizes] = {pairs.offsets, pairs.columns, pairs.rows[0], pairs.rows[1]};
  call.integer_lists[kPairs].assign(pairs.indices.begin(), pairs.indices.end());
  call.integer_lists[kCounts] = pairs.counts;
}

void SetPairs(Call& call, const Pairs& pairs) {
  if (call.integer_lists.count(kSizes) != 0) return KeepForRulebook(call, pairs);
  call["indice_pairs"] = PairsTensor(pairs);
  call.integer_lists.at("indice_num") = pairs.counts;
}

Pairs PairsOf(const Call& call) {
  Pairs pairs;
  const auto sizes = call.integer_lists.find(kSizes);
  if (sizes == call.integer_lists.end()) {
    const Tensor& tensor = call["indice_pairs"];
    pairs.offsets = tensor.extents[0];
    pairs.columns = tensor.extents[2];
    pairs.counts = call.integer_lists.at("indice_num");
    pairs.indices.resize(tensor.contents.size() / sizeof(int32_t));
    if (!pairs.indices.empty()) std::memcpy(pairs.indices.data(), tensor.contents.data(), tensor.contents.size());
    return pairs;
  }
  pairs.offsets = sizes->second[0];
  pairs.columns = sizes->second[1];
  pairs.rows[0] = sizes->second[2];
  pairs.rows[1] = sizes->second[3];
  pairs.counts = call.integer_lists.at(kCounts);
  const std::vector<int64_t>& indices = call.integer_lists.at(kPairs);
  pairs.indices.assign(indices.begin(), indices.end());
  return pairs;
}

const std::vector<int64_t>& CountsOf(const Call& call) {
  const bool rulebook = call.integer_lists.find(kSizes) != call.integer_lists.end();
  return call.integer_lists.at(rulebook ? kCounts : "indice_num");
}

int64_t RulebookRows(const Call& call, int side) {
  return call.integer_lists.at(kSizes)[static_cast<size_t>(2 + side)];
}
int64_t RulebookOffsets(const Call& call) { return call.integer_lists.at(kSizes)[0]; }

std::shared_ptr<void> MakeRulebook(const Functions& library, const Arguments& arguments) {
  const auto must = [](mluOpStatus_t status, const char* what) {
    if (status != MLUOP_STATUS_SUCCESS) throw std::runtime_error(std::string(what) + " failed");
  };
  if (arguments.IsNull("rulebook")) return nullptr;
  const Pairs pairs = PairsOf(arguments.call());
  mluOpHandle_t handle = nullptr;
  must(library.mluOpCreate(&handle), "mluOpCreate");
  must(library.detopsSetProfile(handle, DETOPS_PROFILE_FULL), "detopsSetProfile");
  must(library.detopsSetNumThreads(handle, 1), "detopsSetNumThreads");
  mluOpTensorDescriptor_t desc = nullptr;
  must(library.mluOpCreateTensorDescriptor(&desc), "mluOpCreateTensorDescriptor");
  const int64_t extents[] = {pairs.offsets, 2, pairs.columns};
  must(library.mluOpSetTensorDescriptor_v2(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, 3, extents),
       "mluOpSetTensorDescriptor_v2");
  static constexpr int64_t kNone = 0;  // no array is NULL, also if there are no offsets
  detopsRulebook_t rulebook = nullptr;
  must(library.detopsCreateRulebook(handle, desc, pairs.indices.data(),
                                    pairs.counts.empty() ? &kNone : pairs.counts.data(), pairs.rows[0], pairs.rows[1],
                                    &rulebook),
       "detopsCreateRulebook");
  must(library.mluOpDestroyTensorDescriptor(desc), "mluOpDestroyTensorDescriptor");
  must(library.mluOpDestroy(handle), "mluOpDestroy");
  return {rulebook, [&library](void* made) { library.detopsDestroyRulebook(static_cast<detopsRulebook_t>(made)); }};
}

// ---- rules ----

Rules CountsPointer() { return NotNull({"indice_num"}, "one count per offset"); }

namespace {

Fault CountFault(int64_t offset, int64_t count, bool listed) {
  return {BadClass::kIndices, "indice_num " + std::to_string(count),
          [=](Call& call) {
            std::vector<int64_t>& counts = call.integer_lists.at("indice_num");
            if (static_cast<size_t>(offset) < counts.size()) counts[static_cast<size_t>(offset)] = count;
          },
          listed};
}

Fault IndexFault(int64_t offset, int64_t side, int64_t column, int64_t index, bool listed) {
  return {BadClass::kIndices,
          Format("indice_pairs[%lld, %lld, %lld] is %lld", static_cast<long long>(offset), static_cast<long long>(side),
                 static_cast<long long>(column), static_cast<long long>(index)),
          [=](Call& call) {
            // By the good call's extents: others may have been spoilt.
            Tensor& pairs = call["indice_pairs"];
            const auto columns = static_cast<int64_t>(pairs.contents.size() / sizeof(int32_t) / 2) /
                                 std::max<int64_t>(1, static_cast<int64_t>(call.integer_lists.at("indice_num").size()));
            const int64_t place = (offset * 2 + side) * columns + column;
            const auto value = static_cast<int32_t>(index);
            const auto at = static_cast<size_t>(place) * sizeof(value);
            if (column < columns && at + sizeof(value) <= pairs.contents.size()) {
              std::memcpy(pairs.contents.data() + at, &value, sizeof(value));
            }
          },
          listed};
}

}  // namespace

Rules CountsInRange() {
  Rules rules = Own({"numbers in indice_num", MLUOP_STATUS_BAD_PARAM, [](Judgement& j) -> std::optional<std::string> {
                       const std::vector<int64_t>& counts = j.call.integer_lists.at("indice_num");
                       const Tensor& pairs = j.call["indice_pairs"];
                       for (size_t k = 0; k < counts.size(); ++k) {
                         if (counts[k] >= 0 && counts[k] <= pairs.extents[2]) continue;
                         return Format("indice_num[%zu] is %lld, expected a count in [0, %lld].", k,
                                       static_cast<long long>(counts[k]), static_cast<long long>(pairs.extents[2]));
                       }
                       return {};
                     }});
  rules[0].faults = [](const Contract&, const Call& good) {
    Faults faults;
    const int64_t columns = good["indice_pairs"].extents[2];
    for (const int64_t count : {int64_t{-1}, columns + 1, INT64_MAX}) faults.push_back(CountFault(2, count, true));
    for (int64_t k = 0; k < good["indice_pairs"].extents[0]; ++k) {
      for (const int64_t count : {INT64_MIN, columns + 1, columns}) faults.push_back(CountFault(k, count, false));
    }
    return faults;
  };
  const auto one_each = [](const Call& call) {
    return static_cast<int64_t>(call.integer_lists.at("indice_num").size()) == call["indice_pairs"].extents[0];
  };
  rules.insert(rules.begin(), Vouched("length of indice_num", one_each)[0]);
  return rules;
}

Rules IndicesAreRows(std::function<int64_t(const Call&, int side)> rows, int64_t offset) {
  Rules rules = Own({"indices", MLUOP_STATUS_BAD_PARAM, [rows](Judgement& j) -> std::optional<std::string> {
                       const std::vector<int64_t>& counts = j.call.integer_lists.at("indice_num");
                       const Tensor& pairs = j.call["indice_pairs"];
                       for (size_t k = 0; k < counts.size(); ++k) {
                         for (int64_t column = 0; column < counts[k]; ++column) {
                           for (const int side : {0, 1}) {
                             const int64_t place = (static_cast<int64_t>(k) * 2 + side) * pairs.extents[2] + column;
                             const auto index = static_cast<int64_t>(pairs.Get(place));
                             const int64_t end = rows(j.call, side);
                             if (index >= 0 && index < end) continue;
                             return Format("indice_pairs[%zu, %d, %lld] is %lld, expected an index in [0, %lld).", k,
                                           side, static_cast<long long>(column), static_cast<long long>(index),
                                           static_cast<long long>(end));
                           }
                         }
                       }
                       return {};
                     }});
  rules[0].faults = [rows, offset](const Contract&, const Call& good) {
    Faults faults;
    for (const int side : {0, 1}) {
      for (const int64_t index : {int64_t{-1}, rows(good, side), int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
        faults.push_back(IndexFault(offset, side, 1, index, true));
      }
    }
    const std::vector<int64_t>& counts = good.integer_lists.at("indice_num");
    for (size_t at = 0; at < counts.size(); ++at) {
      const auto k = static_cast<int64_t>(at);
      // Of the good call all; a scene has millions.
      for (int64_t column = 0; column < std::min<int64_t>(counts[at], 16); ++column) {
        for (const int side : {0, 1}) {
          // Nobody may leave a tensor, so value checks make no difference. A later wrong index is not named.
          faults.push_back(IndexFault(k, side, column, column % 2 == 0 ? -1 : rows(good, side), false));
          faults.back().apply = [one = faults.back().apply, column,
                                 later = IndexFault(k, 1, counts[at] - 1, INT32_MIN, false).apply](Call& call) {
            call.value_checks = column % 3 == 0;
            later(call);
            one(call);
          };
        }
      }
      // What is not counted is not read.
      faults.push_back(IndexFault(k, 1, counts[at], INT32_MAX, false));
    }
    return faults;
  };
  const auto has_memory = [](const Call& call) {
    return call["indice_pairs"].byte_count() <= static_cast<int64_t>(call["indice_pairs"].contents.size());
  };
  rules.insert(rules.begin(), Vouched("memory of indice_pairs", has_memory)[0]);
  return rules;
}

Rules RulebookPointer() { return NotNull({"rulebook"}, "a rulebook of detopsCreateRulebook"); }

// ---- for the table of bad input ----

void TryEnumerator(Contract& contract, const std::string& argument, std::initializer_list<int64_t> values) {
  for (const int64_t value : values) contract.Try(BadClass::kEnumerator, argument, WithInteger(argument, value));
}

void TryExtent(Contract& contract, const std::string& tensor, size_t axis) {
  contract.Try(BadClass::kShapes, "extent of " + tensor + " on axis " + std::to_string(axis),
               [=](Call& call) { call[tensor].extents.at(axis) += 1; });
}

void TryContractProfile(Contract& contract) {
  contract.Try(BadClass::kOverflow, "the contract profile", [](Call& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
}

std::string Untouched(const Tensor& output) {
  const auto* const bytes = static_cast<const unsigned char*>(output.address);
  const bool untouched = std::all_of(bytes, bytes + output.bytes, [](unsigned char byte) { return byte == 0xA5; });
  return untouched ? "" : "a tensor without elements was written";
}

std::string AllZero(const Tensor& output) {
  const std::vector<double> values = output.Values();
  return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; }) ? "" : "not all is 0";
}

}  // namespace detops_harness::sparse
