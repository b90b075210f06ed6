// The compact form of roiaware_pool3d: by hand, against the dense form, with just enough and with too much room,
// and its gradient, which must have the bits of the dense one.
#include <cstdint>
#include <string>
#include <vector>

#include "ops/roiaware_pool3d/test/expected.h"
#include "ops/roiaware_pool3d/test/problem.h"

namespace detops_test {
namespace {

class RoiAwarePool3dCompact : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dCompact, testing::ValuesIn(kTypes), TypeName);

// Two boxes of 2 x 1 x 2 voxels. Box 0 stands on z = 0 around the origin: point 0 in voxel (0, 0, 0), points 1 and 3 in
// (1, 0, 1), point 2 nowhere. Box 1 around x = 10: point 4 in (0, 0, 1).
class TwoBoxes : public Problem {
 public:
  explicit TwoBoxes(mluOpDataType_t type) : Problem(type, {2, 5, 1, 2, 1, 2, 4}) {
    SetBox(0, {0, 0, 0, 2, 2, 2, 0});
    SetBox(1, {10, 0, 0, 2, 2, 2, 0});
    const Point points[] = {{-0.5, 0, 0.5}, {0.5, 0, 1.5}, {5, 5, 5}, {0.5, 0, 2}, {9.5, 0, 1}};
    for (int64_t p = 0; p < 5; ++p) SetPoint(p, points[p]);
    features.Assign({1, 4, 8, 2, -3});
  }
};

TEST_P(RoiAwarePool3dCompact, ByHand) {
  const TwoBoxes problem(GetParam());
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    for (const int method : kMethods) {
      Compact compact = problem.NewCompact(3, 4);
      ASSERT_EQ(problem.Run(handle, method, {}, compact), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(compact.voxel_num, 3);
      ASSERT_EQ(compact.point_num, 4);
      ASSERT_EQ(Integers(compact.voxels), (std::vector<int32_t>{0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1}));
      ASSERT_EQ(Integers(compact.begins), (std::vector<int32_t>{0, 1, 3, 4}));
      ASSERT_EQ(Integers(compact.pts_idx), (std::vector<int32_t>{0, 1, 3, 4}));
      // max(4, 2) = 4 of point 1; (4 + 2) / 2 = 3
      ASSERT_EQ(compact.pooled.Values(), (std::vector<double>{1, method == kMax ? 4.0 : 3.0, -3}));
      ASSERT_EQ(Integers(compact.argmax),
                method == kMax ? (std::vector<int32_t>{0, 1, 4}) : std::vector<int32_t>(3, 0));
      // Gradient: 1, 2, 4 for the voxels; the average gives 2 / 2 to points 1 and 3.
      Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), {3, 1}), grad_in = problem.NewGradient();
      grad_out.Assign({1, 2, 4});
      ASSERT_EQ(RunBackward(handle, method, compact, grad_out, grad_in), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(grad_in.Values(),
                method == kMax ? (std::vector<double>{1, 2, 0, 0, 4}) : (std::vector<double>{1, 1, 0, 1, 4}));
    }
  });
}

// Nothing found: success, and no more than the end of the lists is written, also into tensors without rows.
TEST_P(RoiAwarePool3dCompact, NothingFound) {
  TwoBoxes problem(GetParam());
  problem.pts.Fill(50);
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    int64_t voxel_num = -1, point_num = -1;
    ASSERT_EQ(problem.Count(handle, {}, &voxel_num, &point_num), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(voxel_num, 0);
    ASSERT_EQ(point_num, 0);
    for (const int method : kMethods) {
      for (const int64_t room : {0, 2}) {
        Compact compact = problem.NewCompact(room, room);
        ASSERT_EQ(problem.Run(handle, method, {}, compact), MLUOP_STATUS_SUCCESS) << handle.LastError();
        ASSERT_EQ(Expected(problem, method).WrongIn(compact), "");
        Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), {room, 1}), grad_in = problem.NewGradient();
        ASSERT_EQ(RunBackward(handle, method, compact, grad_out, grad_in), MLUOP_STATUS_SUCCESS) << handle.LastError();
        ASSERT_EQ(grad_in.Values(), std::vector<double>(5, 0.0));
      }
    }
  });
}

// The average without argmax.
TEST_P(RoiAwarePool3dCompact, AverageNeedsNoArgmax) {
  const TwoBoxes problem(GetParam());
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  Compact c = problem.NewCompact(3, 4);
  ASSERT_EQ(detopsRoiAwarePool3dCompactForward(
                handle.get(), kAverage, DETOPS_Z_BOTTOM, 0, 4, 2, 1, 2, problem.rois.desc(), problem.rois.data(),
                problem.pts.desc(), problem.pts.data(), problem.features.desc(), problem.features.data(),
                c.voxels.desc(), c.voxels.data(), c.begins.desc(), c.begins.data(), c.pts_idx.desc(), c.pts_idx.data(),
                nullptr, nullptr, c.pooled.desc(), c.pooled.data(), &c.voxel_num, &c.point_num),
            MLUOP_STATUS_SUCCESS)
      << handle.LastError();
  EXPECT_EQ(c.pooled.Values(), (std::vector<double>{1, 3, -3}));
  EXPECT_TRUE(c.argmax.CanaryIntact());
  // Backward has no use for argmax then, nor for the lists with maximum.
  Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), {3, 1}), grad_in = problem.NewGradient();
  grad_out.Assign({1, 2, 4});
  ASSERT_EQ(detopsRoiAwarePool3dCompactBackward(handle.get(), kAverage, 3, c.begins.desc(), c.begins.data(),
                                                c.pts_idx.desc(), c.pts_idx.data(), nullptr, nullptr, grad_out.desc(),
                                                grad_out.data(), grad_in.desc(), grad_in.data()),
            MLUOP_STATUS_SUCCESS)
      << handle.LastError();
  EXPECT_EQ(grad_in.Values(), (std::vector<double>{1, 1, 0, 1, 4}));
  c.argmax.Assign({0, 1, 4});
  ASSERT_EQ(detopsRoiAwarePool3dCompactBackward(handle.get(), kMax, 3, nullptr, nullptr, nullptr, nullptr,
                                                c.argmax.desc(), c.argmax.data(), grad_out.desc(), grad_out.data(),
                                                grad_in.desc(), grad_in.data()),
            MLUOP_STATUS_SUCCESS)
      << handle.LastError();
  EXPECT_EQ(grad_in.Values(), (std::vector<double>{1, 2, 0, 0, 4}));
}

// Both forms of every scene, with just enough room and with more, and gradients of the same bits. Rows after voxel_num
// hold garbage that backward must not read.
TEST_P(RoiAwarePool3dCompact, TellsWhatTheDenseFormTells) {
  for (const char* scene : kScenes) {
    for (const int64_t channels : {1, 9, 16}) {
      SCOPED_TRACE(testing::Message() << "scene " << scene << ", " << channels << " channels");
      Problem problem(GetParam(), {5, 400, channels, 3, 4, 2, 6});
      FillScene(problem, scene, 30);
      for (const int method : kMethods) {
        const Expected expected(problem, method);
        const int64_t spare = channels == 9 ? 6 : 0, rows = expected.voxel_num() + spare;
        Dense dense = problem.NewDense();
        Tensor dense_out(MLUOP_LAYOUT_ARRAY, GetParam(), dense.pooled.extents());
        dense_out.FillUniform(-1, 1, 31);
        Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), {rows, channels});
        for (size_t v = 0; v < expected.voxels().size(); ++v) {
          const auto& voxel = expected.voxels()[v];
          const int64_t at = ((voxel.box * 3 + voxel.x) * 4 + voxel.y) * 2 + voxel.z;
          for (int64_t c = 0; c < channels; ++c) {
            grad_out.Set(static_cast<int64_t>(v) * channels + c, dense_out.Get(at * channels + c));
          }
        }
        ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
          ASSERT_EQ(problem.Run(handle, method, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
          ASSERT_EQ(expected.WrongIn(dense), "");
          Compact compact = problem.NewCompact(rows, expected.point_num() + spare);
          ASSERT_EQ(problem.Run(handle, method, {}, compact), MLUOP_STATUS_SUCCESS) << handle.LastError();
          ASSERT_EQ(expected.WrongIn(compact), "");
          // Averages too have the bits of the dense form.
          for (size_t v = 0; v < expected.voxels().size(); ++v) {
            const auto& voxel = expected.voxels()[v];
            const int64_t at = ((voxel.box * 3 + voxel.x) * 4 + voxel.y) * 2 + voxel.z;
            for (int64_t c = 0; c < channels; ++c) {
              ASSERT_EQ(compact.pooled.Get(static_cast<int64_t>(v) * channels + c),
                        dense.pooled.Get(at * channels + c));
            }
          }
          Tensor dense_in = problem.NewGradient(), compact_in = problem.NewGradient();
          ASSERT_EQ(RunBackward(handle, method, problem.sizes, dense, dense_out, dense_in), MLUOP_STATUS_SUCCESS);
          ASSERT_EQ(RunBackward(handle, method, compact, grad_out, compact_in), MLUOP_STATUS_SUCCESS)
              << handle.LastError();
          ASSERT_TRUE(compact_in.SameBytes(dense_in));
        });
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
