// What the tests of get_indice_pairs share: calls on sites that a test gives itself.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_TEST_SITES_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_TEST_SITES_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/rules.h"
#include "ops/get_indice_pairs/contract/convolution.h"
#include "properties/by_hand.h"

namespace detops_test::inline get_indice_pairs {  // one program may use several rooms

using detops_harness::Call;
using detops_harness::PlacedCall;
using detops_harness::Random;
using detops_harness::get_indice_pairs::PairsOf;
using detops_harness::get_indice_pairs::SetRows;

// Image, then the axes, slowest first; what the space has no axis for is 0.
using Site = std::array<int32_t, 5>;
using Sites = std::vector<Site>;

inline constexpr const char* kPairFunction = "mluOpGetIndicePairs";
inline constexpr const char* kCountFunction = "detopsCountIndicePairOutputs";

inline Call CallOf(const std::string& shape) { return detops_test::CallOf(kPairFunction, shape, MLUOP_DTYPE_INT32); }

inline Sites SitesOf(const Call& call, const char* tensor = "indices") {
  Sites sites(static_cast<size_t>(call[tensor].extents[0]), Site{});
  const auto columns = static_cast<size_t>(call[tensor].extents[1]);
  for (size_t i = 0; i < sites.size() * columns; ++i) {
    sites[i / columns][i % columns] = static_cast<int32_t>(call[tensor].Get(static_cast<int64_t>(i)));
  }
  return sites;
}

inline void SetSites(Call& call, const Sites& sites) {
  const size_t columns = call.integer_lists.at("pad").size() + 1;
  std::vector<int32_t> flat;
  for (const Site& site : sites) flat.insert(flat.end(), site.begin(), site.begin() + static_cast<int64_t>(columns));
  detops_harness::get_indice_pairs::SetSites(call, flat);
}

// A call about these sites, and with more rows than it needs; the shape says the rest.
inline Call CallOn(const std::string& shape, const Sites& sites, int64_t spare = 0) {
  Call call = CallOf("sites=0," + shape);
  SetSites(call, sites);
  SetRows(call, PairsOf(call).num_act_out + spare);
  return call;
}

// The same with as many rows as the library counts: the reference is slow with many sites.
inline Call QuickCallOn(const std::string& shape, const Sites& sites) {
  Call count = detops_test::CallOf(kCountFunction, "sites=0," + shape, MLUOP_DTYPE_INT32);
  SetSites(count, sites);
  PlacedCall placed(count, {detops_harness::MemoryKind::kHeap});
  Must(placed.Run(Handle(DETOPS_PROFILE_FULL, 2).get()), kCountFunction);
  Call call = CallOf("sites=0," + shape);
  SetSites(call, sites);
  SetRows(call, placed.call().results.at("count"));
  return call;
}

// In the full profile, and in the contract's if that takes the call.
template <class Look>
void ExpectInBothProfiles(Call call, Look&& look) {
  for (const detopsProfile_t profile : {DETOPS_PROFILE_FULL, DETOPS_PROFILE_CONTRACT}) {
    call.profile = profile;
    const PlacedCall placed(call);
    if (call.function->contract().Judge(placed.call()).status != MLUOP_STATUS_SUCCESS) continue;
    ExpectAgreementEverywhere(call, {}, look);
  }
}
inline void ExpectInBothProfiles(const Call& call) {
  ExpectInBothProfiles(call, [](const Call&) {});
}

inline void SortUnique(Sites& sites) {
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
}

inline void Shuffle(Sites& sites, Random& random) {
  for (size_t i = sites.size(); i > 1; --i) {
    std::swap(sites[i - 1], sites[static_cast<size_t>(random.Below(static_cast<int64_t>(i)))]);
  }
}

}  // namespace detops_test::inline get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_TEST_SITES_H_
