// Points that somebody chose so that the call takes long: a cloud comes from outside. No arrangement may take many
// times as long as random points of the same number, and the results are those of the reference.
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ops/point_to_voxel/test/expect_cloud.h"
#include "support/cpu_time.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::PlacedCall;

// What the hash of groups/groups.cc does, backwards: the key that has this hash.
uint64_t KeyOfHash(uint64_t hash) {
  const auto undo_shift = [](uint64_t value, int shift) {
    uint64_t before = value;
    for (int known = shift; known < 64; known += shift) before = value ^ before >> shift;
    return before;
  };
  const auto undo_product = [](uint64_t value, uint64_t factor) {
    uint64_t inverse = factor;  // right in three bits, and in twice as many after each step
    for (int step = 0; step < 5; ++step) inverse *= 2 - factor * inverse;
    return value * inverse;
  };
  uint64_t key = undo_product(undo_shift(hash, 32), 0xBF58476D1CE4E5B9u);
  key = undo_product(undo_shift(key, 29), 0x9E3779B97F4A7C15u);
  return undo_shift(key, 32);
}

// The key of a voxel from a random number.
using KeyOf = uint64_t(uint64_t random);

uint64_t RandomKey(uint64_t random) { return random >> 4; }

struct KeyFamily {
  const char* name;
  KeyOf* key_of;
};

constexpr KeyFamily kKeyFamilies[] = {
    // Of a hash the highest 11 bits choose a bucket, the lowest 32 the place there.
    {"OneBucketAndPlace", [](uint64_t random) { return KeyOfHash(random & 0x001FFFFF'00000000); }},
    {"OneBucketFewPlaces", [](uint64_t random) { return KeyOfHash(random & 0x001FFFFF'0000003F); }},
    {"OneBucket", [](uint64_t random) { return KeyOfHash(random & 0x001FFFFF'FFFFFFFF); }},
    {"OnePlaceOfAllBuckets", [](uint64_t random) { return KeyOfHash(random & 0xFFFFFFFF'00000000); }},
    // The place behind the last one is the first.
    {"LastPlaceOfAllBuckets", [](uint64_t random) { return KeyOfHash(random | 0xFFFFFFFF); }},
    {"OneVoxel", [](uint64_t) { return uint64_t{12345}; }},
    {"TwoVoxels", [](uint64_t random) { return random & uint64_t{1} << 50; }},
    {"OneAxis", [](uint64_t random) { return (random & 0xFFFF) << 34; }},
    {"MultiplesOf4096", [](uint64_t random) { return random & 0xFFFFF000; }},
    {"FewBits", [](uint64_t random) { return (random & random >> 20 & random >> 40) << 30; }},
};

// [count, features] with such keys, in unit voxels of a grid of 2^axis_bits on each of three axes, on which every key
// is a voxel. Other features are 0.
std::vector<float> MakeChosenCloud(int64_t count, int features, int axis_bits, KeyOf* key_of) {
  std::mt19937_64 random(1);
  std::vector<float> cloud;
  for (int64_t point = 0; point < count;) {
    const uint64_t key = key_of(random());
    if (key >> (3 * axis_bits) != 0) continue;
    for (int f = 0; f < features; ++f) {
      const uint64_t voxel = f < 3 ? key >> (f * axis_bits) & ((uint64_t{1} << axis_bits) - 1) : 0;
      cloud.push_back(static_cast<float>(voxel));
    }
    ++point;
  }
  return cloud;
}

void PrintTo(const KeyFamily& family, std::ostream* out) { *out << family.name; }

// Points in unit voxels with chosen keys, on a grid of 2^axis_bits on every axis, on which each key is a voxel.
Call ChosenCloud(int64_t count, int axis_bits, KeyOf* key_of, const std::string& order = "first") {
  const std::string extent = std::to_string(1 << axis_bits);
  const std::vector<float> points = MakeChosenCloud(count, 3, axis_bits, key_of);
  return CloudCall(
      "kept=2,grid=" + extent + "x" + extent + "x" + extent + ",rows=" + std::to_string(count) + ",order=" + order,
      MLUOP_DTYPE_FLOAT, 3, {points.begin(), points.end()});
}

double SecondsOf(const Call& call) {
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  PlacedCall placed(call);
  return LeastCpuSeconds([&] { EXPECT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text(); });
}

class PointToVoxelChosen : public testing::TestWithParam<KeyFamily> {};

INSTANTIATE_TEST_SUITE_P(Families, PointToVoxelChosen, testing::ValuesIn(kKeyFamilies),
                         [](const testing::TestParamInfo<KeyFamily>& family) { return family.param.name; });

// A table without a limit of its steps took 340 to 410 times as long for the first two families.
TEST_P(PointToVoxelChosen, TakesAboutAsLongAsRandomPoints) {
  constexpr int64_t kPoints = 40'000;
  const Call random = ChosenCloud(kPoints, 20, RandomKey);
  const Call chosen = ChosenCloud(kPoints, 20, GetParam().key_of);
  EXPECT_LT(SecondsOf(chosen), 50 * SecondsOf(random));
}

TEST_P(PointToVoxelChosen, MatchesTheReference) {
  // Words of 64 bits; of 128 and several tasks; so many points that those of one bucket are sorted at once.
  for (const auto& [points, axis_bits] : {std::pair{4'000, 17}, {20'000, 20}, {70'000, 20}}) {
    for (const char* order : {"first", "ascending"}) {
      PlacedCall placed(ChosenCloud(points, axis_bits, GetParam().key_of, order));
      const auto expected = placed.call().function->Reference(placed.call());
      for (const int threads : {1, 3}) {
        const Handle handle(DETOPS_PROFILE_FULL, threads);
        placed.Reset(0xFF);
        ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
        EXPECT_EQ(Disagreement(placed.call(), expected), "") << points << " points, " << threads << " threads";
        EXPECT_TRUE(placed.SurroundingsIntact());
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
