// Submanifold convolutions where sites are words of bits: neighbours in other words, planes that are missing, keys of
// more than 32 and more than 64 bits, and equal sites. The results are compared with the reference on every target and
// number of threads. Rows of every length and kernels of every reach are samples of the catalogue.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "ops/get_indice_pairs/test/problem.h"
#include "support/runner.h"

namespace detops_test {
namespace {

// A kernel of odd extents with its centre in its middle.
PairProblem Centred(int64_t batch, std::vector<int64_t> space, std::vector<int64_t> filter,
                    std::vector<int64_t> dilation) {
  PairProblem problem;
  SparseConvolution& convolution = problem.convolution;
  convolution = {.batch = batch,
                 .input_space = std::move(space),
                 .filter_space = std::move(filter),
                 .dilation = std::move(dilation),
                 .submanifold = true};
  for (size_t a = 0; a < convolution.filter_space.size(); ++a) {
    convolution.pad.push_back(convolution.filter_space[a] / 2 * convolution.dilation[a]);
  }
  convolution = Completed(convolution);
  return problem;
}

// In ascending order and in no order.
void ExpectInBothOrders(PairProblem problem, Random& random) {
  SortUnique(problem.sites);
  for (const bool shuffled : {false, true}) {
    if (shuffled) random.Shuffle(problem.sites);
    const IndicePairs expected = problem.Expected();
    ConvolutionDescriptor desc;
    ForEachConfiguration(DETOPS_PROFILE_FULL,
                         [&](const Handle& handle) { ExpectPairs(handle, desc, problem, expected); });
  }
}

void AddSites(int64_t count, Random& random, PairProblem& problem) {
  for (int64_t i = 0; i < count; ++i) problem.sites.push_back(RandomSite(random, problem.convolution));
}

// Sites at the first and last columns of words only, whose neighbours belong to other words.
TEST(GetIndicePairsWordEdges, NeighboursInOtherWords) {
  Random random(300);
  PairProblem problem = Centred(2, {3, 6, 62 * 4}, {3, 3, 3}, {1, 1, 1});
  for (int32_t row = 0; row < 2 * 3 * 6; ++row) {
    for (int32_t word = 0; word <= 4; ++word) {
      for (const int32_t column : {62 * word - 1, 62 * word}) {
        const bool inside = column >= 0 && column < 62 * 4;
        if (inside && !random.OneIn(4)) problem.sites.push_back({row / 18, row / 6 % 3, row % 6, column});
      }
    }
  }
  ExpectInBothOrders(problem, random);
}

// The kernel spans nine planes, most of which have no site.
TEST(GetIndicePairsWordEdges, MissingPlanes) {
  Random random(400);
  PairProblem problem = Centred(3, {40, 5, 70}, {5, 3, 3}, {2, 1, 1});
  AddSites(4000, random, problem);
  std::erase_if(problem.sites, [](const Site& site) { return site[1] % 7 < 4 || (site[0] == 1 && site[1] > 3); });
  ExpectInBothOrders(problem, random);
}

// Numbers of threads that no machine has, given to a caller's runner, which runs everything by itself.
TEST(GetIndicePairsWordEdges, AnyNumberOfThreads) {
  Random random(560);
  PairProblem many = Centred(2, {4, 40, 300}, {3, 3, 3}, {1, 1, 1});
  AddSites(30'000, random, many);
  SortUnique(many.sites);
  PairProblem one = many;
  one.sites.resize(1);
  for (const int threads : {256, 5000, 1 << 30, std::numeric_limits<int>::max()}) {
    Handle handle(DETOPS_PROFILE_FULL, 1);
    Runner runner;
    handle.SetThreads(threads);
    handle.SetRunner(Runner::Run, &runner);
    ConvolutionDescriptor desc;
    for (const PairProblem& problem : {one, many}) ExpectPairs(handle, desc, problem, problem.Expected());
    PairProblem shuffled = many;
    random.Shuffle(shuffled.sites);
    ExpectPairs(handle, desc, shuffled, shuffled.Expected());
    if (HasFailure()) return;
  }
}

// Ids of words that take more than 25 bits, or columns above 2^15, are not computed in 32 bits.
TEST(GetIndicePairsWordEdges, LargeKeys) {
  Random random(600);
  PairProblem images = Centred(1 << 24, {3, 2, 70}, {3, 3, 3}, {1, 1, 1});
  PairProblem columns = Centred(1, {1, 1, 100'000}, {1, 1, 3}, {1, 1, 1});
  for (int i = 0; i < 300; ++i) {
    const Site site = RandomSite(random, images.convolution);
    for (int j = 0; j < 12; ++j) {
      Site other = RandomSite(random, images.convolution);
      other[0] = site[0];
      images.sites.push_back(other);
    }
    const auto column = static_cast<int32_t>(random.Between(0, 99'990));
    for (int32_t j = 0; j < 9; ++j) {
      if (!random.OneIn(3)) columns.sites.push_back({0, 0, 0, column + j});
    }
  }
  columns.sites.push_back({0, 0, 0, 99'999});
  images.sites.push_back({(1 << 24) - 1, 2, 1, 69});
  ExpectInBothOrders(images, random);
  ExpectInBothOrders(columns, random);
}

// Key and input index do not fit 64 bits: only ascending input can be words.
TEST(GetIndicePairsWordEdges, KeysThatCannotBeSorted) {
  Random random(700);
  PairProblem problem = Centred(1 << 30, {1 << 20, 2, 3}, {3, 3, 3}, {1, 1, 1});
  for (int i = 0; i < 500; ++i) {
    Site site = RandomSite(random, problem.convolution);
    for (int j = 0; j < 9; ++j) {
      Site other = RandomSite(random, problem.convolution);
      other[0] = site[0];
      other[1] = std::min(site[1] + static_cast<int32_t>(random.Between(0, 2)), (1 << 20) - 1);
      problem.sites.push_back(other);
    }
  }
  ExpectInBothOrders(problem, random);
}

// One pair of equal sites among many, wherever it is, and ascending otherwise.
TEST(GetIndicePairsWordEdges, TwoEqualSites) {
  Random random(800);
  PairProblem all = Centred(2, {4, 40, 200}, {3, 3, 3}, {1, 1, 1});
  AddSites(30'000, random, all);
  SortUnique(all.sites);
  const auto count = static_cast<std::ptrdiff_t>(all.sites.size());
  for (const std::ptrdiff_t place : {std::ptrdiff_t{0}, count / 3, count - 1}) {
    for (const bool shuffled : {false, true}) {
      PairProblem problem = all;
      problem.sites.insert(problem.sites.begin() + place, all.sites[static_cast<size_t>(place)]);
      if (shuffled) random.Shuffle(problem.sites);
      const IndicePairs expected = problem.Expected();
      ConvolutionDescriptor desc;
      ForEachConfiguration(DETOPS_PROFILE_FULL,
                           [&](const Handle& handle) { ExpectPairs(handle, desc, problem, expected); });
    }
  }
}

}  // namespace
}  // namespace detops_test
