// The rois of a call, image by image, and the bins of each.
#ifndef DETOPS_OPS_PSROIPOOL_GEOMETRY_ROIS_H_
#define DETOPS_OPS_PSROIPOOL_GEOMETRY_ROIS_H_

#include <algorithm>
#include <cstdint>

#include "core/arena.h"
#include "ops/psroipool/problem.h"

namespace detops::psroipool {

// The pixels that the rois of an image use.
struct MapRegion {
  BinSpan y, x;
};

// Places are positions in the order (image, roi).
struct RoiTable {
  int64_t roi_count;
  int64_t active_images;     // images that have rois
  const int64_t* rois;       // [place] = the roi
  const int64_t* images;     // [active]
  const int64_t* begins;     // [active + 1]: its first place
  const MapRegion* regions;  // [active]
  const BinSpan* ys;         // [pooled_height][place]
  const BinSpan* xs;         // [pooled_width][place]

  const BinSpan* BinRows(int64_t ph) const { return ys + ph * roi_count; }
  const BinSpan* BinColumns(int64_t pw) const { return xs + pw * roi_count; }
};

// Memory of a table; counts only if the arena has no memory.
struct RoiTableMemory {
  RoiTableMemory() = default;
  // `tasks`: those of FindCrowdedImages.
  RoiTableMemory(const PsRoiPoolProblem& problem, Arena& arena, int tasks = 0);
  int coverage_tasks;
  int64_t* rois;
  int64_t* images;
  int64_t* begins;
  MapRegion* regions;
  BinSpan* ys;
  BinSpan* xs;
  int64_t* next;       // per image
  bool* crowded;       // per active image
  bool* crowded_rows;  // and row of bins
  uint32_t* coverage;  // per task and pixel
};

// False if the caller's runner failed.
bool MakeRoiTable(const PsRoiPoolProblem& problem, const Parallel& parallel, const RoiTableMemory& memory,
                  RoiTable* table);

// 0 if there is no question.
inline int CrowdTasks(const PsRoiPoolProblem& problem, const Parallel& parallel) {
  if (problem.type == MLUOP_DTYPE_DOUBLE || problem.rules.convention == DETOPS_PSROIPOOL_TORCHVISION) return 0;
  if (problem.roi_count <= kLongSum) return 0;
  const int64_t rows = SaturatingMultiply(std::min(problem.images, problem.roi_count), problem.pooled_height);
  return static_cast<int>(std::min<int64_t>({rows, parallel.ThreadCount(), Parallel::kMaxTasks}));
}

// Sets memory.crowded: the images where so many rois share a pixel that a float sum would go astray. None if the
// sums are double anyway, or torchvision's, which do go astray.
bool FindCrowdedImages(const PsRoiPoolProblem& problem, const Parallel& parallel, const RoiTable& table,
                       const RoiTableMemory& memory);

// What is wrong with a roi.
enum class RoiFault { kNone, kBatchId, kOverflow };

// The first roi that has something wrong; its numbers are known to be finite. False if the caller's runner failed.
bool FindBadRoi(const PsRoiPoolProblem& problem, const Parallel& parallel, int64_t* roi, RoiFault* fault);

}  // namespace detops::psroipool

#endif  // DETOPS_OPS_PSROIPOOL_GEOMETRY_ROIS_H_
