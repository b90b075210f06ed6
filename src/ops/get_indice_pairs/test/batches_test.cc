// Regular and transposed convolutions of many batches in spaces so large that batches are worked on by themselves:
// batches that begin inside a word, empty ones, more batches than groups, sites at the borders of batches, and inputs
// whose batches do not follow each other. Compared with the reference on every target and number of threads.
#include <algorithm>
#include <cstdint>
#include <string>

#include "ops/get_indice_pairs/test/sites.h"

namespace detops_test {
namespace {

// Sites anywhere, and some in the first and the last corner of every batch: those share words with other batches.
Sites SitesOfAllBatches(const std::string& shape) {
  const Call call = CallOf(shape + ",sites=900,voxels=random,order=scan");
  Sites sites = SitesOf(call);
  for (int32_t batch = 0; batch < call.integer("batch"); ++batch) {
    Site low = {batch}, high = low;
    const std::vector<int64_t>& space = call.integer_lists.at("input_space");
    for (size_t a = 0; a < space.size(); ++a) high[a + 1] = static_cast<int32_t>(space[a] - 1);
    if (batch % 3 != 0) sites.push_back(low);
    if (batch % 4 != 0) sites.push_back(high);
  }
  return sites;
}

class GetIndicePairsBatches : public testing::TestWithParam<const char*> {
 protected:
  void Expect(const Sites& sites) const { ExpectAgreementEverywhere(CallOn(shape_, sites)); }

  const std::string shape_ = std::string("subm=0,") + GetParam();
  Random random_{77};
  Sites sites_ = SitesOfAllBatches(shape_);
  const Sites& sorted() {
    SortUnique(sites_);
    return sites_;
  }
};

// More than 2^22 output sites each.
INSTANTIATE_TEST_SUITE_P(Geometries, GetIndicePairsBatches,
                         testing::Values("batch=16,space=33x257x259,filter=3,pad=1,stride=2",
                                         "batch=15,axes=1,space=700001,filter=5,pad=2,stride=2",
                                         "batch=5000,axes=2,space=29x31,filter=3x2,pad=1",
                                         "batch=19,axes=4,space=9x20x40x37,filter=3x1x3x2,pad=1x0x1x0,dilation=1x1x2x3",
                                         "batch=31,space=5x90x101,filter=1x3x3,pad=0,stride=1x2x2,transpose=1"));

TEST_P(GetIndicePairsBatches, Ascending) { Expect(sorted()); }

// In a batch sites have any order, and some occur twice.
TEST_P(GetIndicePairsBatches, OnlyBatchesAscend) {
  Shuffle(sites_, random_);
  sites_.insert(sites_.end(), sites_.begin(), sites_.begin() + 50);
  std::sort(sites_.begin(), sites_.end(), [](const Site& a, const Site& b) { return a[0] < b[0]; });
  Expect(sites_);
}

// The search for where batches begin sees nothing wrong in the second and third of these.
TEST_P(GetIndicePairsBatches, BatchesDoNotFollowEachOther) {
  const auto last = static_cast<int32_t>(CallOf(shape_ + ",sites=0").integer("batch") - 1);
  Sites shuffled = sorted(), early = shuffled, late = shuffled, latest = shuffled;
  Shuffle(shuffled, random_);
  early[1][0] = last;
  late[late.size() - 2][0] = 0;
  latest.back()[0] = 0;
  for (const Sites& sites : {shuffled, early, late, latest}) Expect(sites);
}

TEST_P(GetIndicePairsBatches, OneBatchHasThemAll) {
  const auto last = static_cast<int32_t>(CallOf(shape_ + ",sites=0").integer("batch") - 1);
  for (const int32_t batch : {0, (last + 1) / 2, last}) {
    for (Site& site : sites_) site[0] = batch;
    Expect(sorted());
  }
}

// No word is 0, and batches begin inside of words.
TEST(GetIndicePairsAllBatches, EverySiteIsReached) {
  ExpectAgreementEverywhere(
      CallOf("sites=1120,batch=16,axes=1,space=70,filter=4099,pad=0,stride=4099,transpose=1,subm=0,voxels=every"));
}

}  // namespace
}  // namespace detops_test
