// Points that somebody chose so that a call takes long, and others that crowd.
#ifndef DETOPS_OPS_POINT_TO_VOXEL_TEST_CHOSEN_H_
#define DETOPS_OPS_POINT_TO_VOXEL_TEST_CHOSEN_H_

#include <cstdint>
#include <random>
#include <vector>

namespace detops_cases {

// What the hash of groups/groups.cc does, backwards: the key that has this hash.
inline uint64_t KeyOfHash(uint64_t hash) {
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

inline uint64_t RandomKey(uint64_t random) { return random >> 4; }

struct KeyFamily {
  const char* name;
  KeyOf* key_of;
};

inline constexpr KeyFamily kKeyFamilies[] = {
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
inline std::vector<float> MakeChosenCloud(int64_t count, int features, int axis_bits, KeyOf* key_of) {
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

}  // namespace detops_cases

#endif  // DETOPS_OPS_POINT_TO_VOXEL_TEST_CHOSEN_H_
