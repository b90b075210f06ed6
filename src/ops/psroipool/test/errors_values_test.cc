// What is wrong with the numbers in psroipool's tensors and not with their description: rois that are not numbers, that
// name no image or overflow, and channels that do not exist. All are refused with their position.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "ops/psroipool/test/bad_call.h"
#include "support/runner.h"

namespace detops_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class PsRoiPoolBadValues : public PsRoiPoolRefusals {};
INSTANTIATE_TEST_SUITE_P(Functions, PsRoiPoolBadValues, testing::ValuesIn(kFunctions), FunctionName);

struct BadNumber {
  double value;
  const char* text;
};
constexpr BadNumber kBadNumbers[] = {{kNan, "nan"}, {kInfinity, "inf"}, {-kInfinity, "-inf"}};

// ---- rois ----

TEST_P(PsRoiPoolBadValues, NotANumber) {
  for (const mluOpDataType_t type : kTypes) {
    SCOPED_TRACE(ElementName(type));
    for (const int64_t row : {0, 2, 5}) {
      for (int64_t column = 0; column < 5; ++column) {
        for (const BadNumber& bad : kBadNumbers) {
          ExpectBadParam(
              "rois[" + std::to_string(row) + ", " + std::to_string(column) + "] is " + bad.text +
                  ", expected a finite number.",
              [&](BadCall& call) { call.problem.rois.Set(row * 5 + column, bad.value); }, type);
        }
      }
    }
  }
}

TEST_P(PsRoiPoolBadValues, FirstOfManyIsReported) {
  ExpectBadParam("rois[1, 3] is inf, expected a finite number.", [](BadCall& call) {
    call.problem.rois.Set(29, kNan);
    call.problem.rois.Set(9, kNan);
    call.problem.rois.Set(8, kInfinity);
  });
}

// Whole numbers from 0 to N - 1 = 1. -0 is 0.
TEST_P(PsRoiPoolBadValues, BatchIds) {
  for (const mluOpDataType_t type : kTypes) {
    SCOPED_TRACE(ElementName(type));
    uint64_t above_one = 0;
    WriteElement(type, &above_one, 0, 1);
    ++above_one;  // little-endian: the next number
    for (const double id : {2.0, 3.0, -1.0, 0.5, -0.5, 1.5, 65504.0, -65504.0, ReadElement(type, &above_one, 0)}) {
      for (const int64_t row : {0, 3, 5}) {
        ExpectBadParam(
            "rois[" + std::to_string(row) + ", 0] is *, expected *.",
            [&](BadCall& call) { call.problem.rois.Set(row * 5, id); }, type);
      }
    }
    for (const double id : {0.0, -0.0, 1.0}) {
      ExpectAccepted("an image", [&](BadCall& call) { call.problem.rois.Set(10, id); }, type);
    }
  }
  ExpectBadParam("rois[4, 0] is 2, expected *.", [](BadCall& call) { call.problem.rois.Set(20, 2); });
  ExpectBadParam("rois[4, 0] is 0.5, expected *.", [](BadCall& call) { call.problem.rois.Set(20, 0.5); });
  ExpectBadParam(
      "rois[4, 0] is 1e+30, expected *.", [](BadCall& call) { call.problem.rois.Set(20, 1e30); }, MLUOP_DTYPE_DOUBLE);
}

// Coordinates that overflow when they are scaled, and extents that do although both ends are numbers.
TEST_P(PsRoiPoolBadValues, Overflow) {
  struct Row {
    mluOpDataType_t type;
    double largest, scale;
  };
  // Half is decided in float, where its largest number needs a large scale to overflow.
  const Row rows[] = {{MLUOP_DTYPE_FLOAT, 3e38, 4},
                      {MLUOP_DTYPE_BFLOAT16, 3e38, 4},
                      {MLUOP_DTYPE_HALF, 65504, 1e34},
                      {MLUOP_DTYPE_DOUBLE, 1e308, 4}};
  ExpectBadParam(
      "rois[2] has the corners (-3e+38, *) and (3e+38, *), *overflow*spatial_scale = 1, expected finite ones.",
      [](BadCall& call) {
        call.problem.rois.Set(11, -3e38);
        call.problem.rois.Set(13, 3e38);
        call.problem.rois.Set(14, 3.4e38);
        call.spatial_scale = 1;
      });
  for (const Row& row : rows) {
    for (const int64_t roi : {0, 4}) {
      for (int64_t column = 1; column < 5; ++column) {
        for (const double sign : {1.0, -1.0}) {
          ExpectBadParam(
              "*rois[" + std::to_string(roi) + "*",
              [&](BadCall& call) {
                call.problem.rois.Set(roi * 5 + column, sign * row.largest);
                call.spatial_scale = row.scale;
              },
              row.type);
        }
      }
    }
    if (row.type == MLUOP_DTYPE_HALF) continue;
    for (const int64_t column : {1, 2}) {
      ExpectBadParam(
          "*rois[3*",
          [&](BadCall& call) {
            call.problem.rois.Set(15 + column, -row.largest);
            call.problem.rois.Set(15 + column + 2, row.largest);
            call.spatial_scale = 1;
          },
          row.type);
    }
  }
}

// Only just numbers: one end is the largest of the type, or both are.
TEST_P(PsRoiPoolBadValues, LargestNumbersAreRois) {
  const double largest = static_cast<double>(std::numeric_limits<float>::max());
  for (const double x1 : {0.0, -3.0, largest}) {
    ExpectAccepted("the largest number", [&](BadCall& call) {
      call.problem.SetRoi(2, {0, x1, 0, largest, 2});
      call.spatial_scale = 1;
    });
    ExpectAccepted("the smallest number", [&](BadCall& call) {
      call.problem.SetRoi(2, {0, -largest, 0, -x1, 2});
      call.spatial_scale = 1;
    });
  }
}

// The conventions that round to whole numbers: far beyond every int it is a roi or a refusal, never a crash.
TEST_P(PsRoiPoolBadValues, BeyondIntegersIsHarmless) {
  if (!extension()) return;
  for (const auto convention : {DETOPS_PSROIPOOL_TORCHVISION, DETOPS_PSROIPOOL_CONSISTENT}) {
    for (const double number : {2147483647.0, 2147483648.0, 4294967296.0, 9.3e18, 1e30}) {
      for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE}) {
        for (int signs = 0; signs < 16; ++signs) {
          BadCall call(GetParam(), type);
          call.convention = convention;
          call.spatial_scale = 1;
          const auto at = [&](int bit) { return (signs >> bit) % 2 == 0 ? number : -number; };
          call.problem.SetRoi(1, {0, at(0), at(1), at(2), at(3)});
          call.problem.SetRoi(3, {1, at(0), 0, 3, 3});
          const std::vector<unsigned char> before = call.Bytes();
          const mluOpStatus_t status = call.Run(handle_);
          EXPECT_TRUE(status == MLUOP_STATUS_SUCCESS || status == MLUOP_STATUS_BAD_PARAM) << call.thread_text;
          EXPECT_TRUE(status == MLUOP_STATUS_SUCCESS || call.Bytes() == before);
          EXPECT_TRUE(call.SurroundingsIntact());
        }
      }
    }
  }
}

// ---- mapping_channel ----

// All values are checked, also those of empty bins, which nothing reads.
TEST_P(PsRoiPoolBadValues, Channels) {
  if (forward()) return;
  const Shape shape = GoodShape(GetParam());
  const int channels = static_cast<int>(shape.channels());
  for (const int bad : {-1, channels, channels + 1, INT32_MAX, INT32_MIN}) {
    for (const int64_t element : {int64_t{0}, shape.channels() + 10, shape.rois * shape.channels() - 1}) {
      const int64_t d = element % 7, pw = element / 7 % shape.pooled_width;
      const int64_t ph = element / 7 / shape.pooled_width % 3, r = element / shape.channels();
      const std::string position =
          std::to_string(r) + ", " + std::to_string(ph) + ", " + std::to_string(pw) + ", " + std::to_string(d);
      for (const bool empty : {false, true}) {
        ExpectBadParam("mapping_channel[" + position + "] is " + std::to_string(bad) + ", expected *.",
                       [&](BadCall& call) {
                         call.problem.mapping.Set(element, bad);
                         if (empty) call.problem.SetRoi(r, {0, -90, -90, -80, -80});
                       });
      }
    }
  }
  ExpectAccepted("the last channel", [&](BadCall& call) { call.problem.mapping.Fill(channels - 1); });
}

// Forward does not read what stands there.
TEST_P(PsRoiPoolBadValues, ForwardWritesChannels) {
  if (!forward()) return;
  ExpectAccepted("any bytes", [](BadCall& call) { call.mapping_target.Fill(-7); });
}

// Positions are those of the layout.
TEST(PsRoiPoolBadChannels, PositionInNchw) {
  BadCall call(kFunctions[3], MLUOP_DTYPE_FLOAT, MLUOP_LAYOUT_NCHW);
  call.problem.mapping.Set(call.problem.PooledIndex(4, 2, 5, 6), -3);
  Handle handle(DETOPS_PROFILE_FULL);
  EXPECT_EQ(call.Run(handle), MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(Matches("detopsPsRoiPoolBackward: mapping_channel[4, 6, 2, 5] is -3, expected *.", call.thread_text))
      << call.thread_text;
  EXPECT_TRUE(call.target.CanaryIntact());
}

// ---- large tensors and threads ----

// Large enough to be searched in pieces: the piece that ends first must not win.
TEST_P(PsRoiPoolBadValues, FirstOfManyIsReportedByAnyThread) {
  const Variant variant = {"", extension(), DETOPS_PSROIPOOL_RFCN, MLUOP_LAYOUT_NHWC};
  Problem problem(variant, MLUOP_DTYPE_FLOAT, {1, 2, 2, 60000, 1, 1, 4}, 1);
  problem.rois.Fill(0);
  Tensor target = forward() ? problem.NewOutput() : problem.NewBottomGrad(), mapping = problem.NewMapping();
  handle_.SetProfile(DETOPS_PROFILE_FULL);
  for (const bool in_rois : {true, false}) {
    if (in_rois) {
      for (const int64_t flat : {299999, 250003, 190004}) problem.rois.Set(flat, kNan);
    } else {
      if (forward()) continue;
      problem.rois.Fill(0);
      for (const int64_t flat : {239999, 200001, 130002}) problem.mapping.Set(flat, -1);
    }
    const std::string sentence = in_rois ? "rois[38000, 4] is nan, expected a finite number."
                                         : "mapping_channel[32500, 0, 0, 2] is -1, expected *.";
    for (const int threads : {1, 2, 3, 7}) {
      for (const detopsRunner_t runner : {static_cast<detopsRunner_t>(nullptr), &RunBackwards}) {
        handle_.SetThreads(threads);
        handle_.SetRunner(runner, nullptr);
        EXPECT_EQ(forward() ? problem.Forward(handle_, target, &mapping) : problem.Backward(handle_, target),
                  MLUOP_STATUS_BAD_PARAM);
        EXPECT_TRUE(Matches(InWordsOf(GetParam(), sentence), handle_.LastError())) << handle_.LastError();
        EXPECT_TRUE(target.CanaryIntact());
        EXPECT_TRUE(mapping.CanaryIntact());
      }
    }
  }
}

// The checks may run on the caller's threads too; when these fail before anything was written, nothing is.
TEST_P(PsRoiPoolBadValues, RunnerThatNeverRuns) {
  handle_.SetRunner(&RunNothing, nullptr);
  good_.target.FillCanary();
  EXPECT_EQ(good_.Run(handle_), MLUOP_STATUS_EXECUTION_FAILED);
  EXPECT_NE(good_.thread_text, "");
  EXPECT_TRUE(good_.target.CanaryIntact());
  handle_.SetRunner(nullptr, nullptr);
  ExpectGoodCall();
}

// ---- without value checks ----

// What the result is then stands nowhere, but between guard pages every address outside the tensors would be noticed.
// Batch ids and channels are right: the caller vouches for those.
TEST_P(PsRoiPoolBadValues, RoisAreHarmlessWithValueChecksOff) {
  for (const mluOpDataType_t type : kTypes) {
    for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
      for (const auto convention : {DETOPS_PSROIPOOL_RFCN, DETOPS_PSROIPOOL_TORCHVISION, DETOPS_PSROIPOOL_CONSISTENT}) {
        if (!extension() && convention != DETOPS_PSROIPOOL_RFCN) continue;
        const Variant variant = {"", extension(), convention, MLUOP_LAYOUT_NHWC};
        Problem problem(variant, type, {2, 9, 8, 40, 3, 3, 3}, 2, placement);
        FillMixedRois(problem, 5);
        const double numbers[] = {kNan,
                                  kInfinity,
                                  -kInfinity,
                                  type == MLUOP_DTYPE_HALF ? 65504 : 3e38,
                                  type == MLUOP_DTYPE_HALF ? -65504 : -3e38,
                                  1};
        for (int64_t i = 0; i < problem.rois.elements(); ++i) {
          if (i % 5 != 0 && i % 3 != 0)
            problem.rois.Set(i, numbers[static_cast<size_t>(i * 7 / 3) % std::size(numbers)]);
        }
        ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) {
          handle.SetValueChecks(false);
          Tensor target = forward() ? problem.NewOutput() : problem.NewBottomGrad(), mapping = problem.NewMapping();
          EXPECT_EQ(forward() ? problem.Forward(handle, target, &mapping) : problem.Backward(handle, target),
                    MLUOP_STATUS_SUCCESS);
          EXPECT_STREQ(handle.LastError(), "");
          EXPECT_TRUE(target.SurroundingsIntact());
          EXPECT_TRUE(mapping.SurroundingsIntact());
        });
      }
    }
  }
}

// Refused again as soon as they are on.
TEST_P(PsRoiPoolBadValues, ChecksCanBeSwitchedOnAgain) {
  BadCall call(GetParam());
  call.problem.rois.Set(1, kNan);
  call.value_checks = false;
  EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS);
  call.value_checks = true;
  call.target.FillCanary();
  EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(call.target.CanaryIntact());
}

}  // namespace
}  // namespace detops_test
