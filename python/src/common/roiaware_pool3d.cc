#include "common/roiaware_pool3d.h"

#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <tuple>

namespace detops_binding {
namespace {

constexpr char kForward[] = "roiaware_pool3d_forward";
constexpr char kBackward[] = "roiaware_pool3d_backward";
constexpr char kCompactForward[] = "roiaware_pool3d_compact_forward";
constexpr char kCompactBackward[] = "roiaware_pool3d_compact_backward";
constexpr int32_t kNoPoints = 0;

// So much is needed to know the results of empty inputs; everything else is the library's to check.
void RequireShapes(const RoiAwareScene& scene, const char* function) {
  const auto& [rois, pts, features] = std::tie(scene.rois, scene.pts, scene.pts_feature);
  if (rois.rank != 2 || rois.extent(1) != 7) Argument{function, "rois"}.RefuseShape(rois.shape(), "(B, 7)");
  if (pts.rank != 2 || pts.extent(1) != 3) Argument{function, "pts"}.RefuseShape(pts.shape(), "(P, 3)");
  if (features.rank != 2 || features.extent(0) != pts.extent(0)) {
    Argument{function, "pts_feature"}.RefuseShape(features.shape(),
                                                  "(P, C) with P = " + std::to_string(pts.extent(0)) + " as in pts");
  }
  const std::array<int, 3>& size = scene.out_size;
  if (size[0] < 1 || size[1] < 1 || size[2] < 1) {
    const std::array<int64_t, 3> found = {size[0], size[1], size[2]};
    Argument{function, "out_size"}.Refuse("is " + TextOf(found) + ", expected 1 or more voxels along each axis.");
  }
  const int64_t room = scene.max_pts_each_voxel;
  if (room < 1 || room > std::numeric_limits<int>::max()) {
    Argument{function, "max_pts_each_voxel"}.Refuse("is " + std::to_string(room) +
                                                    ", expected 1 or more, a number that fits int32.");
  }
}

void RequireCount(int64_t pts_num, const char* function) {
  if (pts_num >= 0) return;
  Argument{function, "pts_num"}.Refuse("is " + std::to_string(pts_num) + ", expected 0 or more.");
}

void RequireGiven(const View& view, Pool pool, const Argument& argument) {
  if (view.given) return;
  argument.RefuseType(std::string("is None, but pool='") + (pool == Pool::kMaximum ? "max" : "avg") + "' needs it.");
}

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

}  // namespace

Pool PoolOf(std::string_view word, const char* function) {
  return Choice<Pool>(word, {{"max", Pool::kMaximum}, {"avg", Pool::kAverage}}, {function, "pool"});
}

detopsZOrigin_t ZOriginOf(std::string_view word, const char* function) {
  return Choice<detopsZOrigin_t>(word, {{"bottom", DETOPS_Z_BOTTOM}, {"center", DETOPS_Z_CENTER}},
                                 {function, "z_origin"});
}

void RoiAwarePool3dForward(Binding& binding, const RoiAwareScene& scene) {
  RequireShapes(scene, kForward);
  const std::array<int, 3>& size = scene.out_size;
  const std::array<int64_t, 5> shape = {scene.rois.extent(0), size[0], size[1], size[2], scene.pts_feature.extent(1)};
  const std::array<int64_t, 5> lists = {shape[0], shape[1], shape[2], shape[3], scene.max_pts_each_voxel};
  const bool is_max = scene.pool == Pool::kMaximum;
  const View pooled = binding.Output(0, scene.rois.type, shape);
  // The average has no argmax. Who passes memory for it gets zeros, as the contract says.
  const View argmax = is_max || binding.IsGiven(1) ? binding.Output(1, MLUOP_DTYPE_INT32, shape) : View();
  const View pts_idx = binding.Output(2, MLUOP_DTYPE_INT32, lists);
  if (scene.is_empty()) {
    pooled.Fill(0);
    pts_idx.Fill(0);
    if (argmax.given) argmax.Fill(is_max ? 0xFF : 0);
    return;
  }
  const Descriptor rois_desc(scene.rois);
  const Descriptor pts_desc(scene.pts);
  const Descriptor feature_desc(scene.pts_feature);
  const Descriptor argmax_desc(argmax);
  const Descriptor pts_idx_desc(pts_idx);
  const Descriptor pooled_desc(pooled);
  binding.Run([&](mluOpHandle_t handle) {
    return detopsRoiAwarePool3dForward(handle, static_cast<int>(scene.pool), scene.z_origin, scene.xy_margin, rois_desc,
                                       scene.rois.data, pts_desc, scene.pts.data, feature_desc, scene.pts_feature.data,
                                       argmax_desc, argmax.data, pts_idx_desc, pts_idx.data, pooled_desc, pooled.data);
  });
}

void RoiAwarePool3dBackward(Binding& binding, Pool pool, const View& gradient, const View& argmax,
                            const View& pts_idx_of_voxels, int64_t pts_num) {
  const bool is_max = pool == Pool::kMaximum;
  const View& needed = is_max ? argmax : pts_idx_of_voxels;
  const Argument needed_argument = {kBackward, is_max ? "argmax" : "pts_idx_of_voxels"};
  RequireGiven(needed, pool, needed_argument);
  if (gradient.rank != 5) Argument{kBackward, "grad_out"}.RefuseShape(gradient.shape(), "(B, X, Y, Z, C)");
  if (needed.rank != 5) needed_argument.RefuseShape(needed.shape(), is_max ? "(B, X, Y, Z, C)" : "(B, X, Y, Z, M)");
  RequireCount(pts_num, kBackward);
  const std::array<int64_t, 2> shape = {pts_num, gradient.extent(4)};
  const View result = binding.Output(0, gradient.type, shape);
  if (gradient.extent(0) == 0 || pts_num == 0) {
    result.Fill(0);
    return;
  }
  // The contract asks for both tensors and reads one. The other is memory that nobody touches, which costs nothing.
  View other = {.given = true, .rank = 5, .type = MLUOP_DTYPE_INT32, .extents = gradient.extents};
  if (is_max) other.extents[4] = 1;
  const std::unique_ptr<void, FreeMemory> untouched(std::malloc(static_cast<size_t>(other.bytes()) + 1));
  if (untouched == nullptr) throw std::bad_alloc();
  other.data = untouched.get();
  const View& lists = is_max ? other : needed;
  const View& winners = is_max ? needed : other;
  const Descriptor gradient_desc(gradient);
  const Descriptor lists_desc(lists);
  const Descriptor winners_desc(winners);
  const Descriptor result_desc(result);
  binding.Run([&](mluOpHandle_t handle) {
    return mluOpRoiAwarePool3dBackward(handle, static_cast<int>(pool), static_cast<int>(gradient.extent(0)),
                                       static_cast<int>(gradient.extent(1)), static_cast<int>(gradient.extent(2)),
                                       static_cast<int>(gradient.extent(3)), static_cast<int>(gradient.extent(4)),
                                       static_cast<int>(lists.extent(4)), lists_desc, lists.data, winners_desc,
                                       winners.data, gradient_desc, gradient.data, result_desc, result.data);
  });
}

CompactSize RoiAwarePool3dCompactForward(Binding& binding, const RoiAwareScene& scene, bool has_room) {
  RequireShapes(scene, kCompactForward);
  const std::array<int, 3>& size = scene.out_size;
  const auto max_pts = static_cast<int>(scene.max_pts_each_voxel);
  const Descriptor rois_desc(scene.rois);
  const Descriptor pts_desc(scene.pts);
  CompactSize used;
  if (!scene.is_empty() && !has_room) {
    binding.Run([&](mluOpHandle_t handle) {
      return detopsCountRoiAwareVoxels(handle, scene.z_origin, scene.xy_margin, max_pts, size[0], size[1], size[2],
                                       rois_desc, scene.rois.data, pts_desc, scene.pts.data, &used.voxels,
                                       &used.points);
    });
  }
  const std::array<int64_t, 2> voxels_shape = {used.voxels, 4};
  const std::array<int64_t, 1> begins_shape = {used.voxels + 1};
  const std::array<int64_t, 1> pts_idx_shape = {used.points};
  const std::array<int64_t, 2> pooled_shape = {used.voxels, scene.pts_feature.extent(1)};
  const View voxels = binding.Room(0, MLUOP_DTYPE_INT32, voxels_shape);
  const View begins = binding.Room(1, MLUOP_DTYPE_INT32, begins_shape);
  const View pts_idx = binding.Room(2, MLUOP_DTYPE_INT32, pts_idx_shape);
  const View pooled = binding.Room(3, scene.rois.type, pooled_shape);
  const bool has_argmax = scene.pool == Pool::kMaximum || binding.IsGiven(4);
  const View argmax = has_argmax ? binding.Room(4, MLUOP_DTYPE_INT32, pooled_shape) : View();
  if (scene.is_empty()) {
    if (begins.rank != 1 || begins.extent(0) < 1) {
      Argument{kCompactForward, "out[1]"}.Refuse("has no room for one number.");
    }
    *static_cast<int32_t*>(begins.data) = kNoPoints;
    return used;
  }
  const Descriptor feature_desc(scene.pts_feature);
  const Descriptor voxels_desc(voxels);
  const Descriptor begins_desc(begins);
  const Descriptor pts_idx_desc(pts_idx);
  const Descriptor pooled_desc(pooled);
  const Descriptor argmax_desc(argmax);
  binding.Run([&](mluOpHandle_t handle) {
    return detopsRoiAwarePool3dCompactForward(
        handle, static_cast<int>(scene.pool), scene.z_origin, scene.xy_margin, max_pts, size[0], size[1], size[2],
        rois_desc, scene.rois.data, pts_desc, scene.pts.data, feature_desc, scene.pts_feature.data, voxels_desc,
        voxels.data, begins_desc, begins.data, pts_idx_desc, pts_idx.data, argmax_desc, argmax.data, pooled_desc,
        pooled.data, &used.voxels, &used.points);
  });
  return used;
}

void RoiAwarePool3dCompactBackward(Binding& binding, Pool pool, const View& gradient, const View& voxel_begins,
                                   const View& pts_idx, const View& argmax, int64_t pts_num) {
  const bool is_max = pool == Pool::kMaximum;
  if (is_max) {
    RequireGiven(argmax, pool, {kCompactBackward, "argmax"});
  } else {
    RequireGiven(voxel_begins, pool, {kCompactBackward, "voxel_begins"});
    RequireGiven(pts_idx, pool, {kCompactBackward, "pts_idx"});
  }
  RequireCount(pts_num, kCompactBackward);
  const std::array<int64_t, 2> shape = {pts_num, gradient.extent(1)};
  const View result = binding.Output(0, gradient.type, shape);
  if (gradient.rank == 2 && result.elements() == 0) return;
  const View none;
  const Descriptor gradient_desc(gradient);
  const Descriptor begins_desc(is_max ? none : voxel_begins);
  const Descriptor points_desc(is_max ? none : pts_idx);
  const Descriptor winners_desc(is_max ? argmax : none);
  const Descriptor result_desc(result);
  binding.Run([&](mluOpHandle_t handle) {
    return detopsRoiAwarePool3dCompactBackward(handle, static_cast<int>(pool), gradient.extent(0), begins_desc,
                                               voxel_begins.data, points_desc, pts_idx.data, winners_desc, argmax.data,
                                               gradient_desc, gradient.data, result_desc, result.data);
  });
}

}  // namespace detops_binding
