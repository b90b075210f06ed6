// The gradient of roiaware_pool3d by hand, exact in every type, and what of its inputs is read.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/roiaware_pool3d/test/expected.h"
#include "ops/roiaware_pool3d/test/problem.h"

namespace detops_test {
namespace {

constexpr int32_t kGarbage = 0x5A5A5A5A;

struct Case {
  int64_t points = 1, max_pts = 4;
  std::vector<std::vector<int32_t>> lists = {};  // of every voxel of the one box; empty: not for the average
  std::vector<int32_t> argmax = {};              // one channel; empty: not for the maximum
  std::vector<double> grad_out = {};
  std::vector<double> grad_in = {};
};

class RoiAwarePool3dBackwardByHand : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // Also with nine channels, the others 2, 4 and 1 times the first. What the method does not use is garbage, which must
  // not be looked at.
  void Expect(int method, const Case& test) {
    for (const int64_t channels : {1, 9}) {
      SCOPED_TRACE(testing::Message() << channels << " channels");
      const auto factor = [](int64_t channel) { return static_cast<double>(1 << channel % 3); };
      const auto voxels = static_cast<int64_t>(test.grad_out.size());
      const Sizes sizes = {1, test.points, channels, 1, voxels, 1, test.max_pts};
      const Problem problem(GetParam(), sizes);
      Dense forward = problem.NewDense();
      forward.argmax.Fill(kGarbage);
      forward.pts_idx.Fill(kGarbage);
      Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), forward.pooled.extents());
      for (int64_t v = 0; v < voxels; ++v) {
        const auto at = static_cast<size_t>(v);
        for (int64_t c = 0; c < channels; ++c) {
          grad_out.Set(v * channels + c, test.grad_out[at] * factor(c));
          if (method == kMax) forward.argmax.Set(v * channels + c, test.argmax.at(at));
        }
        if (method == kMax) continue;
        forward.pts_idx.Set(v * test.max_pts, static_cast<double>(test.lists.at(at).size()));
        for (size_t i = 0; i < test.lists[at].size(); ++i) {
          forward.pts_idx.Set(v * test.max_pts + 1 + static_cast<int64_t>(i), test.lists[at][i]);
        }
      }
      ForEachConfiguration(ProfileFor(GetParam()), [&](const Handle& handle) {
        Tensor grad_in = problem.NewGradient();
        ASSERT_EQ(RunBackward(handle, method, sizes, forward, grad_out, grad_in), MLUOP_STATUS_SUCCESS)
            << handle.LastError();
        for (int64_t i = 0; i < grad_in.elements(); ++i) {
          ASSERT_EQ(grad_in.Get(i), test.grad_in.at(static_cast<size_t>(i / channels)) * factor(i % channels))
              << "element " << i;
        }
      });
    }
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
  constexpr int64_t kChannels = 17;
  const Sizes sizes = {1, 3, kChannels, 3, 1, 1, 2};
  const Problem problem(GetParam(), sizes);
  Dense forward = problem.NewDense();
  forward.pts_idx.Fill(kGarbage);
  Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), forward.pooled.extents());
  for (int64_t v = 0; v < 3; ++v) {
    for (int64_t c = 0; c < kChannels; ++c) {
      forward.argmax.Set(v * kChannels + c, static_cast<double>((v + c) % 3));
      grad_out.Set(v * kChannels + c, static_cast<double>(1 << v));
    }
  }
  ForEachConfiguration(ProfileFor(GetParam()), [&](const Handle& handle) {
    Tensor grad_in = problem.NewGradient();
    ASSERT_EQ(RunBackward(handle, kMax, sizes, forward, grad_out, grad_in), MLUOP_STATUS_SUCCESS) << handle.LastError();
    for (int64_t p = 0; p < 3; ++p) {
      for (int64_t c = 0; c < kChannels; ++c) {
        ASSERT_EQ(grad_in.Get(p * kChannels + c), 1 << (p - c % 3 + 3) % 3) << "point " << p << ", channel " << c;
      }
    }
  });
}

// Many lists that name few points: all over the boxes, or at their end, where one task finds them all. However many
// channels there are to keep lists in the place of, the sums are the same. Whole numbers, so they are exact.
TEST_P(RoiAwarePool3dBackwardByHand, ManyListsOfFewPoints) {
  constexpr int64_t kVoxels = int64_t{2} * 20 * 20 * 20, kPoints = 300, kNamed = 4, kUsed = 1500;
  for (const int64_t channels : {1, 3, 40, 200}) {
    const Sizes sizes = {2, kPoints, channels, 20, 20, 20, kNamed + 1};
    const Problem problem(GetParam(), sizes);
    Dense forward = problem.NewDense();
    Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), forward.pooled.extents());
    for (const int64_t step : {int64_t{1}, kVoxels / kUsed}) {
      SCOPED_TRACE(testing::Message() << channels << " channels, every " << step << ". voxel");
      std::vector<double> expected(kPoints, 0.0);
      forward.pts_idx.Fill(0);
      grad_out.Fill(0);
      for (int64_t i = 0; i < kUsed; ++i) {
        const int64_t voxel = kVoxels - kUsed * step + i * step;
        const auto gradient = static_cast<double>(kNamed * (1 + i % 3));
        for (int64_t c = 0; c < channels; ++c) grad_out.Set(voxel * channels + c, c % 2 == 0 ? gradient : -gradient);
        forward.pts_idx.Set(voxel * (kNamed + 1), kNamed);
        for (int64_t k = 0; k < kNamed; ++k) {
          const int64_t point = (i * 7 + k * k * 31) % (kPoints - 1);
          forward.pts_idx.Set(voxel * (kNamed + 1) + 1 + k, static_cast<double>(point));
          expected[static_cast<size_t>(point)] += gradient / kNamed;
        }
      }
      ForEachConfiguration(ProfileFor(GetParam()), [&](const Handle& handle) {
        Tensor grad_in = problem.NewGradient();
        ASSERT_EQ(RunBackward(handle, kAverage, sizes, forward, grad_out, grad_in), MLUOP_STATUS_SUCCESS)
            << handle.LastError();
        for (int64_t i = 0; i < grad_in.elements(); ++i) {
          const double sum = expected[static_cast<size_t>(i / channels)];
          ASSERT_EQ(grad_in.Get(i), i % channels % 2 == 0 ? sum : -sum) << "element " << i;
        }
      });
    }
  }
}

// Point 0 gets Inf and -Inf, whose sum is a NaN of the processor's, and then another NaN. Which of the two is kept is
// the processor's choice too, but it must not depend on how many tasks share the lists, which are all at the end.
TEST_P(RoiAwarePool3dBackwardByHand, NaNsForAnyNumberOfThreads) {
  constexpr int64_t kPoints = 400, kNamed = 2, kUsed = 1500;
  const Sizes sizes = {25, kPoints, 37, 20, 20, 20, kNamed + 1};
  const int64_t voxels = sizes.boxes * 20 * 20 * 20;
  const Problem problem(GetParam(), sizes);
  Dense forward = problem.NewDense();
  forward.pts_idx.Fill(0);
  Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), forward.pooled.extents());
  const double infinity = std::numeric_limits<double>::infinity();
  const double gradients[] = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  for (int64_t i = 0; i < kUsed; ++i) {
    const int64_t voxel = voxels - kUsed + i;
    forward.pts_idx.Set(voxel * (kNamed + 1), kNamed);
    for (int64_t k = 0; k < kNamed; ++k) {
      const int64_t point = i < 3 ? 0 : (i * 7 + k * 31) % kPoints;
      forward.pts_idx.Set(voxel * (kNamed + 1) + 1 + k, static_cast<double>(point));
    }
    for (int64_t c = 0; c < sizes.channels; ++c) {
      grad_out.Set(voxel * sizes.channels + c, i < 3 ? gradients[i] : static_cast<double>(i % 5));
    }
  }
  Tensor expected = problem.NewGradient();
  ASSERT_EQ(RunBackward(Handle(ProfileFor(GetParam()), 1), kAverage, sizes, forward, grad_out, expected),
            MLUOP_STATUS_SUCCESS);
  EXPECT_TRUE(std::isnan(expected.Get(0)));
  EXPECT_FALSE(std::isnan(expected.Get(sizes.channels)));
  for (const int threads : {2, 3, 7, 64}) {
    Tensor grad_in = problem.NewGradient();
    ASSERT_EQ(RunBackward(Handle(ProfileFor(GetParam()), threads), kAverage, sizes, forward, grad_out, grad_in),
              MLUOP_STATUS_SUCCESS);
    EXPECT_TRUE(grad_in.SameBytes(expected)) << threads << " threads";
  }
}

}  // namespace
}  // namespace detops_test
