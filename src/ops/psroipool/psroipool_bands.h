// NHWC maps, band after band of rows: a worker regroups some rows for the bins it has, and pools, or collects
// gradients, while they are near. Only the rows that a bin may span exist at the same time.
#ifndef DETOPS_OPS_PSROIPOOL_BANDS_H_
#define DETOPS_OPS_PSROIPOOL_BANDS_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/arena.h"
#include "ops/psroipool/psroipool_planes.h"

namespace detops {

// What a worker has for itself.
struct BandMemory {
  // Counts only if the arena has no memory.
  BandMemory(const PsRoiPoolProblem& problem, int worker_count, int64_t plane_bytes, Arena& arena)
      : workers(worker_count),
        bytes_per_worker(plane_bytes / worker_count / kLineBytes * kLineBytes),
        roi_count(problem.roi_count),
        planes(arena.Take<char>(plane_bytes)),
        chosen(arena.Take<uint32_t>(SaturatingMultiply(roi_count, workers))) {}
  BandMemory() = default;

  char* PlanesOf(int worker) const { return planes + worker * bytes_per_worker; }
  uint32_t* ChosenOf(int worker) const { return chosen + worker * roi_count; }

  int workers;
  int64_t bytes_per_worker;
  int64_t roi_count;
  char* planes;
  uint32_t* chosen;  // the rois that a band has to do with
};

// Those of an image's rois whose bins, one row of them, have something to do with a band: wanted(rows of a bin) is 1.
// Without a jump, because half of them could not be foreseen.
template <class Wanted>
RoiChoice ChooseRois(const BinSpan* spans, Range places, uint32_t* chosen, const Wanted& wanted) {
  const auto count = static_cast<uint32_t>(places.end - places.begin);
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; ++i) {
    chosen[found] = i;
    found += static_cast<uint32_t>(wanted(spans[places.begin + i]));
  }
  return {places.begin, found, chosen};
}

// Calls visit(row of bins, its planes) for neighbouring planes.
template <class Visit>
void VisitBinRows(const PsRoiPoolProblem& problem, const PlanePlan& plan, Range planes, const Visit& visit) {
  for (int64_t plane = planes.begin; plane < planes.end;) {
    const int64_t bin = plan.BinOf(plane);
    const int64_t end = std::min(planes.end, plane + problem.pooled_width - bin % problem.pooled_width);
    visit(bin / problem.pooled_width, Range{plane, end});
    plane = end;
  }
}

// Work, in elements, of pooling `rois` rois in some planes.
inline int64_t SumWork(const PlanePlan& plan, int64_t rois, int64_t planes) {
  constexpr int64_t kUsualArea = 4;
  return SaturatingMultiply(SaturatingMultiply(rois, planes), plan.chunk * kUsualArea);
}

// Rows of the tallest bin.
inline int64_t TallestBin(const PsRoiPoolProblem& problem, const RoiTable& table) {
  uint32_t tallest = 0;
  const int64_t count = table.roi_count * problem.pooled_height;
  for (int64_t i = 0; i < count; ++i) tallest = std::max(tallest, table.ys[i].end - table.ys[i].begin);
  return tallest;
}

inline int64_t PowerOfTwo(int64_t least) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(least))); }

}  // namespace detops

#endif  // DETOPS_OPS_PSROIPOOL_BANDS_H_
