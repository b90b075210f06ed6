// Memory runs out in psroipool or roiaware_pool3d. Part of the program allocation_failure.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "allocation/case.h"
#include "allocation/hooks.h"
#include "allocation/subject.h"
#include "detops.h"
#include "gtest/gtest.h"

namespace {

using namespace detops_test::hooks;  // NOLINT(google-build-using-namespace): counters of this test alone

class PsRoiPoolCase : public Results {
 public:
  PsRoiPoolCase(int64_t size, int64_t roi_count)
      : input_(static_cast<size_t>(2 * size * size * kChannels), 0.5f), rois_(static_cast<size_t>(roi_count * 5)) {
    for (int64_t r = 0; r < roi_count; ++r) {
      float* roi = &rois_[static_cast<size_t>(r * 5)];
      roi[0] = static_cast<float>(r % 2);
      roi[3] = roi[4] = static_cast<float>(size - 1);
    }
    const auto elements = static_cast<size_t>(roi_count * kChannels);
    top_.assign(elements, 1.0f);
    usual_.resize(elements);
    other_.assign(elements, 1);
    for (size_t i = 0; i < elements; ++i) {
      const auto k = static_cast<int32_t>(i % kChannels);
      usual_[i] = k % kDepth * (kSide * kSide) + k / kDepth;
    }
    floats.resize(std::max(input_.size(), elements));
    ints.resize(elements);
    map_ = descs_.Make(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {2, size, size, kChannels});
    pooled_ = descs_.Make(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {roi_count, kSide, kSide, kDepth});
    channels_ = descs_.Make(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, {roi_count, kSide, kSide, kDepth});
    map_nchw_ = descs_.Make(MLUOP_LAYOUT_NCHW, MLUOP_DTYPE_FLOAT, {2, kChannels, size, size});
    pooled_nchw_ = descs_.Make(MLUOP_LAYOUT_NCHW, MLUOP_DTYPE_FLOAT, {roi_count, kDepth, kSide, kSide});
    rois_desc_ = descs_.Make(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {roi_count, 5});
  }

  int Forward(mluOpHandle_t handle) {
    return mluOpPsRoiPoolForward(handle, kSide, kSide, 1.0f, kSide, kDepth, map_, input_.data(), rois_desc_,
                                 rois_.data(), pooled_, floats.data(), channels_, ints.data());
  }
  int Backward(mluOpHandle_t handle) {
    return mluOpPsRoiPoolBackward(handle, kSide, kSide, 1.0f, kDepth, pooled_, top_.data(), rois_desc_, rois_.data(),
                                  channels_, usual_.data(), map_, floats.data());
  }
  int BackwardMapped(mluOpHandle_t handle) {
    return mluOpPsRoiPoolBackward(handle, kSide, kSide, 1.0f, kDepth, pooled_, top_.data(), rois_desc_, rois_.data(),
                                  channels_, other_.data(), map_, floats.data());
  }
  int ForwardNchw(mluOpHandle_t handle) {
    return detopsPsRoiPoolForward(handle, DETOPS_PSROIPOOL_CONSISTENT, kSide, kSide, 1.0, kDepth, map_nchw_,
                                  input_.data(), rois_desc_, rois_.data(), pooled_nchw_, floats.data(), nullptr,
                                  nullptr);
  }
  int BackwardNchw(mluOpHandle_t handle) {
    return detopsPsRoiPoolBackward(handle, DETOPS_PSROIPOOL_CONSISTENT, kSide, kSide, 1.0, kDepth, pooled_nchw_,
                                   top_.data(), rois_desc_, rois_.data(), nullptr, nullptr, map_nchw_, floats.data());
  }

 private:
  static constexpr int kSide = 3, kDepth = 5, kChannels = kSide * kSide * kDepth;

  Descriptors descs_;
  std::vector<float> input_, rois_, top_;
  std::vector<int32_t> usual_, other_;
  mluOpTensorDescriptor_t map_, pooled_, channels_, map_nchw_, pooled_nchw_, rois_desc_;
};

class RoiAwareCase : public Results {
 public:
  RoiAwareCase(int64_t boxes, int64_t points) : boxes_(boxes), points_(points) {
    for (int64_t b = 0; b < boxes; ++b) {
      const auto at = static_cast<float>(b);
      rois_.insert(rois_.end(), {at, at, 0.0f, 4.0f, 2.0f, 2.0f, 0.25f * at});
    }
    for (int64_t p = 0; p < points; ++p) {
      const auto at = static_cast<float>(p % boxes);
      pts_.insert(pts_.end(), {at + 0.001f * static_cast<float>(p % 97), at, 1.0f});
    }
    features_.assign(static_cast<size_t>(points * kChannels), 0.25f);
    const int64_t voxels = boxes * kSide * kSide * kSide;
    gradients_.assign(static_cast<size_t>(voxels * kChannels), 1.0f);
    argmax_.assign(static_cast<size_t>(voxels * kChannels), 1);
    lists_.assign(static_cast<size_t>(voxels * kMost), 1);
    begins_.resize(static_cast<size_t>(voxels + 1));
    for (size_t i = 0; i < begins_.size(); ++i) begins_[i] = static_cast<int32_t>(i);
    floats.resize(std::max(gradients_.size(), features_.size()));
    ints.resize(argmax_.size() + lists_.size() + static_cast<size_t>(6 * voxels + 1));
    const auto array = MLUOP_LAYOUT_ARRAY;
    const auto real = MLUOP_DTYPE_FLOAT, whole = MLUOP_DTYPE_INT32;
    rois_desc_ = descs_.Make(array, real, {boxes, 7});
    pts_desc_ = descs_.Make(array, real, {points, 3});
    features_desc_ = descs_.Make(array, real, {points, kChannels});
    pooled_desc_ = descs_.Make(array, real, {boxes, kSide, kSide, kSide, kChannels});
    argmax_desc_ = descs_.Make(array, whole, {boxes, kSide, kSide, kSide, kChannels});
    lists_desc_ = descs_.Make(array, whole, {boxes, kSide, kSide, kSide, kMost});
    sites_desc_ = descs_.Make(array, whole, {voxels, 4});
    begins_desc_ = descs_.Make(array, whole, {voxels + 1});
    ids_desc_ = descs_.Make(array, whole, {voxels});
    rows_desc_ = descs_.Make(array, real, {voxels, kChannels});
    winners_desc_ = descs_.Make(array, whole, {voxels, kChannels});
    voxels_ = voxels;
  }

  int Forward(mluOpHandle_t handle) {
    return mluOpRoiAwarePool3dForward(
        handle, 0, static_cast<int>(boxes_), static_cast<int>(points_), kChannels, rois_desc_, rois_.data(), pts_desc_,
        pts_.data(), features_desc_, features_.data(), nullptr, 0, kMost, kSide, kSide, kSide, argmax_desc_,
        ints.data(), lists_desc_, ints.data() + argmax_.size(), pooled_desc_, floats.data());
  }
  int Switches(mluOpHandle_t handle) {
    return detopsRoiAwarePool3dForward(handle, 0, DETOPS_Z_CENTER, 1e-5, rois_desc_, rois_.data(), pts_desc_,
                                       pts_.data(), features_desc_, features_.data(), argmax_desc_, ints.data(),
                                       lists_desc_, ints.data() + argmax_.size(), pooled_desc_, floats.data());
  }
  int Backward(mluOpHandle_t handle) {
    return mluOpRoiAwarePool3dBackward(handle, 0, static_cast<int>(boxes_), kSide, kSide, kSide, kChannels, kMost,
                                       lists_desc_, lists_.data(), argmax_desc_, argmax_.data(), pooled_desc_,
                                       gradients_.data(), features_desc_, floats.data());
  }
  int Count(mluOpHandle_t handle) {
    return detopsCountRoiAwareVoxels(handle, DETOPS_Z_CENTER, 1e-5, kMost, kSide, kSide, kSide, rois_desc_,
                                     rois_.data(), pts_desc_, pts_.data(), &found_voxels_, &found_points_);
  }
  int Compact(mluOpHandle_t handle) {
    int32_t* out = ints.data();
    int32_t* begins = out + 4 * voxels_;
    int32_t* ids = begins + voxels_ + 1;
    return detopsRoiAwarePool3dCompactForward(handle, 1, DETOPS_Z_BOTTOM, 0, kMost, kSide, kSide, kSide, rois_desc_,
                                              rois_.data(), pts_desc_, pts_.data(), features_desc_, features_.data(),
                                              sites_desc_, out, begins_desc_, begins, ids_desc_, ids, nullptr, nullptr,
                                              rows_desc_, floats.data(), &found_voxels_, &found_points_);
  }
  int CompactBackward(mluOpHandle_t handle) {
    return detopsRoiAwarePool3dCompactBackward(handle, 0, voxels_, nullptr, nullptr, nullptr, nullptr, winners_desc_,
                                               argmax_.data(), rows_desc_, gradients_.data(), features_desc_,
                                               floats.data());
  }

 private:
  static constexpr int kSide = 3, kChannels = 4, kMost = 2;

  Descriptors descs_;
  int64_t boxes_, points_, voxels_ = 0, found_voxels_ = 0, found_points_ = 0;
  std::vector<float> rois_, pts_, features_, gradients_;
  std::vector<int32_t> argmax_, lists_, begins_;
  mluOpTensorDescriptor_t rois_desc_, pts_desc_, features_desc_, pooled_desc_, argmax_desc_, lists_desc_, sites_desc_,
      begins_desc_, ids_desc_, rows_desc_, winners_desc_;
};

void FailPsRoiPool(int64_t size, int64_t rois, int threads) {
  PsRoiPoolCase work(size, rois);
  FailCallsOnNewHandles(work, "mluOpPsRoiPoolForward", &PsRoiPoolCase::Forward, threads);
  FailCallsOnNewHandles(work, "mluOpPsRoiPoolBackward", &PsRoiPoolCase::Backward, threads);
  FailCallsOnNewHandles(work, "mluOpPsRoiPoolBackward", &PsRoiPoolCase::BackwardMapped, threads);
  FailCallsOnNewHandles(work, "detopsPsRoiPoolForward", &PsRoiPoolCase::ForwardNchw, threads);
  FailCallsOnNewHandles(work, "detopsPsRoiPoolBackward", &PsRoiPoolCase::BackwardNchw, threads);
}

void FailRoiAware(int64_t boxes, int64_t points, int threads) {
  RoiAwareCase work(boxes, points);
  FailCallsOnNewHandles(work, "mluOpRoiAwarePool3dForward", &RoiAwareCase::Forward, threads);
  FailCallsOnNewHandles(work, "detopsRoiAwarePool3dForward", &RoiAwareCase::Switches, threads);
  FailCallsOnNewHandles(work, "mluOpRoiAwarePool3dBackward", &RoiAwareCase::Backward, threads);
  FailCallsOnNewHandles(work, "detopsCountRoiAwareVoxels", &RoiAwareCase::Count, threads);
  FailCallsOnNewHandles(work, "detopsRoiAwarePool3dCompactForward", &RoiAwareCase::Compact, threads);
  FailCallsOnNewHandles(work, "detopsRoiAwarePool3dCompactBackward", &RoiAwareCase::CompactBackward, threads);
}

TEST_F(AllocationFailureTest, SmallPsRoiPools) { FailPsRoiPool(6, 7, 1); }
TEST_F(AllocationFailureTest, PsRoiPoolsWithThreads) { FailPsRoiPool(40, 1500, 4); }
TEST_F(AllocationFailureTest, SmallRoiAwarePools) { FailRoiAware(3, 20, 1); }
TEST_F(AllocationFailureTest, RoiAwarePoolsWithThreads) { FailRoiAware(60, 20000, 4); }

}  // namespace
