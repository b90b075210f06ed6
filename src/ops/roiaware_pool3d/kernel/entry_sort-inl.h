// Sorts the entries of one box by counting bits. Included once per target, which is to have an instruction for that;
// docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_ROIAWARE_POOL3D_KERNEL_ENTRY_SORT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_ROIAWARE_POOL3D_KERNEL_ENTRY_SORT_INL_H_
#undef DETOPS_OPS_ROIAWARE_POOL3D_KERNEL_ENTRY_SORT_INL_H_
#else
#define DETOPS_OPS_ROIAWARE_POOL3D_KERNEL_ENTRY_SORT_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "core/checked_math.h"
#include "hwy/highway.h"
#include "ops/roiaware_pool3d/kernel/kernel.h"

HWY_BEFORE_NAMESPACE();
namespace detops::roiaware_pool3d {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE uint64_t BitOfVoxel(VoxelPoint entry) { return uint64_t{1} << (VoxelOf(entry) % 64); }

// The number of voxels below a voxel that are in use tells its place, and points share a voxel with few others.
// Comparing entries instead would be a row of unforeseen branches.
HWY_NOINLINE void SortFewEntries(const VoxelPoint* entries, int64_t count, int64_t voxels, VoxelPoint* sorted) {
  uint64_t used[kMostVoxelsOfFew / 64];
  uint16_t before[kMostVoxelsOfFew / 64];  // voxels in use below those of the word
  const int64_t words = DivideRoundUp(voxels, 64);
  std::fill_n(used, words, uint64_t{0});
  for (int64_t i = 0; i < count; ++i) used[VoxelOf(entries[i]) / 64] |= BitOfVoxel(entries[i]);
  int distinct = 0;
  for (int64_t word = 0; word < words; ++word) {
    before[word] = static_cast<uint16_t>(distinct);
    distinct += std::popcount(used[word]);
  }
  uint16_t ranks[kFewEntries];
  uint16_t ends[kFewEntries];  // first the numbers of points, then where they begin, then where they end
  std::fill_n(ends, distinct, uint16_t{0});
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t word = VoxelOf(entries[i]) / 64;
    const int rank = before[word] + std::popcount(used[word] & (BitOfVoxel(entries[i]) - 1));
    ranks[i] = static_cast<uint16_t>(rank);
    ++ends[rank];
  }
  int place = 0;
  for (int rank = 0; rank < distinct; ++rank) place += std::exchange(ends[rank], static_cast<uint16_t>(place));
  for (int64_t i = 0; i < count; ++i) sorted[ends[ranks[i]]++] = entries[i];
  for (int rank = 0, first = 0; rank < distinct; first = ends[rank++]) {
    if (ends[rank] - first > 1) std::sort(sorted + first, sorted + ends[rank]);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops::roiaware_pool3d
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
