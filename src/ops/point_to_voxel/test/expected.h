// What the results of a call must be, byte by byte; means within the bars.
#ifndef DETOPS_OPS_POINT_TO_VOXEL_TEST_EXPECTED_H_
#define DETOPS_OPS_POINT_TO_VOXEL_TEST_EXPECTED_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ops/point_to_voxel/test/problem.h"
#include "support/configurations.h"
#include "support/tolerance.h"

namespace detops_test {

class Expected {
 public:
  Expected(const Cloud& cloud, const VoxelRules& rules)
      : cloud_(cloud),
        rules_(rules),
        made_(cloud.Expected(rules)),
        means_(detops_reference::VoxelMeans(cloud.type(), made_, cloud.features(), cloud.rows.data())) {}

  int64_t voxel_num() const { return static_cast<int64_t>(made_.voxels.size()); }
  const detops_reference::PointVoxels& made() const { return made_; }

  // The first result that is wrong, or "". What was not asked for must be untouched, and so must all rows behind the
  // last voxel.
  std::string WrongIn(const Results& results) const {
    if (results.voxel_num != voxel_num()) return "voxel_num is " + std::to_string(results.voxel_num);
    Results image = cloud_.NewResults(rules_);
    Paint(results, image);
    if (!results.coordinates.SameBytes(image.coordinates)) return "coordinates";
    if (!results.num_points.SameBytes(image.num_points)) return "num_points";
    if (!results.point_voxel.SameBytes(image.point_voxel)) return "point_voxel";
    if (!results.voxels.SameBytes(image.voxels)) return "voxels";
    if (!results.SurroundingsIntact()) return "a byte beside a result";
    return WrongInMeans(results.means, results.with_means);
  }

 private:
  // Onto the canary of fresh results: what must be written.
  void Paint(const Results& results, Results& image) const {
    const int64_t features = cloud_.features(), columns = image.coordinates.extents()[1];
    const size_t point_bytes = static_cast<size_t>(features) * ElementSize(cloud_.type());
    for (int64_t row = 0; row < voxel_num(); ++row) {
      const detops_reference::PointVoxel& voxel = made_.voxels[static_cast<size_t>(row)];
      const size_t skipped = cloud_.batched() ? 0 : 1;
      for (size_t i = skipped; i < voxel.site.size(); ++i) {
        image.coordinates.Set(row * columns + static_cast<int64_t>(i - skipped), static_cast<double>(voxel.site[i]));
      }
      if (results.with_num_points) image.num_points.Set(row, static_cast<double>(voxel.kept.size()));
      if (!results.with_voxels) continue;
      const size_t row_bytes = point_bytes * static_cast<size_t>(rules_.max_points);
      auto* to = static_cast<char*>(image.voxels.data()) + static_cast<size_t>(row) * row_bytes;
      std::memset(to, 0, row_bytes);
      for (const int64_t point : voxel.kept) {
        std::memcpy(to, static_cast<const char*>(cloud_.rows.data()) + static_cast<size_t>(point) * point_bytes,
                    point_bytes);
        to += point_bytes;
      }
    }
    for (int64_t point = 0; results.with_point_voxel && point < cloud_.points(); ++point) {
      image.point_voxel.Set(point, static_cast<double>(made_.voxel_of_point[static_cast<size_t>(point)]));
    }
  }

  std::string WrongInMeans(const Tensor& means, bool wanted) const {
    if (!wanted) return means.CanaryIntact() ? "" : "means";
    const size_t used = means_.size() * ElementSize(cloud_.type());
    const Results fresh = cloud_.NewResults(rules_);
    const auto* bytes = static_cast<const char*>(means.data());
    const auto* canary = static_cast<const char*>(fresh.means.data());
    if (std::memcmp(bytes + used, canary + used, means.bytes() - used) != 0) return "means behind the last voxel";
    std::vector<double> values = means.Values();
    values.resize(means_.size());
    return Disagreement(values, means_, ToleranceFor(cloud_.type()));
  }

  const Cloud& cloud_;
  const VoxelRules& rules_;
  const detops_reference::PointVoxels made_;
  const std::vector<double> means_;
};

// Runs on every target with several numbers of threads: right everywhere, with the same bits everywhere.
inline void ExpectAgreement(const Cloud& cloud, const VoxelRules& rules) {
  const Expected expected(cloud, rules);
  Results first = cloud.NewResults(rules);
  bool is_first = true;
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    Results results = cloud.NewResults(rules);
    ASSERT_EQ(cloud.Run(handle, rules, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(expected.WrongIn(results), "");
    if (is_first) {
      ASSERT_EQ(cloud.Run(handle, rules, first), MLUOP_STATUS_SUCCESS) << handle.LastError();
      is_first = false;
    }
    ASSERT_TRUE(results.SameBytes(first));
  });
}

}  // namespace detops_test

#endif  // DETOPS_OPS_POINT_TO_VOXEL_TEST_EXPECTED_H_
