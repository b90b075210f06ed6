// The points of a call, sorted into the cells of a flat grid, so that a box looks only at points near itself.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_FORWARD_POINTS_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_FORWARD_POINTS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "boxes/points/cells.h"
#include "core/arena.h"
#include "core/element_type.h"
#include "ops/roiaware_pool3d/problem.h"

namespace detops::roiaware_pool3d {

template <typename T>
class SortedPoints {
 public:
  using Real = Accumulator<T>;

  SortedPoints(const BoxSearchProblem& problem, const Parallel& parallel) : problem_(problem), parallel_(parallel) {
    // Half as many cells as points: a box looks at whole cells, and cells have to be counted.
    const double side = std::sqrt(static_cast<double>(problem.points) / 2);
    side_ = problem.boxes < kFewBoxes ? 1 : static_cast<int32_t>(std::clamp(side, 1.0, double{kMaxSide}));
    constexpr int64_t kMinTaskPoints = 4000;
    tasks_ = std::min({parallel.TaskCount(problem.points, kMinTaskPoints), parallel.ThreadCount(), kMaxTasks});
  }

  void Take(Arena& arena) {
    const int64_t padded = SaturatingAdd(problem_.points, kPointPadding);
    frames_ = arena.Take<BoxFrame<Real>>(problem_.boxes);
    bounds_ = arena.Take<double>(problem_.boxes);
    x_ = arena.Take<Real>(padded);
    y_ = arena.Take<Real>(padded);
    z_ = arena.Take<Real>(padded);
    ids_ = arena.Take<int32_t>(padded);
    cells_ = arena.Take<uint32_t>(problem_.points);
    begins_ = arena.Take<uint32_t>(CellCount() + 1);
    places_ = arena.Take<uint32_t>(CellCount() * tasks_);
  }

  bool Sort() {
    for (int64_t box = 0; box < problem_.boxes; ++box) {
      Real roi[7];
      for (int64_t i = 0; i < 7; ++i) roi[i] = LoadReal<T>(problem_.rois, box * 7 + i);
      frames_[box] = MakeBoxFrame(roi, problem_.grid, problem_.rules);
    }
    const auto axis = [&](const auto& low, const auto& high) {
      return boxes::ChooseCellAxis<Real>(
          problem_.boxes, side_, bounds_, [&](int64_t box) { return low(frames_[box].bounds); },
          [&](int64_t box) { return high(frames_[box].bounds); });
    };
    columns_ =
        axis([](const boxes::BoxBounds& b) { return b.low_x; }, [](const boxes::BoxBounds& b) { return b.high_x; });
    rows_ = axis([](const boxes::BoxBounds& b) { return b.low_y; }, [](const boxes::BoxBounds& b) { return b.high_y; });
    for (Real* padding : {x_, y_, z_}) std::fill_n(padding + problem_.points, kPointPadding, Real{0});
    return Count() && Move();
  }

  // Calls visit(begin, end) for the runs of points that may lie in the box.
  template <class Visit>
  void VisitRuns(int64_t box, const Visit& visit) const {
    const boxes::BoxBounds& bounds = frames_[box].bounds;
    if (bounds.empty()) return;
    const auto columns = columns_.CellsBetween(bounds.low_x, bounds.high_x);
    const auto rows = rows_.CellsBetween(bounds.low_y, bounds.high_y);
    for (int64_t row = rows.first; row <= rows.last; ++row) {
      const int64_t begin = begins_[row * side_ + columns.first];
      const int64_t end = begins_[row * side_ + columns.last + 1];
      if (begin < end) visit(begin, end);
    }
  }

  // Finds the points in the box. `entries` has room for all points of its runs.
  int64_t Find(int64_t box, VoxelPoint* entries) const {
    int64_t found = 0;
    VisitRuns(box, [&](int64_t begin, int64_t end) {
      found += problem_.kernels.Find(PointTest<Real>{&frames_[box], problem_.grid, x_, y_, z_, ids_, begin, end},
                                     entries + found);
    });
    return found;
  }

 private:
  static constexpr int64_t kFewBoxes = 8;  // it is faster to look at all points than to sort them
  static constexpr int32_t kMaxSide = 1024;
  static constexpr int kMaxTasks = 8;

  int64_t CellCount() const { return int64_t{side_} * side_; }

  Real Coordinate(int64_t point, int64_t axis) const { return LoadReal<T>(problem_.pts, point * 3 + axis); }

  bool Count() {
    const bool counted = parallel_.Run(tasks_, [&](int task) {
      uint32_t* counts = places_ + task * CellCount();
      std::fill_n(counts, CellCount(), 0u);
      const Range range = PieceOf(problem_.points, tasks_, task);
      for (int64_t point = range.begin; point < range.end; ++point) {
        const int64_t row = rows_.CellOf(Coordinate(point, 1));
        const auto cell = static_cast<uint32_t>(row * side_ + columns_.CellOf(Coordinate(point, 0)));
        cells_[point] = cell;
        ++counts[cell];
      }
    });
    if (!counted) return false;
    // Counts become places: by cell, and in a cell by task, so that points of a cell keep their order.
    uint32_t place = 0;
    for (int64_t cell = 0; cell < CellCount(); ++cell) {
      begins_[cell] = place;
      for (int64_t task = 0; task < tasks_; ++task) place += std::exchange(places_[task * CellCount() + cell], place);
    }
    begins_[CellCount()] = place;
    return true;
  }

  bool Move() {
    // Points that follow each other go anywhere, so tasks would fight for the same cache lines: numbers only, and one
    // task if they are few.
    constexpr int64_t kFewPoints = 64 << 10;
    const auto place_of = [&](int task) {
      uint32_t* places = places_ + task * CellCount();
      const Range range = PieceOf(problem_.points, tasks_, task);
      for (int64_t point = range.begin; point < range.end; ++point) {
        ids_[places[cells_[point]]++] = static_cast<int32_t>(point);
      }
    };
    if (problem_.points < kFewPoints) {
      for (int task = 0; task < tasks_; ++task) place_of(task);
    } else if (!parallel_.Run(tasks_, place_of)) {
      return false;
    }
    return parallel_.RunPieces(tasks_, problem_.points, [&](Range range) {
      for (int64_t place = range.begin; place < range.end; ++place) {
        x_[place] = Coordinate(ids_[place], 0);
        y_[place] = Coordinate(ids_[place], 1);
        z_[place] = Coordinate(ids_[place], 2);
      }
    });
  }

  const BoxSearchProblem& problem_;
  const Parallel& parallel_;
  int32_t side_;
  int tasks_;
  boxes::CellAxis<Real> columns_, rows_;
  BoxFrame<Real>* frames_ = nullptr;
  double* bounds_ = nullptr;
  Real* x_ = nullptr;
  Real* y_ = nullptr;
  Real* z_ = nullptr;
  int32_t* ids_ = nullptr;
  uint32_t* cells_ = nullptr;
  uint32_t* begins_ = nullptr;  // [cell], and the end
  uint32_t* places_ = nullptr;  // [task][cell]
};

}  // namespace detops::roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_FORWARD_POINTS_H_
