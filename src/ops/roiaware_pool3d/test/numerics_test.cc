// roiaware_pool3d: backward is the gradient of forward, and long averages.
#include <cstdint>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;

constexpr char kForward[] = "mluOpRoiAwarePool3dForward", kBackward[] = "mluOpRoiAwarePool3dBackward";

// Linear for given points; the maximum for given winners.
Pass ForwardPass(const std::string& shape) {
  return {CallOf(kForward, shape, MLUOP_DTYPE_DOUBLE), "pts_feature", "pooled_features"};
}
Pass BackwardPass(const std::string& shape) {
  return {CallOf(kBackward, shape, MLUOP_DTYPE_DOUBLE), "grad_out", "grad_in"};
}

TEST(RoiAwarePool3dGradient, BackwardIsTheAdjointOfForward) {
  for (const std::string scene :
       {"scattered", "faces", "far", "clustered", "one_voxel", "outliers", "degenerate", "special"}) {
    for (const char* method : {",pool=max", ",pool=avg"}) {
      SCOPED_TRACE(scene + method);
      const std::string shape = "boxes=6,points=500,channels=7,out=3x2x4,max_pts=6,scene=" + scene + method;
      ExpectAdjoint(ForwardPass(shape), BackwardPass(shape));
    }
  }
}

TEST(RoiAwarePool3dGradient, BackwardIsTheSlopeOfForward) {
  for (const std::string method : {"max", "avg"}) {
    const std::string shape = "boxes=3,points=40,channels=2,out=2x2x1,max_pts=5,scene=scattered,pool=" + method;
    ExpectSlope(ForwardPass(shape), BackwardPass(shape));
  }
}

class RoiAwarePool3dLongSums : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dLongSums, testing::ValuesIn(kTypes), TypeName);

// Constant values are the worst case, because every addition rounds the same way: a plain float sum of 40,000 times
// 0.7 is off by far more than the bar. Fewer in double, whose bar is close to its precision.
TEST_P(RoiAwarePool3dLongSums, LongAveragesStayWithinTheBar) {
  const int64_t points = GetParam() == MLUOP_DTYPE_DOUBLE ? 3000 : 40000;
  for (const int64_t channels : {1, 5, 13, 40}) {
    Call call = CallOf(kForward,
                       "boxes=1,out=1x1x1,scene=held,pool=avg,points=" + std::to_string(points) +
                           ",max_pts=" + std::to_string(points + 1) + ",channels=" + std::to_string(channels),
                       GetParam());
    Fill(call, "pts_feature", 0.7);
    const std::vector<double> expected(static_cast<size_t>(channels), call["pts_feature"].Get(0));
    ExpectWithinTheBar(call, {{"pooled_features", expected}});
  }
}

}  // namespace
}  // namespace detops_test
