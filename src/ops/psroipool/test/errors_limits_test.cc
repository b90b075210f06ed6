// psroipool with no elements, and with more than a machine holds: what is a success without work, what is refused, and
// products of extents that do not fit their type. Nothing here needs much memory.
#include <sys/mman.h>

#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ops/psroipool/test/bad_call.h"

namespace detops_test {
namespace {

constexpr int64_t kTwoTo31 = int64_t{1} << 31, kTwoTo32 = int64_t{1} << 32;

class PsRoiPoolLimits : public PsRoiPoolRefusals {};
INSTANTIATE_TEST_SUITE_P(Functions, PsRoiPoolLimits, testing::ValuesIn(kFunctions), FunctionName);

// ---- no elements ----

// A map without pixels: zeros forward, and the channels all the same; nothing to do backward. Also with NULL pointers.
TEST_P(PsRoiPoolLimits, MapWithoutPixels) {
  for (int64_t Shape::* extent : {&Shape::batch, &Shape::height, &Shape::width}) {
    for (const mluOpDataType_t type : kTypes) {
      BadCall call(GetParam(), type);
      call.shape.*extent = 0;
      const std::vector<unsigned char> before = call.Bytes();
      ASSERT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS) << call.thread_text;
      EXPECT_TRUE(call.SurroundingsIntact());
      if (forward()) {
        for (int64_t i = 0; i < call.target.elements(); ++i) ASSERT_EQ(call.target.Get(i), 0) << "element " << i;
        EXPECT_TRUE(call.mapping_target.SameBytes(call.problem.mapping));
      } else {
        EXPECT_TRUE(call.Bytes() == before);
      }
    }
    ExpectAccepted("no data", [&](BadCall& call) {
      call.shape.*extent = 0;
      call.map.data = call.rois.data = call.pooled.data = call.mapping.data = nullptr;
    });
  }
}

// One of the outputs is there, the other is not.
TEST_P(PsRoiPoolLimits, MapWithoutPixelsWritesWhatIsThere) {
  if (!forward()) return;
  BadCall without_mapping(GetParam()), without_output(GetParam());
  without_mapping.shape.height = without_output.shape.height = 0;
  without_mapping.mapping.data = without_output.pooled.data = nullptr;
  ASSERT_EQ(without_mapping.Run(handle_), MLUOP_STATUS_SUCCESS) << without_mapping.thread_text;
  EXPECT_EQ(without_mapping.target.Get(0), 0);
  ASSERT_EQ(without_output.Run(handle_), MLUOP_STATUS_SUCCESS) << without_output.thread_text;
  EXPECT_TRUE(without_output.mapping_target.SameBytes(without_output.problem.mapping));
}

// The order decides: forward a map without pixels is a success before rois are looked at, backward after.
TEST_P(PsRoiPoolLimits, NoRois) {
  const std::string sentence = "rois has 0 elements, expected at least 1; its shape is [0, 5].";
  ExpectBadParam(sentence, [](BadCall& call) { call.shape.rois = 0; });
  const Spoil nothing = [](BadCall& call) { call.shape.rois = call.shape.batch = 0; };
  if (forward()) {
    ExpectAccepted("no rois and no pixels", nothing);
  } else {
    ExpectBadParam(sentence, nothing);
  }
}

// What comes after the success without work is not looked at.
TEST_P(PsRoiPoolLimits, NothingIsReadWithoutPixels) {
  ExpectAccepted("rois and channels that would be refused", [&](BadCall& call) {
    call.shape.batch = 0;  // no batch id is right
    call.problem.rois.Fill(-1);
    call.problem.mapping.Fill(-1);
    call.workspace_size = 16;
  });
}

TEST_P(PsRoiPoolLimits, StridesOfATensorWithoutElementsAreNotLookedAt) {
  ExpectAccepted("no pixels", [](BadCall& call) {
    call.shape.height = 0;
    call.map.odd_strides[2] = 1;
  });
}

// ---- many elements ----

// The smallest count that the contract refuses, and the largest that goes on to the next check: the data pointers. One
// bin and one channel out, so that the numbers of rois and of bins are the same.
TEST_P(PsRoiPoolLimits, CountsOfTheContract) {
  const auto with = [&](int64_t rois, int64_t pixels, detopsProfile_t profile) {
    return [=, this](BadCall& call) {
      call.shape = {1, 1, pixels, rois, 1, 1, 1};
      call.profile = profile;
      (forward() ? call.map : call.pooled).data = nullptr;
    };
  };
  const std::string limit = " elements, expected fewer than 2147483648; the full profile lifts this limit.";
  const std::string null = "the data pointer of $S is NULL, expected *";
  if (!extension()) {
    ExpectNotSupported("$M has 2147483648" + limit, with(1, kTwoTo31, DETOPS_PROFILE_CONTRACT));
    ExpectNotSupported("rois has 2147483650" + limit, with(429496730, 1, DETOPS_PROFILE_CONTRACT));
    ExpectNotSupported("$P has 2147483648" + limit, with(kTwoTo31, 1, DETOPS_PROFILE_CONTRACT));
    ExpectBadParam(null, with(1, kTwoTo31 - 1, DETOPS_PROFILE_CONTRACT));
    ExpectBadParam(null, with(429496729, 1, DETOPS_PROFILE_CONTRACT));
  }
  ExpectBadParam(null, with(1, kTwoTo31, DETOPS_PROFILE_FULL));
  ExpectBadParam(null, with(429496730, 1, DETOPS_PROFILE_FULL));
  ExpectBadParam(null, with(kTwoTo31, 1, DETOPS_PROFILE_FULL));
}

// In both profiles: elements that int64 cannot count, or bytes that it cannot.
TEST_P(PsRoiPoolLimits, CountsBeyondInt64) {
  struct Row {
    Shape shape;
    const char* name;
  };
  const int64_t large = int64_t{1} << 60;
  for (const Row& row : {Row{{1, kTwoTo32, kTwoTo32, 1, 1, 1, 1}, "$M"}, Row{{8, large, 1, 1, 1, 1, 1}, "$M"},
                         Row{{INT64_MAX, 1, 1, 1, 1, 1, 1}, "$M"}, Row{{1, 1, 1, large * 2, 1, 1, 1}, "*"},
                         Row{{1, 1, 1, large / 2, 1, 1, 1}, "rois"}}) {
    for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
      if (extension() && profile == DETOPS_PROFILE_CONTRACT) continue;
      // In the contract the tensor that has only too many elements may be named.
      const std::string name = profile == DETOPS_PROFILE_CONTRACT ? "*" : row.name;
      ExpectNotSupported(name + " has *, expected fewer than *", [&](BadCall& call) {
        call.shape = row.shape;
        call.profile = profile;
      });
    }
  }
}

// P * P * D in 32 bits would be 0 here, and the map's channels are 0.
TEST_P(PsRoiPoolLimits, ProductsThatWrapIn32Bits) {
  for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
    if (extension() && profile == DETOPS_PROFILE_CONTRACT) continue;
    ExpectBadParam("$M has extent 0 on axis 3, expected *4294967296*", [&](BadCall& call) {
      call.profile = profile;
      call.shape = {2, 4, 9, 6, 65536, 65536, 1};
      call.map.surplus[3] = -call.shape.channels();
    });
  }
}

// (2^31 - 1)^3 does not fit 64 bits; wrapped it would be 2^62 + 3 * 2^31 - 1.
TEST_P(PsRoiPoolLimits, ProductsThatWrapIn64Bits) {
  for (const int64_t channels : {int64_t{0}, int64_t{1}, (int64_t{1} << 62) + 3 * kTwoTo31 - 1, INT64_MAX}) {
    const int64_t p = kTwoTo31 - 1;
    const Descriptor map(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {1, 1, 1, channels});
    const Descriptor rois(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {1, 5});
    const Descriptor pooled(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {1, p, p, p});
    const Descriptor mapping(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, {1, p, p, p});
    const int size = INT_MAX;
    const Handle handle(DETOPS_PROFILE_FULL);
    mluOpStatus_t status;
    if (extension()) {
      status = forward()
                   ? detopsPsRoiPoolForward(handle.get(), DETOPS_PSROIPOOL_RFCN, size, size, 1, size, map.get(),
                                            nullptr, rois.get(), nullptr, pooled.get(), nullptr, mapping.get(), nullptr)
                   : detopsPsRoiPoolBackward(handle.get(), DETOPS_PSROIPOOL_RFCN, size, size, 1, size, pooled.get(),
                                             nullptr, rois.get(), nullptr, mapping.get(), nullptr, map.get(), nullptr);
    } else {
      status = forward() ? mluOpPsRoiPoolForward(handle.get(), size, size, 1, size, size, map.get(), nullptr,
                                                 rois.get(), nullptr, pooled.get(), nullptr, mapping.get(), nullptr)
                         : mluOpPsRoiPoolBackward(handle.get(), size, size, 1, size, pooled.get(), nullptr, rois.get(),
                                                  nullptr, mapping.get(), nullptr, map.get(), nullptr);
    }
    // Either as channels that are not P * P * D or as a count beyond int64, but by no means as an empty map.
    EXPECT_TRUE(status == MLUOP_STATUS_BAD_PARAM || status == MLUOP_STATUS_NOT_SUPPORTED) << handle.LastError();
    EXPECT_EQ(std::string(handle.LastError()).find("NULL"), std::string::npos) << handle.LastError();
  }
}

// Channels of 2^31 and more are too many for mapping_channel, but not where it has no elements.
TEST_P(PsRoiPoolLimits, ChannelsWithoutMapping) {
  if (!forward()) return;
  const Descriptor map(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {0, 2, 2, 3200000000});
  for (const int64_t count : {0, 1}) {
    const Descriptor rois(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {count, 5});
    const Descriptor pooled(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {count, 40000, 40000, 2});
    const Descriptor mapping(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, {count, 40000, 40000, 2});
    const Handle handle(DETOPS_PROFILE_FULL);
    int32_t untouched = 7;
    const mluOpStatus_t status =
        extension()
            ? detopsPsRoiPoolForward(handle.get(), DETOPS_PSROIPOOL_RFCN, 40000, 40000, 1, 2, map.get(), nullptr,
                                     rois.get(), nullptr, pooled.get(), nullptr, mapping.get(), &untouched)
            : mluOpPsRoiPoolForward(handle.get(), 40000, 40000, 1, 40000, 2, map.get(), nullptr, rois.get(), nullptr,
                                    pooled.get(), nullptr, mapping.get(), &untouched);
    EXPECT_EQ(status, count == 0 ? MLUOP_STATUS_SUCCESS : MLUOP_STATUS_NOT_SUPPORTED) << handle.LastError();
    EXPECT_EQ(untouched, 7);
  }
}

// The last rule of all: rows and columns are counted in 32 bits. The map is addresses without memory, which nothing may
// touch before.
TEST_P(PsRoiPoolLimits, RowsAndColumns) {
  constexpr size_t kReserved = size_t{1} << 34;
  const auto unmap = [](unsigned char* memory) { munmap(memory, kReserved); };
  std::unique_ptr<unsigned char, decltype(unmap)> memory(
      static_cast<unsigned char*>(
          mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
      unmap);
  ASSERT_NE(memory.get(), MAP_FAILED);
  for (const bool rows : {true, false}) {
    const auto with = [&](bool bad_roi, bool bad_channel) {
      return [&, bad_roi, bad_channel](BadCall& call) {
        call.profile = DETOPS_PROFILE_FULL;
        call.shape = {1, rows ? kTwoTo32 : 1, rows ? 1 : kTwoTo32, 1, 1, 1, 1};
        call.map.data = memory.get();
        call.problem.mapping.Set(0, bad_channel ? -1 : 0);
        call.problem.rois.Fill(0);
        if (bad_roi) call.problem.rois.Set(0, 1);
      };
    };
    ExpectNotSupported("*$M*", with(false, false), MLUOP_DTYPE_HALF);
    ExpectBadParam("rois[0, 0] is 1, *", with(true, false), MLUOP_DTYPE_HALF);
    if (!forward()) ExpectBadParam("mapping_channel[0, 0, 0, 0] is -1, *", with(false, true), MLUOP_DTYPE_HALF);
    // One less is not too many. It ends at a runner that fails, or for want of memory.
    BadCall call(GetParam(), MLUOP_DTYPE_HALF);
    with(false, false)(call);
    (rows ? call.shape.height : call.shape.width) -= 1;
    call.value_checks = false;
    handle_.SetRunner([](void*, detopsTask_t, void*, int) { return 1; }, nullptr);
    const mluOpStatus_t status = call.Run(handle_);
    EXPECT_TRUE(status == MLUOP_STATUS_EXECUTION_FAILED || status == MLUOP_STATUS_ALLOC_FAILED) << call.thread_text;
    handle_.SetRunner(nullptr, nullptr);
    ExpectGoodCall();
  }
}

}  // namespace
}  // namespace detops_test
