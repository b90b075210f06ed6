// psroipool backward takes the channels from mapping_channel, whatever put them there: permuted, all the same.
// Forward's own channels are only the case that occurs most; samples of the catalogue have random ones, and one that
// differs.
#include <cstdint>
#include <functional>
#include <string>

#include "ops/psroipool/test/by_hand.h"

namespace detops_test {
namespace {

void ExpectAgreementWith(const std::function<int64_t(int64_t element, int64_t channels)>& channel) {
  for (const Way& way : {kContract, kTorchvision, kConsistentFirst}) {
    for (const std::string sizes :
         {"batch=2,height=9,width=8,rois=12,pooled=2,dim=5", "batch=1,height=5,width=7,rois=9,dim=1,pooled=3",
          "batch=3,height=4,width=6,rois=11,pooled=1,dim=17"}) {
      for (const mluOpDataType_t type : kTypes) {
        SCOPED_TRACE(way.name + (", " + sizes));
        Call call = way.Make(false, sizes + ",scale=0.5,corners=mixed", type);
        const int64_t channels = Places(call, false).channels;
        for (int64_t i = 0; i < call["mapping_channel"].elements(); ++i) {
          call["mapping_channel"].Set(i, static_cast<double>(channel(i, channels)));
        }
        ExpectAgreementEverywhere(call);
      }
    }
  }
}

// Every channel once in each roi, but in the order of the output.
TEST(PsRoiPoolMapping, PermutedChannels) {
  ExpectAgreementWith([](int64_t i, int64_t channels) { return i % channels; });
  ExpectAgreementWith([](int64_t i, int64_t channels) { return channels - 1 - i % channels; });
}

TEST(PsRoiPoolMapping, AllTheSameChannel) {
  ExpectAgreementWith([](int64_t, int64_t) { return 0; });
  ExpectAgreementWith([](int64_t, int64_t channels) { return channels - 1; });
}

// Only the very first, or only the very last channel is not forward's.
TEST(PsRoiPoolMapping, OneOtherChannel) {
  for (const bool last : {false, true}) {
    Call call = kContract.Make(false, "batch=2,height=9,width=8,rois=12,pooled=2,dim=5,corners=inside");
    const int64_t at = last ? call["mapping_channel"].elements() - 1 : 0;
    call["mapping_channel"].Set(at, last ? 0 : 1);
    ExpectAgreementEverywhere(call);
  }
}

// Roi 0 covers the one row, 1 2 3 4 in its bins (0, 0) to (1, 1), all of which name channel 3: 1 + 2 + 3 + 4 over two
// pixels each. (One row: both rows of bins hold it; the columns of bins are pixels 0 1 and 2 3.)
TEST(PsRoiPoolMappingByHand, BinsThatShareAChannel) {
  Call call = kContract.Make(false, "batch=1,height=1,width=4,rois=1,pooled=2,dim=1,scale=1");
  Assign(call, "rois", {0, 0, 0, 3, 0});
  Assign(call, "top_grad", {1, 2, 3, 4});
  Fill(call, "mapping_channel", 3);
  // Pixels 0 1: 1/2 + 3/2; pixels 2 3: 2/2 + 4/2.
  ExpectNumbersEverywhere(call, {{"bottom_grad", {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 3}}});
}

}  // namespace
}  // namespace detops_test
