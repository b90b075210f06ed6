// Forward with compact results: only the voxels that hold points.
#include <cstring>

#include "ops/roiaware_pool3d/forward/search.h"
#include "ops/roiaware_pool3d/problem.h"

namespace detops::roiaware_pool3d {
namespace {

template <typename T>
class CompactPass {
 public:
  // Without `pool` it only counts.
  CompactPass(const BoxSearchProblem& search, const CompactPool* pool, const Parallel& parallel)
      : problem_(search), pool_(pool), parallel_(parallel), search_(search, parallel) {}

  RunResult Run(Scratch& scratch, CompactSizes* sizes) {
    const bool taken = TakeFromScratch(scratch, [&](Arena& arena) {
      search_.Take(arena);
      voxels_before_ = arena.Take<int64_t>(problem_.boxes + 1);
      points_before_ = arena.Take<int64_t>(problem_.boxes + 1);
    });
    if (!taken) return RunResult::kNoMemory;
    if (!search_.Prepare() || !CountAll()) return RunResult::kRunnerFailed;
    *sizes = {voxels_before_[problem_.boxes], points_before_[problem_.boxes]};
    if (pool_ == nullptr || sizes->voxels > pool_->most_voxels || sizes->points > pool_->most_points ||
        sizes->points > kMaxPoints) {
      return RunResult::kDone;
    }
    return ResultOf(WriteAll());
  }

 private:
  bool CountAll() {
    for (int64_t box = 0; box < problem_.boxes;) {
      const int64_t end = search_.GroupEnd(box);
      if (!search_.Find(box, end, [&](int64_t found) { Count(found); })) return false;
      found_begin_ = box;
      found_end_ = end;
      box = end;
    }
    int64_t voxels = 0, points = 0;
    for (int64_t box = 0; box <= problem_.boxes; ++box) {
      const int64_t own_voxels = box < problem_.boxes ? voxels_before_[box] : 0;
      const int64_t own_points = box < problem_.boxes ? points_before_[box] : 0;
      voxels_before_[box] = voxels;
      points_before_[box] = points;
      voxels += own_voxels;
      points += own_points;
    }
    return true;
  }

  void Count(int64_t box) {
    const BoxEntries entries = search_.EntriesOf(box);
    int64_t voxels = 0, points = 0;
    VisitVoxels(entries.first, entries.last, problem_.most_points, [&](uint32_t, const VoxelPoint*, int64_t count) {
      ++voxels;
      points += count;
    });
    voxels_before_[box] = voxels;
    points_before_[box] = points;
  }

  // Boxes that did not all fit together are searched again: their sizes had to be known before the first was written.
  bool WriteAll() {
    if (found_begin_ == 0) {
      if (!Write(0, found_end_)) return false;
    } else {
      for (int64_t box = 0; box < problem_.boxes;) {
        const int64_t end = search_.GroupEnd(box);
        if (!search_.Find(box, end, [](int64_t) {}) || !Write(box, end)) return false;
        box = end;
      }
    }
    pool_->voxel_begins[voxels_before_[problem_.boxes]] = static_cast<int32_t>(points_before_[problem_.boxes]);
    return true;
  }

  bool Write(int64_t begin, int64_t end) {
    constexpr int64_t kMinTaskNumbers = 20'000;
    const int64_t work = (points_before_[end] - points_before_[begin]) * (pool_->source.channels + 8);
    const int tasks = static_cast<int>(std::min<int64_t>(parallel_.TaskCount(work, kMinTaskNumbers), end - begin));
    return parallel_.RunPieces(tasks, end - begin, [&](Range range) {
      for (int64_t box = begin + range.begin; box < begin + range.end; ++box) WriteBox(box);
    });
  }

  void WriteBox(int64_t box) {
    const BoxEntries entries = search_.EntriesOf(box);
    const VoxelGrid& grid = problem_.grid;
    const int64_t channels = pool_->source.channels;
    int64_t row = voxels_before_[box];
    int64_t place = points_before_[box];
    VisitVoxels(entries.first, entries.last, problem_.most_points,
                [&](uint32_t voxel, const VoxelPoint* points, int64_t count) {
                  PrefetchFeatures(points, entries.last, static_cast<const char*>(pool_->source.features),
                                   channels * static_cast<int64_t>(sizeof(T)));
                  int32_t* site = pool_->voxels + row * 4;
                  site[0] = static_cast<int32_t>(box);
                  site[1] = static_cast<int32_t>(voxel / (grid.y * grid.z));
                  site[2] = static_cast<int32_t>(voxel / grid.z % grid.y);
                  site[3] = static_cast<int32_t>(voxel % grid.z);
                  pool_->voxel_begins[row] = static_cast<int32_t>(place);
                  for (int64_t k = 0; k < count; ++k) pool_->pts_idx[place++] = PointOf(points[k]);
                  Pool(row, points, count, channels);
                  ++row;
                });
  }

  void Pool(int64_t row, const VoxelPoint* points, int64_t count, int64_t channels) {
    int32_t* argmax = pool_->argmax == nullptr ? nullptr : pool_->argmax + row * channels;
    const VoxelPool one = {
        points, count, pool_->source.features, channels, static_cast<T*>(pool_->pooled) + row * channels, argmax};
    if (pool_->source.method == PoolMethod::kMax) {
      problem_.kernels.pool_max(one);
      return;
    }
    problem_.kernels.pool_average(one);
    if (argmax != nullptr) std::memset(argmax, 0, static_cast<size_t>(channels) * sizeof(int32_t));
  }

  const BoxSearchProblem& problem_;
  const CompactPool* pool_;
  const Parallel& parallel_;
  BoxSearch<T> search_;
  int64_t* voxels_before_ = nullptr;  // at first the counts of each box
  int64_t* points_before_ = nullptr;
  int64_t found_begin_ = 0, found_end_ = 0;  // the boxes whose entries are there
};

}  // namespace

RunResult RoiAwareCount(const BoxSearchProblem& search, const Parallel& parallel, Scratch& scratch,
                        CompactSizes* sizes) {
  return WithElementType(search.type,
                         [&]<typename T>() { return CompactPass<T>(search, nullptr, parallel).Run(scratch, sizes); });
}

RunResult RoiAwarePoolCompact(const BoxSearchProblem& search, const CompactPool& pool, const Parallel& parallel,
                              Scratch& scratch, CompactSizes* sizes) {
  return WithElementType(search.type,
                         [&]<typename T>() { return CompactPass<T>(search, &pool, parallel).Run(scratch, sizes); });
}

}  // namespace detops::roiaware_pool3d
