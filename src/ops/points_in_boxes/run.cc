// Prepares the boxes of each batch, then cuts the points into pieces.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/arena.h"
#include "core/element_type.h"
#include "ops/points_in_boxes/problem.h"

namespace detops::points_in_boxes {
namespace {

// So few that testing them all is faster than looking up which are near.
constexpr int64_t kFewBoxes = 8;
constexpr int64_t kBoxesPerWord = 64;
constexpr int64_t kBoxesPerSummary = 64 * kBoxesPerWord;
// Of the cells of one axis, in words: what stays in the second-level cache, unless the boxes are very many.
constexpr int64_t kAxisWords = 32 << 10;
constexpr int64_t kFewestCells = 16, kMostCells = 256;

constexpr boxes::BoxRules kRules = {.z_is_center = true, .xy_margin = 1e-5};

// box = (x, y, z, dx, dy, dz, heading).
template <typename Real>
boxes::BoxInterior<Real> MakeBox(const Real box[7]) {
  const bool finite = std::all_of(box, box + 7, [](Real number) { return std::isfinite(number); });
  // No distance is below a negative one.
  if (!finite || box[3] <= 0 || box[4] <= 0 || box[5] < 0) return {0, 0, 1, 0, 0, -1, -1, -1};
  return boxes::MakeBoxInterior(box, kRules);
}

template <typename T>
class Search {
 public:
  using Real = Accumulator<T>;

  Search(const Problem& problem, const Parallel& parallel, Arena& arena)
      : problem_(problem),
        parallel_(parallel),
        direct_(problem.boxes <= kFewBoxes),
        words_(DivideRoundUp(problem.boxes, kBoxesPerWord)),
        summaries_(DivideRoundUp(problem.boxes, kBoxesPerSummary)),
        cells_(std::clamp(kAxisWords / stride(), kFewestCells, kMostCells)) {
    const int64_t all = SaturatingMultiply(problem.batch, problem.boxes);
    sets_ = arena.Take<BoxSet<Real>>(problem.batch);
    boxes_ = arena.Take<boxes::BoxInterior<Real>>(all);
    if (direct_) return;
    bounds_ = arena.Take<boxes::BoxBounds>(all);
    ends_ = arena.Take<double>(all);
    reached_ = arena.Take<uint64_t>(SaturatingMultiply(problem.batch, 2 * axis_words()));
  }

  RunResult Run() { return ResultOf(MakeBoxes() && MakeSets() && (direct_ || MakeCells()) && FindPoints()); }

 private:
  int64_t stride() const { return summaries_ + words_; }
  int64_t axis_words() const { return cells_ * stride(); }
  uint64_t* columns_of(int64_t batch) const { return reached_ + 2 * batch * axis_words(); }
  uint64_t* rows_of(int64_t batch) const { return columns_of(batch) + axis_words(); }

  bool MakeBoxes() {
    return parallel_.RunItems(problem_.batch * problem_.boxes, 200, [&](Range piece) {
      for (int64_t i = piece.begin; i < piece.end; ++i) {
        Real box[7];
        for (int64_t k = 0; k < 7; ++k) box[k] = LoadReal<T>(problem_.boxes_data, i * 7 + k);
        boxes_[i] = MakeBox(box);
        if (!direct_) bounds_[i] = boxes::BoundsOf(boxes_[i]);
      }
    });
  }

  bool MakeSets() {
    return parallel_.RunItems(problem_.batch, direct_ ? 1000 : 1, [&](Range piece) {
      for (int64_t batch = piece.begin; batch < piece.end; ++batch) sets_[batch] = MakeSet(batch);
    });
  }

  BoxSet<Real> MakeSet(int64_t batch) const {
    BoxSet<Real> set = {};
    set.boxes = boxes_ + batch * problem_.boxes;
    set.count = problem_.boxes;
    set.direct = direct_;
    if (direct_) return set;
    const boxes::BoxBounds* const bounds = bounds_ + batch * problem_.boxes;
    const auto axis = [&](double boxes::BoxBounds::* low, double boxes::BoxBounds::* high) {
      return boxes::ChooseCellAxis<Real>(
          problem_.boxes, static_cast<int32_t>(cells_), ends_ + batch * problem_.boxes,
          [&](int64_t box) { return bounds[box].*low; }, [&](int64_t box) { return bounds[box].*high; });
    };
    set.columns = axis(&boxes::BoxBounds::low_x, &boxes::BoxBounds::high_x);
    set.rows = axis(&boxes::BoxBounds::low_y, &boxes::BoxBounds::high_y);
    set.in_columns = columns_of(batch);
    set.in_rows = rows_of(batch);
    set.stride = stride();
    set.summaries = summaries_;
    return set;
  }

  // By groups of boxes that share no word.
  bool MakeCells() {
    return parallel_.RunItems(problem_.batch * summaries_, 1, [&](Range piece) {
      for (int64_t i = piece.begin; i < piece.end; ++i) MakeCellsOf(i / summaries_, i % summaries_);
    });
  }

  void MakeCellsOf(int64_t batch, int64_t summary) const {
    const BoxSet<Real>& set = sets_[batch];
    uint64_t* const columns = columns_of(batch);
    uint64_t* const rows = rows_of(batch);
    const int64_t first_word = summary * 64, words = std::min<int64_t>(64, words_ - first_word);
    for (int64_t cell = 0; cell < cells_; ++cell) {
      for (uint64_t* const axis : {columns, rows}) {
        uint64_t* const own = axis + cell * stride();
        own[summary] = 0;
        std::fill_n(own + summaries_ + first_word, words, uint64_t{0});
      }
    }
    const int64_t first = summary * kBoxesPerSummary, last = std::min(first + kBoxesPerSummary, problem_.boxes);
    for (int64_t box = first; box < last; ++box) {
      const boxes::BoxBounds& bounds = bounds_[batch * problem_.boxes + box];
      if (bounds.empty()) continue;
      Mark(columns, set.columns.CellsBetween(bounds.low_x, bounds.high_x), box);
      Mark(rows, set.rows.CellsBetween(bounds.low_y, bounds.high_y), box);
    }
  }

  void Mark(uint64_t* axis, const typename boxes::CellAxis<Real>::Between& cells, int64_t box) const {
    const int64_t word = box / kBoxesPerWord;
    for (int64_t cell = cells.first; cell <= cells.last; ++cell) {
      uint64_t* const own = axis + cell * stride();
      own[summaries_ + word] |= uint64_t{1} << (box % kBoxesPerWord);
      own[word / 64] |= uint64_t{1} << (word % 64);
    }
  }

  bool FindPoints() const {
    constexpr int64_t kLeastPoints = 2000;
    const int64_t points = problem_.points;
    const int64_t point_bytes = 3 * static_cast<int64_t>(sizeof(T));
    const int64_t index_bytes = problem_.index_type == MLUOP_DTYPE_INT64 ? 8 : 4;
    return parallel_.RunItems(problem_.batch * points, kLeastPoints, [&](Range piece) {
      for (int64_t begin = piece.begin; begin < piece.end;) {
        const int64_t batch = begin / points, before = batch * points;
        const int64_t end = std::min(piece.end, before + points);
        problem_.kernels.Find({.type = problem_.type,
                               .points = static_cast<const char*>(problem_.points_data) + before * point_bytes,
                               .begin = begin - before,
                               .end = end - before,
                               .index_type = problem_.index_type,
                               .indices = static_cast<char*>(problem_.indices) + before * index_bytes},
                              sets_[batch]);
        begin = end;
      }
    });
  }

  const Problem& problem_;
  const Parallel& parallel_;
  const bool direct_;
  const int64_t words_, summaries_, cells_;
  BoxSet<Real>* sets_ = nullptr;
  boxes::BoxInterior<Real>* boxes_ = nullptr;
  boxes::BoxBounds* bounds_ = nullptr;
  double* ends_ = nullptr;
  uint64_t* reached_ = nullptr;
};

}  // namespace

RunResult Run(const Problem& problem, const Parallel& parallel, Scratch& scratch) {
  return WithElementType(problem.type, [&]<typename T>() {
    return RunPass(
        scratch, [&](Arena& arena) { return Search<T>(problem, parallel, arena); },
        [](Search<T>& search) { return search.Run(); });
  });
}

void FillOutside(mluOpDataType_t index_type, void* indices, int64_t count) {
  const size_t bytes = static_cast<size_t>(count) * (index_type == MLUOP_DTYPE_INT64 ? 8 : 4);
  std::memset(indices, 0xFF, bytes);
}

}  // namespace detops::points_in_boxes
