// Boxes and points of every kind for the calls of roiaware_pool3d.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_CONTRACT_SCENE_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_CONTRACT_SCENE_H_

#include <cstdint>

#include "harness/call.h"
#include "harness/fill.h"
#include "harness/shape.h"
#include "ops/roiaware_pool3d/reference/reference.h"

namespace detops_harness::roiaware_pool3d {

// "scene", with all kinds that there are.
ShapeKey SceneKey();

// Fills rois, [B, 7], and pts, [P, 3]. Many points lie exactly where a decision turns over, or one step of the type
// next to it; `grid` says where that is.
void FillScene(const Shape& shape, const detops_reference::RoiAwareGrid& grid, Tensor& rois, Tensor& pts,
               Random& random);

}  // namespace detops_harness::roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_CONTRACT_SCENE_H_
