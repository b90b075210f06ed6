// A flat grid of cells over the places of boxes.
//
// It lies where the boxes are, without the outermost ones; what lies outside belongs to its border cells. So a few
// boxes or points far away make nothing slow, and nothing wrong: the cell of a coordinate never falls as the coordinate
// grows, and a box reaches all cells between those of its two ends.
#ifndef DETOPS_BOXES_POINTS_CELLS_H_
#define DETOPS_BOXES_POINTS_CELLS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "boxes/points/interior.h"

namespace detops::boxes {

template <typename Real>
struct CellAxis {
  Real origin = 0, scale = 0;
  int32_t count = 1;

  int32_t CellOf(Real coordinate) const {
    // Without branches: where a point lies is a coin toss to the processor. NaN falls into cell 0.
    const Real cell = (coordinate - origin) * scale;
    const Real from_first = cell > 0 ? cell : 0;
    const auto last = static_cast<Real>(count - 1);
    return static_cast<int32_t>(from_first < last ? from_first : last);
  }

  struct Between {
    int64_t first, last;
    int64_t count() const { return last - first + 1; }
  };
  Between CellsBetween(double low, double high) const {
    if (std::isnan(low) || std::isnan(high)) return {0, count - 1};
    return {CellOf(RoundedDown<Real>(low)), CellOf(RoundedUp<Real>(high))};
  }
};

// `cells` cells from the end that all but 2 % of the boxes reach beyond, to the other. low(box) and high(box) are the
// ends of a box on this axis; `ends` has room for one number of each.
template <typename Real, class Low, class High>
CellAxis<Real> ChooseCellAxis(int64_t boxes, int32_t cells, double* ends, const Low& low, const High& high) {
  const int64_t outliers = boxes / 50;
  const auto nth = [&](const auto& end, int64_t n) {
    for (int64_t box = 0; box < boxes; ++box) {
      const double value = end(box);
      ends[box] = std::isnan(value) ? 0 : value;
    }
    std::nth_element(ends, ends + n, ends + boxes);
    return ends[n];
  };
  const double first = nth(low, outliers);
  const double last = nth(high, boxes - 1 - outliers);
  CellAxis<Real> axis;
  axis.count = cells;
  axis.origin = static_cast<Real>(first);
  axis.scale = static_cast<Real>(cells / (last - first));
  // All in one cell, if the boxes leave no sensible choice.
  if (!std::isfinite(axis.origin) || !std::isfinite(axis.scale) || !(axis.scale > 0)) axis.origin = axis.scale = 0;
  return axis;
}

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_POINTS_CELLS_H_
