// Boxes and points of every kind, for the calls of functions that ask which points lie in which boxes.
#ifndef DETOPS_BOXES_CONTRACT_SCENE_H_
#define DETOPS_BOXES_CONTRACT_SCENE_H_

#include <cstdint>

#include "harness/call.h"
#include "harness/fill.h"
#include "harness/shape.h"

namespace detops_harness::boxes {

// "scene", with all kinds that there are.
ShapeKey SceneKey();
// Which of them; throws ShapeError for any other word.
size_t SceneOf(const Shape& shape);

// Where decisions turn over: bins of a box along its axes, which height its third number is, and how much wider it is.
struct SceneGrid {
  int64_t out_x = 1, out_y = 1, out_z = 1;
  bool z_center = false;  // false: the bottom
  double xy_margin = 0;
};

// Fills rois, [B, 7], and pts, [P, 3]. Many points lie exactly where a decision turns over, or one step of the type
// next to it.
void FillScene(const Shape& shape, const SceneGrid& grid, Tensor& rois, Tensor& pts, Random& random);

}  // namespace detops_harness::boxes

#endif  // DETOPS_BOXES_CONTRACT_SCENE_H_
