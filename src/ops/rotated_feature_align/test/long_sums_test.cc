// Many boxes on one pixel and a constant gradient: the worst case for rounding, because every addition rounds the same
// way. A plain float sum is off by 8e-5 here; the bar is 1e-5.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "detops.h"
#include "ops/rotated_feature_align/reference/reference.h"
#include "support/configurations.h"
#include "support/diff.h"
#include "support/tensor.h"
#include "support/tolerance.h"

namespace {

using detops_test::Tensor;

class RotatedFeatureAlignLongSums : public testing::TestWithParam<mluOpDataType_t> {};

TEST_P(RotatedFeatureAlignLongSums, StayWithinTheBar) {
  const mluOpDataType_t type = GetParam();
  constexpr int64_t kSide = 128;
  // Around the lanes of every target, so that whole, repeated and single-lane vectors are summed.
  for (const int64_t channels : {1, 5, 13, 40}) {
    SCOPED_TRACE(testing::Message() << channels << " channels");
    Tensor gradient(MLUOP_LAYOUT_NHWC, type, {1, kSide, kSide, channels});
    Tensor boxes(MLUOP_LAYOUT_ARRAY, type, {1, kSide, kSide, 5});
    Tensor result(MLUOP_LAYOUT_NHWC, type, {1, kSide, kSide, channels});
    gradient.Fill(type == MLUOP_DTYPE_HALF ? 0.1 : 0.7);  // 16,384 times 4 points stay below the largest half
    boxes.Fill(0);
    const std::vector<double> expected = detops_reference::RotatedFeatureAlignBackward(
        type, 1, kSide, kSide, channels, gradient.data(), boxes.data(), 1.0f, 5);
    detops_test::ForEachConfiguration(DETOPS_PROFILE_FULL, [&](detops_test::Handle& handle) {
      result.FillCanary();
      ASSERT_EQ(mluOpRotatedFeatureAlignBackward(handle.get(), gradient.desc(), gradient.data(), boxes.desc(),
                                                 boxes.data(), 1.0f, 5, result.desc(), result.data()),
                MLUOP_STATUS_SUCCESS)
          << handle.LastError();
      EXPECT_LE(detops_test::Diff1(result.Values(), expected), detops_test::ToleranceFor(type).diff1);
      EXPECT_LE(detops_test::Diff2(result.Values(), expected), detops_test::ToleranceFor(type).diff2);
    });
  }
}

// Not double: the reference adds in double too, so it is no measure for sums of this length.
INSTANTIATE_TEST_SUITE_P(Types, RotatedFeatureAlignLongSums,
                         testing::Values(MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16),
                         [](const auto& instance) { return detops_test::ElementName(instance.param); });

}  // namespace
