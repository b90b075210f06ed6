// psroipool backward takes the channels from mapping_channel, whatever put them there: permuted, all the same.
// Forward's own channels are only the case that occurs most; samples of the catalogue have random ones, and one that
// differs.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "properties/expect.h"

namespace detops_test {
namespace {

using detops_harness::Call;

void ExpectAgreementWith(const std::function<int64_t(int64_t element, int64_t channels)>& channel) {
  for (const char* way : {"", "layout=NHWC,convention=torchvision,", "layout=NCHW,convention=consistent,"}) {
    for (const char* sizes :
         {"batch=2,height=9,width=8,rois=12,pooled=2,dim=5", "batch=1,height=5,width=7,rois=9,dim=1,pooled=3",
          "batch=3,height=4,width=6,rois=11,pooled=1,dim=17"}) {
      for (const mluOpDataType_t type :
           {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16, MLUOP_DTYPE_DOUBLE}) {
        SCOPED_TRACE(std::string(way) + sizes);
        Call call = CallOf(*way == '\0' ? "mluOpPsRoiPoolBackward" : "detopsPsRoiPoolBackward",
                           std::string(way) + sizes + ",scale=0.5,corners=mixed", type);
        const int64_t channels = call["bottom_grad"].extents[call["bottom_grad"].layout == MLUOP_LAYOUT_NCHW ? 1 : 3];
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
    Call call = CallOf("mluOpPsRoiPoolBackward", "batch=2,height=9,width=8,rois=12,pooled=2,dim=5,corners=inside");
    const int64_t at = last ? call["mapping_channel"].elements() - 1 : 0;
    call["mapping_channel"].Set(at, last ? 0 : 1);
    ExpectAgreementEverywhere(call);
  }
}

// Roi 0 covers the one row, 1 2 3 4 in its bins (0, 0) to (1, 1), all of which name channel 3: 1 + 2 + 3 + 4 over two
// pixels each. (One row: both rows of bins hold it; the columns of bins are pixels 0 1 and 2 3.)
TEST(PsRoiPoolMappingByHand, BinsThatShareAChannel) {
  Call call = CallOf("mluOpPsRoiPoolBackward", "batch=1,height=1,width=4,rois=1,pooled=2,dim=1,scale=1");
  const double roi[] = {0, 0, 0, 3, 0};
  for (int64_t i = 0; i < 5; ++i) call["rois"].Set(i, roi[i]);
  for (int64_t i = 0; i < 4; ++i) {
    call["top_grad"].Set(i, static_cast<double>(i + 1));
    call["mapping_channel"].Set(i, 3);
  }
  ExpectAgreementEverywhere(call, {}, [](const Call& done) {
    // Pixels 0 1: 1/2 + 3/2; pixels 2 3: 2/2 + 4/2.
    const std::vector<double> expected = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 3};
    ASSERT_EQ(done["bottom_grad"].Values(), expected);
  });
}

}  // namespace
}  // namespace detops_test
