// detopsPsRoiPool...: what the functions have in common with each other and with those of the contract, and what is
// different for double tensors.
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "ops/psroipool/test/problem.h"

namespace detops_test {
namespace {

std::string VariantAndTypeName(const testing::TestParamInfo<std::tuple<Variant, mluOpDataType_t>>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + ElementName(std::get<1>(info.param));
}

class PsRoiPoolExtension : public testing::TestWithParam<std::tuple<Variant, mluOpDataType_t>> {
 protected:
  const Variant& variant() const { return std::get<0>(GetParam()); }
  mluOpDataType_t type() const { return std::get<1>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Variants, PsRoiPoolExtension,
                         testing::Combine(testing::ValuesIn(kExtensions), testing::ValuesIn(kTypes)),
                         VariantAndTypeName);

// mapping_channel left out: the same output, and the same gradient as with forward's own channels.
TEST_P(PsRoiPoolExtension, MappingMayBeLeftOut) {
  Problem problem(variant(), type(), {2, 12, 10, 14, 3, 2, 5}, 0.5);
  FillMixedRois(problem, 500);
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    Tensor output = problem.NewOutput(), same_output = problem.NewOutput(), mapping = problem.NewMapping();
    ASSERT_EQ(problem.Forward(handle, output, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(problem.Forward(handle, same_output, nullptr), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_TRUE(same_output.SameBytes(output));
    Tensor bottom = problem.NewBottomGrad(), same_bottom = problem.NewBottomGrad();
    ASSERT_EQ(problem.Backward(handle, bottom, true), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(problem.Backward(handle, same_bottom, false), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_TRUE(same_bottom.SameBytes(bottom));
  });
}

// ---- double tensors ----

// The scale is a double here: 1/10 and not the float beside it. 10 / 10 = 1 and 30 / 10 = 3: pixels 1 2, where 0.1f
// would take pixel 3 as well.
TEST(PsRoiPoolDouble, ScaleIsNotRounded) {
  Problem problem(kExtensions[0], MLUOP_DTYPE_DOUBLE, {1, 1, 4, 1, 1, 1, 1}, 0.1);
  problem.input.Assign({1, 2, 4, 9});
  problem.SetRoi(0, {0, 10, 0, 29, 0});
  const Handle handle(DETOPS_PROFILE_FULL);
  Tensor output = problem.NewOutput();
  ASSERT_EQ(problem.Forward(handle, output, nullptr), MLUOP_STATUS_SUCCESS) << handle.LastError();
  EXPECT_EQ(output.Get(0), 3);
}

// A hair below 2.5 is 2 in double, but 3 once it has been narrowed to float: torchvision's backward does that, its
// forward does not, and the consistent convention never does. Pixels [1, 2) or [1, 3) of 1 2 4 8.
TEST(PsRoiPoolDouble, TorchvisionNarrowsItsCoordinatesBackward) {
  for (const Variant& variant : kExtensions) {
    if (variant.convention == DETOPS_PSROIPOOL_RFCN) continue;
    SCOPED_TRACE(variant.name);
    Problem problem(variant, MLUOP_DTYPE_DOUBLE, {1, 2, 4, 1, 1, 1, 1}, 1);
    problem.input.Assign({1, 2, 4, 8, 64, 64, 64, 64});
    problem.top_grad.Fill(6);
    problem.SetRoi(0, {0, 1, 0, 2.5 - 1e-12, 1});
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      Tensor output = problem.NewOutput(), bottom = problem.NewBottomGrad();
      ASSERT_EQ(problem.Forward(handle, output, nullptr), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(output.Get(0), 2);
      ASSERT_EQ(problem.Backward(handle, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
      const bool narrowed = variant.convention == DETOPS_PSROIPOOL_TORCHVISION;
      const std::vector<double> expected =
          narrowed ? std::vector<double>{0, 3, 3, 0, 0, 0, 0, 0} : std::vector<double>{0, 6, 0, 0, 0, 0, 0, 0};
      ASSERT_EQ(bottom.Values(), expected);
    });
  }
}

// ---- one function against the other ----

// The contract's convention in NHWC is the contract's function.
TEST(PsRoiPoolConventions, RfcnIsTheContract) {
  for (const mluOpDataType_t type : kTypes) {
    const Shape shape = {2, 12, 10, 14, 3, 3, 7};
    Problem contract(kContract, type, shape, 0.25), extension(kExtensions[0], type, shape, 0.25);
    FillMixedRois(contract, 600);
    FillMixedRois(extension, 600);
    ForEachTarget(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      Tensor a = contract.NewOutput(), b = extension.NewOutput(), mapping = contract.NewMapping();
      ASSERT_EQ(contract.Forward(handle, a, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(extension.Forward(handle, b, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(a.SameBytes(b));
      Tensor c = contract.NewBottomGrad(), d = extension.NewBottomGrad();
      ASSERT_EQ(contract.Backward(handle, c), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(extension.Backward(handle, d), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(c.SameBytes(d));
    });
  }
}

}  // namespace
}  // namespace detops_test
