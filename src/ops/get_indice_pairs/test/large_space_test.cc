// get_indice_pairs at the extremes of size: spaces whose sites need up to 63 bits to count, coordinates and steps near
// the largest int32, spaces without a gap, and more than other implementations take.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ops/get_indice_pairs/test/sites.h"

namespace detops_test {
namespace {

// Sites around every corner of the space, in the first and the last image: neighbours exist, and wherever a product
// wraps two of them collide. Sorted, reversed, shuffled and with duplicates.
void ExpectInAllOrders(const std::string& shape) {
  for (const char* order : {"sorted", "reversed", "shuffled", "shuffled,copies=1"}) {
    SCOPED_TRACE(shape + ", " + order);
    ExpectInBothProfiles(CallOf("sites=150,voxels=corners," + shape + ",order=" + order));
    if (testing::Test::HasFailure()) return;
  }
}

class GetIndicePairsLargeSpaces : public testing::TestWithParam<const char*> {};

// More than 2^31, 2^32, 2^40 sites, 2^62 and nearly 2^63, with the large factor on every axis and in the batch.
INSTANTIATE_TEST_SUITE_P(
    Spaces, GetIndicePairsLargeSpaces,
    testing::Values("batch=1,space=2049x1024x1024", "batch=5,space=2049x1024x1024", "batch=3,space=16384x8192x8192",
                    "batch=2,space=41x46340x46341", "batch=1,space=2097152x2097152x1048576",
                    "batch=4,space=1048576x1048576x1048576", "batch=1,space=2147483647x2147483647x1",
                    "batch=1,space=2x2147483647x2147483647", "batch=1,space=2147483647x2x2147483647",
                    "batch=2,space=1x2147483647x2147483647", "batch=2147483647,space=1x2x2147483647",
                    "batch=2147483647,space=3x4x100000000"));

TEST_P(GetIndicePairsLargeSpaces, InEveryMode) {
  for (const char* mode :
       {"filter=3,pad=1,subm=1", "filter=3,pad=1,subm=0", "filter=3x2x3,pad=1x0x1,stride=2,subm=0"}) {
    ExpectInAllOrders(std::string(GetParam()) + "," + mode);
  }
}

// The input space is large and the output space small, and the other way round: o = i * stride.
TEST(GetIndicePairsLargeSpace, LargeStrides) {
  ExpectInAllOrders("batch=2,axes=2,space=2147483647,filter=3,pad=1,stride=1073741823x2147483647,subm=0");
  ExpectInAllOrders(
      "batch=2,axes=2,space=3x2,filter=2,pad=0,output=2147483647,stride=1073741823x2147483645,transpose=1,subm=0");
  ExpectInAllOrders(
      "batch=1,axes=1,space=2147483647,filter=2,pad=0,output=2147483647,stride=2147483647,transpose=1,subm=0");
}

// Padding and dilation near the largest int32: i + pad - k * dilation passes 2^31 and -2^31, and 2^32 from k = 3 on.
TEST(GetIndicePairsLargeSpace, LargePaddingAndDilation) {
  constexpr int64_t kMost = 2147483647;
  for (const int64_t pad : {int64_t{0}, kMost / 2, kMost - 1, kMost}) {
    for (const int64_t dilation : {int64_t{1}, kMost / 3, kMost / 2 + 1, kMost - 1, kMost}) {
      for (const char* mode : {"subm=0", "subm=1", "subm=0,transpose=1"}) {
        ExpectInAllOrders("batch=1,space=3x2x2147483647,output=3x2x2147483647,filter=1x1x4,pad=0x0x" +
                          std::to_string(pad) + ",dilation=1x1x" + std::to_string(dilation) + "," + mode);
      }
    }
  }
}

TEST(GetIndicePairsLargeSpace, OneTwoAndFourAxes) {
  for (const char* subm : {",subm=0", ",subm=1"}) {
    for (const char* shape :
         {"batch=2147483647,axes=1,space=2147483647,filter=5,pad=2", "batch=2,axes=2,space=2147483647,filter=3x4,pad=1",
          "batch=3,axes=4,space=40000,filter=3x1x3x2,pad=1x0x1x1"}) {
      ExpectInAllOrders(std::string(shape) + subm);
    }
  }
}

// ---- many sites ----

// Every site is active: the offset with distance d from the centre has the product of (extent - |d|) pairs per image.
TEST(GetIndicePairsLargeSpace, NoGaps) {
  for (const int64_t kernel : {3, 5}) {
    for (const std::string mode : {"subm=0", "subm=1", "subm=0,order=shuffled", "subm=1,order=shuffled"}) {
      const std::string filter = ",filter=" + std::to_string(kernel) + ",pad=" + std::to_string(kernel / 2);
      ExpectInBothProfiles(
          CallOf("sites=2860,batch=2,space=10x11x13,voxels=every," + mode + filter), [&](const Call& done) {
            ASSERT_EQ(done.results.at("num_act_out"), 2860);
            for (int64_t k = 0; k < kernel * kernel * kernel; ++k) {
              const int64_t d = k / (kernel * kernel) - kernel / 2, h = k / kernel % kernel - kernel / 2;
              const int64_t w = k % kernel - kernel / 2;
              ASSERT_EQ(done["indice_num"].Get(k),
                        static_cast<double>(2 * (10 - std::abs(d)) * (11 - std::abs(h)) * (13 - std::abs(w))));
            }
          });
    }
  }
}

// Kernels of more than 4096 offsets and more than a million inputs, which other implementations refuse.
TEST(GetIndicePairsLargeSpace, NoLimitsOfTheirOwn) {
  ExpectInBothProfiles(CallOf("sites=40,batch=1,space=20,filter=17,pad=0,voxels=random,subm=0"));
  ExpectInBothProfiles(CallOf("sites=40,batch=1,space=20,filter=17,pad=8,voxels=random,subm=1"));
  PlacedCall placed(
      CallOf("sites=1010000,batch=1,space=101x100x100,filter=1x1x2,pad=0,stride=1x1x2,voxels=every,order=scan,subm=0"));
  for (const int threads : {1, 3}) {
    CarryOut(placed, Handle(DETOPS_PROFILE_CONTRACT, threads));
    ASSERT_EQ(Disagreement(placed.call(), placed.call().function->Reference(placed.call())), "");
  }
}

}  // namespace
}  // namespace detops_test
