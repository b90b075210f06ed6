// How large tensors and spaces may be.
#include <climits>
#include <utility>

#include "ops/get_indice_pairs/contract/convolution.h"
#include "ops/get_indice_pairs/contract/own_rules.h"

namespace detops_harness::get_indice_pairs {
namespace {

using Apply = std::function<void(Call&)>;
using Sentence = std::optional<std::string>;

constexpr mluOpStatus_t kLimit = MLUOP_STATUS_NOT_SUPPORTED;
constexpr BadClass kOverflow = BadClass::kOverflow;
constexpr int64_t kTwoTo31 = int64_t{1} << 31;
const char* const kIndices = "indices";

// Tensors of the call for another kernel.
Apply Filter(const std::vector<int64_t>& filter) {
  return All({WithList("filter_space", filter), WithDim("K", Product(1, filter))});
}
// Room for 2^45 sites in an image, so that only the tensors are too large.
Apply Roomy() { return Spaces({1 << 15, 1 << 15, 1 << 15}); }

// The same rule with other faults than it knows by itself.
Rules BrokenBy(Rules rules, Faults faults) {
  rules.at(0).faults = [faults = std::move(faults)](const Contract&, const Call&) { return faults; };
  return rules;
}

// Elements of each tensor around 2^31, and around 2^63 bytes.
Faults CountFaults(const std::string& tensor) {
  const auto add = [&](const char* dim, const Apply& before, int64_t least, int64_t enormous, Faults& faults) {
    for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
      const Apply with = All({before, [=](Call& call) { call.profile = profile; }});
      for (const int64_t number : {least, least - 1}) {
        faults.push_back({kOverflow, "2^31 elements", All({with, WithDim(dim, number)}), faults.empty()});
      }
      // The spaces are beyond int64 too, or there would be more sites than these have.
      const Apply endless = All({with, Spaces({INT_MAX, INT_MAX, INT_MAX})});
      for (const int64_t number : {enormous, int64_t{1} << 62, INT64_MAX}) {
        faults.push_back({kOverflow, "2^63 bytes", All({endless, WithDim(dim, number)}), false});
      }
    }
  };
  Faults faults;
  if (tensor == kIndices) {
    // Fewer elements in indice_pairs than in indices.
    add("L", All({WithList("input_space", {1 << 11, 1 << 11, 1 << 11}), Filter({1, 1, 1})}), kTwoTo31 / 4,
        int64_t{1} << 59, faults);
  } else if (tensor == "indice_pairs") {
    add("L", Roomy(), 178956971, int64_t{1} << 58, faults);  // 12 * 178956971 = 2^31 + 4
  } else if (tensor == "out_indices") {
    add("rows", Roomy(), kTwoTo31 / 4, int64_t{1} << 59, faults);
  } else {
    // Without input sites indice_pairs is empty, whatever the kernel.
    for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
      for (const std::vector<int64_t>& filter :
           {std::vector<int64_t>{1 << 16, 1 << 15, 1}, {1, INT_MAX, 1}, {INT_MAX, INT_MAX, 2}, {INT_MAX, INT_MAX, 3}}) {
        faults.push_back({kOverflow, "an enormous kernel and no input sites",
                          All({WithDim("L", 0), Filter(filter), [=](Call& call) { call.profile = profile; }}), false});
      }
    }
  }
  return faults;
}

}  // namespace

Rules CountOf(const std::string& tensor) { return BrokenBy(Counts({tensor}), CountFaults(tensor)); }

Rules SitesInInt32() {
  const auto sites = [](int64_t number) { return All({Full, Roomy(), WithDim("L", number)}); };
  return Own({"input sites",
              kLimit,
              [](Judgement& j) -> Sentence {
                const int64_t count = j.call[kIndices].extents[0];
                if (count < kTwoTo31) return {};
                return Format(
                    "indices has extent %lld on axis 0, expected fewer than 2^31: indices of sites are int32.",
                    static_cast<long long>(count));
              },
              {{kOverflow, "2^31 input sites in indices", sites(kTwoTo31)},
               {kOverflow, "2^34 input sites in indices", sites(8 * kTwoTo31), false},
               {kOverflow, "2^31 - 1 input sites in indices", sites(kTwoTo31 - 1), false}}});
}

namespace {

// A product that 64 bits cannot number.
Rules Countable(const std::string& about, const char* list, const std::string& what,
                const std::function<int64_t(const Call&)>& product, bool batch) {
  Faults faults;
  const auto add = [&](const std::string& text, const Apply& change, bool listed) {
    faults.push_back({kOverflow, text, All({Full, change}), listed});
    faults.push_back({kOverflow, text, change, false});
  };
  if (batch) {
    // 2 * (2^31 - 1)^2 = 2^63 - 2^33 + 2 is just below, 3 * (2^31 - 1)^2 above. A kernel just below is work for years.
    add("2^64 " + about, WithList(list, {1 << 30, 1 << 30, 7}), true);
    add("nearly 2^63 " + about, WithList(list, {INT_MAX, 1, INT_MAX}), false);
    add("more than 2^63 " + about, All({WithList(list, {INT_MAX, 1, INT_MAX}), WithInteger("batch", 3)}), false);
  } else {
    add("more than 2^63 " + about, WithList(list, {INT_MAX, INT_MAX, 3}), false);
  }
  add("2^93 " + about, WithList(list, {INT_MAX, INT_MAX, INT_MAX}), !batch);
  return Own({about, kLimit,
              [=](Judgement& j) -> Sentence {
                if (product(j.call) < INT64_MAX) return {};
                return "sparse_conv has too many " + what + ", expected fewer than 2^63 - 1.";
              },
              std::move(faults)});
}
}  // namespace

Rules InputSpace() { return Countable("input sites", "input_space", "sites in batch x input_space", InputSites, true); }
Rules OutputSpace() {
  return Countable("output sites", "output_space", "sites in batch x output_space", OutputSites, true);
}
Rules KernelOfRulebook() {
  const auto kernel = [](const std::vector<int64_t>& filter) { return WithList("filter_space", filter); };
  return Own({"offsets of a rulebook",
              kLimit,
              [](Judgement& j) -> Sentence {
                if (KernelOffsets(j.call) < int64_t{1} << 24) return {};
                return "sparse_conv has too many offsets in filter_space, expected fewer than 2^24.";
              },
              {{kOverflow, "2^24 offsets", kernel({1 << 12, 1 << 12, 1})},
               {kOverflow, "2^93 offsets", kernel({INT_MAX, INT_MAX, INT_MAX})},
               {kOverflow, "2^31 - 1 offsets", kernel({1, INT_MAX, 1}), false}}});
}
Rules Kernel() { return Countable("offsets", "filter_space", "offsets in filter_space", KernelOffsets, false); }

}  // namespace detops_harness::get_indice_pairs
