// Sites that somebody chose so that the call takes long. No arrangement may take many times as long as random sites of
// the same number in the same space.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <random>
#include <vector>

#include "ops/get_indice_pairs/test/problem.h"
#include "support/cpu_time.h"

namespace detops_test {
namespace {

struct Way {
  const char* name;  // of the way that the library takes there
  size_t sites;
  SparseConvolution convolution;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

const Way kWays[] = {
    {"SubmanifoldWords", 60'000,
     Completed({.input_space = {41, 1440, 1440}, .filter_space = {3, 3, 3}, .pad = {1, 1, 1}, .submanifold = true})},
    // The kernel is not its own mirror.
    {"SubmanifoldTables", 60'000,
     Completed({.input_space = {40, 400, 400}, .filter_space = {3, 3, 2}, .pad = {1, 1, 0}, .submanifold = true})},
    {"SubmanifoldMerged", 1'000'000,
     Completed({.input_space = {1 << 30}, .filter_space = {3}, .pad = {1}, .submanifold = true})},
    {"RegularDense", 60'000,
     Completed({.input_space = {41, 400, 400}, .filter_space = {3, 3, 3}, .pad = {1, 1, 1}, .stride = {2, 2, 2}})},
    {"RegularSparse", 60'000,
     Completed({.input_space = {1 << 15, 1 << 15, 1 << 15},
                .filter_space = {3, 1, 3},
                .pad = {1, 0, 1},
                .stride = {2, 2, 2}})}};

double SecondsOf(const Way& way, const std::function<void(std::vector<Site>&)>& choose) {
  std::mt19937_64 random(3);
  PairProblem problem = {.convolution = way.convolution, .sites = std::vector<Site>(way.sites)};
  for (Site& site : problem.sites) {
    for (size_t a = 0; a < problem.axes(); ++a) {
      site[a + 1] = static_cast<int32_t>(random() % static_cast<uint64_t>(way.convolution.input_space[a]));
    }
  }
  choose(problem.sites);
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  const ConvolutionDescriptor desc(problem);
  int64_t rows = 0;
  Must(PairCall(problem, 0).Count(handle, desc, &rows), "detopsCountIndicePairOutputs");
  PairCall call(problem, rows);
  size_t size = 0;
  Must(call.WorkspaceSize(handle, desc, &size), "mluOpGetIndicePairsWorkspaceSize");
  const GuardedBuffer workspace(size);
  return LeastCpuSeconds([&] { Must(call.Run(handle, desc, workspace.data(), size), "mluOpGetIndicePairs"); });
}

class GetIndicePairsChosenTime : public testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(Ways, GetIndicePairsChosenTime, testing::ValuesIn(kWays),
                         [](const testing::TestParamInfo<Way>& way) { return way.param.name; });

TEST_P(GetIndicePairsChosenTime, IsAboutThatOfRandomSites) {
  const size_t last = GetParam().convolution.input_space.size();
  const double random = SecondsOf(GetParam(), [](std::vector<Site>&) {});
  const auto expect = [&](const char* name, const std::function<void(std::vector<Site>&)>& choose) {
    EXPECT_LT(SecondsOf(GetParam(), choose), 20 * random) << name;
  };
  expect("ascending", [](std::vector<Site>& sites) { std::sort(sites.begin(), sites.end()); });
  expect("descending", [](std::vector<Site>& sites) { std::sort(sites.rbegin(), sites.rend()); });
  // Once merging went through all of them again for every 256.
  expect("one site", [](std::vector<Site>& sites) { std::fill(sites.begin(), sites.end(), sites[0]); });
  expect("two sites", [](std::vector<Site>& sites) {
    for (size_t i = 2; i < sites.size(); ++i) sites[i] = sites[i % 2];
  });
  expect("one site among others", [](std::vector<Site>& sites) {
    for (size_t i = 0; i < sites.size(); i += 2) sites[i] = sites[0];
    std::sort(sites.begin(), sites.end());
  });
  expect("one row", [=](std::vector<Site>& sites) {
    for (Site& site : sites) {
      const int32_t column = site[last];
      site = sites[0];
      site[last] = column;
    }
  });
  expect("one column", [=](std::vector<Site>& sites) {
    for (Site& site : sites) site[last] = 5;
  });
  // Neighbours far from each other in memory, and multiples of what tables and caches like.
  expect("multiples of 256", [=](std::vector<Site>& sites) {
    for (Site& site : sites) site[last] &= ~255;
  });
}

// Rows too long for tables, in which heaps of equal sites reach across many blocks of 256.
TEST(GetIndicePairsChosen, HeapsOfEqualSitesMatchTheReference) {
  for (const int64_t heaps : {1, 2, 5}) {
    PairProblem problem = {
        .convolution =
            Completed({.input_space = {3, 1 << 30}, .filter_space = {3, 5}, .pad = {1, 2}, .submanifold = true}),
        .sites = {}};
    Random random(7);
    for (int i = 0; i < 4'000; ++i) {
      problem.sites.push_back(
          {0, static_cast<int32_t>(random.Between(0, 2)), static_cast<int32_t>(random.Between(1, heaps))});
    }
    for (const bool ascending : {false, true}) {
      if (ascending) std::sort(problem.sites.begin(), problem.sites.end());
      const IndicePairs expected = problem.Expected();
      for (const int threads : {1, 3}) {
        ConvolutionDescriptor desc;
        ExpectPairs(Handle(DETOPS_PROFILE_FULL, threads), desc, problem, expected);
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
