// When the sink of detopsSetLog gets its lines. A sparse convolution serves as the operator that can choose.
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "detops.h"
#include "gtest/gtest.h"
#include "harness/catalogue.h"
#include "harness/placed_call.h"

namespace {

using detops_harness::Call;
using detops_harness::PlacedCall;

static_assert(DETOPS_LOG_OFF == 0 && DETOPS_LOG_DISPATCH == 1);

struct Sent {
  detopsLogLevel_t level;
  std::string line;
  std::thread::id thread;
  bool result_untouched;
};

// One offset that pairs every row with itself: large enough to be worth a choice.
Call MakeCall() {
  return detops_harness::WholeCatalogue()
      .Find("mluOpIndiceConvolutionForward")
      ->MakeSample("sites=64,outputs=64,ci=16,co=16,filter=1x1x1,pairs=submanifold", MLUOP_DTYPE_FLOAT,
                   DETOPS_PROFILE_CONTRACT, 1);
}

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS);
    call_.Reset(kMark);
    ASSERT_EQ(call_.RunAlone(handle_), MLUOP_STATUS_SUCCESS);
    expected_ = call_.Outputs();
  }
  void TearDown() override { EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS); }

  // Gets the test as `opaque`.
  static void Sink(void* opaque, detopsLogLevel_t level, const char* line) {
    auto* const test = static_cast<LogTest*>(opaque);
    const auto* const result = static_cast<const unsigned char*>(test->call_.call()["features_out"].address);
    test->sent_.push_back({level, line, std::this_thread::get_id(), result[0] == kMark});
  }

  mluOpStatus_t SetLog(detopsLogLevel_t level, detopsLogSink_t sink) {
    return detopsSetLog(handle_, level, sink, this);
  }

  // The number of lines that a good call sends.
  size_t LinesOfACall(mluOpHandle_t handle) {
    sent_.clear();
    call_.Reset(kMark);
    EXPECT_EQ(call_.RunAlone(handle), MLUOP_STATUS_SUCCESS) << detopsGetLastError(handle);
    EXPECT_TRUE(call_.Outputs() == expected_);
    return sent_.size();
  }

  void ExpectSilentRefusal(const std::function<void(Call&)>& spoil) {
    Call bad = MakeCall();
    spoil(bad);
    EXPECT_EQ(PlacedCall(std::move(bad)).RunAlone(handle_), MLUOP_STATUS_BAD_PARAM);
    EXPECT_TRUE(sent_.empty());
    EXPECT_STRNE(detopsGetLastError(handle_), "");
  }

  static constexpr unsigned char kMark = 0x5A;
  mluOpHandle_t handle_ = nullptr;
  PlacedCall call_{MakeCall()};
  std::string expected_;  // without a log
  std::vector<Sent> sent_;
};

TEST_F(LogTest, IsOffAtFirst) { EXPECT_EQ(LinesOfACall(handle_), 0u); }

TEST_F(LogTest, LineNamesTheFunction) {
  ASSERT_EQ(SetLog(DETOPS_LOG_DISPATCH, Sink), MLUOP_STATUS_SUCCESS);
  EXPECT_STREQ(detopsGetLastError(handle_), "");
  for (int round = 0; round < 3; ++round) {
    ASSERT_GE(LinesOfACall(handle_), 1u);
    for (const Sent& sent : sent_) {
      EXPECT_EQ(sent.level, DETOPS_LOG_DISPATCH);
      EXPECT_EQ(sent.line.rfind("mluOpIndiceConvolutionForward: ", 0), 0u) << sent.line;
      EXPECT_EQ(sent.line.find_first_of("\n\r"), std::string::npos) << sent.line;
      EXPECT_EQ(sent.thread, std::this_thread::get_id());
      EXPECT_TRUE(sent.result_untouched) << "it comes before the work starts";
    }
  }
}

TEST_F(LogTest, OffOrNoSinkStopsIt) {
  for (const detopsLogSink_t sink : {static_cast<detopsLogSink_t>(nullptr), &Sink}) {
    for (const detopsLogLevel_t level : {DETOPS_LOG_OFF, DETOPS_LOG_DISPATCH}) {
      if (sink != nullptr && level == DETOPS_LOG_DISPATCH) continue;
      ASSERT_EQ(SetLog(DETOPS_LOG_DISPATCH, Sink), MLUOP_STATUS_SUCCESS);
      EXPECT_GE(LinesOfACall(handle_), 1u);
      EXPECT_EQ(SetLog(level, sink), MLUOP_STATUS_SUCCESS) << detopsGetLastError(handle_);
      EXPECT_EQ(LinesOfACall(handle_), 0u);
    }
  }
}

TEST_F(LogTest, LastSinkCounts) {
  static int others;
  others = 0;
  const auto count = [](void* opaque, detopsLogLevel_t, const char*) { *static_cast<int*>(opaque) += 1; };
  ASSERT_EQ(SetLog(DETOPS_LOG_DISPATCH, Sink), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(detopsSetLog(handle_, DETOPS_LOG_DISPATCH, count, &others), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(LinesOfACall(handle_), 0u);
  EXPECT_GE(others, 1);
}

TEST_F(LogTest, BelongsToTheHandle) {
  mluOpHandle_t other = nullptr;
  ASSERT_EQ(mluOpCreate(&other), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(SetLog(DETOPS_LOG_DISPATCH, Sink), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(LinesOfACall(other), 0u);
  EXPECT_GE(LinesOfACall(handle_), 1u);
  EXPECT_EQ(mluOpDestroy(other), MLUOP_STATUS_SUCCESS);
}

TEST_F(LogTest, OpaqueMayBeNull) {
  const auto ignore = [](void* opaque, detopsLogLevel_t, const char*) { EXPECT_EQ(opaque, nullptr); };
  ASSERT_EQ(detopsSetLog(handle_, DETOPS_LOG_DISPATCH, ignore, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(LinesOfACall(handle_), 0u);
}

// A refused call has chosen nothing, and its sentence is told in the usual place.
TEST_F(LogTest, RefusedCallSaysSoElsewhere) {
  ASSERT_EQ(SetLog(DETOPS_LOG_DISPATCH, Sink), MLUOP_STATUS_SUCCESS);
  ExpectSilentRefusal([](Call& call) { ++call.integers.at("num_act_out"); });
  ExpectSilentRefusal([](Call& call) { call["indice_pairs"].Set(3, -1); });
  EXPECT_GE(LinesOfACall(handle_), 1u);
}

}  // namespace
