// Backward: forward turned around. Planes collect the gradients of all rois of their image; then they are written back
// in the order of the map. Large NHWC maps, if memory allows it, band by band of rows; otherwise whole planes, as many
// as fit. A pixel's sum has the order of the rois whatever the cutting, so its bits do not depend on it.
#include <cstring>

#include "core/arena.h"
#include "core/data_type.h"
#include "core/dynamic_tasks.h"
#include "ops/psroipool/geometry/rois.h"
#include "ops/psroipool/planes/bands.h"
#include "ops/psroipool/planes/planes.h"
#include "ops/psroipool/problem.h"

namespace detops::psroipool {
namespace {

// Pixels that are written together.
constexpr int64_t kBlockPixels = 16;

class BackwardPass {
 public:
  BackwardPass(const PsRoiPoolProblem& problem, const Parallel& parallel)
      : problem_(problem),
        parallel_(parallel),
        element_bytes_(static_cast<int64_t>(SizeOfType(problem.type))),
        pooled_type_(problem.type == MLUOP_DTYPE_DOUBLE ? MLUOP_DTYPE_DOUBLE : MLUOP_DTYPE_FLOAT),
        pooled_bytes_(static_cast<int64_t>(SizeOfType(pooled_type_))),
        rows_at_once_(PooledRowsAtOnce(problem, pooled_bytes_)),
        crowd_tasks_(CrowdTasks(problem, parallel)) {}

  RunResult Run(Scratch& scratch) {
    // A large gradient is written past the caches, if blocks of its pixels are whole cache lines.
    constexpr int64_t kLargeOutput = int64_t{8} << 20;
    const int64_t image_bytes = problem_.height * problem_.width * problem_.channels() * element_bytes_;
    stream_ = !problem_.channels_first && image_bytes >= kLargeOutput && BlockBytes() % kLineBytes == 0 &&
              image_bytes % kLineBytes == 0 && reinterpret_cast<uintptr_t>(problem_.target) % kLineBytes == 0;
    // As much as either kind of numbers needs.
    for (const bool in_double : {true, false}) {
      ChooseNumbers(in_double);
      plane_bytes_ = std::max(plane_bytes_, SaturatingMultiply(plan_.Numbers(), number_bytes_));
    }
    if (!problem_.channels_first) {
      const int64_t band_bytes = SaturatingMultiply(BandPlan(MostBandRows()).Bytes(), parallel_.ThreadCount());
      plane_bytes_ = std::max(plane_bytes_, std::min(kPlaneBudget, band_bytes));
    }
    RoiTableMemory table_memory;
    const bool taken = TakeFromScratch(scratch, [&](Arena& arena) {
      table_memory = RoiTableMemory(problem_, arena, crowd_tasks_);
      TakePlanes(arena);
    });
    if (!taken) return RunResult::kNoMemory;
    if (!MakeRoiTable(problem_, parallel_, table_memory, &table_)) return RunResult::kRunnerFailed;
    if (!FindCrowdedImages(problem_, parallel_, table_, table_memory)) return RunResult::kRunnerFailed;
    crowded_ = table_memory.crowded;
    const bool done = ClearUnused() && (ChooseBands() ? AddBands() : AddAll());
    return ResultOf(done);
  }

 private:
  void TakePlanes(Arena& arena) {
    if (problem_.channels_first) {
      planes_ = arena.Take<char>(plane_bytes_);
    } else {
      bands_ = BandMemory(parallel_, plane_bytes_, arena);
      planes_ = bands_.planes;
    }
    const int64_t numbers = SaturatingMultiply(rows_at_once_, problem_.channels());
    staging_ = stream_ ? arena.Take<char>(SaturatingMultiply(BlockBytes(), WriteTasks())) : nullptr;
    pooled_ = problem_.channels_first ? arena.Take<char>(SaturatingMultiply(numbers, pooled_bytes_)) : nullptr;
  }

  int64_t NumberBytes(bool in_double) const { return in_double ? static_cast<int64_t>(sizeof(double)) : pooled_bytes_; }
  int64_t Lanes(bool in_double) const { return problem_.kernels.lanes(in_double ? MLUOP_DTYPE_DOUBLE : problem_.type); }

  void ChooseNumbers(bool in_double) {
    in_double_ = in_double;
    number_bytes_ = NumberBytes(in_double);
    const int64_t lanes = Lanes(in_double);
    plan_ = MakePlanePlan(problem_, problem_.height, lanes, number_bytes_,
                          std::min(problem_.images, problem_.roi_count), PlaneBudget(problem_));
  }

  // Images without rois.
  bool ClearUnused() {
    const int64_t image_bytes = problem_.height * problem_.width * problem_.channels() * element_bytes_;
    const int64_t unused = problem_.images - table_.active_images;
    if (unused == 0) return true;
    const int tasks = parallel_.TaskCount(problem_.images * image_bytes, kMinPlaneTask * 4);
    return parallel_.RunPieces(tasks, problem_.images, [&](Range range) {
      const int64_t* const end = table_.images + table_.active_images;
      const int64_t* active = std::lower_bound(table_.images, end, range.begin);
      for (int64_t image = range.begin; image < range.end; ++image) {
        if (active != end && *active == image) {
          ++active;
        } else {
          std::memset(Target(0) + image * image_bytes, 0, static_cast<size_t>(image_bytes));
        }
      }
    });
  }

  PlanePlan BandPlan(int64_t rows) const {
    return MakePlanePlan(problem_, rows, Lanes(false), NumberBytes(false), 1, kMaxInt64);
  }

  // Rows of a band, a power of two. More would not stay in the L2 cache, fewer be met by the same bins too often.
  int64_t MostBandRows() const { return PowerOfTwo(LeastBand(problem_, 8)); }

  // False if whole planes are better: those of small maps fit the L2 cache anyway, crowded images need double, and few
  // or low bands are not worth it.
  bool ChooseBands() {
    ChooseNumbers(false);
    if (problem_.channels_first || plan_.FitsL2()) return false;
    if (std::find(crowded_, crowded_ + table_.active_images, true) != crowded_ + table_.active_images) return false;
    constexpr int64_t kLeastRows = 4;
    for (band_ = MostBandRows(); band_ >= kLeastRows; band_ /= 2) {
      plan_ = BandPlan(band_);
      const int64_t bands = DivideRoundUp(problem_.height, band_) * table_.active_images;
      if (plan_.Bytes() <= bands_.bytes_per_worker && bands >= parallel_.ThreadCount()) return true;
    }
    return false;
  }

  bool AddBands() {
    const int64_t bands = DivideRoundUp(problem_.height, band_), units = bands * table_.active_images;
    const auto workers = static_cast<int>(std::min<int64_t>(bands_.workers, units));
    return RunDynamic(parallel_, workers, units, [&](int worker, int64_t unit) {
      const int64_t begin = unit % bands * band_;
      AddBand(worker, unit / bands, {begin, std::min(begin + band_, problem_.height)});
    });
  }

  void AddBand(int worker, int64_t image, Range rows) {
    const PlaneMemory memory = {bands_.PlanesOf(worker), 0, static_cast<uint32_t>(band_ - 1)};
    const Range places = {table_.begins[image], table_.begins[image + 1]};
    const auto row_begin = static_cast<uint32_t>(rows.begin), row_end = static_cast<uint32_t>(rows.end);
    const auto inside = [=](BinSpan y) { return (y.begin < row_end) & (y.end > row_begin) & (y.begin < y.end); };
    VisitBinRows(problem_, plan_, {0, plan_.planes}, [&](int64_t ph, Range planes) {
      for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
        std::memset(memory.Plane(plan_, plane), 0, static_cast<size_t>(plan_.plane_stride * plan_.number_bytes));
      }
      VisitChosen(table_.BinRows(ph), places, bands_.ChosenOf(worker), inside, [&](const RoiChoice& rois) {
        problem_.kernels.add_bins(problem_.type,
                                  {.bins = BinsOf(problem_, plan_, table_, planes, memory.row_mask, rois, false),
                                   .planes = memory.Plane(plan_, planes.begin),
                                   .row_begin = row_begin,
                                   .row_end = row_end,
                                   .source = Source(plan_.PooledColumnOf(planes.begin))},
                                  in_double_);
      });
    });
    const Range pixels = {rows.begin * problem_.width, rows.end * problem_.width};
    char* staging = stream_ ? staging_ + worker * BlockBytes() : nullptr;
    // Blocks as those of whole planes: a first one that is shorter, if need be, for the others to begin with a line.
    for (int64_t pixel = pixels.begin, end; pixel < pixels.end; pixel = end) {
      end = std::min((pixel / kBlockPixels + 1) * kBlockPixels, pixels.end);
      WriteBlock(memory, {0, plan_.planes}, image, pixels.begin, {pixel, end}, staging);
    }
    if (stream_) problem_.kernels.flush_stores();
  }

  bool AddAll() {
    int64_t image_end = 0;
    for (int64_t image = 0; image < table_.active_images; image = image_end) {
      // Images with the same kind of numbers, as many as fit.
      ChooseNumbers(crowded_[image]);
      const int64_t most = std::min(image + plan_.images_at_once, table_.active_images);
      for (image_end = image + 1; image_end < most && crowded_[image_end] == crowded_[image];) ++image_end;
      const Range places = {table_.begins[image], table_.begins[image_end]};
      for (int64_t plane = 0; plane < plan_.planes; plane += plan_.planes_at_once) {
        const PlaneGroup group = {image, image_end, plane, std::min(plane + plan_.planes_at_once, plan_.planes),
                                  planes_};
        for (int64_t begin = places.begin; begin < places.end; begin += rows_at_once_) {
          const Range part = {begin, std::min(begin + rows_at_once_, places.end)};
          const bool there = plane > 0 && places.end - places.begin <= rows_at_once_;
          if (problem_.channels_first && !there && !FetchRows(part)) return false;
          if (!AddPlanes(group, part, begin == places.begin)) return false;
        }
        if (!WriteBack(group)) return false;
      }
    }
    return true;
  }

  const char* Source(int64_t element) const {
    return static_cast<const char*>(problem_.source) + element * element_bytes_;
  }
  char* Target(int64_t element) const { return static_cast<char*>(problem_.target) + element * element_bytes_; }

  // NCHW: from [D, bins] to [bins, D].
  bool FetchRows(Range part) {
    const int64_t rows = part.end - part.begin;
    const int tasks = parallel_.TaskCount(rows * problem_.channels(), kMinPlaneTask);
    return parallel_.RunPieces(tasks, rows, [&](Range range) {
      for (int64_t row = range.begin; row < range.end; ++row) {
        problem_.kernels.transpose_in(problem_.type,
                                      {.source = Source(table_.rois[part.begin + row] * problem_.channels()),
                                       .target = pooled_ + row * problem_.channels() * pooled_bytes_,
                                       .rows = problem_.output_dim,
                                       .columns = plan_.bins,
                                       .source_stride = plan_.bins,
                                       .target_stride = problem_.output_dim,
                                       .padded_rows = problem_.output_dim});
      }
    });
  }

  // The rois of `part`, in all planes of the group; bands of rows if runs of planes are few.
  bool AddPlanes(const PlaneGroup& group, Range part, bool first) {
    constexpr int64_t kUsualArea = 4;
    const int64_t work = (part.end - part.begin) * group.planes() * plan_.chunk * kUsualArea +
                         group.images() * group.planes() * plan_.plane_stride;
    const int wanted = parallel_.TaskCount(work, kMinPlaneTask);
    const PlaneRuns runs(plan_, group, DivideRoundUp(wanted, group.images()));
    const int64_t all_runs = group.images() * runs.count();
    const int bands = static_cast<int>(std::min(DivideRoundUp(wanted, all_runs), problem_.height));
    const int64_t units = all_runs * bands;
    const int tasks = static_cast<int>(std::min<int64_t>(wanted, units));
    return parallel_.RunPieces(tasks, units, [&](Range range) {
      for (int64_t unit = range.begin; unit < range.end; ++unit) {
        const int64_t image = group.image_begin + unit / bands / runs.count();
        const Range planes = runs.PlanesOf(unit / bands % runs.count());
        const Range rows = PieceOf(problem_.height, bands, static_cast<int>(unit % bands));
        const Range places = {std::max(part.begin, table_.begins[image]), std::min(part.end, table_.begins[image + 1])};
        AddRun(group, image, planes, places, rows, part.begin, first);
      }
    });
  }

  // `first`: the planes hold nothing yet.
  void AddRun(const PlaneGroup& group, int64_t image, Range planes, Range places, Range rows, int64_t first_kept,
              bool first) {
    for (int64_t plane = planes.begin; first && plane < planes.end; ++plane) {
      const int64_t row_bytes = plan_.RowStrideOf(plane) * number_bytes_;
      std::memset(MemoryOf(plan_, group, image).Row(plan_, plane, rows.begin), 0,
                  static_cast<size_t>((rows.end - rows.begin) * row_bytes));
    }
    if (places.begin >= places.end) return;
    const bool kept = problem_.channels_first;  // as rows of `pooled_`
    const RoiBins bins = BinsOf(problem_, plan_, table_, planes, kWholePlanes, AllOf(places), kept);
    const int64_t column = plan_.PooledColumnOf(planes.begin);
    const int64_t place = (places.begin - first_kept) * problem_.channels() + column;
    problem_.kernels.add_bins(kept ? pooled_type_ : problem_.type,
                              {.bins = bins,
                               .planes = MemoryOf(plan_, group, image).Plane(plan_, planes.begin),
                               .row_begin = static_cast<uint32_t>(rows.begin),
                               .row_end = static_cast<uint32_t>(rows.end),
                               .source = kept ? pooled_ + place * pooled_bytes_ : Source(column)},
                              in_double_);
  }

  bool WriteBack(const PlaneGroup& group) {
    const int64_t pixels = problem_.height * problem_.width;
    const int64_t blocks = DivideRoundUp(pixels, kBlockPixels);
    const int64_t units = group.images() * (problem_.channels_first ? group.planes() : blocks);
    const int64_t work = group.images() * group.planes() * plan_.plane_stride;
    constexpr int64_t kMinWriteTask = 32'000;  // some 5 us: numbers are moved one by one and out of order
    const int tasks =
        static_cast<int>(std::min<int64_t>({parallel_.TaskCount(work, kMinWriteTask), parallel_.ThreadCount(), units}));
    const bool stream = stream_ && group.planes() == plan_.planes;
    return parallel_.Run(tasks, [&](int task) {
      const Range range = PieceOf(units, tasks, task);
      char* staging = stream ? staging_ + task * BlockBytes() : nullptr;
      for (int64_t unit = range.begin; unit < range.end; ++unit) {
        if (problem_.channels_first) {
          WritePlane(group, group.image_begin + unit / group.planes(), group.plane_begin + unit % group.planes());
        } else {
          const int64_t first = unit % blocks * kBlockPixels, image = group.image_begin + unit / blocks;
          WriteBlock(MemoryOf(plan_, group, image), group.range(), image, 0,
                     {first, std::min(first + kBlockPixels, pixels)}, staging);
        }
      }
      if (stream) problem_.kernels.flush_stores();
    });
  }

  // The most tasks that write blocks.
  int WriteTasks() const { return std::min(parallel_.ThreadCount(), Parallel::kMaxTasks); }

  int64_t BlockBytes() const { return SaturatingMultiply(kBlockPixels * element_bytes_, problem_.channels()); }

  // NHWC: some pixels, of planes whose memory begins with the pixel `origin`. A whole block, which begins with a cache
  // line, goes past the caches if there is a staging for it.
  void WriteBlock(const PlaneMemory& memory, Range planes, int64_t image, int64_t origin, Range pixels, char* staging) {
    const int64_t first = table_.images[image] * problem_.height * problem_.width + pixels.begin;
    char* target = Target(first * problem_.channels());
    const bool stream = staging != nullptr && pixels.end - pixels.begin == kBlockPixels;
    for (int64_t pixel = pixels.begin; pixel < pixels.end; ++pixel) {
      const int64_t element = (pixel - pixels.begin) * problem_.channels();
      VisitChunks(plan_, planes, [&](int64_t plane, int64_t count) {
        const int64_t channel = plan_.FirstChannelOf(plane) * plan_.bins + plan_.BinOf(plane);
        problem_.kernels.transpose_out(
            problem_.type,
            {.source = memory.Plane(plan_, plane) + (pixel - origin) * plan_.PixelStrideOf(plane) * number_bytes_,
             .target = (stream ? staging : target) + (element + channel) * element_bytes_,
             .rows = count,
             .columns = plan_.ChannelsOf(plane),
             .source_stride = plan_.plane_stride,
             .target_stride = plan_.bins,
             .padded_rows = count},
            in_double_);
      });
    }
    if (stream) problem_.kernels.stream_copy(staging, target, BlockBytes());
  }

  // NCHW: one plane.
  void WritePlane(const PlaneGroup& group, int64_t image, int64_t plane) {
    const int64_t pixels = problem_.height * problem_.width;
    const int64_t channel = plan_.FirstChannelOf(plane) * plan_.bins + plan_.BinOf(plane);
    problem_.kernels.transpose_out(problem_.type,
                                   {.source = MemoryOf(plan_, group, image).Plane(plan_, plane),
                                    .target = Target((table_.images[image] * problem_.channels() + channel) * pixels),
                                    .rows = pixels,
                                    .columns = plan_.ChannelsOf(plane),
                                    .source_stride = plan_.PixelStrideOf(plane),
                                    .target_stride = plan_.bins * pixels,
                                    .padded_rows = pixels},
                                   in_double_);
  }

  const PsRoiPoolProblem& problem_;
  const Parallel& parallel_;
  const int64_t element_bytes_;
  const mluOpDataType_t pooled_type_;
  const int64_t pooled_bytes_;
  const int64_t rows_at_once_;
  const int crowd_tasks_;
  int64_t number_bytes_ = 0;  // of planes
  bool in_double_ = false;
  bool stream_ = false;
  int64_t plane_bytes_ = 0;
  const bool* crowded_ = nullptr;
  PlanePlan plan_ = {};
  RoiTable table_ = {};
  BandMemory bands_ = {};
  int64_t band_ = 0;
  char* planes_ = nullptr;
  char* staging_ = nullptr;  // one block of pixels per task
  char* pooled_ = nullptr;
};

}  // namespace

RunResult PsRoiPoolBackward(const PsRoiPoolProblem& problem, const Parallel& parallel, Scratch& scratch) {
  return BackwardPass(problem, parallel).Run(scratch);
}

}  // namespace detops::psroipool
