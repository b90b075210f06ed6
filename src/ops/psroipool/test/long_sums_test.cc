// Large bins, and many rois on one pixel, of one constant value: the worst case for rounding, because every addition
// rounds the same way. Plain float sums of these lengths are off by 2e-5 to 2e-4; the bar is 1e-5. Not with
// torchvision's convention, which promises the bits of plain sums.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "ops/psroipool/test/by_hand.h"

namespace detops_test {
namespace {

class PsRoiPoolLongSums : public testing::TestWithParam<std::tuple<Way, mluOpDataType_t>> {
 protected:
  Call Make(bool forward, const std::string& shape) const {
    return std::get<0>(GetParam()).Make(forward, shape, std::get<1>(GetParam()));
  }
  // Gradients of half are small enough for their sum to stay below the largest half.
  Call MakeGradient(const std::string& shape, const std::vector<double>& roi) const {
    Call call = Make(false, shape);
    Fill(call, "top_grad", std::get<1>(GetParam()) == MLUOP_DTYPE_HALF ? 0.1 : 0.7);
    for (int64_t r = 0; r < call["rois"].extents[0]; ++r) SetRow(call, "rois", r, roi);
    return call;
  }
};

// Not double: the reference adds in double too, so it is no measure for sums of this length.
INSTANTIATE_TEST_SUITE_P(VariantsAndTypes, PsRoiPoolLongSums,
                         testing::Combine(testing::ValuesIn(kUsualWays),
                                          testing::Values(MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16)),
                         WayAndTypeName);

// A square, a row and a column, with one lane, a remainder and whole vectors.
TEST_P(PsRoiPoolLongSums, Forward) {
  for (const char* shape : {"height=160,width=160,pooled=1,dim=1", "height=1,width=20000,pooled=1,dim=3",
                            "height=20000,width=1,pooled=1,dim=5", "height=130,width=130,pooled=2,dim=3"}) {
    Call call = Make(true, std::string("batch=1,rois=2,") + shape);
    const Places at(call, true);
    const auto height = static_cast<double>(at.height), width = static_cast<double>(at.width);
    Fill(call, "input", 0.7);
    SetRow(call, "rois", 0, {0, 0, 0, width, height});
    SetRow(call, "rois", 1, {0, 1, 0, width - 2, height});
    ExpectWithinTheBar(call);
  }
}

// All rois at the same pixels, and a few more bins than one.
TEST_P(PsRoiPoolLongSums, Backward) {
  ExpectWithinTheBar(MakeGradient("batch=1,height=3,width=3,rois=20000,pooled=1,dim=1", {0, 0, 0, 2, 2}));
  ExpectWithinTheBar(MakeGradient("batch=1,height=2,width=3,rois=8000,pooled=2,dim=3", {0, 0, 0, 2, 2}));
}

// As many rois, which share rows, or columns, or both with others, but hardly a pixel: these sums are short.
TEST_P(PsRoiPoolLongSums, ManyRoisApart) {
  for (const int arrangement : {0, 1, 2, 3}) {
    SCOPED_TRACE(arrangement);
    Call call = Make(false, "batch=1,height=48,width=48,rois=2304,pooled=1,dim=3");
    for (int64_t r = 0; r < 2304; ++r) {
      const bool in_row = arrangement == 1 || (arrangement == 3 && r % 2 == 0);
      const bool in_column = arrangement == 2 || (arrangement == 3 && r % 2 == 1);
      const auto x = static_cast<double>(in_column ? 5 : r / 2 % 48), y = static_cast<double>(in_row ? 7 : r / 48);
      SetRow(call, "rois", r, {0, x, y, x, y});
    }
    ExpectAgreementEverywhere(call);
  }
}

// All bins in one channel: each pixel gets a term from every element of top_grad.
TEST_P(PsRoiPoolLongSums, BackwardIntoOneChannel) {
  Call call = MakeGradient("batch=1,height=2,width=2,rois=600,pooled=3,dim=5", {0, 0, 0, 1, 1});
  Fill(call, "mapping_channel", 7);
  ExpectWithinTheBar(call);
}

}  // namespace
}  // namespace detops_test
