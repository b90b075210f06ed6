// Sites that somebody chose so that the call takes long. No arrangement may take many times as long as random sites of
// the same number in the same space.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "ops/get_indice_pairs/test/sites.h"
#include "support/cpu_time.h"

namespace detops_test {
namespace {

struct Way {
  const char* name;  // of the algorithm that the library takes there
  size_t sites;
  const char* shape;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

const Way kWays[] = {{"SubmanifoldWords", 60'000, "space=41x1440x1440,filter=3,subm=1"},
                     // The kernel is not its own mirror.
                     {"SubmanifoldTables", 60'000, "space=40x400x400,filter=3x3x2,pad=1x1x0,subm=1"},
                     {"SubmanifoldMerged", 1'000'000, "axes=1,space=1073741824,filter=3,subm=1"},
                     {"RegularDense", 60'000, "space=41x400x400,filter=3,stride=2,subm=0"},
                     {"RegularSparse", 60'000, "space=32768,filter=3x1x3,pad=1x0x1,stride=2,subm=0"}};

double SecondsOf(const Way& way, const std::function<void(Sites&)>& choose) {
  const std::string shape = std::string("batch=1,") + way.shape;
  const Call empty = CallOf(shape + ",sites=0");
  const std::vector<int64_t>& space = empty.integer_lists.at("input_space");
  Random random(3);
  Sites sites(way.sites, Site{});
  for (Site& site : sites) {
    for (size_t a = 0; a < space.size(); ++a) site[a + 1] = static_cast<int32_t>(random.Below(space[a]));
  }
  choose(sites);
  PlacedCall placed(QuickCallOn(shape, sites));
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  Must(placed.Run(handle.get()), kPairFunction);
  return LeastCpuSeconds([&] { Must(placed.RunAlone(handle.get()), kPairFunction); });
}

class GetIndicePairsChosenTime : public testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(Ways, GetIndicePairsChosenTime, testing::ValuesIn(kWays),
                         [](const testing::TestParamInfo<Way>& way) { return way.param.name; });

TEST_P(GetIndicePairsChosenTime, IsAboutThatOfRandomSites) {
  const bool one_axis = std::string(GetParam().shape).find("axes=1") == 0;
  const size_t last = one_axis ? 1 : 3;
  const double random = SecondsOf(GetParam(), [](Sites&) {});
  const auto expect = [&](const char* name, const std::function<void(Sites&)>& choose) {
    EXPECT_LT(SecondsOf(GetParam(), choose), 20 * random) << name;
  };
  expect("ascending", [](Sites& sites) { std::sort(sites.begin(), sites.end()); });
  expect("descending", [](Sites& sites) { std::sort(sites.rbegin(), sites.rend()); });
  // Once merging went through all of them again for every 256.
  expect("one site", [](Sites& sites) { std::fill(sites.begin(), sites.end(), sites[0]); });
  expect("two sites", [](Sites& sites) {
    for (size_t i = 2; i < sites.size(); ++i) sites[i] = sites[i % 2];
  });
  expect("one site among others", [](Sites& sites) {
    for (size_t i = 0; i < sites.size(); i += 2) sites[i] = sites[0];
    std::sort(sites.begin(), sites.end());
  });
  expect("one row", [=](Sites& sites) {
    for (Site& site : sites) {
      const int32_t column = site[last];
      site = sites[0];
      site[last] = column;
    }
  });
  expect("one column", [=](Sites& sites) {
    for (Site& site : sites) site[last] = 5;
  });
  // Neighbours far from each other in memory, and multiples of what tables and caches like.
  expect("multiples of 256", [=](Sites& sites) {
    for (Site& site : sites) site[last] &= ~255;
  });
}

// Rows too long for tables, in which heaps of equal sites reach across many blocks of 256.
TEST(GetIndicePairsChosen, HeapsOfEqualSitesMatchTheReference) {
  for (const int64_t heaps : {1, 2, 5}) {
    Random random(7);
    Sites sites;
    for (int i = 0; i < 4'000; ++i) {
      sites.push_back({0, static_cast<int32_t>(random.Below(3)), static_cast<int32_t>(random.Between(1, heaps))});
    }
    for (const bool ascending : {false, true}) {
      if (ascending) std::sort(sites.begin(), sites.end());
      ExpectAgreementEverywhere(CallOn("batch=1,axes=2,space=3x1073741824,filter=3x5,pad=1x2,subm=1", sites));
    }
  }
}

}  // namespace
}  // namespace detops_test
