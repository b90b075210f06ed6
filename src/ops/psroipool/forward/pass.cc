// Forward: the map is regrouped into planes, in which the channels of a bin are neighbours; then these serve the rois
// of their image. NHWC, if memory allows it, band by band of rows (forward/bands.cc); otherwise whole planes,
// as many as fit. A mean is one running sum over rows and columns, whatever the cutting, so its bits do not depend on
// it.
#include "ops/psroipool/forward/pass.h"

#include <cstring>

#include "core/arena.h"
#include "core/data_type.h"
#include "ops/psroipool/mapping.h"

namespace detops::psroipool {
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
    plan_ = MakePlanePlan(problem_, problem_.height, problem_.kernels.lanes(problem_.type), element_bytes_,
                          std::min(problem_.images, problem_.roi_count), PlaneBudget(problem_));
    RoiTableMemory table_memory;
    const bool taken = TakeFromScratch(scratch, [&](Arena& arena) {
      table_memory = RoiTableMemory(problem_, arena);
      TakePlanes(arena);
    });
    if (!taken) return RunResult::kNoMemory;
    const bool done = MakeRoiTable(problem_, parallel_, table_memory, &table_) && Pool() && WriteMapping();
    return ResultOf(done);
  }

 private:
  void TakePlanes(Arena& arena) {
    const int64_t plane_bytes = SaturatingMultiply(plan_.Numbers(), element_bytes_);
    if (problem_.channels_first) {
      planes_ = arena.Take<char>(plane_bytes);
    } else {
      bands_ = BandMemory(parallel_, std::max(plane_bytes, ForwardBandBytes(problem_, parallel_)), arena);
      planes_ = bands_.planes;
    }
    const int64_t numbers = SaturatingMultiply(rows_at_once_, problem_.channels());
    pooled_ = problem_.channels_first ? arena.Take<char>(SaturatingMultiply(numbers, number_bytes_)) : nullptr;
    pattern_ = problem_.mapping_channel != nullptr ? arena.Take<int32_t>(PatternSize(problem_)) : nullptr;
  }

  bool WriteMapping() {
    return problem_.mapping_channel == nullptr || WriteMappingChannel(problem_, parallel_, pattern_);
  }

  bool Pool() {
    ForwardBandPlan plan;
    if (!problem_.channels_first && PlanForwardBands(problem_, table_, bands_, parallel_, &plan)) {
      return PoolBands(problem_, table_, bands_, parallel_, plan);
    }
    return PoolAll();
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
    return parallel_.RunPieces(tasks, units, [&](Range range) {
      for (int64_t unit = range.begin; unit < range.end; ++unit) {
        if (problem_.channels_first) {
          RegroupPlane(group, group.image_begin + unit / group.planes(), group.plane_begin + unit % group.planes());
        } else {
          const int64_t image = group.image_begin + unit / problem_.height;
          RegroupRow(problem_, plan_, table_, MemoryOf(plan_, group, image), group.range(), image,
                     unit % problem_.height);
        }
      }
    });
  }

  // NCHW: one plane.
  void RegroupPlane(const PlaneGroup& group, int64_t image, int64_t plane) {
    const MapRegion& region = table_.regions[image];
    const int64_t channel = plan_.FirstChannelOf(plane) * plan_.bins + plan_.BinOf(plane);
    const int64_t map = (table_.images[image] * problem_.channels() + channel) * problem_.height * problem_.width;
    char* target = MemoryOf(plan_, group, image).Plane(plan_, plane);
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
    constexpr int64_t kUsualArea = 4;
    const int64_t work = (part.end - part.begin) * group.planes() * plan_.chunk * kUsualArea;
    const int wanted = parallel_.TaskCount(work, kMinPlaneTask);
    const int splits = static_cast<int>(DivideRoundUp(wanted, all_runs));  // of the rois, if runs are few
    const int64_t units = all_runs * splits;
    const int tasks = static_cast<int>(std::min<int64_t>(wanted, units));
    return parallel_.RunPieces(tasks, units, [&](Range range) {
      for (int64_t unit = range.begin; unit < range.end; ++unit) {
        const int64_t image = group.image_begin + unit / splits / runs.count();
        const Range planes = runs.PlanesOf(unit / splits % runs.count());
        const Range places = {std::max(part.begin, table_.begins[image]), std::min(part.end, table_.begins[image + 1])};
        if (places.begin >= places.end) continue;
        const Range piece = PieceOf(places.end - places.begin, splits, static_cast<int>(unit % splits));
        Sum(MemoryOf(plan_, group, image), planes, {places.begin + piece.begin, places.begin + piece.end}, part.begin);
      }
    });
  }

  // NCHW: into the rows of `pooled_`, which begin with the place `first_kept`.
  void Sum(const PlaneMemory& memory, Range planes, Range places, int64_t first_kept) {
    const bool kept = problem_.channels_first;
    const int64_t column = plan_.PooledColumnOf(planes.begin);
    const int64_t place = (places.begin - first_kept) * problem_.channels() + column;
    SumRun(problem_, plan_, table_, memory, planes, AllOf(places),
           kept ? pooled_ + place * number_bytes_ : Target(column), kept);
  }

  // NCHW: from [bins, D] to [D, bins].
  bool FinishRows(Range part) {
    const int64_t rows = part.end - part.begin;
    return parallel_.RunPieces(parallel_.TaskCount(rows * problem_.channels(), kMinPlaneTask), rows, [&](Range range) {
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
  BandMemory bands_ = {};
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

}  // namespace detops::psroipool
