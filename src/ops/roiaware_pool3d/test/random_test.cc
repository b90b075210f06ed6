// Thousands of boxes with a point at a corner, each on one target and with one number of threads in turn. Random calls
// of all functions are those of roiaware_pool3d_fuzz, of which every test run makes some.
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::PlacedCall;
using detops_harness::Random;

class RoiAwarePool3dRandom : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // A target and a number of threads that follow from the seed.
  void Configure(uint64_t seed) {
    const int threads[] = {1, 2, 3, 7};
    handle_.SetThreads(threads[seed % std::size(threads)]);
    Must(detopsSetTarget(targets_[seed / std::size(threads) % targets_.size()].c_str()), "detopsSetTarget");
  }
  void TearDown() override { detopsSetTarget(nullptr); }

  void ExpectAgreement(const Call& call) {
    PlacedCall placed(call, {detops_harness::MemoryKind::kHeap});
    const detops_harness::Expected expected = call.function->Reference(placed.call());
    CarryOut(placed, handle_);
    ASSERT_EQ(Disagreement(placed.call(), expected), "");
  }

  std::vector<std::string> targets_ = SupportedTargets();
  Handle handle_{DETOPS_PROFILE_FULL};
};

INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dRandom, testing::ValuesIn(kTypes), TypeName);

// One box and one point at one of its corners, where rounding may put a point inside that an exact rectangle around the
// box leaves out.
TEST_P(RoiAwarePool3dRandom, CornersOfTurnedBoxes) {
  Call call = CallOf("mluOpRoiAwarePool3dForward", "boxes=1,points=1,channels=1,out=2x2x1,max_pts=2", GetParam());
  int64_t inside = 0;
  constexpr uint64_t kSeeds = 12000;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const double side_x = random.OneOf({0.5, -0.5}), side_y = random.OneOf({0.5, -0.5}), far = random.OneOf({0, 3});
    SetRow(call, "rois", 0,
           {far, -far, 0, random.Uniform(0.5, 6), random.Uniform(0.5, 6), 2, random.Uniform(-3.2, 3.2)});
    const auto number = [&](int64_t i) { return call["rois"].Get(i); };
    const double x = side_x * number(3), y = side_y * number(4), c = std::cos(number(6)), s = std::sin(number(6));
    const auto aside = [&](double value) {
      return StepFromZero(GetParam(), RoundToElement(GetParam(), value), static_cast<int>(random.Between(-2, 2)));
    };
    SetRow(call, "pts", 0, {aside(far + x * c - y * s), aside(-far + x * s + y * c), 1});
    if (seed % 1000 == 0) Configure(seed / 1000 * 4);
    ExpectAgreement(call);
    if (HasFailure()) return;
    const detops_harness::Expected expected = call.function->Reference(call);
    for (const double count : expected.tensors.at("pts_idx_of_voxels")) inside += count > 0;
  }
  EXPECT_GT(inside, static_cast<int64_t>(kSeeds / 20));
  EXPECT_LT(inside, static_cast<int64_t>(kSeeds - kSeeds / 20));
}

}  // namespace
}  // namespace detops_test
