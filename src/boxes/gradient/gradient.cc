#include "boxes/gradient/gradient.h"

#include <algorithm>
#include <cmath>

#include "core/arena.h"
#include "core/element_type.h"

namespace detops::boxes {
namespace {

// A box over an interval of heights. Without `spatial` that is [0, 1] for all, and counts for nothing.
struct TallBox {
  RotatedBox flat;
  double low, high, height;
};

TallBox NoTallBox() { return {MakeRotatedBox(0, 0, 0, 0, 0), 0, 1, 1}; }

TallBox ReadTallBox(const GradientProblem& problem, const void* rows, int64_t row) {
  TallBox box = {ReadRotatedBox(problem.format, problem.type, rows, row), 0, 1, 1};
  if (!problem.spatial) return box;
  const auto number = [&](int64_t k) {
    return WithElementType(problem.type,
                           [&]<typename T>() { return static_cast<double>(LoadReal<T>(rows, row * 7 + k)); });
  };
  const double z = number(2);
  box.height = number(5);
  if (!(box.height > 0)) return NoTallBox();
  if (!OrdinaryLength(box.height)) box.flat.area = box.flat.area == 0 ? 0 : kWideArea;
  box.low = problem.z_is_bottom ? z : z - box.height / 2;
  box.high = problem.z_is_bottom ? z + box.height : z + box.height / 2;
  return box;
}

// By how much a value changes with the numbers of a box.
struct Slopes {
  double x, y, z, w, h, height, angle;
};

// How two intervals of heights overlap, and how that changes with the ends of the first; where ends are equal, half.
struct HeightOverlap {
  double length, by_high, by_low;
};
HeightOverlap OverlapOf(const TallBox& self, const TallBox& other) {
  const auto share = [](bool first, bool equal) { return equal ? 0.5 : first ? 1.0 : 0.0; };
  return {std::min(self.high, other.high) - std::max(self.low, other.low),
          share(self.high < other.high, self.high == other.high), -share(self.low > other.low, self.low == other.low)};
}

// value = shared / whole; d value = d shared * by_shared - d size of self * by_size.
struct Quotient {
  double by_shared, by_size;
};
Quotient QuotientOf(PairValue value, double shared, double self, double other) {
  switch (value) {
    case PairValue::kIou: {
      const double whole = self + other - shared;
      return {(self + other) / whole / whole, shared / whole / whole};
    }
    case PairValue::kIofFirst:
      return {1 / self, shared / self / self};
    case PairValue::kIofSecond:
      return {1 / other, 0};
    default:
      return {1, 0};
  }
}

// Slopes of the value from those of the shared area, column `index` of the block. False if nothing is shared.
bool SlopesOfValue(const GradientProblem& problem, PairValue value, const SlopeBlock& block, int64_t index,
                   const TallBox& self, const TallBox& other, Slopes* result) {
  const double area = block.overlap[index];
  const HeightOverlap heights = OverlapOf(self, other);
  if (!(area > 0) || !(heights.length > 0)) return false;
  const double self_area = self.flat.area, rise = problem.spatial ? heights.length : 1;
  const Quotient q = QuotientOf(value, area * rise, self_area * self.height, other.flat.area * other.height);
  const double by_area = rise * q.by_shared;
  const auto slope = [&](int k) { return block.slopes[k][index] * by_area; };
  Slopes slopes = {};
  slopes.x = slope(0);
  slopes.y = slope(1);
  slopes.w = slope(2) - self.flat.h * self.height * q.by_size;
  slopes.h = slope(3) - self.flat.w * self.height * q.by_size;
  slopes.angle = slope(4);
  if (problem.spatial) {
    const double by_length = area * q.by_shared;
    const double grows = problem.z_is_bottom ? heights.by_high : 0.5 * (heights.by_high - heights.by_low);
    slopes.z = (heights.by_high + heights.by_low) * by_length;
    slopes.height = grows * by_length - self_area * q.by_size;
  }
  *result = slopes;
  return true;
}

void SetPair(SlopeBlock& block, int64_t index, const RotatedBox& self, const RotatedBox& other) {
  const auto set = [index](double(*planes)[SlopeBlock::kPairs], const RotatedBox& box) {
    const double fields[] = {box.cx, box.cy, box.w, box.h, box.cosine, box.sine, box.angle, box.area};
    for (int i = 0; i < SlopeBlock::kFields; ++i) planes[i][index] = fields[i];
  };
  set(block.self, self);
  set(block.other, other);
}

// The same for a pair with a wide box: both are brought to ordinary size, and the slopes back.
bool SlopesOfWidePair(const GradientProblem& problem, PairValue value, SlopesKernel kernel, TallBox self, TallBox other,
                      Slopes* result) {
  const RotatedBox first = self.flat, second = other.flat;
  int exponent = 0, rise = 0;
  if (!ScaleWidePair(first, second, &self.flat, &other.flat, &exponent)) return false;
  if (problem.spatial) {
    rise = std::ilogb(std::max(self.height, other.height));
    for (TallBox* box : {&self, &other}) {
      for (double* number : {&box->low, &box->high, &box->height}) *number = std::scalbn(*number, -rise);
    }
  }
  SlopeBlock block = {};
  SetPair(block, 0, self.flat, other.flat);
  kernel(block, 1);
  Slopes slopes;
  if (!SlopesOfValue(problem, value, block, 0, self, other, &slopes)) return false;
  const bool is_area = value == PairValue::kOverlap;
  for (double* slope : {&slopes.x, &slopes.y, &slopes.w, &slopes.h}) {
    *slope = std::scalbn(*slope, is_area ? exponent : -exponent);
  }
  if (is_area) slopes.angle = std::scalbn(slopes.angle, 2 * exponent);
  for (double* slope : {&slopes.z, &slopes.height}) *slope = std::scalbn(*slope, -rise);
  *result = slopes;
  return true;
}

// The gradient of one list.
struct Side {
  PairValue value;  // as its boxes see it: they are the first of each pair
  const void* own;
  const void* others;
  int64_t own_count, other_count;
  int64_t own_stride, other_stride;  // of grad
  void* target;
};

constexpr int64_t kTileRows = 64;

// Rows that are worked on together. Their pairs are computed a block at a time and added in their order.
template <typename T>
class RowTile {
 public:
  RowTile(const GradientProblem& problem, const Side& side, SlopesKernel kernel, Range rows)
      : problem_(problem), side_(side), kernel_(kernel), rows_(rows) {}

  void Add(int64_t row, const TallBox& self, const TallBox& other, double grad) {
    if (grad == 0) return;
    SetPair(block_, count_, self.flat, other.flat);
    pairs_[count_++] = {self, other, row, grad};
    if (count_ == SlopeBlock::kPairs) Flush();
  }

  void Finish() {
    Flush();
    const int64_t numbers = NumbersOf(problem_.format);
    for (int64_t row = rows_.begin; row < rows_.end; ++row) {
      const Slopes& s = sums_[row - rows_.begin];
      const double flat[] = {s.x, s.y, s.w, s.h, s.angle}, tall[] = {s.x, s.y, s.z, s.w, s.h, s.height, s.angle};
      for (int64_t k = 0; k < numbers; ++k) {
        StoreElement(side_.target, row * numbers + k, FromDouble<T>(numbers == 5 ? flat[k] : tall[k]));
      }
    }
  }

 private:
  struct Pair {
    TallBox self, other;
    int64_t row;
    double grad;
  };

  void Flush() {
    if (count_ == 0) return;
    kernel_(block_, count_);
    for (int64_t i = 0; i < count_; ++i) {
      const Pair& pair = pairs_[i];
      const bool wide = pair.self.flat.area < 0 || pair.other.flat.area < 0;
      Slopes slopes;
      const bool shares = wide ? SlopesOfWidePair(problem_, side_.value, kernel_, pair.self, pair.other, &slopes)
                               : SlopesOfValue(problem_, side_.value, block_, i, pair.self, pair.other, &slopes);
      if (!shares) continue;
      Slopes& sum = sums_[pair.row - rows_.begin];
      for (double Slopes::* slope :
           {&Slopes::x, &Slopes::y, &Slopes::z, &Slopes::w, &Slopes::h, &Slopes::height, &Slopes::angle}) {
        sum.*slope += pair.grad * slopes.*slope;
      }
    }
    count_ = 0;
  }

  const GradientProblem& problem_;
  const Side& side_;
  const SlopesKernel kernel_;
  const Range rows_;
  SlopeBlock block_ = {};
  Pair pairs_[SlopeBlock::kPairs];
  Slopes sums_[kTileRows] = {};
  int64_t count_ = 0;
};

class GradientPass {
 public:
  GradientPass(const GradientProblem& problem, Arena& arena) : problem_(problem) {
    if (problem.aligned) return;
    others_ = arena.Take<TallBox>(std::max(problem.first_count, problem.second_count));
  }

  RunResult Run(const Parallel& parallel) const {
    const GradientProblem& p = problem_;
    const PairValue mirrored = p.value == PairValue::kIofFirst ? PairValue::kIofSecond : p.value;
    const int64_t stride = p.aligned ? 0 : p.second_count;
    const Side sides[] = {
        {p.value, p.first, p.second, p.first_count, p.second_count, p.aligned ? 1 : stride, 1, p.first_grad},
        {mirrored, p.second, p.first, p.second_count, p.first_count, 1, p.aligned ? 1 : stride, p.second_grad}};
    const SlopesKernel kernel = ChooseSlopesKernel();
    return WithElementType(p.type, [&]<typename T>() {
      for (const Side& side : sides) {
        if (side.target != nullptr && !RunSide<T>(side, kernel, parallel)) return RunResult::kRunnerFailed;
      }
      return RunResult::kDone;
    });
  }

 private:
  template <typename T>
  bool RunSide(const Side& side, SlopesKernel kernel, const Parallel& parallel) const {
    constexpr int64_t kLeastPairs = 2000, kPairsOfBox = 16;
    if (!problem_.aligned) {
      const bool read = parallel.RunItems(side.other_count, kLeastPairs / kPairsOfBox, [&](Range piece) {
        for (int64_t i = piece.begin; i < piece.end; ++i) others_[i] = ReadTallBox(problem_, side.others, i);
      });
      if (!read) return false;
    }
    const int64_t pairs = problem_.aligned ? SaturatingMultiply(side.own_count, kPairsOfBox)
                                           : SaturatingMultiply(side.own_count, side.other_count);
    const auto tasks = static_cast<int>(std::min<int64_t>(parallel.TaskCount(pairs, kLeastPairs), side.own_count));
    return parallel.RunPieces(tasks, side.own_count, [&](Range piece) {
      for (int64_t begin = piece.begin; begin < piece.end; begin += kTileRows) {
        RunRows<T>(side, kernel, {begin, std::min(begin + kTileRows, piece.end)});
      }
    });
  }

  template <typename T>
  void RunRows(const Side& side, SlopesKernel kernel, const Range& rows) const {
    RowTile<T> tile(problem_, side, kernel, rows);
    const auto grad = [&](int64_t index) { return static_cast<double>(LoadReal<T>(problem_.grad, index)); };
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      const TallBox self = ReadTallBox(problem_, side.own, row);
      if (problem_.aligned) {
        tile.Add(row, self, ReadTallBox(problem_, side.others, row), grad(row));
        continue;
      }
      for (int64_t i = 0; i < side.other_count; ++i) {
        if (!MayMeet(self.flat, others_[i].flat)) continue;
        tile.Add(row, self, others_[i], grad(row * side.own_stride + i * side.other_stride));
      }
    }
    tile.Finish();
  }

  static bool MayMeet(const RotatedBox& a, const RotatedBox& b) {
    return (a.x_min < b.x_max) & (b.x_min < a.x_max) & (a.y_min < b.y_max) & (b.y_min < a.y_max);
  }

  const GradientProblem& problem_;
  TallBox* others_ = nullptr;
};

}  // namespace

RunResult RunPairGradients(const GradientProblem& problem, const Parallel& parallel, Scratch& scratch) {
  return RunPass(
      scratch, [&](Arena& arena) { return GradientPass(problem, arena); },
      [&](const GradientPass& pass) { return pass.Run(parallel); });
}

}  // namespace detops::boxes
