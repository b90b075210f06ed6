// A cloud, the rules by which it becomes voxels, and results to compare.
#ifndef DETOPS_OPS_POINT_TO_VOXEL_TEST_PROBLEM_H_
#define DETOPS_OPS_POINT_TO_VOXEL_TEST_PROBLEM_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "detops.h"
#include "ops/point_to_voxel/reference/reference.h"
#include "support/handle.h"
#include "support/tensor.h"

namespace detops_test {

inline constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16,
                                             MLUOP_DTYPE_DOUBLE};

inline std::string TypeName(const testing::TestParamInfo<mluOpDataType_t>& info) { return ElementName(info.param); }

using detops_reference::VoxelRules;

// All results of a call; the flags tell which are asked for.
struct Results {
  Results(mluOpDataType_t type, const VoxelRules& rules, int64_t points, int64_t features, bool batched,
          Placement placement = Placement::kAgainstEnd, size_t offset = 0)
      : voxels(MLUOP_LAYOUT_ARRAY, type, {rules.room, rules.max_points, features}, placement, offset),
        means(MLUOP_LAYOUT_ARRAY, type, {rules.room, features}, placement, offset),
        coordinates(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32,
                    {rules.room, static_cast<int64_t>(rules.grid.size()) + (batched ? 1 : 0)}, placement, offset),
        num_points(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {rules.room}, placement, offset),
        point_voxel(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {points}, placement, offset),
        with_voxels(rules.max_points > 0) {}

  std::array<const Tensor*, 5> tensors() const { return {&voxels, &means, &coordinates, &num_points, &point_voxel}; }
  bool CanaryIntact() const {
    for (const Tensor* tensor : tensors()) {
      if (!tensor->CanaryIntact()) return false;
    }
    return true;
  }
  bool SurroundingsIntact() const {
    for (const Tensor* tensor : tensors()) {
      if (!tensor->SurroundingsIntact()) return false;
    }
    return true;
  }
  bool SameBytes(const Results& other) const {
    for (size_t i = 0; i < tensors().size(); ++i) {
      if (!tensors()[i]->SameBytes(*other.tensors()[i])) return false;
    }
    return voxel_num == other.voxel_num;
  }

  Tensor voxels, means, coordinates, num_points, point_voxel;
  bool with_voxels, with_means = true, with_num_points = true, with_point_voxel = true;
  int64_t voxel_num = -7;
};

class Cloud {
 public:
  Cloud(mluOpDataType_t type, int64_t points, int64_t features, Placement placement = Placement::kAgainstEnd,
        size_t offset = 0)
      : rows(MLUOP_LAYOUT_ARRAY, type, {points, features}, placement, offset), placement_(placement), offset_(offset) {
    rows.FillUniform(-1, 1, 1);
  }

  // Without a call of this there is one cloud, and no column for it.
  void SetClouds(const std::vector<int64_t>& begins) {
    cloud_begins_ = begins;
    begins_ = std::make_unique<Tensor>(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32,
                                       std::vector<int64_t>{static_cast<int64_t>(begins.size())}, placement_, offset_);
    for (size_t i = 0; i < begins.size(); ++i) begins_->Set(static_cast<int64_t>(i), static_cast<double>(begins[i]));
  }

  mluOpDataType_t type() const { return rows.type(); }
  int64_t points() const { return rows.extents()[0]; }
  int64_t features() const { return rows.extents()[1]; }
  bool batched() const { return begins_ != nullptr; }
  const Tensor* begins() const { return begins_.get(); }

  Results NewResults(const VoxelRules& rules) const {
    return Results(type(), rules, points(), features(), batched(), placement_, offset_);
  }

  mluOpStatus_t Run(const Handle& handle, const VoxelRules& rules, Results& results) const {
    const auto wanted = [](bool flag, const Tensor& tensor) { return flag ? tensor.desc() : nullptr; };
    return detopsPointToVoxel(
        handle.get(), static_cast<int>(rules.grid.size()), rules.range_min.data(), rules.voxel_size.data(),
        rules.grid.data(), rules.max_points, rules.max_voxels,
        rules.ascending ? DETOPS_VOXEL_ORDER_ASCENDING : DETOPS_VOXEL_ORDER_FIRST_POINT, rows.desc(), rows.data(),
        batched() ? begins_->desc() : nullptr, batched() ? begins_->data() : nullptr,
        wanted(results.with_voxels, results.voxels), results.voxels.data(), wanted(results.with_means, results.means),
        results.means.data(), results.coordinates.desc(), results.coordinates.data(),
        wanted(results.with_num_points, results.num_points), results.num_points.data(),
        wanted(results.with_point_voxel, results.point_voxel), results.point_voxel.data(), &results.voxel_num);
  }

  detops_reference::PointVoxels Expected(const VoxelRules& rules) const {
    return detops_reference::PointsToVoxels(type(), rules, points(), features(), rows.data(),
                                            batched() ? cloud_begins_ : std::vector<int64_t>{0, points()});
  }

  Tensor rows;

 private:
  Placement placement_;
  size_t offset_;
  std::vector<int64_t> cloud_begins_;
  std::unique_ptr<Tensor> begins_;
};

inline VoxelRules UnitVoxels(const std::vector<int>& grid) {
  return {.range_min = std::vector<double>(grid.size(), 0.0),
          .voxel_size = std::vector<double>(grid.size(), 1.0),
          .grid = grid};
}

}  // namespace detops_test

#endif  // DETOPS_OPS_POINT_TO_VOXEL_TEST_PROBLEM_H_
