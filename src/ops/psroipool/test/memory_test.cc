// psroipool and memory: no byte outside the tensors is touched, any alignment works, inputs stay as they were, a
// workspace may be given or not, and failed calls write nothing.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/psroipool/test/problem.h"

namespace detops_test {
namespace {

class PsRoiPoolMemory : public testing::TestWithParam<mluOpDataType_t> {};

INSTANTIATE_TEST_SUITE_P(Types, PsRoiPoolMemory, testing::ValuesIn(kTypes), TypeName);

constexpr Variant kVariants[] = {kContract, kExtensions[1], kExtensions[2], kExtensions[5]};

// The tensors of a problem lie flush against a page that may not be touched, first at their end, then at their front;
// or 1 or 2 bytes beside it, which misaligns them and leaves the distance to be checked byte for byte. Rois over the
// borders use the first and the last pixel; channel counts leave every remainder.
TEST_P(PsRoiPoolMemory, StaysInsideAtAnyAlignment) {
  for (const Variant& variant : kVariants) {
    for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
      for (const size_t offset : {0u, 1u, 2u}) {
        for (const int64_t output_dim : {1, 2, 3, 5, 8, 13, 33}) {
          SCOPED_TRACE(testing::Message()
                       << (placement == Placement::kAgainstEnd ? "end" : "front") << ", offset " << offset);
          Problem problem(variant, GetParam(), {2, 4, 5, 6, 2, 2, output_dim}, 1, placement, offset);
          FillRois(problem, output_dim % 2 == 0 ? RoiKind::kOverBorder : RoiKind::kWholeMap, 12);
          ExpectAgreementBothWays(problem);
          for (const Tensor* tensor : {&problem.input, &problem.rois, &problem.top_grad, &problem.mapping}) {
            EXPECT_TRUE(tensor->SurroundingsIntact());
          }
        }
      }
    }
  }
}

// One tensor aligned, another not: a kernel that peels to align its output must not align its input too.
TEST_P(PsRoiPoolMemory, AlignmentsMayDiffer) {
  for (const Variant& variant : kVariants) {
    SCOPED_TRACE(variant.name);
    const Shape shape = {1, 7, 6, 5, 2, 2, 33};
    const Problem even(variant, GetParam(), shape, 1);
    Problem odd(variant, GetParam(), shape, 1, Placement::kAgainstFront, 1);
    FillMixedRois(odd, 14);
    const std::vector<double> expected_output = odd.ExpectedOutput(), expected_bottom = odd.ExpectedBottomGrad();
    ForEachConfiguration(odd.profile(), [&](const Handle& handle) {
      Tensor output = even.NewOutput(), mapping = even.NewMapping(), bottom = even.NewBottomGrad();
      ASSERT_EQ(odd.Forward(handle, output, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(Disagreement(output.Values(), expected_output, ToleranceFor(GetParam())), "");
      ASSERT_TRUE(mapping.SameBytes(even.mapping));
      ASSERT_EQ(odd.Backward(handle, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(Disagreement(bottom.Values(), expected_bottom, ToleranceFor(GetParam())), "");
    });
  }
}

TEST_P(PsRoiPoolMemory, InputsStayAsTheyWere) {
  for (const Variant& variant : kVariants) {
    SCOPED_TRACE(variant.name);
    const Shape shape = {2, 9, 8, 14, 3, 3, 5};
    Problem problem(variant, GetParam(), shape, 0.5), same(variant, GetParam(), shape, 0.5);
    FillMixedRois(problem, 15);
    FillMixedRois(same, 15);
    ForEachConfiguration(problem.profile(), [&](const Handle& handle) {
      Tensor output = problem.NewOutput(), mapping = problem.NewMapping(), bottom = problem.NewBottomGrad();
      ASSERT_EQ(problem.Forward(handle, output, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(problem.Backward(handle, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(problem.input.SameBytes(same.input));
      ASSERT_TRUE(problem.rois.SameBytes(same.rois));
      ASSERT_TRUE(problem.top_grad.SameBytes(same.top_grad));
      ASSERT_TRUE(problem.mapping.SameBytes(same.mapping));
    });
  }
}

// A bad number in the very last roi: every other bin could have been written before it is found.
TEST_P(PsRoiPoolMemory, FailedCallsWriteNothing) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Variant& variant : kVariants) {
    SCOPED_TRACE(variant.name);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, 2.0}) {
      for (int64_t number = 0; number < (bad == 2 ? 1 : 5); ++number) {  // 2 is wrong as a batch id only
        Problem problem(variant, GetParam(), {2, 9, 8, 40, 2, 2, 9}, 1);
        FillMixedRois(problem, 16);
        problem.rois.Set(39 * 5 + number, bad);
        ForEachConfiguration(problem.profile(), [&](const Handle& handle) {
          Tensor output = problem.NewOutput(), mapping = problem.NewMapping(), bottom = problem.NewBottomGrad();
          ASSERT_EQ(problem.Forward(handle, output, &mapping), MLUOP_STATUS_BAD_PARAM);
          ASSERT_NE(std::string(handle.LastError()).find("rois[39"), std::string::npos) << handle.LastError();
          ASSERT_TRUE(output.CanaryIntact());
          ASSERT_TRUE(mapping.CanaryIntact());
          ASSERT_EQ(problem.Backward(handle, bottom), MLUOP_STATUS_BAD_PARAM);
          ASSERT_NE(std::string(handle.LastError()).find("rois[39"), std::string::npos) << handle.LastError();
          ASSERT_TRUE(bottom.CanaryIntact());
        });
      }
    }
  }
}

// The bits are those of a call without workspace, whatever its size and alignment.
TEST_P(PsRoiPoolMemory, WorkspaceMayBeGiven) {
  Problem problem(kContract, GetParam(), {2, 9, 8, 14, 3, 3, 5}, 0.5);
  FillMixedRois(problem, 17);
  const Handle handle(DETOPS_PROFILE_FULL, 3);
  Tensor output = problem.NewOutput(), mapping = problem.NewMapping(), expected = problem.NewOutput();
  ASSERT_EQ(problem.Forward(handle, expected, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
  for (const size_t size : {0u, 1u, 7u, 4096u, 100000u}) {
    for (const size_t offset : {0u, 1u}) {
      const GuardedBuffer workspace(size, Placement::kAgainstEnd, offset);
      output.FillCanary();
      mapping.FillCanary();
      ASSERT_EQ(mluOpPsRoiPoolForward(handle.get(), 3, 3, 0.5f, 3, 5, problem.input.desc(), problem.input.data(),
                                      problem.rois.desc(), problem.rois.data(), workspace.data(), size, output.desc(),
                                      output.data(), mapping.desc(), mapping.data()),
                MLUOP_STATUS_SUCCESS)
          << handle.LastError();
      EXPECT_TRUE(output.SameBytes(expected));
      EXPECT_TRUE(mapping.SameBytes(problem.mapping));
      EXPECT_TRUE(workspace.SlackIntact());
    }
  }
}

// Value checks and the profile do not change the bits.
TEST_P(PsRoiPoolMemory, SameBitsWithoutValueChecks) {
  for (const Variant& variant : kVariants) {
    SCOPED_TRACE(variant.name);
    Problem problem(variant, GetParam(), {2, 9, 8, 14, 3, 3, 5}, 0.5);
    FillMixedRois(problem, 18);
    Handle checked(problem.profile(), 3), unchecked(DETOPS_PROFILE_FULL, 3);
    unchecked.SetValueChecks(false);
    Tensor output = problem.NewOutput(), mapping = problem.NewMapping(), bottom = problem.NewBottomGrad();
    Tensor same_output = problem.NewOutput(), same_mapping = problem.NewMapping();
    Tensor same_bottom = problem.NewBottomGrad();
    ASSERT_EQ(problem.Forward(checked, output, &mapping), MLUOP_STATUS_SUCCESS) << checked.LastError();
    ASSERT_EQ(problem.Forward(unchecked, same_output, &same_mapping), MLUOP_STATUS_SUCCESS) << unchecked.LastError();
    ASSERT_EQ(problem.Backward(checked, bottom), MLUOP_STATUS_SUCCESS) << checked.LastError();
    ASSERT_EQ(problem.Backward(unchecked, same_bottom), MLUOP_STATUS_SUCCESS) << unchecked.LastError();
    EXPECT_TRUE(same_output.SameBytes(output));
    EXPECT_TRUE(same_mapping.SameBytes(mapping));
    EXPECT_TRUE(same_bottom.SameBytes(bottom));
  }
}

}  // namespace
}  // namespace detops_test
