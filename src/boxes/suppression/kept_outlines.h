// The outlines of the boxes that stay, so that those that may meet a further box are found without looking at all.
//
//      cells: a box lies in that of its lower left corner          a cell: a chain of chunks of 16 outlines
//
//      +-------+-------+-------+-------+                           head -> [16] -> [16] -> [ 5]
//      |       | +--+  |       |       |
//      |       | |k |  |       |       |      Boxes are at most as long as `reach`. So what meets box i lies in a
//      +-------+-+--+--+-------+-------+      cell from that of (x_min - reach, y_min - reach) to that of
//      |       |  +--+ |       |       |      (x_max, y_max). Longer ones are in a chain of their own, which
//      |       |  |i | |       |       |      everybody walks.
//      +-------+--+--+-+-------+-------+
//
// With few boxes there is one cell: everybody walks all.
#ifndef DETOPS_BOXES_SUPPRESSION_KEPT_OUTLINES_H_
#define DETOPS_BOXES_SUPPRESSION_KEPT_OUTLINES_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "boxes/points/cells.h"
#include "boxes/suppression/outline.h"
#include "core/arena.h"

namespace detops::boxes {

// Upright bounds in double.
struct Extents {
  double x_min, y_min, x_max, y_max;
  // Infinite for a wide rotated box.
  double longest() const { return std::max(x_max - x_min, y_max - y_min); }
};
inline Extents ExtentsOf(const UprightBox& box) { return {box.x_min, box.y_min, box.x_max, box.y_max}; }
inline Extents ExtentsOf(const RotatedBox& box) { return {box.x_min, box.y_min, box.x_max, box.y_max}; }
Extents ExtentsOf(const Quad& quad);

// Where cells lie; chosen from a sample, right for all boxes.
struct CellPlan {
  CellAxis<double> x, y;
  double reach = std::numeric_limits<double>::infinity();
  int64_t cells() const { return int64_t{x.count} * y.count; }

  struct Rectangle {
    CellAxis<double>::Between x, y;
  };
  // The cells where boxes lie that may meet this one.
  Rectangle Around(const Extents& box) const;
};

// Lists below this have one cell.
inline constexpr int64_t kLeastForCells = 20'000;
inline constexpr int64_t kCellSample = 1024;
// From `sample` of the boxes, which change their order; `spare` has room for as many numbers. One cell, if boxes are
// too large for more.
CellPlan PlanCells(int64_t boxes, Extents* extents, int64_t sample, double* spare);

class KeptOutlines {
 public:
  struct Link {
    uint32_t next;  // kEnd: none
    uint32_t used;
  };
  static constexpr uint32_t kEnd = ~uint32_t{0};

  // For up to `most` boxes, in cells if they are many: a plan for fewer boxes never has more cells.
  static KeptOutlines Take(Arena& arena, int64_t most);

  void Reset(const CellPlan& plan);
  void Add(const Outline& outline, const Extents& extents, uint32_t id);

  const CellPlan& plan() const { return plan_; }
  // With one cell chunks [0, chunks()) are its chain.
  uint32_t chunks() const { return chunk_count_; }
  // kEnd for an empty cell.
  uint32_t CellHead(int64_t x, int64_t y) const { return chains_[y * plan_.x.count + x].head; }
  uint32_t LongHead() const { return chains_[plan_.cells()].head; }
  const OutlineChunk& chunk(uint32_t index) const { return chunks_[index]; }
  const Link& link(uint32_t index) const { return links_[index]; }

 private:
  struct Chain {
    uint32_t head, tail;
  };

  Chain* chains_;  // one a cell, and that of the long boxes
  OutlineChunk* chunks_;
  Link* links_;
  uint32_t chunk_count_;
  CellPlan plan_;
};

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_SUPPRESSION_KEPT_OUTLINES_H_
