// roiaware_pool3d and memory: no byte outside the tensors is touched, any alignment works, inputs stay as they were,
// and a workspace is neither needed nor written.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/roiaware_pool3d/test/expected.h"
#include "ops/roiaware_pool3d/test/problem.h"
#include "ops/roiaware_pool3d/test/scenes.h"

namespace detops_test {
namespace {

class RoiAwarePool3dMemory : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dMemory, testing::ValuesIn(kTypes), TypeName);

// The tensors of a problem lie flush against a page that may not be touched, first at their end, then at their front;
// or 1 or 2 bytes beside it, which misaligns them and leaves the distance to be checked byte for byte. Channel and
// point counts leave every remainder.
TEST_P(RoiAwarePool3dMemory, StaysInsideAtAnyAlignment) {
  for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
    for (const size_t offset : {0u, 1u, 2u}) {
      for (const int64_t channels : {1, 2, 3, 5, 8, 13, 16, 31, 33}) {
        SCOPED_TRACE(testing::Message() << (placement == Placement::kAgainstEnd ? "end" : "front") << ", offset "
                                        << offset << ", " << channels << " channels");
        Problem problem(GetParam(), {3, 30 + channels, channels, 2, 1, 3, 4}, placement, offset);
        FillScene(problem, SceneKind::kOnFaces, static_cast<uint64_t>(channels));
        for (const int method : kMethods) {
          ExpectAgreement(problem, method);
          const Handle handle(DETOPS_PROFILE_FULL, 1);
          const Expected expected(problem, method);
          Dense forward = problem.NewDense();
          ASSERT_EQ(problem.Run(handle, method, forward), MLUOP_STATUS_SUCCESS) << handle.LastError();
          Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), forward.pooled.extents(), placement, offset);
          grad_out.FillUniform(-1, 1, 2);
          ExpectGradientAgreement(problem, method, forward, grad_out);
          ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& each) {
            Compact compact = problem.NewCompact(expected.voxel_num(), expected.point_num());
            ASSERT_EQ(problem.Run(each, method, {}, compact), MLUOP_STATUS_SUCCESS) << each.LastError();
            ASSERT_EQ(expected.WrongIn(compact), "");
            Tensor compact_grad(MLUOP_LAYOUT_ARRAY, GetParam(), compact.pooled.extents(), placement, offset);
            compact_grad.FillUniform(-1, 1, 2);
            Tensor grad_in = problem.NewGradient();
            ASSERT_EQ(RunBackward(each, method, compact, compact_grad, grad_in), MLUOP_STATUS_SUCCESS)
                << each.LastError();
            ASSERT_TRUE(grad_in.SurroundingsIntact());
          });
        }
        EXPECT_TRUE(problem.rois.SurroundingsIntact());
        EXPECT_TRUE(problem.pts.SurroundingsIntact());
        EXPECT_TRUE(problem.features.SurroundingsIntact());
      }
    }
  }
}

// Indices at the very ends of the tensors: a winner of -1 or P - 1, a list that fills its room.
TEST_P(RoiAwarePool3dMemory, GradientAtTheEdges) {
  for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
    for (const int64_t channels : {1, 3, 9, 17}) {
      const Sizes sizes = {2, 5, channels, 1, 2, 1, 3};
      const Problem problem(GetParam(), sizes, placement);
      Dense forward = problem.NewDense();
      for (int64_t i = 0; i < forward.argmax.elements(); ++i)
        forward.argmax.Set(i, i % 3 == 0 ? 4 : i % 3 == 1 ? 0 : -1);
      forward.pts_idx.Assign({2, 0, 4, 2, 4, 4, 0, 99, 99, 1, 4, 99});
      Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), forward.pooled.extents(), placement);
      grad_out.FillUniform(-1, 1, 3);
      for (const int method : kMethods) ExpectGradientAgreement(problem, method, forward, grad_out);
    }
  }
}

TEST_P(RoiAwarePool3dMemory, InputsStayAsTheyWere) {
  Problem problem(GetParam(), {4, 200, 7, 2, 2, 2, 9}), same(GetParam(), {4, 200, 7, 2, 2, 2, 9});
  FillScene(problem, SceneKind::kScattered, 80);
  FillScene(same, SceneKind::kScattered, 80);
  for (const int method : kMethods) {
    ForEachConfiguration(ProfileFor(GetParam()), [&](const Handle& handle) {
      Dense forward = problem.NewDense(), kept = problem.NewDense();
      ASSERT_EQ(problem.Run(handle, method, forward), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(problem.Run(handle, method, kept), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(problem.rois.SameBytes(same.rois));
      ASSERT_TRUE(problem.pts.SameBytes(same.pts));
      ASSERT_TRUE(problem.features.SameBytes(same.features));
      Tensor grad_in = problem.NewGradient();
      ASSERT_EQ(RunBackward(handle, method, problem.sizes, forward, kept.pooled, grad_in), MLUOP_STATUS_SUCCESS);
      ASSERT_TRUE(forward.SameBytes(kept));
    });
  }
}

// A NaN or Inf in the very last box: every other voxel could have been written before it is found.
TEST_P(RoiAwarePool3dMemory, FailedCallsWriteNothing) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInf, -kInf}) {
    for (int64_t number = 0; number < 7; ++number) {
      Problem problem(GetParam(), {30, 300, 9, 2, 2, 2, 4});
      FillScene(problem, SceneKind::kScattered, 81);
      problem.rois.Set(29 * 7 + number, bad);
      ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
        for (const int method : kMethods) {
          Dense dense = problem.NewDense();
          ASSERT_EQ(problem.Run(handle, method, dense), MLUOP_STATUS_BAD_PARAM);
          ASSERT_TRUE(dense.CanaryIntact());
          Compact compact = problem.NewCompact(240, 600);
          ASSERT_EQ(problem.Run(handle, method, {}, compact), MLUOP_STATUS_BAD_PARAM);
          ASSERT_TRUE(compact.CanaryIntact());
        }
      });
    }
  }
}

// Boxes that are not numbers, unchecked: what the result is stands nowhere, but every address beside the tensors would
// be noticed. Lists and winners are still in range, so that backward can take them.
TEST_P(RoiAwarePool3dMemory, BadBoxesAreHarmlessUnchecked) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double bad[] = {std::numeric_limits<double>::quiet_NaN(), kInf, -kInf};
  for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
    for (const SceneKind kind : {SceneKind::kScattered, SceneKind::kDegenerate, SceneKind::kSpecial}) {
      Problem problem(GetParam(), {60, 700, 3, 3, 2, 4, 5}, placement);
      FillScene(problem, kind, 83);
      for (int64_t i = 0; i < problem.rois.elements(); i += 4) problem.rois.Set(i, bad[i / 4 % 3]);
      for (int64_t i = 0; i < 7; ++i) problem.rois.Set(i, bad[0]);
      ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) {
        for (const int method : kMethods) {
          handle.SetValueChecks(false);
          Dense dense = problem.NewDense();
          Compact compact = problem.NewCompact(problem.sizes.voxels(), problem.sizes.voxels() * 4);
          Tensor grad_in = problem.NewGradient();
          ASSERT_EQ(problem.Run(handle, method, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
          ASSERT_EQ(problem.Run(handle, method, {DETOPS_Z_CENTER, 1}, compact), MLUOP_STATUS_SUCCESS)
              << handle.LastError();
          handle.SetValueChecks(true);
          ASSERT_EQ(RunBackward(handle, method, problem.sizes, dense, dense.pooled, grad_in), MLUOP_STATUS_SUCCESS)
              << handle.LastError();
          ASSERT_EQ(RunBackward(handle, method, compact, compact.pooled, grad_in), MLUOP_STATUS_SUCCESS)
              << handle.LastError();
          ASSERT_TRUE(dense.SurroundingsIntact());
          ASSERT_TRUE(compact.SurroundingsIntact());
          ASSERT_TRUE(grad_in.SurroundingsIntact());
        }
      });
    }
  }
}

// ---- workspace ----

TEST_P(RoiAwarePool3dMemory, WorkspaceIsNotNeeded) {
  const Problem problem(GetParam(), {4, 200, 7, 2, 2, 2, 9});
  const Handle handle(ProfileFor(GetParam()));
  size_t size = 77;
  EXPECT_EQ(mluOpGetRoiAwarePool3dForwardWorkspaceSize(handle.get(), problem.rois.desc(), problem.pts.desc(),
                                                       problem.features.desc(), &size),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(size, 0u);
  // Boxes and points are not looked at, nor are features without elements.
  const Descriptor empty(MLUOP_LAYOUT_ARRAY, GetParam(), {0, 0});
  for (const mluOpTensorDescriptor_t features : {problem.features.desc(), empty.get()}) {
    size = 77;
    EXPECT_EQ(mluOpGetRoiAwarePool3dForwardWorkspaceSize(handle.get(), nullptr, nullptr, features, &size),
              MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(size, 0u);
  }
}

// One that is given all the same, at any address and of any size, is left alone.
TEST_P(RoiAwarePool3dMemory, WorkspaceIsLeftAlone) {
  Problem problem(GetParam(), {4, 200, 7, 2, 2, 2, 9});
  FillScene(problem, SceneKind::kScattered, 82);
  const Handle handle(ProfileFor(GetParam()), 2);
  for (const int64_t numbers : {0, 1, 100}) {
    for (const size_t offset : {0u, 1u, 3u}) {
      Tensor workspace(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {numbers}, Placement::kAgainstEnd, offset);
      Dense dense = problem.NewDense();
      const Sizes& n = problem.sizes;
      ASSERT_EQ(mluOpRoiAwarePool3dForward(handle.get(), kMax, Problem::Int(n.boxes), Problem::Int(n.points),
                                           Problem::Int(n.channels), problem.rois.desc(), problem.rois.data(),
                                           problem.pts.desc(), problem.pts.data(), problem.features.desc(),
                                           problem.features.data(), workspace.data(), workspace.bytes(), 9, 2, 2, 2,
                                           dense.argmax.desc(), dense.argmax.data(), dense.pts_idx.desc(),
                                           dense.pts_idx.data(), dense.pooled.desc(), dense.pooled.data()),
                MLUOP_STATUS_SUCCESS)
          << handle.LastError();
      EXPECT_TRUE(workspace.CanaryIntact());
      EXPECT_EQ(Expected(problem, kMax).WrongIn(dense), "");
    }
  }
}

TEST(RoiAwarePool3dWorkspace, RefusalsOfTheSize) {
  const Handle handle;
  const Descriptor features(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {3, 4});
  size_t size = 77;
  const struct {
    mluOpHandle_t handle;
    mluOpTensorDescriptor_t features;
    size_t* size;
    const char* named;
  } rows[] = {{handle.get(), features.get(), nullptr, "workspace_size"},
              {nullptr, nullptr, nullptr, "workspace_size"},
              {nullptr, features.get(), &size, "handle"},
              {handle.get(), nullptr, &size, "pts_feature"}};
  for (const auto& row : rows) {
    EXPECT_EQ(mluOpGetRoiAwarePool3dForwardWorkspaceSize(row.handle, nullptr, nullptr, row.features, row.size),
              MLUOP_STATUS_BAD_PARAM);
    const std::string text = detopsGetLastError(nullptr);
    EXPECT_EQ(text.rfind("mluOpGetRoiAwarePool3dForwardWorkspaceSize: ", 0), 0u) << text;
    EXPECT_NE(text.find(std::string(": ") +
                        (row.features == nullptr && row.handle != nullptr ? "the descriptor of " : "") + row.named),
              std::string::npos)
        << text;
    EXPECT_EQ(size, 77u);
  }
}

}  // namespace
}  // namespace detops_test
