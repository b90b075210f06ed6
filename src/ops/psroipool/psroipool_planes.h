// How a map is cut into planes (psroipool_kernel.h), and how many of them exist at the same time.
#ifndef DETOPS_OPS_PSROIPOOL_PLANES_H_
#define DETOPS_OPS_PSROIPOOL_PLANES_H_

#include <algorithm>
#include <cstdint>

#include "core/checked_math.h"
#include "ops/psroipool/psroipool.h"

namespace detops {

// Elements of work below which a second thread costs more than it brings: about 10 us.
inline constexpr int64_t kMinPlaneTask = 200'000;

inline constexpr int64_t kLineBytes = 64;

// Numbers from pixel to pixel of a plane. See psroipool_kernel.h.
inline int64_t PixelStride(int64_t channels, int64_t lanes) {
  if (channels >= lanes) return channels;
  int64_t stride = 1;
  while (stride < channels) stride *= 2;
  return stride;
}

// Planes are numbered chunk by chunk of the output channels, and in a chunk bin by bin.
struct PlanePlan {
  int64_t bins;
  int64_t output_dim;
  int64_t width;
  int64_t lanes;
  int64_t chunk;   // output channels of a plane; fewer in the last chunk
  int64_t planes;  // of one image
  int64_t number_bytes;
  int64_t plane_stride;                    // in numbers
  int64_t images_at_once, planes_at_once;  // one of them is 1, or planes_at_once is all

  int64_t BinOf(int64_t plane) const { return plane % bins; }
  int64_t FirstChannelOf(int64_t plane) const { return plane / bins * chunk; }
  int64_t ChannelsOf(int64_t plane) const { return std::min(chunk, output_dim - FirstChannelOf(plane)); }
  int64_t PixelStrideOf(int64_t plane) const { return PixelStride(ChannelsOf(plane), lanes); }
  int64_t RowStrideOf(int64_t plane) const { return width * PixelStrideOf(plane); }
  int64_t Numbers() const {
    return SaturatingMultiply(plane_stride, SaturatingMultiply(images_at_once, planes_at_once));
  }
};

inline PlanePlan MakePlanePlan(const PsRoiPoolProblem& problem, int64_t lanes, int64_t number_bytes,
                               int64_t active_images, int64_t budget_bytes) {
  constexpr int64_t kNearBytes = 384 << 10;  // a plane should stay in the second-level cache
  const int64_t pixels = SaturatingMultiply(problem.height, problem.width);
  PlanePlan plan = {};
  plan.width = problem.width;
  plan.lanes = lanes;
  plan.bins = problem.bins();
  plan.output_dim = problem.output_dim;
  plan.number_bytes = number_bytes;
  const int64_t vector_bytes = SaturatingMultiply(pixels, lanes * number_bytes);
  const int64_t vectors = std::clamp<int64_t>(kNearBytes / vector_bytes, 1, kMaxVectors);
  const int64_t chunks = DivideRoundUp(plan.output_dim, vectors * lanes);
  plan.chunk =
      plan.output_dim <= lanes ? plan.output_dim : DivideRoundUp(DivideRoundUp(plan.output_dim, chunks), lanes) * lanes;
  plan.chunk = std::min(plan.chunk, plan.output_dim);
  plan.planes = SaturatingMultiply(plan.bins, DivideRoundUp(plan.output_dim, plan.chunk));
  // An odd number of cache lines: planes a power of two apart would all fall into the same places of the caches.
  const int64_t bytes = SaturatingMultiply(pixels, PixelStride(plan.chunk, lanes) * number_bytes);
  const int64_t lines = DivideRoundUp(bytes, kLineBytes) | 1;
  plan.plane_stride = SaturatingMultiply(lines, kLineBytes / number_bytes);
  const int64_t fitting = std::max<int64_t>(1, budget_bytes / SaturatingMultiply(lines, kLineBytes));
  plan.planes_at_once = std::min(fitting, plan.planes);
  plan.images_at_once = std::clamp<int64_t>(fitting / plan.planes, 1, std::max<int64_t>(1, active_images));
  return plan;
}

// Planes that exist together: [plane_begin, plane_end) of the active images [image_begin, image_end).
struct PlaneGroup {
  int64_t image_begin, image_end;
  int64_t plane_begin, plane_end;

  int64_t planes() const { return plane_end - plane_begin; }
  int64_t images() const { return image_end - image_begin; }
};

// Calls visit(chunk's first plane of the group, number of its planes) for each chunk of channels.
template <class Visit>
void VisitChunks(const PlanePlan& plan, const PlaneGroup& group, const Visit& visit) {
  for (int64_t plane = group.plane_begin; plane < group.plane_end;) {
    const int64_t end = std::min(group.plane_end, (plane / plan.bins + 1) * plan.bins);
    visit(plane, end - plane);
    plane = end;
  }
}

// Where the numbers of a plane are in the memory of its group.
inline char* PlaneData(const PlanePlan& plan, const PlaneGroup& group, char* memory, int64_t image, int64_t plane) {
  const int64_t index = (image - group.image_begin) * group.planes() + plane - group.plane_begin;
  return memory + index * plan.plane_stride * plan.number_bytes;
}

// The largest budget of planes. NHWC: all channels of a pixel are near each other, so it is best to regroup many bins
// at once. NCHW: planes are read one by one anyway.
inline constexpr int64_t kPlaneBudget = int64_t{24} << 20;
inline constexpr int64_t kPlaneBudgetChannelsFirst = int64_t{4} << 20;

inline int64_t PlaneBudget(const PsRoiPoolProblem& problem) {
  return problem.channels_first ? kPlaneBudgetChannelsFirst : kPlaneBudget;
}

// How many pooled rows are kept in the order [bins, D] for NCHW.
inline int64_t PooledRowsAtOnce(const PsRoiPoolProblem& problem, int64_t number_bytes) {
  constexpr int64_t kPooledBudget = int64_t{16} << 20;
  constexpr int64_t kMinRows = 16;
  if (!problem.channels_first) return problem.roi_count;
  const int64_t row_bytes = SaturatingMultiply(problem.channels(), number_bytes);
  return std::min(problem.roi_count, std::max(kMinRows, kPooledBudget / row_bytes));
}

}  // namespace detops

#endif  // DETOPS_OPS_PSROIPOOL_PLANES_H_
