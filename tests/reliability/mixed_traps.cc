// Calls of a thread that has floating-point traps on: no signal, the same bits, and the traps are on again afterwards,
// whatever the data is.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "reliability/mixed_work.h"
#include "support/configurations.h"
#include "support/float_traps.h"
#include "support/runner.h"

namespace detops_test {
namespace {

// Numbers that make every kind of bad arithmetic, in all tensors that may hold them.
void Spoil(MixedInputs& inputs) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kBad[] = {std::numeric_limits<double>::quiet_NaN(), kInf, -kInf, 3e38, -3e38, 1e-40, 0, 1};
  for (Tensor* tensor : {&inputs.map, &inputs.ps_map, &inputs.ps_top, &inputs.features, &inputs.voxel_grad,
                         &inputs.rows, &inputs.filters, &inputs.bias, &inputs.cloud}) {
    for (int64_t i = 0; i < tensor->elements(); ++i) tensor->Set(i, kBad[i * 2654435761 / 65536 % 8]);
  }
}

class MixedTraps : public testing::TestWithParam<bool> {
 protected:
  MixedTraps() {
    if (GetParam()) Spoil(inputs_);
  }

  // All calls with traps, against the same without.
  void ExpectSame(MixedUser& user) {
    for (size_t call = 0; call < MixedUser::Calls(); ++call) {
      SCOPED_TRACE(MixedUser::NameOf(call));
      MixedUser calm(inputs_);
      ASSERT_EQ(calm.Run(call), MLUOP_STATUS_SUCCESS) << calm.handle.LastError();
      mluOpStatus_t status = MLUOP_STATUS_NOT_INITIALIZED;
      bool still_on = false;
      {
        const FloatTraps traps;
        if (!FloatTraps::On()) GTEST_SKIP() << "this processor has no traps";
        status = user.Run(call);
        still_on = FloatTraps::On();
      }
      ASSERT_EQ(status, MLUOP_STATUS_SUCCESS) << user.handle.LastError();
      EXPECT_TRUE(still_on);
      EXPECT_TRUE(user.Same(call, calm));
    }
  }

  MixedInputs inputs_;
};

INSTANTIATE_TEST_SUITE_P(Data, MixedTraps, testing::Bool(), [](const testing::TestParamInfo<bool>& spoilt) {
  return std::string(spoilt.param ? "WithNanAndInf" : "Ordinary");
});

TEST_P(MixedTraps, EveryTarget) {
  for (const std::string& name : SupportedTargets()) {
    SCOPED_TRACE(name);
    const ForcedTarget forced(name);
    MixedUser user(inputs_);
    ExpectSame(user);
  }
}

TEST_P(MixedTraps, LibraryThreads) {
  MixedUser user(inputs_, 3);
  ExpectSame(user);
}

TEST_P(MixedTraps, CallersOwnThreads) {
  MixedUser user(inputs_, 3);
  Runner runner;
  runner.own_threads = true;
  user.handle.SetRunner(Runner::Run, &runner);
  ExpectSame(user);
}

// A refused call gives them back too.
TEST(FloatTraps, AreGivenBackByACallThatFails) {
  const FloatTraps traps;
  if (!FloatTraps::On()) GTEST_SKIP() << "this processor has no traps";
  const double bad[] = {std::numeric_limits<double>::signaling_NaN()}, one[] = {1};
  int grid[] = {0};
  EXPECT_EQ(detopsGetVoxelGrid(1, bad, one, one, grid), MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(FloatTraps::On());
  EXPECT_EQ(detopsGetVoxelGrid(1, one, bad, one, grid), MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(FloatTraps::On());
}

}  // namespace
}  // namespace detops_test
