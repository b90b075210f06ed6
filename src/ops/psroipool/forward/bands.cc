#include <algorithm>

#include "core/data_type.h"
#include "core/dynamic_tasks.h"
#include "ops/psroipool/forward/pass.h"

namespace detops::psroipool {
namespace {

// Rows. Each band costs a look at all rois.
constexpr int64_t kLeastBand = 6;

// Fewer bins at a time would read every line of the map too often.
constexpr int64_t kLeastRun = 7;

PlanePlan PlanOfRows(const PsRoiPoolProblem& problem, int64_t rows) {
  const auto element_bytes = static_cast<int64_t>(SizeOfType(problem.type));
  return MakePlanePlan(problem, rows, problem.kernels.lanes(problem.type), element_bytes, 1, kMaxInt64);
}

// Numbers that are added up, about: of some of the rois, as if all were like them. A bin costs as much as some of them.
int64_t EstimateWork(const PsRoiPoolProblem& problem, const RoiTable& table) {
  constexpr int64_t kLooks = 64;
  const int64_t step = DivideRoundUp(table.roi_count, kLooks);
  int64_t pixels = 0;
  for (int64_t i = 0; i < table.roi_count; i += step) {
    int64_t height = 0, width = 0;
    for (int64_t ph = 0; ph < problem.pooled_height; ++ph) height += SizeOf(table.BinRows(ph)[i]);
    for (int64_t pw = 0; pw < problem.pooled_width; ++pw) width += SizeOf(table.BinColumns(pw)[i]);
    pixels = SaturatingAdd(pixels, SaturatingMultiply(height, width));
  }
  constexpr int64_t kWorkOfBin = 64;
  return SaturatingAdd(SaturatingMultiply(SaturatingMultiply(pixels, step), problem.output_dim),
                       SaturatingMultiply(table.roi_count, problem.bins() * kWorkOfBin));
}

// What one worker does: the rois' bins that begin in some rows of an image, in some planes.
class BandWorker {
 public:
  BandWorker(const PsRoiPoolProblem& problem, const RoiTable& table, const ForwardBandPlan& plan,
             const BandMemory& memory, int worker)
      : problem_(problem),
        table_(table),
        plan_(plan),
        memory_(memory.PlanesOf(worker)),
        chosen_(memory.ChosenOf(worker)) {}

  void Run(int64_t image, Range planes, int64_t part) {
    const PlaneMemory memory = {memory_, planes.begin,
                                plan_.slots == problem_.height ? kWholePlanes : static_cast<uint32_t>(plan_.slots - 1)};
    const Range places = {table_.begins[image], table_.begins[image + 1]};
    if (plan_.band == problem_.height) {
      Regroup(memory, planes, image, {0, problem_.height});
      if (FitsL2(planes)) return Sum(memory, planes, AllOf(places));
      for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
        Sum(memory, {plane, plane + 1}, AllOf(places));
      }
      return;
    }
    const Range rows = RowsOfPart(places, part);
    if (rows.begin == rows.end) return;
    const int64_t end = std::min(rows.end + plan_.tallest - 1, problem_.height);
    for (int64_t y = rows.begin; y < end; y += plan_.band) {
      const Range band = {y, std::min(y + plan_.band, end)};
      Regroup(memory, planes, image, band);
      PoolBand(memory, planes, places, rows, band);
    }
  }

 private:
  bool FitsL2(Range planes) const {
    return (planes.end - planes.begin) * plan_.planes.plane_stride * plan_.planes.number_bytes <= kL2Bytes;
  }

  void Regroup(const PlaneMemory& memory, Range planes, int64_t image, Range rows) {
    for (int64_t y = rows.begin; y < rows.end; ++y) {
      RegroupRow(problem_, plan_.planes, table_, memory, planes, image, y);
    }
  }

  void Sum(const PlaneMemory& memory, Range planes, const RoiChoice& rois) {
    const int64_t column = plan_.planes.PooledColumnOf(planes.begin) * plan_.planes.number_bytes;
    SumRun(problem_, plan_.planes, table_, memory, planes, rois, static_cast<char*>(problem_.target) + column, false);
  }

  // The bins that end in `band` and begin in `rows`. Empty bins have their place in one band, too.
  void PoolBand(const PlaneMemory& memory, Range planes, Range places, Range rows, Range band) {
    const auto last_row = static_cast<uint32_t>(problem_.height - 1);
    const auto row_begin = static_cast<uint32_t>(rows.begin), band_begin = static_cast<uint32_t>(band.begin);
    const auto row_count = static_cast<uint32_t>(rows.end - rows.begin);
    const auto band_count = static_cast<uint32_t>(band.end - band.begin);
    const auto here = [=](BinSpan y) {
      const uint32_t first = std::min(y.begin, last_row);
      const uint32_t last = std::max(first, std::max(y.end, 1u) - 1);
      return (first - row_begin < row_count) & (last - band_begin < band_count);
    };
    VisitBinRows(problem_, plan_.planes, planes, [&](int64_t ph, Range of_row) {
      VisitChosen(table_.BinRows(ph), places, chosen_, here,
                  [&](const RoiChoice& rois) { SumEach(memory, of_row, rois); });
    });
  }

  // Plane by plane: what a band needs of one is in the L2 cache, and the same heights come again and again, which helps
  // the processor to foresee them. Not too many rois at a time, so that their pooled rows are still there when the next
  // plane comes.
  void SumEach(const PlaneMemory& memory, Range planes, const RoiChoice& rois) {
    constexpr int64_t kNearRois = 256;
    for (int64_t i = 0; i < rois.count; i += kNearRois) {
      const RoiChoice some = {rois.first, std::min(kNearRois, rois.count - i), rois.chosen + i};
      for (int64_t plane = planes.begin; plane < planes.end; ++plane) Sum(memory, {plane, plane + 1}, some);
    }
  }

  // Cut so that all parts have about the same work. Parts regroup rows after their own, as far as a bin may reach.
  Range RowsOfPart(Range places, int64_t part) const {
    if (plan_.row_parts == 1) return {0, problem_.height};
    constexpr int64_t kBuckets = 256;  // of rows
    constexpr int64_t kSumWork = 4;    // of a bin, if regrouping a pixel's channels of it is 1
    const int64_t height = problem_.height, buckets = std::min(height, kBuckets);
    int64_t work[kBuckets] = {};
    for (int64_t ph = 0; ph < problem_.pooled_height; ++ph) {
      const BinSpan* spans = table_.BinRows(ph);
      for (int64_t i = places.begin; i < places.end; ++i) {
        work[std::min<int64_t>(spans[i].begin, height - 1) * buckets / height] += kSumWork * problem_.pooled_width;
      }
    }
    const int64_t row_work = problem_.width * plan_.planes.bins;
    int64_t total = 0;
    for (int64_t i = 0; i < buckets; ++i) total += work[i] += row_work * height / buckets;
    const int64_t twice = row_work * (plan_.tallest - 1);
    const int64_t share = (total - twice) / plan_.row_parts;  // of all but the last
    const auto begin_of = [&](int64_t index) {
      if (index == plan_.row_parts) return height;
      int64_t bucket = 0;
      for (int64_t sum = 0; bucket < buckets && sum < index * share; ++bucket) sum += work[bucket];
      return bucket * height / buckets;
    };
    return {begin_of(part), begin_of(part + 1)};
  }

  const PsRoiPoolProblem& problem_;
  const RoiTable& table_;
  const ForwardBandPlan& plan_;
  char* const memory_;
  uint32_t* const chosen_;
};

}  // namespace

int64_t ForwardBandBytes(const PsRoiPoolProblem& problem, const Parallel& parallel) {
  return std::min(kPlaneBudget,
                  SaturatingMultiply(PlanOfRows(problem, problem.height).Bytes(), parallel.ThreadCount()));
}

bool PlanForwardBands(const PsRoiPoolProblem& problem, const RoiTable& table, const BandMemory& memory,
                      const Parallel& parallel, ForwardBandPlan* plan) {
  plan->tallest = std::max<int64_t>(1, TallestBin(problem, table));
  const bool fits = PlanOfRows(problem, problem.height).FitsL2();
  plan->slots =
      fits ? problem.height : std::min(problem.height, PowerOfTwo(plan->tallest - 1 + LeastBand(problem, kLeastBand)));
  plan->band = plan->slots == problem.height ? plan->slots : plan->slots - (plan->tallest - 1);
  plan->planes = PlanOfRows(problem, plan->slots);
  const int64_t bins = plan->planes.bins, chunks = plan->planes.planes / bins;
  const int64_t plane_bytes = plan->planes.plane_stride * plan->planes.number_bytes;
  const int64_t fitting = memory.bytes_per_worker / plane_bytes;
  if (fitting == 0) return false;
  plan->workers = std::min(parallel.TaskCount(EstimateWork(problem, table), kMinPlaneTask), memory.workers);
  const int64_t parts = DivideRoundUp(plan->workers, table.active_images * chunks);
  // A part regroups tallest - 1 rows more than its own.
  const bool whole = plan->band == problem.height;
  plan->row_parts = whole ? 1 : std::clamp<int64_t>(problem.height / (3 * (plan->tallest - 1) + 1), 1, parts);
  plan->planes_a_run = std::min(fitting, DivideRoundUp(bins, DivideRoundUp(parts, plan->row_parts)));
  plan->runs = DivideRoundUp(bins, plan->planes_a_run) * chunks;
  return fits || plan->planes_a_run >= std::min(bins, kLeastRun);
}

bool PoolBands(const PsRoiPoolProblem& problem, const RoiTable& table, const BandMemory& memory,
               const Parallel& parallel, const ForwardBandPlan& plan) {
  const int64_t units = table.active_images * plan.runs * plan.row_parts;
  const auto workers = static_cast<int>(std::min<int64_t>(plan.workers, units));
  const int64_t runs_a_chunk = DivideRoundUp(plan.planes.bins, plan.planes_a_run);
  return RunDynamic(parallel, workers, units, [&](int worker, int64_t unit) {
    const int64_t run = unit / plan.row_parts % plan.runs;
    const int64_t chunk = run / runs_a_chunk * plan.planes.bins;
    const int64_t begin = run % runs_a_chunk * plan.planes_a_run;
    const Range planes = {chunk + begin, chunk + std::min(begin + plan.planes_a_run, plan.planes.bins)};
    BandWorker(problem, table, plan, memory, worker)
        .Run(unit / plan.row_parts / plan.runs, planes, unit % plan.row_parts);
  });
}

}  // namespace detops::psroipool
