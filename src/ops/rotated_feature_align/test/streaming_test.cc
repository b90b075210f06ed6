// Large outputs whose rows are whole cache lines are written past the caches. Nothing but the time may differ: the
// same call with an output off the cache lines takes the plain way and must give the same bits.
#include <gtest/gtest.h>

#include <cstdint>

#include "detops.h"
#include "support/configurations.h"
#include "support/tensor.h"

namespace {

using detops_test::Placement;
using detops_test::Tensor;

constexpr int64_t kSide = 64;
constexpr int64_t kRowBytes = 2048;  // 64 * 64 * 2048 bytes are the 8 MiB from which on outputs are streamed
constexpr size_t kOffTheLines = 8;

class RotatedFeatureAlignStreaming : public testing::TestWithParam<mluOpDataType_t> {};

TEST_P(RotatedFeatureAlignStreaming, SameBitsAsPlainStores) {
  const mluOpDataType_t type = GetParam();
  const int64_t channels = kRowBytes / static_cast<int64_t>(detops_test::ElementSize(type));
  Tensor source(MLUOP_LAYOUT_NHWC, type, {1, kSide, kSide, channels});
  Tensor boxes(MLUOP_LAYOUT_ARRAY, type, {1, kSide, kSide, 5});
  source.FillUniform(-1, 1, 1);
  boxes.FillUniform(0, 60, 2);
  Tensor streamed(MLUOP_LAYOUT_NHWC, type, {1, kSide, kSide, channels}, Placement::kAgainstFront);
  Tensor plain(MLUOP_LAYOUT_NHWC, type, {1, kSide, kSide, channels}, Placement::kAgainstFront, kOffTheLines);
  ASSERT_EQ(reinterpret_cast<uintptr_t>(streamed.data()) % 64, 0u);
  ASSERT_EQ(reinterpret_cast<uintptr_t>(plain.data()) % 64, kOffTheLines);
  detops_test::ForEachTarget(DETOPS_PROFILE_FULL, [&](detops_test::Handle& handle) {
    handle.SetThreads(2);
    for (const auto align : {mluOpRotatedFeatureAlignForward, mluOpRotatedFeatureAlignBackward}) {
      for (Tensor* target : {&streamed, &plain}) {
        target->FillCanary();
        ASSERT_EQ(align(handle.get(), source.desc(), source.data(), boxes.desc(), boxes.data(), 1.0f, 1, target->desc(),
                        target->data()),
                  MLUOP_STATUS_SUCCESS)
            << detopsGetLastError(handle.get());
        ASSERT_TRUE(target->SurroundingsIntact());
      }
      ASSERT_TRUE(streamed.SameBytes(plain));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Types, RotatedFeatureAlignStreaming,
                         testing::Values(MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16, MLUOP_DTYPE_DOUBLE),
                         [](const auto& instance) { return detops_test::ElementName(instance.param); });

}  // namespace
