// Sizes of roiaware_pool3d at their limits: the smallest number that is refused, and the largest that goes on to the
// next check. The tensors exist only as descriptors.
#include <sys/mman.h>

#include <climits>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ops/roiaware_pool3d/test/bad_call.h"

namespace detops_test {
namespace {

struct Size {
  int64_t Sizes::* size;
  int64_t value;
};

// One of everything else, so that only what a test sets is large.
std::function<void(CallSizes&)> With(std::vector<Size> given) {
  return [given = std::move(given)](CallSizes& n) {
    n.boxes = n.points = n.channels = n.out_x = n.out_y = n.out_z = n.max_pts = 1;
    for (const Size& one : given) n.*one.size = one.value;
  };
}

class RoiAwarePool3dLimits : public RoiAwarePool3dRefusals {
 protected:
  // The call gets as far as the data pointers.
  Spoil WithoutData(const std::function<void(CallSizes&)>& resize, detopsProfile_t profile) {
    return [=](BadCall& call) {
      call.profile = profile;
      resize(call.sizes);
      for (TensorArgument& tensor : call.tensors) tensor.data = nullptr;
    };
  }

  // The contract refuses `refused` and lets `allowed` pass; the full profile lets both pass.
  void ExpectContractLimit(const std::string& sentence, const std::function<void(CallSizes&)>& refused,
                           const std::function<void(CallSizes&)>& allowed, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    const std::string next = "the data pointer of * is NULL, expected *";
    ExpectNotSupported(sentence + "; the full profile lifts this limit.", WithoutData(refused, DETOPS_PROFILE_CONTRACT),
                       type);
    ExpectBadParam(next, WithoutData(allowed, DETOPS_PROFILE_CONTRACT), type);
    ExpectBadParam(next, WithoutData(refused, DETOPS_PROFILE_FULL), type);
  }
};
INSTANTIATE_TEST_SUITE_P(Functions, RoiAwarePool3dLimits, testing::ValuesIn(kCallKinds), KindName);

TEST_P(RoiAwarePool3dLimits, BoxesAndChannelsOfTheContract) {
  if (IsExtension(function())) GTEST_SKIP();
  ExpectContractLimit(
      "boxes_num is 65536, expected *", [](CallSizes& n) { n.boxes = 65536; }, [](CallSizes& n) { n.boxes = 65535; });
  ExpectContractLimit(
      "channels is 65536, expected *", [](CallSizes& n) { n.channels = 65536; },
      [](CallSizes& n) { n.channels = 65535; });
}

TEST_P(RoiAwarePool3dLimits, PointsOfAVoxelOfTheContract) {
  if (IsExtension(function())) GTEST_SKIP();
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}) {
    const int64_t most = function() == Function::kBackward ? 2048 : type == MLUOP_DTYPE_FLOAT ? 2976 : 2944;
    ExpectContractLimit(
        "max_pts_each_voxel is " + std::to_string(most + 1) + ", expected *",
        [=](CallSizes& n) { n.max_pts = most + 1; }, [=](CallSizes& n) { n.max_pts = most; }, type);
  }
}

TEST_P(RoiAwarePool3dLimits, CountsOfTheContract) {
  if (IsExtension(function())) GTEST_SKIP();
  const std::string end = " elements, expected fewer than 2147483648";
  if (function() == Function::kForward) {
    // 715827883 * 3 = 2^31 + 1
    ExpectContractLimit("pts has 2147483649" + end, With({{&Sizes::points, 715827883}}),
                        With({{&Sizes::points, 715827882}}));
    ExpectContractLimit("pts_feature has 2147483648" + end,
                        With({{&Sizes::points, 1 << 16}, {&Sizes::channels, 1 << 15}}),
                        With({{&Sizes::points, (1 << 16) - 1}, {&Sizes::channels, 1 << 15}}));
    ExpectContractLimit("pooled_features has 2147483648" + end,
                        With({{&Sizes::out_z, 1 << 16}, {&Sizes::channels, 1 << 15}}),
                        With({{&Sizes::out_z, (1 << 16) - 1}, {&Sizes::channels, 1 << 15}}));
    // boxes x points: 32768 * 65536 = 2^31
    ExpectContractLimit("*", With({{&Sizes::boxes, 1 << 15}, {&Sizes::points, 1 << 16}}),
                        With({{&Sizes::boxes, 1 << 15}, {&Sizes::points, (1 << 16) - 1}}));
  } else {
    ExpectContractLimit("argmax has 2147483648" + end, With({{&Sizes::out_z, 1 << 16}, {&Sizes::channels, 1 << 15}}),
                        With({{&Sizes::out_z, (1 << 16) - 1}, {&Sizes::channels, 1 << 15}}));
    ExpectContractLimit("grad_in has 2147483648" + end, With({{&Sizes::points, 1 << 16}, {&Sizes::channels, 1 << 15}}),
                        With({{&Sizes::points, (1 << 16) - 1}, {&Sizes::channels, 1 << 15}}));
  }
  ExpectContractLimit("pts_idx_of_voxels has 2147483648" + end, With({{&Sizes::out_x, 1 << 30}, {&Sizes::max_pts, 2}}),
                      With({{&Sizes::out_x, (1 << 30) - 1}, {&Sizes::max_pts, 2}}));
}

// In both profiles: bytes that int64 cannot count. The boxes are few enough for the contract.
TEST_P(RoiAwarePool3dLimits, CountsBeyondInt64) {
  if (function() == Function::kCount || function() == Function::kCompactForward ||
      function() == Function::kCompactBackward) {
    GTEST_SKIP();
  }
  for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
    if (IsExtension(function()) && profile == DETOPS_PROFILE_CONTRACT) continue;
    ExpectNotSupported("pts_idx_of_voxels has shape [2, 2147483647, 2147483647, 5, 8], expected fewer than 2^63 bytes.",
                       WithoutData([](CallSizes& n) { n.out_x = n.out_y = INT_MAX; }, profile));
  }
}

// Points are numbered in 32 bits, and voxels in 64.
TEST_P(RoiAwarePool3dLimits, NumbersOfTheCompactForm) {
  if (function() != Function::kCount && function() != Function::kCompactForward) GTEST_SKIP();
  const auto full = DETOPS_PROFILE_FULL;
  const std::string next = "the data pointer of * is NULL, expected *";
  ExpectNotSupported("*2147483648*", WithoutData([](CallSizes& n) { n.points = int64_t{1} << 31; }, full));
  ExpectBadParam(next, WithoutData([](CallSizes& n) { n.points = INT_MAX; }, full));
  // 2^32 voxels in a box, and one layer more.
  const auto grid = [](int out_x) {
    return With({{&Sizes::out_x, out_x}, {&Sizes::out_y, 65536}, {&Sizes::out_z, 1}});
  };
  ExpectBadParam(next, WithoutData(grid(65536), full));
  ExpectNotSupported("*65537 x 65536 x 1 voxels*", WithoutData(grid(65537), full));
  ExpectBadParam(next, WithoutData([](CallSizes& n) { n.boxes = INT_MAX; }, full));
  ExpectNotSupported("rois has 2147483648 rows*", WithoutData([](CallSizes& n) { n.boxes = int64_t{1} << 31; }, full));
  ExpectNotSupported("*", WithoutData([](CallSizes& n) { n.out_x = n.out_y = n.out_z = INT_MAX; }, full));
  ExpectNotSupported("*", WithoutData([](CallSizes& n) { n.boxes = int64_t{1} << 62; }, full));
}

TEST_P(RoiAwarePool3dLimits, BytesOfTheCompactForm) {
  if (function() != Function::kCompactForward && function() != Function::kCompactBackward) GTEST_SKIP();
  const auto full = DETOPS_PROFILE_FULL;
  ExpectNotSupported("*2^63 bytes.", WithoutData([](CallSizes& n) { n.channels = int64_t{1} << 61; }, full));
  ExpectNotSupported("*2^63 bytes.", WithoutData([](CallSizes& n) { n.rows = int64_t{1} << 61; }, full));
}

// The last rule of the dense form: points are numbered in 32 bits. The tensors are addresses without memory, which
// nothing may touch, except for the boxes.
TEST_P(RoiAwarePool3dLimits, PointsOfTheDenseForm) {
  if (function() != Function::kSwitches) GTEST_SKIP();
  constexpr size_t kReserved = size_t{1} << 36;
  void* const memory = mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ExpectNotSupported(
      "*2147483648*",
      [&](BadCall& call) {
        call.sizes.points = int64_t{1} << 31;  // 12 GiB of points, 24 GiB of features
        call["pts"].data = memory;
        call["pts_feature"].data = static_cast<unsigned char*>(memory) + (int64_t{1} << 34);
      },
      MLUOP_DTYPE_HALF);
  munmap(memory, kReserved);
}

}  // namespace
}  // namespace detops_test
