// get_indice_pairs against the reference on random problems of every kind: both modes, transposed, 1 to 4 axes, kernels
// up to 200 long, output spaces that do not follow the formula, and inputs in every order. Sequences of problems share
// a handle and a descriptor, so that what one call leaves behind meets the next.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ops/get_indice_pairs/test/problem.h"

namespace detops_test {
namespace {

constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();

// Input sites and kernel offsets of a problem stay below this product, which is what a comparison costs.
struct Size {
  int64_t least_sites, most_sites;
  int64_t most_products;
};
constexpr Size kSmall = {0, 300, 40'000};
constexpr Size kMedium = {5'000, 70'000, 700'000};

class ProblemMaker {
 public:
  ProblemMaker(Random& random, detopsProfile_t profile) : random_(random), full_(profile == DETOPS_PROFILE_FULL) {}

  PairProblem Make(const Size& size) {
    PairProblem problem;
    SparseConvolution& convolution = problem.convolution;
    int64_t sites = random_.Between(size.least_sites, size.most_sites);
    if (random_.OneIn(8)) sites = std::min<int64_t>(sites, size.least_sites + random_.Between(0, 3));
    const auto axes = static_cast<size_t>(full_ ? random_.Between(1, 4) : 3);
    convolution.submanifold = random_.OneIn(2);
    convolution.transposed = full_ && !convolution.submanifold && random_.OneIn(3);
    problem.inverse = full_ && random_.OneIn(16);
    convolution.batch = random_.Between(1, 5);
    MakeKernel(axes, size.most_products / std::max<int64_t>(sites, 1), convolution);
    MakeInputSpace(axes, sites, convolution);
    for (size_t a = 0; a < axes; ++a) MakeSteps(a, convolution);
    if (random_.OneIn(10)) MakeHuge(convolution);
    MakeOutputSpace(convolution);
    if (!full_) sites = std::min(sites, SitesOf(convolution.batch, convolution.input_space));
    MakeSites(sites, problem);
    return problem;
  }

 private:
  void MakeKernel(size_t axes, int64_t most_offsets, SparseConvolution& convolution) {
    std::vector<int64_t>& filter = convolution.filter_space;
    filter.assign(axes, 1);
    if (random_.OneIn(12)) {
      constexpr int64_t kLong[] = {63, 64, 65, 70, 128, 200};
      filter[static_cast<size_t>(random_.Between(0, static_cast<int64_t>(axes) - 1))] = random_.Pick(kLong);
    } else {
      const int64_t most = random_.OneIn(3) ? 7 : 3;
      for (int64_t& extent : filter) extent = random_.Between(1, most);
    }
    while (convolution.KernelVolume() > std::max<int64_t>(most_offsets, 1)) {
      --*std::max_element(filter.begin(), filter.end());
    }
  }

  // From spaces that are full to spaces that are nearly empty.
  void MakeInputSpace(size_t axes, int64_t sites, SparseConvolution& convolution) {
    int64_t most = random_.Pick(std::vector<int64_t>{3, 9, 40, 500});
    if (sites > 1000) most = axes <= 2 ? 2000 : random_.Pick(std::vector<int64_t>{25, 60, 300});
    for (size_t a = 0; a < axes; ++a) convolution.input_space.push_back(random_.Between(1 + most / 4, most));
    if (random_.OneIn(4)) convolution.input_space[axes - 1] = 1 + random_.Between(0, 1) * 66;
  }

  void MakeSteps(size_t a, SparseConvolution& convolution) {
    const int64_t kernel = convolution.filter_space[a];
    int64_t stride = random_.OneIn(2) ? 1 : random_.Between(1, 4),
            dilation = random_.OneIn(2) ? 1 : random_.Between(1, 3);
    if (convolution.submanifold) stride = 1;
    if (!full_ && (convolution.submanifold || stride > 1)) dilation = 1;
    const bool centred = random_.OneIn(2);
    convolution.stride.push_back(stride);
    convolution.dilation.push_back(dilation);
    convolution.pad.push_back(centred ? kernel / 2 * dilation : random_.Between(0, kernel));
  }

  // Steps so long that nothing is reached, or only where two of them cancel.
  void MakeHuge(SparseConvolution& convolution) {
    const auto a = static_cast<size_t>(random_.Between(0, static_cast<int64_t>(convolution.pad.size()) - 1));
    const int64_t huge = random_.OneIn(2) ? kInt32Max : random_.Between(1'000'000, kInt32Max);
    const bool dilate = full_ || (!convolution.submanifold && convolution.stride[a] == 1);
    const int64_t kind = random_.Between(0, 3);
    if (kind == 0) convolution.pad[a] = huge;
    if (kind == 1 && dilate) convolution.dilation[a] = huge;
    if (kind == 2 && dilate) convolution.pad[a] = convolution.dilation[a] = huge;
    if (kind == 3 && !convolution.submanifold && (full_ || convolution.dilation[a] == 1)) convolution.stride[a] = huge;
  }

  void MakeOutputSpace(SparseConvolution& convolution) {
    convolution = Completed(convolution, random_.Between(0, 2));
    if (convolution.submanifold) return;
    for (int64_t& extent : convolution.output_space) {
      if (random_.OneIn(3)) extent += random_.Between(-4, 4);
      if (random_.OneIn(20)) extent *= 3;
      extent = std::clamp<int64_t>(extent, 1, 4000);
    }
  }

  void MakeSites(int64_t count, PairProblem& problem) {
    std::vector<Site>& sites = problem.sites;
    const int64_t kind = random_.Between(0, 4);
    std::vector<Site> pool;  // centres of clusters, or the coordinates to repeat
    for (int64_t i = 0; i < std::max<int64_t>(count / random_.Between(2, 40), 1); ++i) {
      pool.push_back(RandomSite(random_, problem.convolution));
    }
    while (kind == 4 && static_cast<int64_t>(sites.size()) < count) AddRun(count, problem);
    for (int64_t i = 0; i < count && kind != 4; ++i) {
      if (kind == 0 || kind == 1) sites.push_back(RandomSite(random_, problem.convolution));
      if (kind == 2) sites.push_back(random_.Pick(pool));
      if (kind == 3) sites.push_back(Near(random_.Pick(pool), problem.convolution));
    }
    if (kind == 1 || random_.OneIn(3)) {
      SortUnique(sites);
      random_.Shuffle(sites);
    }
    Arrange(sites);
  }

  Site Near(Site site, const SparseConvolution& convolution) {
    for (size_t a = 0; a < convolution.input_space.size(); ++a) {
      const int64_t moved = site[a + 1] + random_.Between(-2, 2);
      site[a + 1] = static_cast<int32_t>(std::clamp<int64_t>(moved, 0, convolution.input_space[a] - 1));
    }
    return site;
  }

  // Neighbours, or every second site, in a line along one axis, up to the border of the space.
  void AddRun(int64_t count, PairProblem& problem) {
    const auto axes = static_cast<int64_t>(problem.axes());
    const auto axis = static_cast<size_t>(random_.OneIn(2) ? axes : random_.Between(1, axes));
    const int64_t extent = problem.convolution.input_space[axis - 1], step = random_.OneIn(4) ? 2 : 1;
    Site site = RandomSite(random_, problem.convolution);
    for (int64_t i = random_.Between(1, 40); i > 0 && site[axis] < extent && problem.count() < count; --i) {
      problem.sites.push_back(site);
      site[axis] += static_cast<int32_t>(step);
    }
  }

  void Arrange(std::vector<Site>& sites) {
    switch (random_.Between(0, 5)) {
      case 0:
        std::sort(sites.begin(), sites.end());
        break;
      case 1:
        std::sort(sites.rbegin(), sites.rend());
        break;
      case 2:  // the last axis slowest
        std::sort(sites.begin(), sites.end(), [](const Site& a, const Site& b) {
          return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
        });
        break;
      case 3:  // sorted but for one
        std::sort(sites.begin(), sites.end());
        if (!sites.empty()) std::swap(sites.front(), random_.OneIn(2) ? sites.back() : sites[sites.size() / 2]);
        break;
      default:  // shuffled
        break;
    }
  }

  Random& random_;
  bool full_;
};

// Sometimes more rows than needed.
IndicePairs ExpectedFor(Random& random, const PairProblem& problem) {
  IndicePairs expected = problem.Expected();
  if (random.OneIn(3)) {
    const int64_t most = std::min<int64_t>(SpareRows(problem, expected), 100);
    AddSpareRows(random.Between(0, most), problem, expected);
  }
  return expected;
}

CallOptions RandomOptions(Random& random) {
  CallOptions options;
  options.placement = random.OneIn(2) ? Placement::kAgainstEnd : Placement::kAgainstFront;
  options.offset = random.OneIn(2) ? 0 : static_cast<size_t>(random.Between(1, 64));
  options.workspace_offset = static_cast<size_t>(random.Between(0, 64));
  options.workspace_byte = static_cast<unsigned char>(random.Between(0, 255));
  options.extension = random.OneIn(2);
  return options;
}

// ---- sequences on one handle ----

class GetIndicePairsRandom : public testing::TestWithParam<int> {
 protected:
  void RunSequence(detopsProfile_t profile, const Size& size, int problems, uint64_t seed) {
    Random random(seed);
    const Handle handle(profile, 1 + GetParam() % 4);
    ConvolutionDescriptor desc;
    for (int i = 0; i < problems; ++i) {
      SCOPED_TRACE(testing::Message() << "problem " << i);
      const PairProblem problem = ProblemMaker(random, profile).Make(size);
      const IndicePairs expected = ExpectedFor(random, problem);
      ExpectPairs(handle, desc, problem, expected, RandomOptions(random));
      if (HasFailure()) return;
    }
  }

  uint64_t Seed() const { return 1000 * static_cast<uint64_t>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Seeds, GetIndicePairsRandom, testing::Range(0, 12));

TEST_P(GetIndicePairsRandom, Contract) { RunSequence(DETOPS_PROFILE_CONTRACT, kSmall, 300, Seed() + 1); }

TEST_P(GetIndicePairsRandom, Full) { RunSequence(DETOPS_PROFILE_FULL, kSmall, 300, Seed() + 2); }

TEST_P(GetIndicePairsRandom, ContractMedium) { RunSequence(DETOPS_PROFILE_CONTRACT, kMedium, 2, Seed() + 3); }

TEST_P(GetIndicePairsRandom, FullMedium) { RunSequence(DETOPS_PROFILE_FULL, kMedium, 2, Seed() + 4); }

// ---- every target, number of threads and runner ----

void ExpectEverywhere(detopsProfile_t profile, const PairProblem& problem) {
  const IndicePairs expected = problem.Expected();
  ConvolutionDescriptor desc;
  ForEachConfiguration(profile, [&](const Handle& handle) { ExpectPairs(handle, desc, problem, expected); });
  ForEachTarget(profile, [&](Handle& handle) {
    for (const bool own_threads : {false, true}) {
      CallersRunner runner = {.own_threads = own_threads};
      handle.SetThreads(7);
      handle.SetRunner(CallersRunner::Run, &runner);
      ExpectPairs(handle, desc, problem, expected);
      handle.SetRunner(nullptr, nullptr);
      if (expected.pairs.size() >= 1'000'000) {
        EXPECT_GT(runner.tasks, runner.calls) << "the work was not cut";
      }
    }
  });
}

class GetIndicePairsEverywhere : public testing::TestWithParam<detopsProfile_t> {};

INSTANTIATE_TEST_SUITE_P(Profiles, GetIndicePairsEverywhere,
                         testing::Values(DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL),
                         [](const auto& test) { return test.param == DETOPS_PROFILE_CONTRACT ? "Contract" : "Full"; });

TEST_P(GetIndicePairsEverywhere, Small) {
  Random random(5);
  for (int i = 0; i < 30 && !HasFailure(); ++i) {
    ExpectEverywhere(GetParam(), ProblemMaker(random, GetParam()).Make(kSmall));
  }
}

TEST_P(GetIndicePairsEverywhere, Medium) {
  Random random(6);
  for (int i = 0; i < 3 && !HasFailure(); ++i) {
    ExpectEverywhere(GetParam(), ProblemMaker(random, GetParam()).Make(kMedium));
  }
}

// The usual kernel on enough inputs that every thread has some, in an order that mixes the threads' outputs.
TEST_P(GetIndicePairsEverywhere, UsualKernel) {
  Random random(7);
  for (const bool submanifold : {false, true}) {
    PairProblem problem;
    problem.convolution =
        Completed({.batch = 2,
                   .input_space = {12, 60, 60},
                   .filter_space = {3, 3, 3},
                   .pad = {1, 1, 1},
                   .stride = submanifold ? std::vector<int64_t>{1, 1, 1} : std::vector<int64_t>{2, 2, 2},
                   .submanifold = submanifold});
    for (int i = 0; i < 25'000; ++i) problem.sites.push_back(RandomSite(random, problem.convolution));
    ExpectEverywhere(GetParam(), problem);
  }
}

}  // namespace
}  // namespace detops_test
