// Memory runs out while points are sorted into voxels. Part of the program allocation_failure.
#include <cstdint>
#include <vector>

#include "allocation/case.h"
#include "allocation/hooks.h"
#include "allocation/subject.h"
#include "detops.h"
#include "gtest/gtest.h"

namespace {

using namespace detops_test::hooks;  // NOLINT(google-build-using-namespace): counters of this test alone

// Two clouds and every result that can be asked for.
class VoxelCase : public Results {
 public:
  VoxelCase(int64_t points, int64_t rows) : rows_(rows) {
    for (int64_t i = 0; i < points * kFeatures; ++i) data_.push_back(static_cast<float>(i * 37 % 101) * 0.1f);
    begins_ = {0, static_cast<int32_t>(points / 3), static_cast<int32_t>(points)};
    floats.resize(static_cast<size_t>(rows * (kMost + 1) * kFeatures));
    ints.resize(static_cast<size_t>(rows * 5 + points));
    const auto array = MLUOP_LAYOUT_ARRAY;
    const auto real = MLUOP_DTYPE_FLOAT, whole = MLUOP_DTYPE_INT32;
    points_desc_ = descs_.Make(array, real, {points, kFeatures});
    begins_desc_ = descs_.Make(array, whole, {3});
    voxels_desc_ = descs_.Make(array, real, {rows, kMost, kFeatures});
    means_desc_ = descs_.Make(array, real, {rows, kFeatures});
    sites_desc_ = descs_.Make(array, whole, {rows, 4});
    rows_desc_ = descs_.Make(array, whole, {rows});
    per_point_desc_ = descs_.Make(array, whole, {points});
  }

  template <detopsVoxelOrder_t kOrder>
  int Find(mluOpHandle_t handle) {
    const double range_min[] = {0, 0, 0}, voxel_size[] = {0.4, 0.7, 1.1};
    const int grid[] = {25, 14, 9};
    float* const means = floats.data() + rows_ * kMost * kFeatures;
    int32_t* const num_points = ints.data() + rows_ * 4;
    return detopsPointToVoxel(handle, 3, range_min, voxel_size, grid, kMost, 0, kOrder, points_desc_, data_.data(),
                              begins_desc_, begins_.data(), voxels_desc_, floats.data(), means_desc_, means,
                              sites_desc_, ints.data(), rows_desc_, num_points, per_point_desc_, num_points + rows_,
                              &found_);
  }

  // The number of voxels is a result too.
  void Mark() {
    Results::Mark();
    found_ = 77;
  }
  bool Untouched() const { return Results::Untouched() && found_ == 77; }
  void Keep() {
    Results::Keep();
    good_found_ = found_;
  }
  bool Right() const { return Results::Right() && found_ == good_found_; }

 private:
  static constexpr int64_t kFeatures = 4, kMost = 3;

  Descriptors descs_;
  int64_t rows_, found_ = 77, good_found_ = 0;
  std::vector<float> data_;
  std::vector<int32_t> begins_;
  mluOpTensorDescriptor_t points_desc_, begins_desc_, voxels_desc_, means_desc_, sites_desc_, rows_desc_,
      per_point_desc_;
};

void FailBothOrders(int64_t points, int64_t rows, int threads) {
  VoxelCase work(points, rows);
  FailCallsOnNewHandles(work, "detopsPointToVoxel", &VoxelCase::Find<DETOPS_VOXEL_ORDER_FIRST_POINT>, threads);
  FailCallsOnNewHandles(work, "detopsPointToVoxel", &VoxelCase::Find<DETOPS_VOXEL_ORDER_ASCENDING>, threads);
}

TEST_F(AllocationFailureTest, FewPointsToVoxels) { FailBothOrders(50, 40, 1); }
TEST_F(AllocationFailureTest, PointsToVoxelsWithThreads) { FailBothOrders(60000, 3000, 4); }

}  // namespace
