// Regular and transposed convolutions of many batches in spaces so large that batches are worked on by themselves:
// batches that begin inside a word, empty ones, more batches than groups, sites at the borders of batches, and inputs
// whose batches do not follow each other. Compared with the reference on every target and number of threads.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/get_indice_pairs/test/problem.h"

namespace detops_test {
namespace {

// Sites anywhere, and some in the first and the last corner of every batch: those share words with other batches.
std::vector<Site> SitesOfAllBatches(Random& random, const SparseConvolution& convolution, int64_t count) {
  std::vector<Site> sites(static_cast<size_t>(count));
  for (Site& site : sites) site = RandomSite(random, convolution);
  for (int64_t batch = 0; batch < convolution.batch; ++batch) {
    Site low = {static_cast<int32_t>(batch)}, high = low;
    for (size_t a = 0; a < convolution.input_space.size(); ++a) {
      high[a + 1] = static_cast<int32_t>(convolution.input_space[a] - 1);
    }
    if (batch % 3 != 0) sites.push_back(low);
    if (batch % 4 != 0) sites.push_back(high);
  }
  return sites;
}

void SortByBatch(std::vector<Site>& sites) {
  std::sort(sites.begin(), sites.end(), [](const Site& a, const Site& b) { return a[0] < b[0]; });
}

void ExpectOnAllConfigurations(const SparseConvolution& convolution, const std::vector<Site>& sites) {
  const PairProblem problem = {.convolution = convolution, .sites = sites};
  const IndicePairs expected = problem.Expected();
  ConvolutionDescriptor desc;
  ForEachConfiguration(DETOPS_PROFILE_FULL,
                       [&](const Handle& handle) { ExpectPairs(handle, desc, problem, expected); });
}

class GetIndicePairsBatches : public testing::TestWithParam<SparseConvolution> {
 protected:
  Random random_{77};
  SparseConvolution convolution_ = Completed(GetParam());
  std::vector<Site> sites_ = SitesOfAllBatches(random_, convolution_, 900);
};

// More than 2^22 output sites each.
INSTANTIATE_TEST_SUITE_P(
    Geometries, GetIndicePairsBatches,
    testing::Values(SparseConvolution{.batch = 16,
                                      .input_space = {33, 257, 259},
                                      .filter_space = {3, 3, 3},
                                      .pad = {1, 1, 1},
                                      .stride = {2, 2, 2}},
                    SparseConvolution{
                        .batch = 15, .input_space = {700'001}, .filter_space = {5}, .pad = {2}, .stride = {2}},
                    SparseConvolution{.batch = 5000, .input_space = {29, 31}, .filter_space = {3, 2}, .pad = {1, 1}},
                    SparseConvolution{.batch = 19,
                                      .input_space = {9, 20, 40, 37},
                                      .filter_space = {3, 1, 3, 2},
                                      .pad = {1, 0, 1, 0},
                                      .dilation = {1, 1, 2, 3}},
                    SparseConvolution{.batch = 31,
                                      .input_space = {5, 90, 101},
                                      .filter_space = {1, 3, 3},
                                      .stride = {1, 2, 2},
                                      .transposed = true}));

TEST_P(GetIndicePairsBatches, Ascending) {
  SortUnique(sites_);
  ExpectOnAllConfigurations(convolution_, sites_);
}

// In a batch sites have any order, and some occur twice.
TEST_P(GetIndicePairsBatches, OnlyBatchesAscend) {
  random_.Shuffle(sites_);
  sites_.insert(sites_.end(), sites_.begin(), sites_.begin() + 50);
  SortByBatch(sites_);
  ExpectOnAllConfigurations(convolution_, sites_);
}

// The search for where batches begin sees nothing wrong in the second and third of these.
TEST_P(GetIndicePairsBatches, BatchesDoNotFollowEachOther) {
  SortUnique(sites_);
  std::vector<Site> sorted = sites_;
  random_.Shuffle(sites_);
  ExpectOnAllConfigurations(convolution_, sites_);
  sites_ = sorted;
  sites_[1][0] = static_cast<int32_t>(convolution_.batch - 1);
  ExpectOnAllConfigurations(convolution_, sites_);
  sites_ = sorted;
  sites_[sites_.size() - 2][0] = 0;
  ExpectOnAllConfigurations(convolution_, sites_);
  sites_ = sorted;
  sites_.back()[0] = 0;
  ExpectOnAllConfigurations(convolution_, sites_);
}

TEST_P(GetIndicePairsBatches, OneBatchHasThemAll) {
  for (const int64_t batch : {int64_t{0}, convolution_.batch / 2, convolution_.batch - 1}) {
    for (Site& site : sites_) site[0] = static_cast<int32_t>(batch);
    SortUnique(sites_);
    ExpectOnAllConfigurations(convolution_, sites_);
  }
}

// No word is 0, and batches begin inside of words.
TEST(GetIndicePairsAllBatches, EverySiteIsReached) {
  const SparseConvolution convolution =
      Completed({.batch = 16, .input_space = {70}, .filter_space = {4099}, .stride = {4099}, .transposed = true});
  std::vector<Site> sites;
  for (int32_t batch = 0; batch < 16; ++batch) {
    for (int32_t x = 0; x < 70; ++x) sites.push_back({batch, x});
  }
  ExpectOnAllConfigurations(convolution, sites);
}

}  // namespace
}  // namespace detops_test
