#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>

#include "common/operators.h"

namespace detops_binding {
namespace {

constexpr Schema kForward(
    "roiaware_pool3d_forward(Tensor rois, Tensor pts, Tensor pts_feature, int[] out_size, int max_pts_each_voxel=128, "
    "str pool='max', str z_origin='bottom', float xy_margin=0.0) -> "
    "(Tensor pooled_features, Tensor argmax, Tensor pts_idx_of_voxels)");
constexpr Schema kBackward(
    "roiaware_pool3d_backward(Tensor grad_out, Tensor? argmax, Tensor? pts_idx_of_voxels, SymInt pts_num, "
    "str pool='max') -> Tensor");
constexpr Schema kCompactForward(
    "roiaware_pool3d_compact_forward(Tensor rois, Tensor pts, Tensor pts_feature, int[] out_size, "
    "int max_pts_each_voxel=128, str pool='max', str z_origin='bottom', float xy_margin=0.0) -> "
    "(Tensor voxels, Tensor voxel_begins, Tensor pts_idx, Tensor pooled_features, Tensor argmax)");
constexpr Schema kCompactBackward(
    "roiaware_pool3d_compact_backward(Tensor grad_out, Tensor? voxel_begins, Tensor? pts_idx, Tensor? argmax, "
    "SymInt pts_num, str pool='max') -> Tensor");
constexpr int32_t kNoPoints = 0;

enum class Pool { kMaximum = 0, kAverage = 1 };

Pool ReadPool(Call& call, const Parameter& parameter) {
  return call.Choice<Pool>(parameter, {{"max", Pool::kMaximum}, {"avg", Pool::kAverage}});
}

// Boxes (B, 7), points (P, 3), their features (P, C), and how boxes are cut into voxels: the arguments of both forms of
// forward.
struct Scene {
  View rois;
  View pts;
  View pts_feature;
  std::array<int, 3> out_size;
  int max_pts_each_voxel;
  Pool pool;
  detopsZOrigin_t z_origin;
  double xy_margin;

  explicit Scene(Call& call)
      : rois(call.Numbers(kForward["rois"])),
        pts(call.Numbers(kForward["pts"], &rois)),
        pts_feature(call.Numbers(kForward["pts_feature"], &rois)),
        out_size(call.IntArray<3>(kForward["out_size"])),
        max_pts_each_voxel(call.Int32(kForward["max_pts_each_voxel"])),
        pool(ReadPool(call, kForward["pool"])),
        z_origin(call.Choice<detopsZOrigin_t>(kForward["z_origin"],
                                              {{"bottom", DETOPS_Z_BOTTOM}, {"center", DETOPS_Z_CENTER}})),
        xy_margin(call.Real(kForward["xy_margin"])) {
    RequireShapes(call);
  }

  bool is_empty() const { return rois.extent(0) == 0 || pts.extent(0) == 0; }

 private:
  // So much is needed to know the results of empty inputs; everything else is the library's to check.
  void RequireShapes(const Call& call) const {
    if (rois.rank != 2 || rois.extent(1) != 7) call.At(kForward["rois"]).RefuseShape(rois.shape(), "(B, 7)");
    if (pts.rank != 2 || pts.extent(1) != 3) call.At(kForward["pts"]).RefuseShape(pts.shape(), "(P, 3)");
    if (pts_feature.rank != 2 || pts_feature.extent(0) != pts.extent(0)) {
      call.At(kForward["pts_feature"])
          .RefuseShape(pts_feature.shape(), "(P, C) with P = " + std::to_string(pts.extent(0)) + " as in pts");
    }
    const std::array<int64_t, 3> size = {out_size[0], out_size[1], out_size[2]};
    if (size[0] < 1 || size[1] < 1 || size[2] < 1) {
      call.At(kForward["out_size"]).Refuse("is " + TextOf(size) + ", expected 1 or more voxels along each axis.");
    }
    if (max_pts_each_voxel < 1) {
      call.At(kForward["max_pts_each_voxel"])
          .Refuse("is " + std::to_string(max_pts_each_voxel) + ", expected 1 or more, a number that fits int32.");
    }
  }
};

int64_t ReadCount(Call& call, const Parameter& parameter) {
  const int64_t count = call.Int64(parameter);
  if (count < 0) call.At(parameter).Refuse("is " + std::to_string(count) + ", expected 0 or more.");
  return count;
}

// An argument that one kind of pooling needs, and the other leaves alone.
View ReadIfNeeded(Call& call, const Parameter& parameter, Pool pool, Pool needed_by) {
  if (pool != needed_by) return View();
  if (call.IsNone(parameter)) {
    const std::string word = pool == Pool::kMaximum ? "max" : "avg";
    call.At(parameter).RefuseType("is None, but pool='" + word + "' needs it.");
  }
  return call.Indices(parameter);
}

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

// The maximum has an argmax, and so has who passes memory for it.
void Forward(Call& call) {
  const Scene scene(call);
  const std::array<int, 3>& size = scene.out_size;
  const std::array<int64_t, 5> shape = {scene.rois.extent(0), size[0], size[1], size[2], scene.pts_feature.extent(1)};
  const std::array<int64_t, 5> lists = {shape[0], shape[1], shape[2], shape[3], scene.max_pts_each_voxel};
  const bool is_max = scene.pool == Pool::kMaximum;
  const View pooled = call.Output(0, scene.rois.type, shape);
  // The average has no argmax. Who passes memory for it gets zeros, as the contract says.
  const View argmax = is_max || call.IsGiven(1) ? call.Output(1, MLUOP_DTYPE_INT32, shape) : View();
  const View pts_idx = call.Output(2, MLUOP_DTYPE_INT32, lists);
  if (scene.is_empty()) {
    pooled.Fill(0);
    pts_idx.Fill(0);
    if (argmax.given) argmax.Fill(is_max ? 0xFF : 0);
    return;
  }
  call.Run([&](mluOpHandle_t handle) {
    return detopsRoiAwarePool3dForward(handle, static_cast<int>(scene.pool), scene.z_origin, scene.xy_margin,
                                       Descriptor(scene.rois), scene.rois.data, Descriptor(scene.pts), scene.pts.data,
                                       Descriptor(scene.pts_feature), scene.pts_feature.data, Descriptor(argmax),
                                       argmax.data, Descriptor(pts_idx), pts_idx.data, Descriptor(pooled), pooled.data);
  });
}

void Backward(Call& call) {
  const Pool pool = ReadPool(call, kBackward["pool"]);
  const bool is_max = pool == Pool::kMaximum;
  const Parameter parameter = is_max ? kBackward["argmax"] : kBackward["pts_idx_of_voxels"];
  const View gradient = call.Numbers(kBackward["grad_out"]);
  const View needed = ReadIfNeeded(call, parameter, pool, pool);
  if (gradient.rank != 5) call.At(kBackward["grad_out"]).RefuseShape(gradient.shape(), "(B, X, Y, Z, C)");
  if (needed.rank != 5) {
    call.At(parameter).RefuseShape(needed.shape(), is_max ? "(B, X, Y, Z, C)" : "(B, X, Y, Z, M)");
  }
  const int64_t pts_num = ReadCount(call, kBackward["pts_num"]);
  const View result = call.Output(0, gradient.type, {pts_num, gradient.extent(4)});
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
  call.Run([&](mluOpHandle_t handle) {
    return mluOpRoiAwarePool3dBackward(
        handle, static_cast<int>(pool), static_cast<int>(gradient.extent(0)), static_cast<int>(gradient.extent(1)),
        static_cast<int>(gradient.extent(2)), static_cast<int>(gradient.extent(3)),
        static_cast<int>(gradient.extent(4)), static_cast<int>(lists.extent(4)), Descriptor(lists), lists.data,
        Descriptor(winners), winners.data, Descriptor(gradient), gradient.data, Descriptor(result), result.data);
  });
}

// If the caller has passed memory, it is for as many voxels and points as he likes; otherwise they are counted first.
void CompactForward(Call& call) {
  const Scene scene(call);
  const std::array<int, 3>& size = scene.out_size;
  const int max_pts = scene.max_pts_each_voxel;
  const bool has_room = call.IsGiven(0) || call.IsGiven(1) || call.IsGiven(2) || call.IsGiven(3);
  const Descriptor rois_desc(scene.rois);
  const Descriptor pts_desc(scene.pts);
  int64_t voxels_num = 0;
  int64_t points_num = 0;
  if (!scene.is_empty() && !has_room) {
    call.Run([&](mluOpHandle_t handle) {
      return detopsCountRoiAwareVoxels(handle, scene.z_origin, scene.xy_margin, max_pts, size[0], size[1], size[2],
                                       rois_desc, scene.rois.data, pts_desc, scene.pts.data, &voxels_num, &points_num);
    });
  }
  const int64_t channels = scene.pts_feature.extent(1);
  const View voxels = call.OutputAtLeast(0, MLUOP_DTYPE_INT32, {voxels_num, 4});
  const View begins = call.OutputAtLeast(1, MLUOP_DTYPE_INT32, {voxels_num + 1});
  const View pts_idx = call.OutputAtLeast(2, MLUOP_DTYPE_INT32, {points_num});
  const View pooled = call.OutputAtLeast(3, scene.rois.type, {voxels_num, channels});
  const bool has_argmax = scene.pool == Pool::kMaximum || call.IsGiven(4);
  const View argmax = has_argmax ? call.OutputAtLeast(4, MLUOP_DTYPE_INT32, {voxels_num, channels}) : View();
  const auto keep_rows = [&] {
    for (const int result : {0, 3, 4}) call.KeepRows(result, voxels_num);
    call.KeepRows(1, voxels_num + 1);
    call.KeepRows(2, points_num);
  };
  if (scene.is_empty()) {
    if (begins.rank != 1 || begins.extent(0) < 1) {
      Argument{call.function(), "out[1]"}.Refuse("has no room for one number.");
    }
    *static_cast<int32_t*>(begins.data) = kNoPoints;
    keep_rows();
    return;
  }
  call.Run([&](mluOpHandle_t handle) {
    return detopsRoiAwarePool3dCompactForward(
        handle, static_cast<int>(scene.pool), scene.z_origin, scene.xy_margin, max_pts, size[0], size[1], size[2],
        rois_desc, scene.rois.data, pts_desc, scene.pts.data, Descriptor(scene.pts_feature), scene.pts_feature.data,
        Descriptor(voxels), voxels.data, Descriptor(begins), begins.data, Descriptor(pts_idx), pts_idx.data,
        Descriptor(argmax), argmax.data, Descriptor(pooled), pooled.data, &voxels_num, &points_num);
  });
  keep_rows();
}

void CompactBackward(Call& call) {
  const Pool pool = ReadPool(call, kCompactBackward["pool"]);
  const View gradient = call.Numbers(kCompactBackward["grad_out"]);
  const View voxel_begins = ReadIfNeeded(call, kCompactBackward["voxel_begins"], pool, Pool::kAverage);
  const View pts_idx = ReadIfNeeded(call, kCompactBackward["pts_idx"], pool, Pool::kAverage);
  const View argmax = ReadIfNeeded(call, kCompactBackward["argmax"], pool, Pool::kMaximum);
  const int64_t pts_num = ReadCount(call, kCompactBackward["pts_num"]);
  const View result = call.Output(0, gradient.type, {pts_num, gradient.extent(1)});
  if (gradient.rank == 2 && result.elements() == 0) return;
  call.Run([&](mluOpHandle_t handle) {
    return detopsRoiAwarePool3dCompactBackward(handle, static_cast<int>(pool), gradient.extent(0),
                                               Descriptor(voxel_begins), voxel_begins.data, Descriptor(pts_idx),
                                               pts_idx.data, Descriptor(argmax), argmax.data, Descriptor(gradient),
                                               gradient.data, Descriptor(result), result.data);
  });
}

}  // namespace

constinit const std::array<Operator, 4> kRoiAwarePool3d = {{
    {kForward, &Forward},
    {kBackward, &Backward},
    {kCompactForward, &CompactForward},
    {kCompactBackward, &CompactBackward},
}};

}  // namespace detops_binding
