// psroipool and threads: the same bits however the work is cut and in whatever order it runs, and a caller's runner
// that fails is reported without harm to the handle.
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "ops/psroipool/test/problem.h"
#include "support/runner.h"

namespace detops_test {
namespace {

// Large enough to be cut into pieces for seven threads; 11 and 99 channels leave a remainder in every vector length.
constexpr Shape kShape = {3, 37, 29, 600, 3, 3, 11};

enum class Pass { kForward, kBackward, kBackwardOtherChannels };

const char* NameOf(Pass pass) {
  return pass == Pass::kForward ? "forward" : pass == Pass::kBackward ? "backward" : "backward into other channels";
}

class PsRoiPoolThreads : public testing::TestWithParam<Variant> {
 protected:
  // The written tensors of a pass; the second is empty backward.
  struct Results {
    Tensor first, second;
    bool SameBytes(const Results& other) const {
      return first.SameBytes(other.first) && second.SameBytes(other.second);
    }
    bool SurroundingsIntact() const { return first.SurroundingsIntact() && second.SurroundingsIntact(); }
  };
  static Results NewResults(Pass pass, const Problem& problem) {
    if (pass == Pass::kForward) return {problem.NewOutput(), problem.NewMapping()};
    return {problem.NewBottomGrad(), Tensor(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {0})};
  }

  static mluOpStatus_t Run(const Handle& handle, Pass pass, const Problem& problem, Results& results) {
    return pass == Pass::kForward ? problem.Forward(handle, results.first, &results.second)
                                  : problem.Backward(handle, results.first);
  }

  // Calls body(pass, problem) for all passes.
  template <class Body>
  void ForEachProblem(const std::vector<mluOpDataType_t>& types, Body body) {
    for (const mluOpDataType_t type : types) {
      Problem problem(GetParam(), type, kShape, 0.25);
      FillMixedRois(problem, 9);
      for (const Pass pass : {Pass::kForward, Pass::kBackward, Pass::kBackwardOtherChannels}) {
        SCOPED_TRACE(testing::Message() << ElementName(type) << ", " << NameOf(pass));
        if (pass == Pass::kBackwardOtherChannels) {
          for (int64_t i = 0; i < problem.mapping.elements(); ++i) {
            problem.mapping.Set(i, static_cast<double>(i * 7 % kShape.channels()));
          }
        }
        body(pass, problem);
      }
    }
  }

  // The bits of one thread of a handle of its own.
  static void RunAlone(Pass pass, const Problem& problem, Results& results) {
    const Handle handle(problem.profile(), 1);
    ASSERT_EQ(Run(handle, pass, problem, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
  }

  static void ExpectBits(const Handle& handle, Pass pass, const Problem& problem, const Results& expected) {
    Results results = NewResults(pass, problem);
    ASSERT_EQ(Run(handle, pass, problem, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_TRUE(results.SameBytes(expected));
  }
};

// Each convention and each layout, but not their product: a convention does not decide how work is cut.
INSTANTIATE_TEST_SUITE_P(Variants, PsRoiPoolThreads,
                         testing::Values(kContract, kExtensions[1], kExtensions[2], kExtensions[5]), VariantName);

// What is cut does not depend on the types; other tests compare threads for all of them.
const std::vector<mluOpDataType_t> kTwoTypes = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF};

TEST_P(PsRoiPoolThreads, SameBitsForAnyNumberAndRun) {
  ForEachProblem(kTwoTypes, [&](Pass pass, const Problem& problem) {
    ForEachTarget(problem.profile(), [&](Handle& handle) {
      Results expected = NewResults(pass, problem);
      RunAlone(pass, problem, expected);
      for (const int threads : {1, 2, 3, 7, 7, 64}) {
        handle.SetThreads(threads);
        ExpectBits(handle, pass, problem, expected);
      }
    });
  });
}

// Everything that pooling can be cut by.
TEST_P(PsRoiPoolThreads, SameBitsHoweverPoolingIsCut) {
  const Shape shapes[] = {
      {3, 20, 23, 2500, 3, 3, 11},     // images; NHWC: planes, regrouped and summed up by the same task
      {3, 37, 29, 2500, 3, 3, 11},     // images and runs of planes
      {1, 40, 40, 8000, 2, 2, 8},      // NCHW: rois, because one run has all planes
      {1, 100, 100, 20000, 1, 1, 16},  // NHWC: planes and rois
      {1, 300, 300, 50, 1, 1, 8},      // backward: bands of rows, because there is one plane
  };
  for (const Shape& shape : shapes) {
    Problem problem(GetParam(), MLUOP_DTYPE_FLOAT, shape, 0.25);
    FillMixedRois(problem, 12);
    for (const Pass pass : {Pass::kForward, Pass::kBackward}) {
      SCOPED_TRACE(testing::Message() << shape.height << " x " << shape.width << ", " << NameOf(pass));
      Results expected = NewResults(pass, problem);
      RunAlone(pass, problem, expected);
      for (const int threads : {2, 3, 7}) ExpectBits(Handle(problem.profile(), threads), pass, problem, expected);
    }
  }
}

// A second thread would cost more than a small call takes, so none of its steps is cut.
TEST_P(PsRoiPoolThreads, SmallCallsAreNotCut) {
  Problem problem(GetParam(), MLUOP_DTYPE_FLOAT, {2, 5, 6, 4, 2, 2, 3}, 0.5);
  FillMixedRois(problem, 11);
  for (const Pass pass : {Pass::kForward, Pass::kBackward}) {
    SCOPED_TRACE(NameOf(pass));
    Handle handle(problem.profile(), 7);
    Runner runner;
    handle.SetRunner(&Runner::Run, &runner);
    Results results = NewResults(pass, problem);
    ASSERT_EQ(Run(handle, pass, problem, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
    EXPECT_GT(runner.calls, 0);
    EXPECT_EQ(runner.tasks, runner.calls);
  }
}

// Every channel is summed by itself and nothing is fused, so the width of the vectors does not show either.
TEST_P(PsRoiPoolThreads, SameBitsOnEveryTarget) {
  ForEachProblem(kTwoTypes, [&](Pass pass, const Problem& problem) {
    Results expected = NewResults(pass, problem);
    RunAlone(pass, problem, expected);  // on the best target
    ForEachTarget(problem.profile(), [&](const Handle& handle) { ExpectBits(handle, pass, problem, expected); });
  });
}

// Scratch memory that a larger or differently typed call left behind must not show.
TEST_P(PsRoiPoolThreads, SameBitsAfterOtherWork) {
  const Handle used(DETOPS_PROFILE_FULL, 3);
  for (const Variant& before : AllVariants()) {
    for (const int64_t size : {60, 3}) {
      Problem other(before, MLUOP_DTYPE_DOUBLE, {2, size, size + 1, size, 2, 2, 7}, 1);
      FillMixedRois(other, 10);
      other.mapping.Fill(5);
      Tensor output = other.NewOutput(), mapping = other.NewMapping(), bottom = other.NewBottomGrad();
      ASSERT_EQ(other.Forward(used, output, &mapping), MLUOP_STATUS_SUCCESS) << used.LastError();
      ASSERT_EQ(other.Backward(used, bottom), MLUOP_STATUS_SUCCESS) << used.LastError();
    }
    ForEachProblem({MLUOP_DTYPE_FLOAT}, [&](Pass pass, const Problem& problem) {
      Results expected = NewResults(pass, problem);
      RunAlone(pass, problem, expected);
      ExpectBits(used, pass, problem, expected);
    });
  }
}

// The bits of a roi's output and of an image's gradient do not depend on the rois and images beside it.
TEST_P(PsRoiPoolThreads, SameBitsAloneAndAmongOthers) {
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

// The gradient of the second image alone, and beside a first image with `crowd` rois over all of it.
void ExpectSameBitsBeside(const Variant& variant, int64_t crowd, bool first_other, bool second_other) {
  SCOPED_TRACE(testing::Message() << crowd << " rois in the first image, other channels in the first: " << first_other
                                  << ", in the second: " << second_other);
  constexpr int64_t kFew = 60;
  const Handle handle(DETOPS_PROFILE_FULL, 3);
  Problem both(variant, MLUOP_DTYPE_FLOAT, {2, 9, 8, crowd + kFew, 2, 2, 5}, 0.5);
  Problem one(variant, MLUOP_DTYPE_FLOAT, {1, 9, 8, kFew, 2, 2, 5}, 0.5);
  FillRois(one, RoiKind::kInside, 12);
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
TEST_P(PsRoiPoolThreads, SameBitsBesideAnotherImage) {
  for (const int64_t crowd : {1, 700}) {
    for (const bool first_other : {false, true}) {
      for (const bool second_other : {false, true}) ExpectSameBitsBeside(GetParam(), crowd, first_other, second_other);
    }
  }
}

// ---- the caller's runner ----

// In reverse order on the caller's thread, and all at once on threads the library does not know.
TEST_P(PsRoiPoolThreads, SameBitsWithTheCallersRunner) {
  ForEachProblem(kTwoTypes, [&](Pass pass, const Problem& problem) {
    ForEachTarget(problem.profile(), [&](Handle& handle) {
      Results expected = NewResults(pass, problem);
      RunAlone(pass, problem, expected);
      for (const bool own_threads : {false, true}) {
        Runner runner;
        runner.own_threads = own_threads;
        handle.SetThreads(7);
        handle.SetRunner(Runner::Run, &runner);
        ExpectBits(handle, pass, problem, expected);
        EXPECT_GT(runner.calls, 0);
        EXPECT_GT(runner.tasks, runner.calls) << "the work was not cut";
      }
      handle.SetRunner(nullptr, nullptr);
    });
  });
}

// An operator may call the runner several times; whichever call goes wrong, the operator says so, and the handle works
// again at once, with the runner and without.
TEST_P(PsRoiPoolThreads, RunnerThatFails) {
  ForEachProblem({MLUOP_DTYPE_FLOAT}, [&](Pass pass, const Problem& problem) {
    Handle handle(problem.profile(), 7);
    Results expected = NewResults(pass, problem), results = NewResults(pass, problem);
    RunAlone(pass, problem, expected);
    Runner counter;
    handle.SetRunner(Runner::Run, &counter);
    ExpectBits(handle, pass, problem, expected);
    ASSERT_GT(counter.calls, 0);
    for (int call = 0; call < counter.calls; ++call) {
      for (const char* way : {"fails after", "fails before", "skips first", "skips last"}) {
        SCOPED_TRACE(testing::Message() << "call " << call << " " << way);
        Runner runner;
        (std::string(way).substr(0, 5) == "fails" ? runner.failing_call : runner.skipping_call) = call;
        runner.run_before_failing = std::string(way) == "fails after";
        runner.skip_first = std::string(way) == "skips first";
        handle.SetRunner(Runner::Run, &runner);
        EXPECT_EQ(Run(handle, pass, problem, results), MLUOP_STATUS_EXECUTION_FAILED);
        EXPECT_STRNE(handle.LastError(), "");
        EXPECT_TRUE(results.SurroundingsIntact());
        Runner sound;
        handle.SetRunner(Runner::Run, &sound);
        ExpectBits(handle, pass, problem, expected);
        EXPECT_STREQ(handle.LastError(), "");
        handle.SetRunner(nullptr, nullptr);
        ExpectBits(handle, pass, problem, expected);
      }
    }
  });
}

}  // namespace
}  // namespace detops_test
