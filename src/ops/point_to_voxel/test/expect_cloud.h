// Calls with points that a test chose.
#ifndef DETOPS_OPS_POINT_TO_VOXEL_TEST_EXPECT_CLOUD_H_
#define DETOPS_OPS_POINT_TO_VOXEL_TEST_EXPECT_CLOUD_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {

// The keys of the shape are those of the catalogue's entry, but for points and features.
inline detops_harness::Call CloudCall(const std::string& shape, mluOpDataType_t type, int64_t features,
                                      const std::vector<double>& points) {
  const auto count = static_cast<int64_t>(points.size()) / features;
  detops_harness::Call call = CallOf(
      "detopsPointToVoxel", shape + ",features=" + std::to_string(features) + ",points=" + std::to_string(count), type);
  Assign(call, "points", points);
  return call;
}

// The results in numbers, of the rows that are used. `voxels` is not compared if it is not wanted.
struct CloudNumbers {
  int64_t voxel_num;
  std::vector<double> coordinates, num_points, voxels, means, point_voxel;
};

inline std::vector<double> Front(const detops_harness::Tensor& tensor, size_t count) {
  std::vector<double> values = tensor.described ? tensor.Values() : std::vector<double>{};
  values.resize(count);
  return values;
}

// On every configuration; the reference must agree too.
inline void ExpectNumbers(const detops_harness::Call& call, const CloudNumbers& numbers) {
  ExpectAgreementEverywhere(call, {}, [&](const detops_harness::Call& done) {
    EXPECT_EQ(done.results.at("voxel_num"), numbers.voxel_num);
    EXPECT_EQ(Front(done["coordinates"], numbers.coordinates.size()), numbers.coordinates);
    EXPECT_EQ(Front(done["num_points"], numbers.num_points.size()), numbers.num_points);
    EXPECT_EQ(Front(done["voxels"], numbers.voxels.size()), numbers.voxels);
    EXPECT_EQ(Front(done["means"], numbers.means.size()), numbers.means);
    EXPECT_EQ(done["point_voxel"].Values(), numbers.point_voxel);
    ASSERT_FALSE(testing::Test::HasNonfatalFailure());
  });
}

}  // namespace detops_test

#endif  // DETOPS_OPS_POINT_TO_VOXEL_TEST_EXPECT_CLOUD_H_
