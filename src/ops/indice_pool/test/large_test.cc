// Tensors of more than 2^31 elements. Their memory is only promised by the system: a call touches the rows that pairs
// name and no others.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "range/large_tensor.h"

namespace detops_test {
namespace {

constexpr int64_t kRows = 2049, kChannels = int64_t{1} << 20;  // 2^31 + 2^20 halves

TEST(IndicePoolLarge, FarRowsBehind2To31) {
  detops_range::LargeTensor large(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_HALF, {kRows, kChannels});
  const Descriptor one(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_HALF, {1, kChannels});
  const Descriptor pairs_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1, 2, 2});
  const int32_t to_last[] = {2048, 7, 0, 0}, from_last[] = {0, 0, 2048, 7};
  const int64_t count = 2;
  // The last row behind 2^31 elements, and one before.
  const int64_t last = 2048 * kChannels, middle = 7 * kChannels;
  for (const int64_t c : {int64_t{0}, kChannels - 1}) {
    large.Set(last + c, 6);
    large.Set(middle + c, 2);
  }
  Tensor result(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_HALF, {1, kChannels});
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  const auto expect = [&](mluOpStatus_t status, double at_ends, double between) {
    ASSERT_EQ(status, MLUOP_STATUS_SUCCESS) << handle.LastError();
    EXPECT_EQ(result.Get(0), at_ends);
    EXPECT_EQ(result.Get(kChannels - 1), at_ends);
    EXPECT_EQ(result.Get(kChannels / 2), between);
    result.FillCanary();
  };
  const auto forward = [&](detopsPoolMethod_t method) {
    return detopsIndicePoolForward(handle.get(), method, DETOPS_MAXIMUM_FROM_ZERO, large.desc(), large.data(),
                                   pairs_desc.get(), to_last, &count, 1, one.get(), result.data());
  };
  expect(forward(DETOPS_POOL_MAXIMUM), 6, 0);
  expect(forward(DETOPS_POOL_AVERAGE), 4, 0);
  // Both gradients lie in the large tensor, which is also the output that is compared with.
  std::vector<uint16_t> features(static_cast<size_t>(kChannels));
  WriteElement(MLUOP_DTYPE_HALF, features.data(), 0, 6);
  WriteElement(MLUOP_DTYPE_HALF, features.data(), kChannels - 1, 6);
  const auto backward = [&](detopsPoolMethod_t method) {
    return detopsIndicePoolBackward(handle.get(), method, one.get(), features.data(), large.desc(), large.data(),
                                    large.desc(), large.data(), pairs_desc.get(), from_last, &count, one.get(),
                                    result.data());
  };
  expect(backward(DETOPS_POOL_MAXIMUM), 6, 0);
  expect(backward(DETOPS_POOL_AVERAGE), 8, 0);
}

}  // namespace
}  // namespace detops_test
