// Forward: the map is regrouped into planes, in which the channels of a bin are neighbours; then planes, as many as
// stay in the second-level cache, serve all rois of their image. A mean is one running sum over rows and columns,
// whatever the cutting, so its bits do not depend on it.
#include <cstring>

#include "core/arena.h"
#include "core/data_type.h"
#include "ops/psroipool/psroipool.h"
#include "ops/psroipool/psroipool_mapping.h"
#include "ops/psroipool/psroipool_planes.h"
#include "ops/psroipool/psroipool_rois.h"

namespace detops {
namespace {

class ForwardPass {
 public:
  ForwardPass(const PsRoiPoolProblem& problem, const Parallel& parallel)
      : problem_(problem),
        parallel_(parallel),
        element_bytes_(static_cast<int64_t>(SizeOfType(problem.type))),
        number_bytes_(problem.type == MLUOP_DTYPE_DOUBLE ? 8 : 4),
        rows_at_once_(PooledRowsAtOnce(problem, number_bytes_)) {}

  RunResult Run(Scratch& scratch) {
    // Images without rois are not known yet, so this is the most it can be.
    plan_ = MakePlanePlan(problem_, problem_.kernels.lanes(problem_.type), element_bytes_,
                          std::min(problem_.images, problem_.roi_count), PlaneBudget(problem_));
    RoiTableMemory table_memory;
    const bool taken = TakeFromScratch(scratch, [&](Arena& arena) {
      table_memory = RoiTableMemory(problem_, arena);
      TakePlanes(arena);
    });
    if (!taken) return RunResult::kNoMemory;
    const bool done = MakeRoiTable(problem_, parallel_, table_memory, &table_) && PoolAll() && WriteMapping();
    return done ? RunResult::kDone : RunResult::kRunnerFailed;
  }

 private:
  void TakePlanes(Arena& arena) {
    planes_ = arena.Take<char>(SaturatingMultiply(plan_.Numbers(), element_bytes_));
    const int64_t numbers = SaturatingMultiply(rows_at_once_, problem_.channels());
    pooled_ = problem_.channels_first ? arena.Take<char>(SaturatingMultiply(numbers, number_bytes_)) : nullptr;
    pattern_ = problem_.mapping_channel != nullptr ? arena.Take<int32_t>(PatternSize(problem_)) : nullptr;
  }

  bool WriteMapping() {
    return problem_.mapping_channel == nullptr || WriteMappingChannel(problem_, parallel_, pattern_);
  }

  bool PoolAll() {
    for (int64_t image = 0; image < table_.active_images; image += plan_.images_at_once) {
      const int64_t image_end = std::min(image + plan_.images_at_once, table_.active_images);
      const Range places = {table_.begins[image], table_.begins[image_end]};
      bool regrouped = false;
      for (int64_t begin = places.begin; begin < places.end; begin += rows_at_once_) {
        const Range part = {begin, std::min(begin + rows_at_once_, places.end)};
        for (int64_t plane = 0; plane < plan_.planes; plane += plan_.planes_at_once) {
          const PlaneGroup group = {image, image_end, plane, std::min(plane + plan_.planes_at_once, plan_.planes),
                                    planes_};
          if (plan_.AllNear() && !problem_.channels_first) {
            if (!PoolNear(group)) return false;
            continue;
          }
          if (!regrouped && !Regroup(group)) return false;
          regrouped = group.planes() == plan_.planes;  // then it serves the next part too
          if (!SumPlanes(group, part)) return false;
        }
        if (problem_.channels_first && !FinishRows(part)) return false;
      }
    }
    return true;
  }

  const char* Source(int64_t element) const {
    return static_cast<const char*>(problem_.source) + element * element_bytes_;
  }
  char* Target(int64_t element) const { return static_cast<char*>(problem_.target) + element * element_bytes_; }

  bool Regroup(const PlaneGroup& group) {
    const int64_t units = group.images() * (problem_.channels_first ? group.planes() : problem_.height);
    const int64_t work = group.images() * group.planes() * plan_.plane_stride;
    const int tasks = static_cast<int>(std::min<int64_t>(parallel_.TaskCount(work, kMinPlaneTask), units));
    return parallel_.Run(tasks, [&](int task) {
      const Range range = PieceOf(units, tasks, task);
      for (int64_t unit = range.begin; unit < range.end; ++unit) {
        if (problem_.channels_first) {
          RegroupPlane(group, group.image_begin + unit / group.planes(), group.plane_begin + unit % group.planes());
        } else {
          RegroupRow(group, group.image_begin + unit / problem_.height, unit % problem_.height);
        }
      }
    });
  }

  // NHWC, small maps: a thread that regroups planes also sums them up. Fetching what another core has just written
  // would take longer than the sums.
  bool PoolNear(const PlaneGroup& group) {
    const int64_t rois = table_.begins[group.image_end] - table_.begins[group.image_begin];
    const int wanted = std::min(parallel_.TaskCount(SumWork(rois, group), kMinPlaneTask), parallel_.ThreadCount());
    const PlaneRuns runs(plan_, group, DivideRoundUp(wanted, group.images()));
    const int64_t units = group.images() * runs.count();
    const int tasks = static_cast<int>(std::min<int64_t>(wanted, units));
    return parallel_.Run(tasks, [&](int task) {
      const Range range = PieceOf(units, tasks, task);
      for (int64_t unit = range.begin; unit < range.end; ++unit) {
        const int64_t image = group.image_begin + unit / runs.count();
        const Range planes = runs.PlanesOf(unit % runs.count());
        const PlaneGroup part = PartOf(plan_, group, image, planes);
        for (int64_t y = 0; y < problem_.height; ++y) RegroupRow(part, image, y);
        SumRun(part, image, planes, {table_.begins[image], table_.begins[image + 1]}, 0);
      }
    });
  }

  int64_t SumWork(int64_t rois, const PlaneGroup& group) const {
    constexpr int64_t kUsualArea = 4;
    return rois * group.planes() * plan_.chunk * kUsualArea;
  }

  // NHWC: one row of pixels, all planes of the group.
  void RegroupRow(const PlaneGroup& group, int64_t image, int64_t y) {
    const MapRegion& region = table_.regions[image];
    if (y < region.y.begin || y >= region.y.end) return;
    const int64_t first_pixel = (table_.images[image] * problem_.height + y) * problem_.width;
    for (int64_t x = region.x.begin; x < region.x.end; ++x) {
      const int64_t pixel = (first_pixel + x) * problem_.channels();
      VisitChunks(plan_, group, [&](int64_t plane, int64_t count) {
        const int64_t channel = plan_.FirstChannelOf(plane) * plan_.bins + plan_.BinOf(plane);
        char* target = PlaneData(plan_, group, image, plane) +
                       (y * plan_.RowStrideOf(plane) + x * plan_.PixelStrideOf(plane)) * element_bytes_;
        problem_.kernels.transpose(problem_.type, {.source = Source(pixel + channel),
                                                   .target = target,
                                                   .rows = plan_.ChannelsOf(plane),
                                                   .columns = count,
                                                   .source_stride = plan_.bins,
                                                   .target_stride = plan_.plane_stride,
                                                   .padded_rows = plan_.PixelStrideOf(plane)});
      });
    }
  }

  // NCHW: one plane.
  void RegroupPlane(const PlaneGroup& group, int64_t image, int64_t plane) {
    const MapRegion& region = table_.regions[image];
    const int64_t channel = plan_.FirstChannelOf(plane) * plan_.bins + plan_.BinOf(plane);
    const int64_t map = (table_.images[image] * problem_.channels() + channel) * problem_.height * problem_.width;
    char* target = PlaneData(plan_, group, image, plane);
    for (int64_t y = region.y.begin; y < region.y.end; ++y) {
      const int64_t first = y * problem_.width + region.x.begin;
      problem_.kernels.transpose(problem_.type, {.source = Source(map + first),
                                                 .target = target + first * plan_.PixelStrideOf(plane) * element_bytes_,
                                                 .rows = plan_.ChannelsOf(plane),
                                                 .columns = region.x.end - region.x.begin,
                                                 .source_stride = plan_.bins * problem_.height * problem_.width,
                                                 .target_stride = plan_.PixelStrideOf(plane),
                                                 .padded_rows = plan_.PixelStrideOf(plane)});
    }
  }

  // The rois of `part`, in all planes of the group.
  bool SumPlanes(const PlaneGroup& group, Range part) {
    const PlaneRuns runs(plan_, group, 1);
    const int64_t all_runs = group.images() * runs.count();
    const int wanted = parallel_.TaskCount(SumWork(part.end - part.begin, group), kMinPlaneTask);
    const int splits = static_cast<int>(DivideRoundUp(wanted, all_runs));  // of the rois, if runs are few
    const int64_t units = all_runs * splits;
    const int tasks = static_cast<int>(std::min<int64_t>(wanted, units));
    return parallel_.Run(tasks, [&](int task) {
      const Range range = PieceOf(units, tasks, task);
      for (int64_t unit = range.begin; unit < range.end; ++unit) {
        const int64_t image = group.image_begin + unit / splits / runs.count();
        const Range planes = runs.PlanesOf(unit / splits % runs.count());
        const Range places = {std::max(part.begin, table_.begins[image]), std::min(part.end, table_.begins[image + 1])};
        if (places.begin >= places.end) continue;
        const Range piece = PieceOf(places.end - places.begin, splits, static_cast<int>(unit % splits));
        SumRun(group, image, planes, {places.begin + piece.begin, places.begin + piece.end}, part.begin);
      }
    });
  }

  void SumRun(const PlaneGroup& group, int64_t image, Range planes, Range places, int64_t first_kept) {
    const bool kept = problem_.channels_first;  // as rows of `pooled_`
    const RoiBins bins = BinsOf(problem_, plan_, table_, planes, places, kept);
    const int64_t column = plan_.PooledColumnOf(planes.begin);
    const int64_t place = (places.begin - first_kept) * problem_.channels() + column;
    problem_.kernels.sum_bins(problem_.type,
                              {.bins = bins,
                               .planes = PlaneData(plan_, group, image, planes.begin),
                               .target = kept ? pooled_ + place * number_bytes_ : Target(column),
                               .in_order = problem_.rules.convention == DETOPS_PSROIPOOL_TORCHVISION},
                              kept);
  }

  // NCHW: from [bins, D] to [D, bins].
  bool FinishRows(Range part) {
    const int64_t rows = part.end - part.begin;
    const int tasks = parallel_.TaskCount(rows * problem_.channels(), kMinPlaneTask);
    return parallel_.Run(tasks, [&](int task) {
      const Range range = PieceOf(rows, tasks, task);
      for (int64_t row = range.begin; row < range.end; ++row) {
        problem_.kernels.transpose_out(problem_.type,
                                       {.source = pooled_ + row * problem_.channels() * number_bytes_,
                                        .target = Target(table_.rois[part.begin + row] * problem_.channels()),
                                        .rows = plan_.bins,
                                        .columns = problem_.output_dim,
                                        .source_stride = problem_.output_dim,
                                        .target_stride = plan_.bins,
                                        .padded_rows = plan_.bins},
                                       false);
      }
    });
  }

  const PsRoiPoolProblem& problem_;
  const Parallel& parallel_;
  const int64_t element_bytes_;
  const int64_t number_bytes_;  // of pooled rows that are kept
  const int64_t rows_at_once_;
  PlanePlan plan_ = {};
  RoiTable table_ = {};
  char* planes_ = nullptr;
  char* pooled_ = nullptr;
  int32_t* pattern_ = nullptr;
};

}  // namespace

RunResult PsRoiPoolForward(const PsRoiPoolProblem& problem, const Parallel& parallel, Scratch& scratch) {
  return ForwardPass(problem, parallel).Run(scratch);
}

RunResult PsRoiPoolEmpty(const PsRoiPoolProblem& problem, const Parallel& parallel, Scratch& scratch) {
  const int64_t elements = problem.roi_count * problem.channels();
  if (problem.mapping_channel != nullptr && elements > 0) {
    auto* pattern = static_cast<int32_t*>(scratch.Reserve(static_cast<size_t>(PatternSize(problem)) * sizeof(int32_t)));
    if (pattern == nullptr) return RunResult::kNoMemory;
    if (!WriteMappingChannel(problem, parallel, pattern)) return RunResult::kRunnerFailed;
  }
  if (problem.target != nullptr) {
    std::memset(problem.target, 0, static_cast<size_t>(elements) * SizeOfType(problem.type));
  }
  return RunResult::kDone;
}

}  // namespace detops
