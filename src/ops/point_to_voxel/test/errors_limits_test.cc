// Sizes of point_to_voxel at the limits of what is supported. The tensors exist only as descriptors: a call that passes
// the limits stops at the first data pointer.
#include <cstdint>
#include <string>
#include <vector>

#include "ops/point_to_voxel/test/bad_call.h"

namespace detops_test {
namespace {

class PointToVoxelLimits : public PointToVoxelRefusals {
 protected:
  static Spoil WithoutData(const Spoil& spoil) {
    return [=](BadCall& call) {
      spoil(call);
      call["points"].data = nullptr;
    };
  }
  void ExpectWithinLimits(const Spoil& spoil) {
    ExpectBadParam("the data pointer of points is NULL, expected * elements.", WithoutData(spoil));
  }
  void ExpectBeyond(const std::string& sentence, const Spoil& spoil) {
    ExpectNotSupported(sentence, WithoutData(spoil));
  }
};

TEST_F(PointToVoxelLimits, Points) {
  ExpectWithinLimits([](BadCall& c) { c.sizes.points = INT32_MAX; });
  ExpectBeyond("points has 2147483648 rows, expected fewer than 2147483648.",
               [](BadCall& c) { c.sizes.points = int64_t{1} << 31; });
}

TEST_F(PointToVoxelLimits, Clouds) {
  ExpectWithinLimits([](BadCall& c) { c.sizes.clouds = INT32_MAX; });
  ExpectBeyond("cloud_begins describes 2147483648 clouds, expected fewer than 2147483648.",
               [](BadCall& c) { c.sizes.clouds = int64_t{1} << 31; });
}

// More rows than 2^31, and features that make more than 2^31 elements, are fine.
TEST_F(PointToVoxelLimits, RowsAndFeatures) {
  ExpectWithinLimits([](BadCall& c) { c.sizes.rows = int64_t{1} << 40; });
  ExpectWithinLimits([](BadCall& c) { c.sizes.features = int64_t{1} << 40; });
}

TEST_F(PointToVoxelLimits, Bytes) {
  const std::string end = ", expected fewer than 2^63 bytes.";
  ExpectBeyond("points has shape [11, 1152921504606846976]" + end,
               [](BadCall& c) { c.sizes.features = int64_t{1} << 60; });
  ExpectBeyond("voxels has shape [1152921504606846976, 3, 5]" + end,
               [](BadCall& c) { c.sizes.rows = int64_t{1} << 60; });
  ExpectBeyond("cloud_begins has shape [4611686018427387904]" + end,
               [](BadCall& c) { c.sizes.clouds = (int64_t{1} << 62) - 1; });
}

// 2 clouds need 1 bit; an axis of n voxels needs as many as n - 1 has.
TEST_F(PointToVoxelLimits, BitsOfTheGrid) {
  const auto grid = [](std::vector<int> extents) {
    return [=](BadCall& c) {
      c.grid = extents;
      c.grid.resize(4, 1);
    };
  };
  const auto sentence = [](int bits) {
    return "grid and clouds need " + std::to_string(bits) + " bits to number all voxels, expected at most 62.";
  };
  ExpectWithinLimits(grid({INT32_MAX, 1 << 30, 1}));  // 1 + 31 + 30
  ExpectBeyond(sentence(63), grid({INT32_MAX, INT32_MAX, 1}));
  ExpectBeyond(sentence(63), grid({INT32_MAX, 1 << 30, 2}));
  ExpectWithinLimits(grid({1 << 21, 1 << 20, 1 << 20}));                // 1 + 61
  ExpectBeyond(sentence(63), grid({(1 << 21) + 1, 1 << 20, 1 << 20}));  // one voxel more, one bit more
  ExpectBeyond(sentence(94), grid({INT32_MAX, INT32_MAX, INT32_MAX}));
}

}  // namespace
}  // namespace detops_test
