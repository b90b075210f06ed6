// The gradient of roiaware_pool3d by hand, exact in every type, and what of its inputs is read.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::PlacedCall;

constexpr char kBackward[] = "mluOpRoiAwarePool3dBackward", kMax[] = "max", kAverage[] = "avg";

struct Case {
  int64_t points = 1, max_pts = 4;
  std::vector<std::vector<double>> lists = {};  // of every voxel of the one box; empty: not for the average
  std::vector<double> argmax = {};              // one channel; empty: not for the maximum
  std::vector<double> grad_out = {};
  std::vector<double> grad_in = {};
};

void SetList(Call& call, int64_t voxel, std::vector<double> points) {
  points.insert(points.begin(), static_cast<double>(points.size()));
  const int64_t begin = voxel * call.integer("max_pts_each_voxel");
  for (size_t i = 0; i < points.size(); ++i) call["pts_idx_of_voxels"].Set(begin + static_cast<int64_t>(i), points[i]);
}

class RoiAwarePool3dBackwardByHand : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  static Call Make(const std::string& method, const std::string& shape) {
    return CallOf(kBackward, shape + ",lists=listed,pool=" + method, GetParam());
  }

  // What the method does not use is garbage, which must not be looked at.
  static Call MakeOfGarbage(const std::string& method, const std::string& shape) {
    Call call = Make(method, shape);
    for (const char* tensor : {"argmax", "pts_idx_of_voxels"}) Fill(call, tensor, 0x5A5A5A5A);
    return call;
  }

  void Expect(const std::string& method, const Case& test) {
    for (const int64_t channels : {1, 9}) {
      SCOPED_TRACE(method + ", " + std::to_string(channels) + " channels");
      Call call = MakeOfGarbage(method, "boxes=1,points=" + std::to_string(test.points) + ",channels=" +
                                            std::to_string(channels) + ",max_pts=" + std::to_string(test.max_pts) +
                                            ",out=1x" + std::to_string(test.grad_out.size()) + "x1");
      Assign(call, "grad_out", InChannels(test.grad_out, channels));
      for (size_t v = 0; v < test.grad_out.size(); ++v) {
        const auto voxel = static_cast<int64_t>(v);
        if (method == kAverage) SetList(call, voxel, test.lists.at(v));
        if (method == kAverage) continue;
        SetRow(call, "argmax", voxel, std::vector<double>(static_cast<size_t>(channels), test.argmax.at(v)));
      }
      ExpectNumbersEverywhere(call, {{"grad_in", InChannels(test.grad_in, channels)}});
    }
  }
  void ExpectBoth(const Case& test) {
    Expect(kMax, test);
    Expect(kAverage, test);
  }
};

INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dBackwardByHand, testing::ValuesIn(kTypes), TypeName);

// Point 1 is the maximum of voxels 0 and 3: 1 + 8. Voxel 1 has none. Point 0 and point 3 are the maximum of nothing.
TEST_P(RoiAwarePool3dBackwardByHand, Maximum) {
  Expect(kMax, {.points = 4, .argmax = {1, -1, 2, 1}, .grad_out = {1, 2, 4, 8}, .grad_in = {0, 9, 4, 0}});
}

// Voxel 0 gives 8 / 2 = 4 to points 0 and 2; voxel 1 is empty; voxel 2 gives 16 to point 2; voxel 3 gives 3 / 3 = 1 to
// points 0, 1 and 3. Point 4 gets nothing.
TEST_P(RoiAwarePool3dBackwardByHand, Average) {
  Expect(kAverage,
         {.points = 5, .lists = {{0, 2}, {}, {2}, {0, 1, 3}}, .grad_out = {8, 2, 16, 3}, .grad_in = {5, 1, 20, 1, 0}});
}

// A list may name a point twice, or be in any order; every naming counts: 8 / 2 twice for point 1.
TEST_P(RoiAwarePool3dBackwardByHand, ListsOfTheCaller) {
  Expect(kAverage, {.points = 3, .lists = {{1, 1}, {2, 0}}, .grad_out = {8, 4}, .grad_in = {2, 8, 2}});
}

TEST_P(RoiAwarePool3dBackwardByHand, NothingToGive) {
  Expect(kMax, {.points = 3, .argmax = {-1, -1}, .grad_out = {1, 2}, .grad_in = {0, 0, 0}});
  Expect(kAverage, {.points = 3, .lists = {{}, {}}, .grad_out = {1, 2}, .grad_in = {0, 0, 0}});
  // Max_pts 1: there is room for the count only.
  Expect(kAverage, {.points = 2, .max_pts = 1, .lists = {{}, {}, {}}, .grad_out = {1, 2, 4}, .grad_in = {0, 0}});
}

TEST_P(RoiAwarePool3dBackwardByHand, FullLists) {
  Expect(kAverage, {.points = 1, .max_pts = 2, .lists = {{0}, {0}}, .grad_out = {3, 4}, .grad_in = {7}});
  Expect(kAverage, {.points = 2, .max_pts = 3, .lists = {{0, 1}, {0, 1}}, .grad_out = {2, 4}, .grad_in = {3, 3}});
}

// Channels have maxima of their own: channel c of voxel v came from point (v + c) % 3. Voxels 0 to 2 give 1, 2, 4, so
// point p gets in channel c the gradient of voxel (p - c) mod 3.
TEST_P(RoiAwarePool3dBackwardByHand, ChannelsAreSeparate) {
  Call call = MakeOfGarbage(kMax, "boxes=1,points=3,channels=17,out=3x1x1,max_pts=2");
  std::vector<double> expected;
  for (int64_t row = 0; row < 3; ++row) {
    for (int64_t c = 0; c < 17; ++c) {
      call["argmax"].Set(row * 17 + c, static_cast<double>((row + c) % 3));
      call["grad_out"].Set(row * 17 + c, static_cast<double>(1 << row));
      expected.push_back(1 << (row - c % 3 + 3) % 3);
    }
  }
  ExpectNumbersEverywhere(call, {{"grad_in", expected}});
}

// Gradients that go nowhere do not matter: 0 * NaN would be NaN.
TEST_P(RoiAwarePool3dBackwardByHand, GradientsOfEmptyVoxelsAreNotRead) {
  ExpectBoth({.points = 3, .lists = {{}, {}}, .argmax = {-1, -1}, .grad_out = {kNan, kNan}, .grad_in = {0, 0, 0}});
}

// One, half a step of the type above it, and a little: just above the middle of two neighbours, so the right answer is
// the upper one. A sum that is rounded to float first, or added up in float, loses the little, and the tie goes to one.
TEST_P(RoiAwarePool3dBackwardByHand, GradientsAreRoundedOnce) {
  if (GetParam() == MLUOP_DTYPE_DOUBLE) GTEST_SKIP() << "nothing is rounded";
  const bool is_half = GetParam() == MLUOP_DTYPE_HALF;
  const double step = GetParam() == MLUOP_DTYPE_FLOAT ? 0x1p-23 : is_half ? 0x1p-10 : 0x1p-7;
  const std::vector<double> terms = {1, step / 2, is_half ? 0x1p-24 : 0x1p-50};
  ExpectBoth({.lists = {{0}, {0}, {0}}, .argmax = {0, 0, 0}, .grad_out = terms, .grad_in = {1 + step}});
}

// A sum of gradients beyond the type's largest number is infinite; one below it is not.
TEST_P(RoiAwarePool3dBackwardByHand, OverflowGivesInfinity) {
  const double limit = HalfTheLimit(GetParam()), below = NextTowardsZero(GetParam(), limit);
  for (const char* method : {kMax, kAverage}) {
    Call call = Make(method, "boxes=2,points=1,channels=4,out=1x1x1,max_pts=2");
    Fill(call, "argmax", 0);
    Assign(call, "pts_idx_of_voxels", {1, 0, 1, 0});
    for (const int64_t row : {0, 1}) SetRow(call, "grad_out", row, {limit, below, -limit, -below});
    ExpectNumbersEverywhere(call, {{"grad_in", {kInf, 2 * below, -kInf, -2 * below}}});
  }
}

// All voxels have the same winner, or list the same point: 40,000 * 0.7, and 0.1 for half, which ends at 65504. Every
// addition rounds the same way. Fewer in double: its bar is so close to its precision that a plain sum may pass it.
TEST_P(RoiAwarePool3dBackwardByHand, LongSumsStayWithinTheBar) {
  const int64_t voxels = GetParam() == MLUOP_DTYPE_DOUBLE ? 3000 : 40000;
  for (const int64_t channels : {1, 5, 13}) {
    for (const char* method : {kMax, kAverage}) {
      Call call = Make(method, "boxes=1,points=3,max_pts=2,channels=" + std::to_string(channels) +
                                   ",out=" + std::to_string(voxels) + "x1x1");
      Fill(call, "argmax", 1);
      Fill(call, "pts_idx_of_voxels", 1);  // one point, number 1
      Fill(call, "grad_out", GetParam() == MLUOP_DTYPE_HALF ? 0.1 : 0.7);
      std::vector<double> expected(static_cast<size_t>(3 * channels), 0.0);
      for (int64_t c = channels; c < 2 * channels; ++c) {
        expected[static_cast<size_t>(c)] = static_cast<double>(voxels) * call["grad_out"].Get(0);
      }
      ExpectWithinTheBar(call, {{"grad_in", expected}});
    }
  }
}

// Many lists that name few points: all over the boxes, or at their end, where one task finds them all. However many
// channels there are to keep lists in the place of, the sums are the same. Whole numbers, so they are exact.
TEST_P(RoiAwarePool3dBackwardByHand, ManyListsOfFewPoints) {
  constexpr int64_t kVoxels = int64_t{2} * 20 * 20 * 20, kPoints = 300, kUsed = 1500;
  for (const int64_t channels : {1, 3, 40, 200}) {
    for (const int64_t step : {int64_t{1}, kVoxels / kUsed}) {
      SCOPED_TRACE(testing::Message() << channels << " channels, every " << step << ". voxel");
      Call call = Make(kAverage, "boxes=2,points=300,out=20x20x20,max_pts=5,channels=" + std::to_string(channels));
      Fill(call, "pts_idx_of_voxels", 0);
      std::vector<double> expected(static_cast<size_t>(kPoints * channels), 0.0);
      for (int64_t i = 0; i < kUsed; ++i) {
        const int64_t voxel = kVoxels - kUsed * step + i * step;
        const auto share = static_cast<double>(1 + i % 3);
        std::vector<double> points;
        for (int64_t k = 0; k < 4; ++k) points.push_back(static_cast<double>((i * 7 + k * k * 31) % (kPoints - 1)));
        SetList(call, voxel, points);
        for (int64_t c = 0; c < channels; ++c) {
          const double signed_share = c % 2 == 0 ? share : -share;
          call["grad_out"].Set(voxel * channels + c, 4 * signed_share);
          for (const double point : points) {
            expected[static_cast<size_t>(static_cast<int64_t>(point) * channels + c)] += signed_share;
          }
        }
      }
      ExpectNumbersEverywhere(call, {{"grad_in", expected}});
    }
  }
}

// Point 0 gets Inf and -Inf, whose sum is a NaN of the processor's, and then another NaN. Which of the two is kept is
// the processor's choice too, but it must not depend on how many tasks share the lists, which are all at the end.
TEST_P(RoiAwarePool3dBackwardByHand, NaNsForAnyNumberOfThreads) {
  constexpr int64_t kVoxels = int64_t{25} * 20 * 20 * 20, kUsed = 1500;
  Call call = Make(kAverage, "boxes=25,points=400,channels=37,out=20x20x20,max_pts=3");
  Fill(call, "pts_idx_of_voxels", 0);
  const double special[] = {kInf, -kInf, kNan};
  for (int64_t i = 0; i < kUsed; ++i) {
    const int64_t voxel = kVoxels - kUsed + i;
    const auto point = [&](int64_t k) { return i < 3 ? 0 : static_cast<double>((i * 7 + k * 31) % 400); };
    SetList(call, voxel, {point(0), point(1)});
    SetRow(call, "grad_out", voxel, std::vector<double>(37, i < 3 ? special[i] : static_cast<double>(i % 5)));
  }
  PlacedCall placed(call, {detops_harness::MemoryKind::kHeap});
  CarryOut(placed, Handle(DETOPS_PROFILE_FULL, 1));
  EXPECT_TRUE(std::isnan(placed.call()["grad_in"].Get(0)));
  EXPECT_FALSE(std::isnan(placed.call()["grad_in"].Get(37)));
  const std::string bytes = placed.State();
  for (const int threads : {2, 3, 7, 64}) {
    CarryOut(placed, Handle(DETOPS_PROFILE_FULL, threads));
    EXPECT_TRUE(placed.State() == bytes) << threads << " threads";
  }
}

}  // namespace
}  // namespace detops_test
