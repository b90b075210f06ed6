#include "boxes/suppression/kept_outlines.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace detops::boxes {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Fewer cells than these are not worth their steps, and so few boxes tell nothing.
constexpr double kLeastCells = 16;
constexpr int64_t kLeastSample = 64;
// Of the boxes, these parts are long, or lie outside of the cells on a side: those belong to the border cells.
constexpr int64_t kLongPart = 256;
constexpr int64_t kOutsidePart = 50;

int64_t MostCells(int64_t boxes) { return boxes < kLeastForCells ? 1 : boxes / 8; }

template <class Number>
double Nth(const Extents* extents, int64_t count, int64_t n, double* spare, const Number& number) {
  for (int64_t i = 0; i < count; ++i) spare[i] = number(extents[i]);
  std::nth_element(spare, spare + n, spare + count);
  return spare[n];
}

CellAxis<double> Axis(double low, double length, double cells) {
  CellAxis<double> axis;
  axis.count = static_cast<int32_t>(cells);
  axis.origin = low;
  axis.scale = axis.count / length;
  return axis;
}

}  // namespace

Extents ExtentsOf(const Quad& quad) {
  if (quad.exponent != 0) return {-kInfinity, -kInfinity, kInfinity, kInfinity};
  return {quad.min_x, quad.min_y, quad.max_x, quad.max_y};
}

CellPlan::Rectangle CellPlan::Around(const Extents& box) const {
  // Lower by more than the subtraction may round up.
  const auto below = [this](double low) { return low - reach - (std::abs(low) + reach) * 0x1p-50; };
  return {{x.CellOf(below(box.x_min)), x.CellOf(box.x_max)}, {y.CellOf(below(box.y_min)), y.CellOf(box.y_max)}};
}

CellPlan PlanCells(int64_t boxes, Extents* extents, int64_t sample, double* spare) {
  const CellPlan one;
  const auto tells = [](const Extents& box) { return box.longest() > 0 && box.longest() < kInfinity; };
  const int64_t count = std::partition(extents, extents + sample, tells) - extents;
  if (boxes < kLeastForCells || count < kLeastSample) return one;
  const int64_t outside = count / kOutsidePart;
  const auto nth = [&](int64_t n, auto number) { return Nth(extents, count, n, spare, number); };
  const double reach = nth(count - 1 - count / kLongPart, [](const Extents& box) { return box.longest(); });
  const double low_x = nth(outside, [](const Extents& box) { return box.x_min; });
  const double low_y = nth(outside, [](const Extents& box) { return box.y_min; });
  const double width = nth(count - 1 - outside, [](const Extents& box) { return box.x_max; }) - low_x;
  const double height = nth(count - 1 - outside, [](const Extents& box) { return box.y_max; }) - low_y;
  double across = std::max(1.0, width / reach), down = std::max(1.0, height / reach);
  // Comparisons are false for the NaN and Inf that come of extreme numbers.
  if (!(across * down >= kLeastCells && across < 0x1p30 && down < 0x1p30)) return one;
  const double too_many = across * down / static_cast<double>(MostCells(boxes));
  if (too_many > 1) {
    across = std::max(1.0, across / std::sqrt(too_many));
    down = std::max(1.0, std::min(down, static_cast<double>(MostCells(boxes)) / across));
    across = std::min(across, static_cast<double>(MostCells(boxes)) / down);
  }
  return {Axis(low_x, width, across), Axis(low_y, height, down), reach};
}

KeptOutlines KeptOutlines::Take(Arena& arena, int64_t most) {
  KeptOutlines outlines = {};
  const int64_t chains = MostCells(most) + 1;
  // Each chain has one chunk at most that is not full.
  const int64_t chunks = SaturatingAdd(most / OutlineChunk::kSize, chains);
  outlines.chains_ = arena.Take<Chain>(chains);
  outlines.chunks_ = arena.Take<OutlineChunk>(chunks);
  outlines.links_ = arena.Take<Link>(chunks);
  return outlines;
}

void KeptOutlines::Reset(const CellPlan& plan) {
  plan_ = plan;
  chunk_count_ = 0;
  std::fill_n(chains_, plan.cells() + 1, Chain{kEnd, kEnd});
}

void KeptOutlines::Add(const Outline& outline, const Extents& extents, uint32_t id) {
  const bool is_long = !(extents.longest() <= plan_.reach);
  const int64_t cell =
      is_long ? plan_.cells() : int64_t{plan_.y.CellOf(extents.y_min)} * plan_.x.count + plan_.x.CellOf(extents.x_min);
  Chain& chain = chains_[cell];
  if (chain.tail == kEnd || links_[chain.tail].used == OutlineChunk::kSize) {
    const uint32_t fresh = chunk_count_++;
    chunks_[fresh].Clear();
    links_[fresh] = {kEnd, 0};
    (chain.tail == kEnd ? chain.head : links_[chain.tail].next) = fresh;
    chain.tail = fresh;
  }
  chunks_[chain.tail].Set(static_cast<int>(links_[chain.tail].used++), outline, id);
}

}  // namespace detops::boxes
