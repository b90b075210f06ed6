// Large results are written past the caches. Nothing but the time may differ: a gradient off the cache lines takes the
// plain way and must have the same bits, and mapping_channel is what its formula says.
#include <gtest/gtest.h>

#include <cstdint>

#include "ops/psroipool/test/problem.h"
#include "properties/expect.h"

namespace detops_test {
namespace {

constexpr int64_t kSide = 65;  // 65 * 65 pixels are no whole number of blocks
constexpr int64_t kPixelBytes = 2048;
static_assert(kSide * kSide * kPixelBytes >= (8 << 20), "from 8 MiB on gradients are streamed");

class PsRoiPoolStreaming : public testing::TestWithParam<mluOpDataType_t> {};

INSTANTIATE_TEST_SUITE_P(Types, PsRoiPoolStreaming, testing::ValuesIn(kTypes), TypeName);

TEST_P(PsRoiPoolStreaming, GradientHasTheBitsOfPlainStores) {
  constexpr int64_t kBins = 2;
  const int64_t depth = kPixelBytes / static_cast<int64_t>(ElementSize(GetParam())) / (kBins * kBins);
  const Shape shape = {1, kSide, kSide, 40, kBins, kBins, depth};
  Problem problem(kExtensions[0], GetParam(), shape, 1);
  FillMixedRois(problem, 5);
  const mluOpTensorLayout_t layout = problem.variant().layout;
  Tensor streamed(layout, GetParam(), MapExtents(shape, layout), Placement::kAgainstFront);
  Tensor plain(layout, GetParam(), MapExtents(shape, layout), Placement::kAgainstFront, 8);
  ASSERT_EQ(reinterpret_cast<uintptr_t>(streamed.data()) % 64, 0u);
  ASSERT_EQ(reinterpret_cast<uintptr_t>(plain.data()) % 64, 8u);
  ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
    handle.SetThreads(2);
    for (Tensor* target : {&streamed, &plain}) {
      target->FillCanary();
      ASSERT_EQ(problem.Backward(handle, *target), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(target->SurroundingsIntact());
    }
    ASSERT_TRUE(streamed.SameBytes(plain));
  });
}

// 2^21 numbers and more; at an address in the middle of a cache line too, where the first ones are stored one by one.
TEST(PsRoiPoolStreamingMapping, EveryChannel) {
  const Shape shape = {1, 4, 4, 4200, 2, 2, 125};
  Problem problem(kContract, MLUOP_DTYPE_FLOAT, shape, 1);
  FillMixedRois(problem, 6);
  ASSERT_GE(problem.mapping.elements(), 2 << 20);
  for (const size_t offset : {0, 20}) {
    Tensor output = problem.NewOutput();
    Tensor mapping(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, problem.mapping.extents(), Placement::kAgainstFront, offset);
    ForEachTarget(DETOPS_PROFILE_CONTRACT, [&](Handle& handle) {
      handle.SetThreads(3);
      mapping.FillCanary();
      ASSERT_EQ(problem.Forward(handle, output, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(mapping.SurroundingsIntact());
      ASSERT_TRUE(mapping.SameBytes(problem.mapping));  // ForwardChannel of every element
    });
  }
}

// Planes of more than 4 MiB together are worked on in groups.
TEST(PsRoiPoolStreamingPlanes, ChannelsFirstInGroups) {
  for (const char* function : {"detopsPsRoiPoolForward", "detopsPsRoiPoolBackward"}) {
    const auto call = CallOf(function, "layout=NCHW,batch=1,height=96,width=96,rois=12,pooled=2,dim=32,corners=mixed");
    ExpectAgreementEverywhere(call);
  }
}

}  // namespace
}  // namespace detops_test
