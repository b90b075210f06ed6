// How a map is cut into planes (kernel/kernel.h), and how many of them exist at the same time.
#ifndef DETOPS_OPS_PSROIPOOL_PLANES_PLANES_H_
#define DETOPS_OPS_PSROIPOOL_PLANES_PLANES_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/checked_math.h"
#include "core/parallel.h"
#include "ops/psroipool/geometry/rois.h"
#include "ops/psroipool/problem.h"

namespace detops::psroipool {

// Elements of work below which a second thread costs more than it brings: about 10 us.
inline constexpr int64_t kMinPlaneTask = 200'000;

inline constexpr int64_t kLineBytes = 64;

// What should stay in the second-level cache.
inline constexpr int64_t kL2Bytes = 384 << 10;

inline int64_t PowerOfTwo(int64_t least) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(least))); }

// Numbers from pixel to pixel of a plane. See kernel/kernel.h.
inline int64_t PixelStride(int64_t channels, int64_t lanes) {
  return channels >= lanes ? DivideRoundUp(channels, lanes) * lanes : PowerOfTwo(channels);
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
  // Of a pooled row, [bins, D]: the first number that belongs to the plane.
  int64_t PooledColumnOf(int64_t plane) const { return BinOf(plane) * output_dim + FirstChannelOf(plane); }
  int64_t RowStrideOf(int64_t plane) const { return width * PixelStrideOf(plane); }
  // Of all planes of an image.
  int64_t Bytes() const { return SaturatingMultiply(plane_stride, SaturatingMultiply(planes, number_bytes)); }
  // They stay in the second-level cache.
  bool FitsL2() const { return Bytes() <= kL2Bytes; }
  int64_t Numbers() const {
    return SaturatingMultiply(plane_stride, SaturatingMultiply(images_at_once, planes_at_once));
  }
};

// Planes of `rows` rows.
inline PlanePlan MakePlanePlan(const PsRoiPoolProblem& problem, int64_t rows, int64_t lanes, int64_t number_bytes,
                               int64_t active_images, int64_t budget_bytes) {
  const int64_t pixels = SaturatingMultiply(rows, problem.width);
  PlanePlan plan = {};
  plan.width = problem.width;
  plan.lanes = lanes;
  plan.bins = problem.bins();
  plan.output_dim = problem.output_dim;
  plan.number_bytes = number_bytes;
  const int64_t vector_bytes = SaturatingMultiply(pixels, lanes * number_bytes);
  const int64_t vectors = std::clamp<int64_t>(kL2Bytes / vector_bytes, 1, kMaxVectors);
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
  char* memory;

  Range range() const { return {plane_begin, plane_end}; }
  int64_t planes() const { return plane_end - plane_begin; }
  int64_t images() const { return image_end - image_begin; }
};

// Calls visit(a chunk's first plane of the range, number of its planes) for each chunk of channels.
template <class Visit>
void VisitChunks(const PlanePlan& plan, Range planes, const Visit& visit) {
  for (int64_t plane = planes.begin; plane < planes.end;) {
    const int64_t end = std::min(planes.end, (plane / plan.bins + 1) * plan.bins);
    visit(plane, end - plane);
    plane = end;
  }
}

// The planes of a group cut into runs: bins of one chunk whose planes fit the L2 cache together. About `wanted` runs or
// more if a chunk has so many bins.
class PlaneRuns {
 public:
  PlaneRuns(const PlanePlan& plan, const PlaneGroup& group, int64_t wanted)
      : bins_(plan.bins),
        size_(std::clamp<int64_t>(kL2Bytes / SaturatingMultiply(plan.plane_stride, plan.number_bytes), 1,
                                  DivideRoundUp(plan.bins, wanted))),
        runs_of_chunk_(DivideRoundUp(bins_, size_)),
        planes_{group.plane_begin, group.plane_end},
        first_(RunOf(group.plane_begin)) {}

  int64_t count() const { return RunOf(planes_.end - 1) + 1 - first_; }

  Range PlanesOf(int64_t index) const {
    const int64_t chunk = (first_ + index) / runs_of_chunk_ * bins_;
    const int64_t begin = (first_ + index) % runs_of_chunk_ * size_;
    return {std::max(planes_.begin, chunk + begin), std::min(planes_.end, chunk + std::min(begin + size_, bins_))};
  }

 private:
  int64_t RunOf(int64_t plane) const { return plane / bins_ * runs_of_chunk_ + plane % bins_ / size_; }

  int64_t bins_;
  int64_t size_;
  int64_t runs_of_chunk_;
  Range planes_;
  int64_t first_;
};

// Neighbouring planes of one image, or some of their rows: row y of the map is row y & row_mask.
struct PlaneMemory {
  char* data;
  int64_t first_plane;
  uint32_t row_mask;

  char* Plane(const PlanePlan& plan, int64_t plane) const {
    return data + (plane - first_plane) * plan.plane_stride * plan.number_bytes;
  }
  char* Row(const PlanePlan& plan, int64_t plane, int64_t y) const {
    return Plane(plan, plane) + (y & row_mask) * plan.RowStrideOf(plane) * plan.number_bytes;
  }
};

inline constexpr uint32_t kWholePlanes = UINT32_MAX;

inline PlaneMemory MemoryOf(const PlanePlan& plan, const PlaneGroup& group, int64_t image) {
  const int64_t planes = (image - group.image_begin) * group.planes();
  return {group.memory + planes * plan.plane_stride * plan.number_bytes, group.plane_begin, kWholePlanes};
}

// Rois of one image: `count` places from `first` on, or those that `chosen` names, as distances from `first`.
struct RoiChoice {
  int64_t first;
  int64_t count;
  const uint32_t* chosen;
};

inline RoiChoice AllOf(Range places) { return {places.begin, places.end - places.begin, nullptr}; }

// Planes of one chunk for the kernels. `kept`: the pooled rows are in the order of the places, not of the rois.
inline RoiBins BinsOf(const PsRoiPoolProblem& problem, const PlanePlan& plan, const RoiTable& table, Range planes,
                      uint32_t row_mask, const RoiChoice& rois, bool kept) {
  return {.first_bin = plan.BinOf(planes.begin),
          .bins = planes.end - planes.begin,
          .pooled_width = problem.pooled_width,
          .plane_stride = plan.plane_stride,
          .row_stride = plan.RowStrideOf(planes.begin),
          .row_mask = row_mask,
          .ys = table.ys + rois.first,
          .xs = table.xs + rois.first,
          .span_stride = table.roi_count,
          .count = rois.count,
          .chosen = rois.chosen,
          .rows = kept ? nullptr : table.rois + rois.first,
          .pooled_row_stride = problem.channels(),
          .pooled_bin_stride = problem.output_dim,
          .channels = plan.ChannelsOf(planes.begin)};
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

}  // namespace detops::psroipool

#endif  // DETOPS_OPS_PSROIPOOL_PLANES_PLANES_H_
