// What every operator promises, for all functions of the catalogue, on their samples and in all their types: right
// results, the same bits however the work is cut, wherever the tensors lie and whatever the handle did before.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "harness/compare.h"
#include "properties/calls.h"
#include "support/configurations.h"
#include "support/float_traps.h"
#include "support/runner.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::Function;
using detops_harness::MemoryKind;
using detops_harness::PlacedCall;
using detops_harness::Sample;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
// That make every kind of bad arithmetic.
const std::vector<double> kBad = {kNan, kInf, -kInf, 3e38, -3e38, 1e-40, 0, 1};

// Some of the numbers, in one of `step` elements of all floating inputs but those whose values are checked.
void Spoil(Call& call, const std::vector<double>& numbers, int64_t step) {
  for (detops_harness::Tensor& tensor : call.tensors) {
    const bool integer = tensor.type == MLUOP_DTYPE_INT32 || tensor.type == MLUOP_DTYPE_INT64;
    if (tensor.access != detops_harness::Access::kRead || integer) continue;
    detops_harness::Tensor before = tensor;
    for (int64_t i = step / 2; i < tensor.stored(); i += step) {
      tensor.Set(i, numbers[static_cast<size_t>(i * 2654435761 / 65536) % numbers.size()]);
    }
    if (call.function->contract().Judge(PlacedCall(call).call()).status != MLUOP_STATUS_SUCCESS) tensor = before;
  }
}

class Properties : public testing::TestWithParam<const Function*> {
 protected:
  const Function& function() const { return *GetParam(); }

  // Calls body(call) for all samples, or the large ones alone, in all types.
  template <class Body>
  void ForEachCall(bool only_large, Body&& body) {
    bool any = false;
    for (const Sample& sample : function().samples()) {
      if (only_large && !sample.large) continue;
      for (const mluOpDataType_t type : function().full_types()) {
        SCOPED_TRACE(sample.shape + ", " + detops_harness::TypeName(type));
        body(function().MakeSample(sample.shape, type, DETOPS_PROFILE_FULL, 1));
        any = true;
        if (HasFatalFailure()) return;
      }
    }
    EXPECT_TRUE(any) << "there is no sample for this";
  }

  // Carries the call out on other contents of the outputs, and gives these afterwards.
  static std::string OutputsOf(PlacedCall& placed, const Handle& handle, unsigned char fill) {
    placed.Reset(fill);
    EXPECT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
    EXPECT_TRUE(placed.SurroundingsIntact());
    return placed.Outputs();
  }
};

TEST_P(Properties, AgreesWithTheReference) {
  ForEachCall(false, [&](const Call& call) {
    PlacedCall placed(call);
    const detops_harness::Expected expected = function().Reference(placed.call());
    ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      OutputsOf(placed, handle, kFirstFill);
      ASSERT_EQ(Disagreement(placed.call(), expected), "");
      ASSERT_TRUE(placed.InputsIntact());
    });
  });
}

// NaN and Inf reach the results that they are part of and no others: few enough to leave most finite.
TEST_P(Properties, SpecialNumbersGoWhereTheReferenceSays) {
  if (function().name().find("Iou") != std::string::npos && function().name().find("Backward") != std::string::npos) {
    GTEST_SKIP() << "Inf times a derivative of 0: a pair that does not overlap may be left out";
  }
  const std::vector<std::string> targets = SupportedTargets();
  const std::vector<double> mixtures[] = {{kNan}, {kInf, -kInf}, {kNan, kInf, -kInf}};
  const Handle handle(DETOPS_PROFILE_FULL, 3);
  size_t turn = 0;
  ForEachCall(false, [&](Call call) {
    const ForcedTarget forced(targets[++turn % targets.size()]);
    Spoil(call, mixtures[turn % 3], 37);
    PlacedCall placed(call);
    OutputsOf(placed, handle, kFirstFill);
    ASSERT_EQ(ElementDisagreement(placed.call(), function().Reference(placed.call())), "");
  });
}

// What the contract's profile takes of it, it computes as its header says.
TEST_P(Properties, AgreesWithTheReferenceInTheContractProfile) {
  if (function().profile() != DETOPS_PROFILE_CONTRACT) GTEST_SKIP() << "there is the full profile only";
  const Handle handle(DETOPS_PROFILE_CONTRACT, 2);
  ForEachCall(false, [&](Call call) {
    call.profile = DETOPS_PROFILE_CONTRACT;
    PlacedCall placed(call);
    if (function().contract().Judge(placed.call()).status != MLUOP_STATUS_SUCCESS) return;
    OutputsOf(placed, handle, kFirstFill);
    ASSERT_EQ(Disagreement(placed.call(), function().Reference(placed.call())), "");
  });
}

// Tensors lie flush against a page that may not be touched, at their end or at their front; or 1 or 2 bytes next to
// it, which misaligns them and leaves the distance to be checked byte for byte.
TEST_P(Properties, SameBitsWhereverTensorsLie) {
  ForEachCall(false, [&](const Call& call) {
    ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      PlacedCall first(call);
      const std::string expected = OutputsOf(first, handle, kFirstFill);
      for (const MemoryKind kind : {MemoryKind::kAgainstEnd, MemoryKind::kAgainstFront}) {
        for (const size_t offset : {0, 1, 2}) {
          PlacedCall placed(call, {kind, offset});
          ASSERT_TRUE(OutputsOf(placed, handle, kSecondFill) == expected) << "offset " << offset;
          ASSERT_TRUE(placed.SurroundingsIntact());
          ASSERT_TRUE(placed.InputsIntact());
        }
      }
    });
  });
}

TEST_P(Properties, SameBitsForAnyNumberOfThreads) {
  ForEachCall(true, [&](const Call& call) {
    PlacedCall placed(call);
    ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      const std::string expected = OutputsOf(placed, handle, kFirstFill);
      for (const int threads : {2, 3, 7, 64}) {
        handle.SetThreads(threads);
        for (const unsigned char fill : {kSecondFill, kFirstFill}) {
          ASSERT_TRUE(OutputsOf(placed, handle, fill) == expected) << threads << " threads";
        }
      }
    });
  });
}

// Scratch memory that a larger or differently typed call left behind must not show.
TEST_P(Properties, SameBitsAfterOtherWork) {
  const Handle used(DETOPS_PROFILE_FULL, 3);
  ForEachCall(false, [&](const Call& call) {
    PlacedCall placed(call);
    const Handle fresh(DETOPS_PROFILE_FULL, 1);
    const std::string expected = OutputsOf(placed, fresh, kFirstFill);
    ASSERT_TRUE(OutputsOf(placed, used, kSecondFill) == expected);
  });
}

// Elements that break no rule give the same whether anybody has looked at them or not.
TEST_P(Properties, SameBitsWithoutValueChecks) {
  const Handle handle(DETOPS_PROFILE_FULL, 3);
  ForEachCall(false, [&](Call call) {
    PlacedCall checked(call);
    const std::string expected = OutputsOf(checked, handle, kFirstFill);
    call.value_checks = false;
    PlacedCall trusted(call);
    ASSERT_TRUE(OutputsOf(trusted, handle, kSecondFill) == expected);
  });
}

// A tensor whose layout no rule names may have any.
TEST_P(Properties, SameBitsInLayoutsThatNoRuleNames) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  const Call call =
      function().MakeSample(function().samples().at(0).shape, function().full_types().at(0), DETOPS_PROFILE_FULL, 1);
  PlacedCall placed(call);
  const std::string expected = OutputsOf(placed, handle, kFirstFill);
  for (size_t tensor = 0; tensor < call.tensors.size(); ++tensor) {
    // No rule allows TNC.
    for (const mluOpTensorLayout_t layout : {MLUOP_LAYOUT_TNC, MLUOP_LAYOUT_NHWC, MLUOP_LAYOUT_NCDHW}) {
      Call other = call;
      other.tensors[tensor].layout = layout;
      PlacedCall changed(other);
      if (function().contract().Judge(changed.call()).status != MLUOP_STATUS_SUCCESS) break;
      ASSERT_TRUE(OutputsOf(changed, handle, kSecondFill) == expected) << call.tensors[tensor].name;
    }
  }
}

// In reverse order on the caller's thread, and all at once on threads the library does not know.
TEST_P(Properties, SameBitsWithTheCallersRunner) {
  ForEachCall(true, [&](const Call& call) {
    PlacedCall placed(call);
    ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      const std::string expected = OutputsOf(placed, handle, kFirstFill);
      handle.SetThreads(7);
      for (const bool own_threads : {false, true}) {
        Runner runner;
        runner.own_threads = own_threads;
        handle.SetRunner(Runner::Run, &runner);
        ASSERT_TRUE(OutputsOf(placed, handle, kSecondFill) == expected);
        EXPECT_GT(runner.tasks, runner.calls) << "the work was not cut";
      }
      handle.SetRunner(nullptr, nullptr);
    });
  });
}

// An operator may call the runner several times; whichever call goes wrong, the operator says so, and the handle works
// again at once, with the runner and without.
TEST_P(Properties, RunnerThatFails) {
  Handle handle(DETOPS_PROFILE_FULL, 7);
  ForEachCall(true, [&](const Call& call) {
    PlacedCall placed(call);
    Runner counter;
    handle.SetRunner(Runner::Run, &counter);
    const std::string expected = OutputsOf(placed, handle, kFirstFill);
    ASSERT_GT(counter.calls, 0);
    for (int failing = 0; failing < counter.calls; ++failing) {
      for (const bool skips : {false, true}) {
        for (const bool early : {false, true}) {
          SCOPED_TRACE(testing::Message() << "call " << failing << (skips ? " skips" : " fails"));
          Runner runner;
          (skips ? runner.skipping_call : runner.failing_call) = failing;
          runner.run_before_failing = !early;
          runner.skip_first = early;
          handle.SetRunner(Runner::Run, &runner);
          ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_EXECUTION_FAILED);
          ASSERT_NE(placed.text(), "");
          ASSERT_TRUE(placed.SurroundingsIntact());
          ASSERT_TRUE(placed.InputsIntact());
        }
      }
    }
    handle.SetRunner(nullptr, nullptr);
    ASSERT_TRUE(OutputsOf(placed, handle, kSecondFill) == expected);
  });
}

// A thread that has floating-point traps on: no signal, the same bits, and the traps are on again afterwards, whatever
// the data is and whoever the threads belong to.
TEST_P(Properties, TrapsOfTheCaller) {
  if (const FloatTraps traps; !FloatTraps::On()) GTEST_SKIP() << "this processor has no traps";
  ForEachCall(true, [&](Call call) {
    for (const bool spoilt : {false, true}) {
      if (spoilt) Spoil(call, kBad, 1);
      PlacedCall placed(call);
      Runner runner;
      runner.own_threads = true;
      ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
        placed.Reset(kFirstFill);
        if (placed.Run(handle.get()) != MLUOP_STATUS_SUCCESS) return;  // it takes no such numbers
        const std::string expected = placed.Outputs();
        for (const int threads : {1, 3, 0}) {
          handle.SetThreads(threads);
          if (threads == 0) handle.SetRunner(Runner::Run, &runner);
          placed.Reset(kSecondFill);
          mluOpStatus_t status = MLUOP_STATUS_NOT_INITIALIZED;
          bool still_on = false;
          {
            const FloatTraps traps;
            status = placed.Run(handle.get());
            still_on = FloatTraps::On();
          }
          ASSERT_EQ(status, MLUOP_STATUS_SUCCESS) << placed.text();
          ASSERT_TRUE(still_on);
          ASSERT_TRUE(placed.Outputs() == expected);
        }
        handle.SetRunner(nullptr, nullptr);
      });
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Functions, Properties, testing::ValuesIn(Operators()), NameOfFunction);

}  // namespace
}  // namespace detops_test
