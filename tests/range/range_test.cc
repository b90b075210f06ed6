// Results of more than 2^31 elements, all of them written: 4.3 GB of halves, or 8.6 GB of indices.
#include <gtest/gtest.h>

#include "range/large_tensor.h"

namespace detops_range {
namespace {

constexpr int64_t kPixels = 2049, kLast = kPixels - 1;  // 2049 rows of 2^20 channels: 2^31 + 2^20 elements

// One row of pixels. Every box is a point: the last pixel's is the last pixel, all others' the first.
TEST(Range, RotatedFeatureAlign) {
  const Handle handle(DETOPS_PROFILE_FULL);
  LargeTensor in(MLUOP_LAYOUT_NHWC, kHalf, {1, 1, kPixels, k2To20}),
      out(MLUOP_LAYOUT_NHWC, kHalf, {1, 1, kPixels, k2To20});
  ASSERT_GT(out.elements(), k2To31);
  Tensor boxes(MLUOP_LAYOUT_ARRAY, kHalf, {1, 1, kPixels, 5});
  boxes.Fill(0);
  boxes.Set(kLast * 5 + 1, static_cast<double>(kLast));
  for (const int64_t end : kEnds) {
    in.Set(At(kLast, end), 3);
    in.Set(At(7, end), 4);
    in.Set(At(0, end), 2);
  }
  Must(mluOpRotatedFeatureAlignForward(handle.get(), in.desc(), in.data(), boxes.desc(), boxes.data(), 1.0f, 1,
                                       out.desc(), out.data()),
       "mluOpRotatedFeatureAlignForward");
  for (const int64_t end : kEnds) {
    EXPECT_EQ(out.Get(At(kLast, end)), 6);      // itself twice
    EXPECT_EQ(out.Get(At(kLast - 1, end)), 2);  // 0 and the first pixel
    EXPECT_EQ(out.Get(At(7, end)), 6);          // 4 and the first pixel
  }
  EXPECT_EQ(out.Get(At(kLast, 5)), 0);
  Must(mluOpRotatedFeatureAlignBackward(handle.get(), in.desc(), in.data(), boxes.desc(), boxes.data(), 1.0f, 1,
                                        out.desc(), out.data()),
       "mluOpRotatedFeatureAlignBackward");
  for (const int64_t end : kEnds) {
    EXPECT_EQ(out.Get(At(kLast, end)), 6);      // itself twice
    EXPECT_EQ(out.Get(At(kLast - 1, end)), 0);  // nobody samples it
    EXPECT_EQ(out.Get(At(7, end)), 4);          // itself
    EXPECT_EQ(out.Get(At(0, end)), 8);          // itself, sampled by itself and by pixel 7
  }
}

TEST(Range, PsRoiPoolBackward) {
  const Handle handle(DETOPS_PROFILE_FULL);
  const int channels = static_cast<int>(k2To20);
  LargeTensor bottom(MLUOP_LAYOUT_NHWC, kHalf, {1, 1, kPixels, k2To20});
  ASSERT_GT(bottom.elements(), k2To31);
  Tensor top(MLUOP_LAYOUT_NHWC, kHalf, {1, 1, 1, k2To20}), rois(MLUOP_LAYOUT_ARRAY, kHalf, {1, 5});
  Tensor mapping(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, {1, 1, 1, k2To20});
  top.Fill(0);
  for (const int64_t end : kEnds) top.Set(end, 3);
  for (int64_t c = 0; c < k2To20; ++c) mapping.Set(c, static_cast<double>(c));
  rois.Assign({0, kLast, 0, kLast, 0});  // the last pixel alone
  Must(mluOpPsRoiPoolBackward(handle.get(), 1, 1, 1.0f, channels, top.desc(), top.data(), rois.desc(), rois.data(),
                              mapping.desc(), mapping.data(), bottom.desc(), bottom.data()),
       "mluOpPsRoiPoolBackward");
  for (const int64_t end : kEnds) {
    EXPECT_EQ(bottom.Get(At(kLast, end)), 3);
    EXPECT_EQ(bottom.Get(At(kLast - 1, end)), 0);
  }
  EXPECT_EQ(bottom.Get(At(kLast, 5)), 0);
}

// A box of one column of voxels; its only point lies on the top and so in the last voxel.
TEST(Range, RoiAwarePool3dForward) {
  const Handle handle(DETOPS_PROFILE_FULL);
  const int voxels = static_cast<int>(kPixels), channels = static_cast<int>(k2To20);
  LargeTensor pooled(MLUOP_LAYOUT_ARRAY, kHalf, {1, 1, 1, kPixels, k2To20});
  ASSERT_GT(pooled.elements(), k2To31);
  Tensor rois(MLUOP_LAYOUT_ARRAY, kHalf, {1, 7}), points(MLUOP_LAYOUT_ARRAY, kHalf, {1, 3});
  Tensor features(MLUOP_LAYOUT_ARRAY, kHalf, {1, k2To20});
  Tensor listed(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1, 1, 1, kPixels, 2});
  rois.Assign({0, 0, 0, 1, 1, 2048, 0});
  points.Assign({0, 0, 2048});
  features.Fill(0);
  for (const int64_t end : kEnds) features.Set(end, 3);
  Must(mluOpRoiAwarePool3dForward(handle.get(), 1, 1, 1, channels, rois.desc(), rois.data(), points.desc(),
                                  points.data(), features.desc(), features.data(), nullptr, 0, 2, 1, 1, voxels, nullptr,
                                  nullptr, listed.desc(), listed.data(), pooled.desc(), pooled.data()),
       "mluOpRoiAwarePool3dForward");
  EXPECT_EQ(listed.Get(2 * kLast), 1);
  EXPECT_EQ(listed.Get(2 * kLast - 2), 0);
  for (const int64_t end : kEnds) {
    EXPECT_EQ(pooled.Get(At(kLast, end)), 3);
    EXPECT_EQ(pooled.Get(At(kLast - 1, end)), 0);
  }
}

TEST(Range, IndiceConvolutionBackwardData) {
  const Handle handle(DETOPS_PROFILE_FULL);
  LargeTensor input_grad(MLUOP_LAYOUT_ARRAY, kHalf, {kPixels, k2To20});
  ASSERT_GT(input_grad.elements(), k2To31);
  Tensor grad(MLUOP_LAYOUT_ARRAY, kHalf, {1, 1}), filters(MLUOP_LAYOUT_NHWC, kHalf, {1, 1, 1, k2To20});
  Tensor pairs(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1, 2, kPixels});
  const int64_t count = 1;
  grad.Fill(3);
  filters.Fill(0);
  for (const int64_t end : kEnds) filters.Set(end, 2);
  pairs.Set(0, static_cast<double>(kLast));
  pairs.Set(kPixels, 0);
  Must(mluOpIndiceConvolutionBackwardData(handle.get(), grad.desc(), grad.data(), filters.desc(), filters.data(),
                                          pairs.desc(), pairs.data(), &count, 0, 0, nullptr, 0, input_grad.desc(),
                                          input_grad.data()),
       "mluOpIndiceConvolutionBackwardData");
  for (const int64_t end : kEnds) {
    EXPECT_EQ(input_grad.Get(At(kLast, end)), 6);
    EXPECT_EQ(input_grad.Get(At(kLast - 1, end)), 0);
  }
}

// A column of 1024 sites and a kernel of 1025 x 1025: site i meets site i + 512 - k under the row k of the kernel's
// middle column, and nothing under the others.
TEST(Range, GetIndicePairs) {
  const Handle handle(DETOPS_PROFILE_FULL);
  constexpr int64_t kSites = 1024, kKernel = 1025, kOffsets = kKernel * kKernel;
  LargeTensor pairs(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {kOffsets, 2, kSites});
  ASSERT_GT(pairs.elements(), k2To31);
  Tensor indices(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {kSites, 3}),
      out(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {kSites, 3});
  Tensor numbers(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {kOffsets});
  indices.Fill(0);
  for (int64_t i = 0; i < kSites; ++i) indices.Set(3 * i + 1, static_cast<double>(i));
  mluOpSparseConvolutionDescriptor_t desc = nullptr;
  Must(mluOpCreateSparseConvolutionDescriptor(&desc), "mluOpCreateSparseConvolutionDescriptor");
  const int pad[] = {512, 512}, one[] = {1, 1}, space[] = {2048, 2048}, kernel[] = {kKernel, kKernel};
  Must(detopsSetSparseConvolutionDescriptor(desc, 2, 1, pad, one, one, nullptr, space, kernel, space, 1, 0, 0),
       "detopsSetSparseConvolutionDescriptor");
  size_t size = 0;
  Must(mluOpGetIndicePairsWorkspaceSize(handle.get(), desc, indices.desc(), pairs.desc(), out.desc(), numbers.desc(),
                                        &size),
       "mluOpGetIndicePairsWorkspaceSize");
  std::vector<char> workspace(size);
  Must(mluOpGetIndicePairs(handle.get(), desc, indices.desc(), indices.data(), workspace.data(), size, pairs.desc(),
                           pairs.data(), out.desc(), out.data(), numbers.desc(), numbers.data()),
       "mluOpGetIndicePairs");
  EXPECT_EQ(numbers.Get(512 * kKernel + 512), 1024);
  EXPECT_EQ(numbers.Get(512), 512);
  EXPECT_EQ(numbers.Get(kOffsets - 1), 0);
  const int64_t last_row = 1024 * kKernel + 512;  // site i meets site i - 512; its pairs begin past 2^31 elements
  ASSERT_GT(last_row * 2 * kSites, k2To31);
  EXPECT_EQ(numbers.Get(last_row), 512);
  int64_t wrong = 0;
  for (int64_t i = 0; i < kSites; ++i) {
    const bool met = i < 512;
    wrong += pairs.Get(last_row * 2 * kSites + i) == static_cast<double>(met ? i + 512 : -1) ? 0 : 1;
    wrong += pairs.Get((last_row * 2 + 1) * kSites + i) == static_cast<double>(met ? i : -1) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(pairs.Get(pairs.elements() - 1), -1);
  mluOpDestroySparseConvolutionDescriptor(desc);
}

}  // namespace
}  // namespace detops_range
