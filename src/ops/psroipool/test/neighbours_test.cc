// psroipool among other work: what one image gives does not depend on the rois and images next to it.
#include <cstdint>
#include <string>

#include "ops/psroipool/test/problem.h"

namespace detops_test {
namespace {

class PsRoiPoolNeighbours : public testing::TestWithParam<Variant> {};

// Each convention and each layout, but not their product.
INSTANTIATE_TEST_SUITE_P(Variants, PsRoiPoolNeighbours,
                         testing::Values(kContract, kExtensions[1], kExtensions[2], kExtensions[5]), VariantName);

// The bits of a roi's output and of an image's gradient do not depend on the rois and images next to it.
TEST_P(PsRoiPoolNeighbours, SameBitsAloneAndAmongOthers) {
  const Handle handle(DETOPS_PROFILE_FULL, 3);
  for (const mluOpDataType_t type : kTypes) {
    SCOPED_TRACE(ElementName(type));
    Problem all(GetParam(), type, {2, 9, 8, 12, 3, 3, 5}, 0.5);
    FillMixedRois(all, 11);
    for (int64_t r = 0; r < 12; ++r) all.rois.Set(r * 5, r < 6 ? 0 : 1);
    Tensor output = all.NewOutput(), mapping = all.NewMapping(), bottom = all.NewBottomGrad();
    ASSERT_EQ(all.Forward(handle, output, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(all.Backward(handle, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
    // The second image with its six rois as a problem of its own.
    Problem one(GetParam(), type, {1, 9, 8, 6, 3, 3, 5}, 0.5);
    const auto second_half = [](Tensor& to, const Tensor& from) {
      for (int64_t i = 0; i < to.elements(); ++i) to.Set(i, from.Get(from.elements() / 2 + i));
    };
    second_half(one.input, all.input);
    second_half(one.top_grad, all.top_grad);
    second_half(one.rois, all.rois);
    for (int64_t r = 0; r < 6; ++r) one.rois.Set(r * 5, 0);
    Tensor one_output = one.NewOutput(), one_mapping = one.NewMapping(), one_bottom = one.NewBottomGrad();
    ASSERT_EQ(one.Forward(handle, one_output, &one_mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(one.Backward(handle, one_bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
    for (int64_t i = 0; i < one_output.elements(); ++i) {
      ASSERT_EQ(one_output.Get(i), output.Get(one_output.elements() + i)) << "element " << i;
    }
    for (int64_t i = 0; i < one_bottom.elements(); ++i) {
      ASSERT_EQ(one_bottom.Get(i), bottom.Get(one_bottom.elements() + i)) << "element " << i;
    }
  }
}

// The gradient of the second image alone, and next to a first image with `crowd` rois over all of it.
void ExpectSameBitsBeside(const Variant& variant, int64_t crowd, bool first_other, bool second_other) {
  SCOPED_TRACE(testing::Message() << crowd << " rois in the first image, other channels in the first: " << first_other
                                  << ", in the second: " << second_other);
  constexpr int64_t kFew = 60;
  const Handle handle(DETOPS_PROFILE_FULL, 3);
  Problem both(variant, MLUOP_DTYPE_FLOAT, {2, 9, 8, crowd + kFew, 2, 2, 5}, 0.5);
  Problem one(variant, MLUOP_DTYPE_FLOAT, {1, 9, 8, kFew, 2, 2, 5}, 0.5);
  FillRois(one, "inside", 12);
  const int64_t channels = one.shape().channels();
  const auto set_other = [&](Tensor& mapping) {
    for (int64_t i = 0; i < mapping.elements(); ++i) mapping.Set(i, static_cast<double>(i * 7 % channels));
  };
  if (first_other) set_other(both.mapping);
  if (second_other) set_other(one.mapping);
  for (int64_t r = 0; r < crowd; ++r) both.SetRoi(r, {0, 0, 0, 15, 17});
  for (int64_t i = 0; i < kFew * 5; ++i) both.rois.Set(crowd * 5 + i, i % 5 == 0 ? 1 : one.rois.Get(i));
  for (int64_t i = 0; i < one.top_grad.elements(); ++i) {
    both.top_grad.Set(crowd * channels + i, one.top_grad.Get(i));
    both.mapping.Set(crowd * channels + i, one.mapping.Get(i));
  }
  Tensor alone = one.NewBottomGrad(), among = both.NewBottomGrad();
  ASSERT_EQ(one.Backward(handle, alone), MLUOP_STATUS_SUCCESS) << handle.LastError();
  ASSERT_EQ(both.Backward(handle, among), MLUOP_STATUS_SUCCESS) << handle.LastError();
  int64_t different = 0;
  for (int64_t i = 0; i < alone.elements(); ++i) {
    different += alone.Get(i) == among.Get(alone.elements() + i) ? 0 : 1;
  }
  EXPECT_EQ(different, 0) << "of " << alone.elements() << " elements";
}

// Long sums are added up in another way than short ones, and channels that are not forward's may be as well. Both are a
// matter of one image: what is in the first does not change the bits of the second.
TEST_P(PsRoiPoolNeighbours, SameBitsBesideAnotherImage) {
  for (const int64_t crowd : {1, 700}) {
    for (const bool first_other : {false, true}) {
      for (const bool second_other : {false, true}) ExpectSameBitsBeside(GetParam(), crowd, first_other, second_other);
    }
  }
}

}  // namespace
}  // namespace detops_test
