// NHWC maps, band after band of rows: a worker regroups some rows for the bins it has, and pools, or collects
// gradients, while they are in the L2 cache. Only the rows that a bin may span exist at the same time.
//
//   map of an image [H, W, bins x output channels]         planes: a bin's channels of all pixels, one plane per bin
//
//        +---------------------------+                        bin 0       bin 1      ...  (a run: planes that a worker
//      y |  done                     |                      +---------+ +---------+        has in its cache together)
//      | +---------------------------+ - - - - - - - - -    |  kept   | |  kept   |  tallest bin - 1 rows, for bins
//      v |  rows still needed        |                      |         | |         |  that began above the band
//        +== band ===================+  -- regroup -->      +=========+ +=========+
//        |  these rows are regrouped |                      |  band   | |  band   |  then every bin whose last row
//        +===========================+                      +=========+ +=========+  lies in the band is summed up
//        |  to come                  |                      `slots` rows in all, a power of two:
//        +---------------------------+                      row y of the map is row y & (slots - 1) of a plane
//
// That is forward. Backward a band is a piece of work of its own: the gradients of all bins that touch its rows are
// added to the planes' pixels there, and then the band is regrouped into the map.
#ifndef DETOPS_OPS_PSROIPOOL_PLANES_BANDS_H_
#define DETOPS_OPS_PSROIPOOL_PLANES_BANDS_H_

#include <algorithm>
#include <cstdint>

#include "core/arena.h"
#include "ops/psroipool/planes/planes.h"

namespace detops::psroipool {

// More workers than this do not have bands of their own.
inline constexpr int kMaxBandWorkers = 256;

// Rois that are looked at together.
inline constexpr int64_t kRoisAtOnce = 8192;

// The memory of all workers.
struct BandMemory {
  BandMemory() = default;
  // Counts only if the arena has no memory.
  BandMemory(const Parallel& parallel, int64_t plane_bytes, Arena& arena)
      : workers(std::min(parallel.ThreadCount(), kMaxBandWorkers)),
        bytes_per_worker(plane_bytes / workers / kLineBytes * kLineBytes),
        planes(arena.Take<char>(plane_bytes)),
        chosen(arena.Take<uint32_t>(workers * kRoisAtOnce)) {}

  char* PlanesOf(int worker) const { return planes + worker * bytes_per_worker; }
  uint32_t* ChosenOf(int worker) const { return chosen + worker * kRoisAtOnce; }

  int workers;
  int64_t bytes_per_worker;
  char* planes;
  uint32_t* chosen;  // rois that a band has to do with
};

// Calls visit(rois) with those of an image's rois whose bins, one row of them, have something to do with a band:
// wanted(rows of a bin) is 1. In their order, some at a time. Without a jump, because half of them could not be
// foreseen.
template <class Wanted, class Visit>
void VisitChosen(const BinSpan* spans, Range places, uint32_t* chosen, const Wanted& wanted, const Visit& visit) {
  for (int64_t begin = places.begin; begin < places.end; begin += kRoisAtOnce) {
    const auto count = static_cast<uint32_t>(std::min(kRoisAtOnce, places.end - begin));
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i) {
      chosen[found] = i;
      found += static_cast<uint32_t>(wanted(spans[begin + i]));
    }
    if (found > 0) visit(RoiChoice{begin, found, chosen});
  }
}

// At least so many rows, or that many pixels: all rois are looked at for each band.
inline int64_t LeastBand(const PsRoiPoolProblem& problem, int64_t rows) {
  constexpr int64_t kLeastPixels = 256;
  return std::max(rows, kLeastPixels / problem.width);
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

// Rows of the tallest bin.
inline int64_t TallestBin(const PsRoiPoolProblem& problem, const RoiTable& table) {
  int64_t tallest = 0;
  const int64_t count = table.roi_count * problem.pooled_height;
  for (int64_t i = 0; i < count; ++i) tallest = std::max(tallest, SizeOf(table.ys[i]));
  return tallest;
}

}  // namespace detops::psroipool

#endif  // DETOPS_OPS_PSROIPOOL_PLANES_BANDS_H_
