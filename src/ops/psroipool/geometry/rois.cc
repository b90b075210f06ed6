#include "ops/psroipool/geometry/rois.h"

#include <algorithm>

#include "core/checked_math.h"
#include "core/element_type.h"

namespace detops::psroipool {
namespace {

constexpr int64_t kMinTaskRois = 128;  // some 5 us
constexpr int kMaxCheckTasks = 64;

template <typename T>
bool LoadRoiAxes(const PsRoiPoolProblem& problem, int64_t roi, RoiAxes<Accumulator<T>>* axes,
                 Accumulator<T>* batch_id) {
  using Real = Accumulator<T>;
  Real numbers[5];
  for (int64_t i = 0; i < 5; ++i) numbers[i] = LoadReal<T>(problem.rois, roi * 5 + i);
  *batch_id = numbers[0];
  return MakeRoiAxes(problem.rules, numbers, static_cast<Real>(problem.spatial_scale), problem.pooled_height,
                     problem.pooled_width, axes);
}

template <typename T>
RoiFault CheckRoi(const PsRoiPoolProblem& problem, int64_t roi) {
  RoiAxes<Accumulator<T>> axes;
  Accumulator<T> batch_id;
  const bool fits = LoadRoiAxes<T>(problem, roi, &axes, &batch_id);
  if (!(batch_id >= 0 && static_cast<double>(batch_id) < static_cast<double>(problem.images)) ||
      std::trunc(batch_id) != batch_id) {
    return RoiFault::kBatchId;
  }
  return fits ? RoiFault::kNone : RoiFault::kOverflow;
}

template <typename T>
void FillSpans(const PsRoiPoolProblem& problem, const RoiTableMemory& memory, int64_t place) {
  RoiAxes<Accumulator<T>> axes;
  Accumulator<T> batch_id;
  LoadRoiAxes<T>(problem, memory.rois[place], &axes, &batch_id);
  const int64_t height = problem.rules.Limit(problem.height);
  const int64_t width = problem.rules.Limit(problem.width);
  for (int64_t ph = 0; ph < problem.pooled_height; ++ph) {
    memory.ys[ph * problem.roi_count + place] = SpanOfBin(axes.y, ph, height);
  }
  for (int64_t pw = 0; pw < problem.pooled_width; ++pw) {
    memory.xs[pw * problem.roi_count + place] = SpanOfBin(axes.x, pw, width);
  }
}

// The union of the spans [first bin, last bin] over the places of an image. Bins ascend.
BinSpan Union(const BinSpan* first_bin, const BinSpan* last_bin, Range places) {
  BinSpan all = {UINT32_MAX, 0};
  for (int64_t i = places.begin; i < places.end; ++i) {
    all.begin = std::min(all.begin, first_bin[i].begin);
    all.end = std::max(all.end, last_bin[i].end);
  }
  return {std::min(all.begin, all.end), all.end};
}

// The largest number of spans that share a row or column.
int64_t MostSpansAtOnce(const BinSpan* spans, Range places, uint32_t* steps, int64_t size) {
  std::fill_n(steps, size + 1, 0u);
  for (int64_t i = places.begin; i < places.end; ++i) {
    ++steps[spans[i].begin];
    --steps[spans[i].end];  // wraps around, and back in the sum
  }
  uint32_t now = 0, most = 0;
  for (int64_t i = 0; i < size; ++i) {
    now += steps[i];
    most = std::max(most, now);
  }
  return most;
}

// The largest number of bins that share a pixel. `steps` has room for (height + 1) * (width + 1).
int64_t MostBinsAtOnce(const BinSpan* ys, const BinSpan* xs, Range places, uint32_t* steps, int64_t height,
                       int64_t width) {
  const int64_t row = width + 1;
  std::fill_n(steps, (height + 1) * row, 0u);
  for (int64_t i = places.begin; i < places.end; ++i) {
    ++steps[ys[i].begin * row + xs[i].begin];
    --steps[ys[i].begin * row + xs[i].end];
    --steps[ys[i].end * row + xs[i].begin];
    ++steps[ys[i].end * row + xs[i].end];
  }
  uint32_t most = 0;
  for (int64_t y = 0; y < height; ++y) {
    uint32_t now = 0;  // of this row alone; what the rows above bring has been added to it
    for (int64_t x = 0; x < width; ++x) {
      now += steps[y * row + x];
      const uint32_t above = y == 0 ? 0 : steps[(y - 1) * row + x];
      steps[y * row + x] = above + now;
      most = std::max(most, above + now);
    }
  }
  return most;
}

// Whether more than kLongSum rois of an image share a pixel in a bin of row `ph`.
bool IsCrowded(const PsRoiPoolProblem& problem, const RoiTable& table, Range places, int64_t ph, uint32_t* steps) {
  if (places.end - places.begin <= kLongSum) return false;
  // No more can share a pixel than share its row, or its column: this is quick, and usually enough.
  if (MostSpansAtOnce(table.BinRows(ph), places, steps, problem.height) <= kLongSum) return false;
  for (int64_t pw = 0; pw < problem.pooled_width; ++pw) {
    if (MostSpansAtOnce(table.BinColumns(pw), places, steps, problem.width) > kLongSum &&
        MostBinsAtOnce(table.BinRows(ph), table.BinColumns(pw), places, steps, problem.height, problem.width) >
            kLongSum) {
      return true;
    }
  }
  return false;
}

}  // namespace

RoiTableMemory::RoiTableMemory(const PsRoiPoolProblem& problem, Arena& arena, int tasks)
    : coverage_tasks(tasks),
      rois(arena.Take<int64_t>(problem.roi_count)),
      images(arena.Take<int64_t>(problem.images)),
      begins(arena.Take<int64_t>(SaturatingAdd(problem.images, 1))),
      regions(arena.Take<MapRegion>(problem.images)),
      ys(arena.Take<BinSpan>(SaturatingMultiply(problem.roi_count, problem.pooled_height))),
      xs(arena.Take<BinSpan>(SaturatingMultiply(problem.roi_count, problem.pooled_width))),
      next(arena.Take<int64_t>(SaturatingAdd(problem.images, 1))),
      crowded(arena.Take<bool>(problem.images)),
      crowded_rows(tasks == 0 ? nullptr : arena.Take<bool>(SaturatingMultiply(problem.images, problem.pooled_height))),
      coverage(
          arena.Take<uint32_t>(SaturatingMultiply(tasks, SaturatingMultiply(problem.height + 1, problem.width + 1)))) {}

bool MakeRoiTable(const PsRoiPoolProblem& problem, const Parallel& parallel, const RoiTableMemory& memory,
                  RoiTable* table) {
  return WithElementType(problem.type, [&]<typename T>() {
    const auto image_of = [&](int64_t roi) { return static_cast<int64_t>(LoadReal<T>(problem.rois, roi * 5)); };
    // A counting sort by image; rois of one image keep their order.
    std::fill_n(memory.next, problem.images + 1, int64_t{0});
    for (int64_t roi = 0; roi < problem.roi_count; ++roi) ++memory.next[image_of(roi) + 1];
    int64_t active = 0;
    for (int64_t image = 0; image < problem.images; ++image) {
      const int64_t count = memory.next[image + 1];
      memory.next[image + 1] += memory.next[image];
      if (count == 0) continue;
      memory.images[active] = image;
      memory.begins[active++] = memory.next[image];
    }
    memory.begins[active] = problem.roi_count;
    for (int64_t roi = 0; roi < problem.roi_count; ++roi) memory.rois[memory.next[image_of(roi)]++] = roi;

    const bool done = parallel.RunItems(problem.roi_count, kMinTaskRois, [&](Range range) {
      for (int64_t place = range.begin; place < range.end; ++place) FillSpans<T>(problem, memory, place);
    });
    if (!done) return false;
    *table = {problem.roi_count, active,         memory.rois, memory.images,
              memory.begins,     memory.regions, memory.ys,   memory.xs};
    for (int64_t a = 0; a < active; ++a) {
      const Range places = {memory.begins[a], memory.begins[a + 1]};
      memory.regions[a] = {Union(table->BinRows(0), table->BinRows(problem.pooled_height - 1), places),
                           Union(table->BinColumns(0), table->BinColumns(problem.pooled_width - 1), places)};
    }
    return true;
  });
}

bool FindCrowdedImages(const PsRoiPoolProblem& problem, const Parallel& parallel, const RoiTable& table,
                       const RoiTableMemory& memory) {
  std::fill_n(memory.crowded, table.active_images, false);
  if (memory.coverage_tasks == 0) return true;
  const int tasks = memory.coverage_tasks;
  const int64_t rows = problem.pooled_height;
  const bool done = parallel.Run(tasks, [&](int task) {
    uint32_t* steps = memory.coverage + task * (problem.height + 1) * (problem.width + 1);
    const Range range = PieceOf(table.active_images * rows, tasks, task);
    for (int64_t line = range.begin; line < range.end; ++line) {
      const Range places = {table.begins[line / rows], table.begins[line / rows + 1]};
      memory.crowded_rows[line] = IsCrowded(problem, table, places, line % rows, steps);
    }
  });
  if (!done) return false;
  for (int64_t line = 0; line < table.active_images * rows; ++line) {
    memory.crowded[line / rows] |= memory.crowded_rows[line];
  }
  return true;
}

bool FindBadRoi(const PsRoiPoolProblem& problem, const Parallel& parallel, int64_t* roi, RoiFault* fault) {
  const int tasks = std::min(kMaxCheckTasks, parallel.TaskCount(problem.roi_count, kMinTaskRois));
  struct Found {
    int64_t roi = -1;
    RoiFault fault = RoiFault::kNone;
  } found[kMaxCheckTasks];
  const bool done = parallel.Run(tasks, [&](int task) {
    WithElementType(problem.type, [&]<typename T>() {
      const Range range = PieceOf(problem.roi_count, tasks, task);
      for (int64_t i = range.begin; i < range.end; ++i) {
        const RoiFault here = CheckRoi<T>(problem, i);
        if (here == RoiFault::kNone) continue;
        found[task] = {i, here};
        return;
      }
    });
  });
  *roi = -1;
  *fault = RoiFault::kNone;
  for (int task = 0; task < tasks && *roi < 0; ++task) {
    *roi = found[task].roi;
    *fault = found[task].fault;
  }
  return done;
}

}  // namespace detops::psroipool
