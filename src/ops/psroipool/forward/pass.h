// The two steps of forward for NHWC maps, and the algorithm that takes them band by band.
#ifndef DETOPS_OPS_PSROIPOOL_FORWARD_PASS_H_
#define DETOPS_OPS_PSROIPOOL_FORWARD_PASS_H_

#include <cstdint>

#include "ops/psroipool/geometry/rois.h"
#include "ops/psroipool/planes/bands.h"
#include "ops/psroipool/planes/planes.h"
#include "ops/psroipool/problem.h"

namespace detops::psroipool {

// One row of pixels into some planes. `image`: its number among the active ones.
inline void RegroupRow(const PsRoiPoolProblem& problem, const PlanePlan& plan, const RoiTable& table,
                       const PlaneMemory& memory, Range planes, int64_t image, int64_t y) {
  const MapRegion& region = table.regions[image];
  if (y < region.y.begin || y >= region.y.end) return;
  const int64_t first_pixel = (table.images[image] * problem.height + y) * problem.width;
  VisitChunks(plan, planes, [&](int64_t plane, int64_t count) {
    const int64_t channel = plan.FirstChannelOf(plane) * plan.bins + plan.BinOf(plane);
    const int64_t pixel_stride = plan.PixelStrideOf(plane);
    const char* source = static_cast<const char*>(problem.source) +
                         ((first_pixel + region.x.begin) * problem.channels() + channel) * plan.number_bytes;
    char* target = memory.Row(plan, plane, y) + region.x.begin * pixel_stride * plan.number_bytes;
    for (int64_t x = region.x.begin; x < region.x.end; ++x) {
      problem.kernels.transpose(problem.type, {.source = source,
                                               .target = target,
                                               .rows = plan.ChannelsOf(plane),
                                               .columns = count,
                                               .source_stride = plan.bins,
                                               .target_stride = plan.plane_stride,
                                               .padded_rows = pixel_stride});
      source += problem.channels() * plan.number_bytes;
      target += pixel_stride * plan.number_bytes;
    }
  });
}

// Some rois in some planes of one chunk. `target`: where the pooled rows begin; `kept` as in BinsOf.
inline void SumRun(const PsRoiPoolProblem& problem, const PlanePlan& plan, const RoiTable& table,
                   const PlaneMemory& memory, Range planes, const RoiChoice& rois, char* target, bool kept) {
  problem.kernels.sum_bins(problem.type,
                           {.bins = BinsOf(problem, plan, table, planes, memory.row_mask, rois, kept),
                            .planes = memory.Plane(plan, planes.begin),
                            .target = target,
                            .in_order = problem.rules.convention == DETOPS_PSROIPOOL_TORCHVISION},
                           kept);
}

// What PlanForwardBands has decided.
struct ForwardBandPlan {
  PlanePlan planes;      // of `slots` rows
  int64_t tallest;       // bin, in rows
  int64_t slots;         // rows that exist at the same time, a power of two unless it is all
  int64_t band;          // rows that are regrouped together
  int64_t planes_a_run;  // that a worker has at the same time, of one chunk
  int64_t runs;          // of one image
  int64_t row_parts;     // into which an image is cut
  int workers;
};

// The most memory that bands can use.
int64_t ForwardBandBytes(const PsRoiPoolProblem& problem, const Parallel& parallel);

// False if there is not room enough for it to be worth it.
bool PlanForwardBands(const PsRoiPoolProblem& problem, const RoiTable& table, const BandMemory& memory,
                      const Parallel& parallel, ForwardBandPlan* plan);

// False if the caller's runner failed.
bool PoolBands(const PsRoiPoolProblem& problem, const RoiTable& table, const BandMemory& memory,
               const Parallel& parallel, const ForwardBandPlan& plan);

}  // namespace detops::psroipool

#endif  // DETOPS_OPS_PSROIPOOL_FORWARD_PASS_H_
