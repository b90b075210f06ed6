// Forward with the documents' dense tensors. Most of their bytes are zeros, so they are written once, from front to
// back, past the caches: fills between the voxels that hold points, and these as they come.
#include <cstring>

#include "core/data_type.h"
#include "ops/roiaware_pool3d/forward/search.h"
#include "ops/roiaware_pool3d/problem.h"

namespace detops::roiaware_pool3d {
namespace {

// Outputs that would push everything else out of the caches.
constexpr int64_t kLargeOutput = int64_t{8} << 20;

template <typename T>
class DensePass {
 public:
  DensePass(const BoxSearchProblem& search, const DensePool& pool, const Parallel& parallel)
      : problem_(search), pool_(pool), parallel_(parallel), search_(search, parallel) {
    const int64_t voxels = search.boxes * search.grid.count();
    const auto aligned = [](const void* data) { return reinterpret_cast<uintptr_t>(data) % sizeof(int32_t) == 0; };
    stream_ = voxels * pool.max_points * static_cast<int64_t>(sizeof(int32_t)) >= kLargeOutput &&
              aligned(pool.pts_idx) && aligned(pool.argmax) &&
              reinterpret_cast<uintptr_t>(pool.pooled) % std::min(sizeof(T), sizeof(int32_t)) == 0;
  }

  RunResult Run(Scratch& scratch) {
    if (!TakeFromScratch(scratch, [&](Arena& arena) { search_.Take(arena); })) return RunResult::kNoMemory;
    if (!search_.Prepare()) return RunResult::kRunnerFailed;
    for (int64_t box = 0; box < problem_.boxes;) {
      const int64_t end = search_.GroupEnd(box);
      if (!search_.Find(box, end, [](int64_t) {}) || !Write(box, end)) return RunResult::kRunnerFailed;
      box = end;
    }
    return RunResult::kDone;
  }

 private:
  // The voxels of a group of boxes, cut evenly whatever the boxes are.
  bool Write(int64_t box_begin, int64_t box_end) {
    constexpr int64_t kMinTaskNumbers = 50'000;
    const int64_t voxels_of_box = problem_.grid.count();
    const int64_t voxels = (box_end - box_begin) * voxels_of_box;
    const int64_t row = pool_.max_points + 2 * pool_.source.channels;
    return parallel_.RunItems(voxels, DivideRoundUp(kMinTaskNumbers, row), [&](Range range) {
      for (int64_t voxel = range.begin; voxel < range.end;) {
        const int64_t box = box_begin + voxel / voxels_of_box;
        const int64_t first = voxel % voxels_of_box;
        const int64_t last = std::min(voxels_of_box, first + range.end - voxel);
        WriteVoxels(box, first, last);
        voxel += last - first;
      }
      if (stream_) problem_.kernels.flush_stores();
    });
  }

  // Voxels [first, last) of a box.
  void WriteVoxels(int64_t box, int64_t first, int64_t last) {
    const BoxEntries entries = search_.EntriesOf(box);
    const auto at = [&](int64_t voxel) {
      return std::lower_bound(entries.first, entries.last, static_cast<VoxelPoint>(voxel) << 32);
    };
    const VoxelPoint* begin = at(first);
    const VoxelPoint* end = last == problem_.grid.count() ? entries.last : at(last);
    const int64_t base = box * problem_.grid.count();
    WriteLists(base, first, last, begin, end);
    WritePooled(base, first, last, begin, end);
  }

  void Fill(int32_t* target, int64_t count, int32_t value) { problem_.kernels.fill(target, count, value, stream_); }

  void WriteLists(int64_t base, int64_t first, int64_t last, const VoxelPoint* begin, const VoxelPoint* end) {
    const int64_t row = pool_.max_points;
    int32_t* next = pool_.pts_idx + (base + first) * row;  // up to here all is written
    VisitVoxels(begin, end, problem_.most_points, [&](uint32_t voxel, const VoxelPoint* points, int64_t count) {
      int32_t* list = pool_.pts_idx + (base + voxel) * row;
      Fill(next, list - next, 0);
      list[0] = static_cast<int32_t>(count);
      for (int64_t k = 0; k < count; ++k) list[k + 1] = PointOf(points[k]);
      next = list + count + 1;
    });
    Fill(next, pool_.pts_idx + (base + last) * row - next, 0);
  }

  void WritePooled(int64_t base, int64_t first, int64_t last, const VoxelPoint* begin, const VoxelPoint* end) {
    const int64_t channels = pool_.source.channels;
    const bool max = pool_.source.method == PoolMethod::kMax;
    const auto clear = [&](int64_t from, int64_t to) {
      if (from == to) return;
      FillPooled(static_cast<T*>(pool_.pooled) + (base + from) * channels, (to - from) * channels);
      if (max) Fill(pool_.argmax + (base + from) * channels, (to - from) * channels, -1);
    };
    int64_t next = first;
    VisitVoxels(begin, end, problem_.most_points, [&](uint32_t voxel, const VoxelPoint* points, int64_t count) {
      clear(next, voxel);
      PrefetchFeatures(points, end, static_cast<const char*>(pool_.source.features),
                       channels * static_cast<int64_t>(sizeof(T)));
      const VoxelPool one = {points,
                             count,
                             pool_.source.features,
                             channels,
                             static_cast<T*>(pool_.pooled) + (base + voxel) * channels,
                             max ? pool_.argmax + (base + voxel) * channels : nullptr};
      if (max) {
        problem_.kernels.pool_max(one);
      } else {
        problem_.kernels.pool_average(one);
      }
      next = voxel + 1;
    });
    clear(next, last);
  }

  // Zeros of any type are bits of zero; those of 2 bytes need not fill whole numbers.
  void FillPooled(T* target, int64_t count) {
    if constexpr (sizeof(T) >= sizeof(int32_t)) {
      Fill(reinterpret_cast<int32_t*>(target), count * static_cast<int64_t>(sizeof(T) / sizeof(int32_t)), 0);
    } else {
      if (count > 0 && reinterpret_cast<uintptr_t>(target) % sizeof(int32_t) != 0) {
        *target++ = T{};
        --count;
      }
      Fill(reinterpret_cast<int32_t*>(target), count / 2, 0);
      if (count % 2 != 0) target[count - 1] = T{};
    }
  }

  const BoxSearchProblem& problem_;
  const DensePool& pool_;
  const Parallel& parallel_;
  BoxSearch<T> search_;
  bool stream_;
};

// argmax of the average, which the method does not use.
bool FillZeros(const BoxSearchProblem& problem, void* data, int64_t bytes, const Parallel& parallel) {
  constexpr int64_t kMinTaskBytes = 400'000;
  const int tasks = parallel.TaskCount(bytes, kMinTaskBytes);
  const bool whole = reinterpret_cast<uintptr_t>(data) % sizeof(int32_t) == 0 && bytes % 4 == 0;
  if (!whole) {
    std::memset(data, 0, static_cast<size_t>(bytes));
    return true;
  }
  return parallel.RunPieces(tasks, bytes / 4, [&](Range range) {
    problem.kernels.fill(static_cast<int32_t*>(data) + range.begin, range.end - range.begin, 0, bytes >= kLargeOutput);
    problem.kernels.flush_stores();
  });
}

}  // namespace

RunResult RoiAwarePoolDense(const BoxSearchProblem& search, const DensePool& pool, const Parallel& parallel,
                            Scratch& scratch) {
  const RunResult result =
      WithElementType(search.type, [&]<typename T>() { return DensePass<T>(search, pool, parallel).Run(scratch); });
  if (result != RunResult::kDone || pool.argmax_zeros_bytes == 0) return result;
  return FillZeros(search, pool.argmax, pool.argmax_zeros_bytes, parallel) ? RunResult::kDone
                                                                           : RunResult::kRunnerFailed;
}

}  // namespace detops::roiaware_pool3d
