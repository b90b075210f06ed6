// Submanifold convolutions where sites are words of bits: neighbours in other words, planes that are missing, keys of
// more than 32 and more than 64 bits, and equal sites. The results are compared with the reference on every target and
// number of threads. Rows of every length and kernels of every reach are samples of the catalogue.
#include <algorithm>
#include <cstdint>
#include <string>

#include "ops/get_indice_pairs/test/sites.h"

namespace detops_test {
namespace {

class GetIndicePairsWordEdges : public testing::Test {
 protected:
  // In ascending order and in no order.
  void ExpectInBothOrders(const std::string& shape, Sites sites) {
    SortUnique(sites);
    for (const bool shuffled : {false, true}) {
      if (shuffled) Shuffle(sites, random_);
      ExpectAgreementEverywhere(CallOn("subm=1," + shape, sites));
    }
  }
  int32_t Below(int64_t end) { return static_cast<int32_t>(random_.Below(end)); }

  Random random_{300};
};

// Sites at the first and last columns of words only, whose neighbours belong to other words.
TEST_F(GetIndicePairsWordEdges, NeighboursInOtherWords) {
  Sites sites;
  for (int32_t row = 0; row < 2 * 3 * 6; ++row) {
    for (int32_t word = 0; word <= 4; ++word) {
      for (const int32_t column : {62 * word - 1, 62 * word}) {
        const bool inside = column >= 0 && column < 62 * 4;
        if (inside && Below(4) != 0) sites.push_back({row / 18, row / 6 % 3, row % 6, column});
      }
    }
  }
  ExpectInBothOrders("batch=2,space=3x6x248,filter=3,pad=1", sites);
}

// The kernel spans nine planes, most of which have no site.
TEST_F(GetIndicePairsWordEdges, MissingPlanes) {
  const std::string shape = "batch=3,space=40x5x70,filter=5x3x3,dilation=2x1x1,pad=4x1x1";
  Sites sites = SitesOf(CallOf(shape + ",subm=1,sites=4000,voxels=random"));
  std::erase_if(sites, [](const Site& site) { return site[1] % 7 < 4 || (site[0] == 1 && site[1] > 3); });
  ExpectInBothOrders(shape, sites);
}

// Ids of words that take more than 25 bits, or columns above 2^15, are not computed in 32 bits.
TEST_F(GetIndicePairsWordEdges, LargeKeys) {
  Sites images = {{(1 << 24) - 1, 2, 1, 69}}, columns = {{0, 0, 0, 99'999}};
  for (int i = 0; i < 300; ++i) {
    const int32_t image = Below(1 << 24), column = Below(99'990);
    for (int j = 0; j < 12; ++j) images.push_back({image, Below(3), Below(2), Below(70)});
    for (int32_t j = 0; j < 9; ++j) {
      if (Below(3) != 0) columns.push_back({0, 0, 0, column + j});
    }
  }
  ExpectInBothOrders("batch=16777216,space=3x2x70,filter=3,pad=1", images);
  ExpectInBothOrders("batch=1,space=1x1x100000,filter=1x1x3,pad=0x0x1", columns);
}

// Key and input index do not fit 64 bits: only ascending input can be words.
TEST_F(GetIndicePairsWordEdges, KeysThatCannotBeSorted) {
  Sites sites;
  for (int i = 0; i < 500; ++i) {
    const int32_t image = Below(1 << 30), plane = Below(1 << 20);
    for (int j = 0; j < 9; ++j) {
      sites.push_back({image, std::min(plane + Below(3), (1 << 20) - 1), Below(2), Below(3)});
    }
  }
  ExpectInBothOrders("batch=1073741824,space=1048576x2x3,filter=3,pad=1", sites);
}

// One pair of equal sites among many, wherever it is, and ascending otherwise.
TEST_F(GetIndicePairsWordEdges, TwoEqualSites) {
  const std::string shape = "subm=1,batch=2,space=4x40x200,filter=3,pad=1";
  const Sites all = SitesOf(CallOf(shape + ",sites=30000,voxels=random"));
  const auto count = static_cast<int64_t>(all.size());
  for (const int64_t place : {int64_t{0}, count / 3, count - 1}) {
    for (const bool shuffled : {false, true}) {
      Sites sites = all;
      sites.insert(sites.begin() + place, all[static_cast<size_t>(place)]);
      if (shuffled) Shuffle(sites, random_);
      ExpectAgreementEverywhere(CallOn(shape, sites));
    }
  }
}

}  // namespace
}  // namespace detops_test
