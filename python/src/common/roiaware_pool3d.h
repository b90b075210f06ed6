#ifndef DETOPS_PYTHON_SRC_COMMON_ROIAWARE_POOL3D_H_
#define DETOPS_PYTHON_SRC_COMMON_ROIAWARE_POOL3D_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "common/call.h"
#include "common/view.h"

namespace detops_binding {

enum class Pool { kMaximum = 0, kAverage = 1 };

// "max" or "avg".
Pool PoolOf(std::string_view word, const char* function);

// Boxes (B, 7), points (P, 3), their features (P, C), and how boxes are cut into voxels.
struct RoiAwareScene {
  View rois;
  View pts;
  View pts_feature;
  std::array<int, 3> out_size = {};
  int64_t max_pts_each_voxel = 0;
  Pool pool = Pool::kMaximum;
  detopsZOrigin_t z_origin = DETOPS_Z_BOTTOM;
  double xy_margin = 0;

  bool is_empty() const { return rois.extent(0) == 0 || pts.extent(0) == 0; }
};

// "bottom" or "center".
detopsZOrigin_t ZOriginOf(std::string_view word, const char* function);

// Results: 0 pooled_features (B, X, Y, Z, C); 1 argmax, of the same shape, for the maximum or if the caller has passed
// memory for it; 2 pts_idx_of_voxels (B, X, Y, Z, max_pts_each_voxel).
void RoiAwarePool3dForward(Binding& binding, const RoiAwareScene& scene);

// Result 0: (pts_num, C). The maximum needs argmax, the average pts_idx_of_voxels; the other may be left out.
void RoiAwarePool3dBackward(Binding& binding, Pool pool, const View& gradient, const View& argmax,
                            const View& pts_idx_of_voxels, int64_t pts_num);

// How much of the room was used.
struct CompactSize {
  int64_t voxels = 0;
  int64_t points = 0;
};

// Results: 0 voxels (V, 4), 1 voxel_begins (V + 1), 2 pts_idx (E), 3 pooled_features (V, C), 4 argmax (V, C) for the
// maximum or if the caller has passed memory for it. If `has_room` the caller has passed memory for V and E of his
// choice; otherwise they are counted first.
CompactSize RoiAwarePool3dCompactForward(Binding& binding, const RoiAwareScene& scene, bool has_room);

// Result 0: (pts_num, C). The maximum needs argmax, the average voxel_begins and pts_idx; the others may be left out.
void RoiAwarePool3dCompactBackward(Binding& binding, Pool pool, const View& gradient, const View& voxel_begins,
                                   const View& pts_idx, const View& argmax, int64_t pts_num);

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_ROIAWARE_POOL3D_H_
