// What the tests of roiaware_pool3d share: the tensors of a call in the dense and in the compact form, the calls, and
// the comparison with the reference.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_TEST_PROBLEM_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_TEST_PROBLEM_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "detops.h"
#include "ops/roiaware_pool3d/reference/reference.h"
#include "properties/expect.h"
#include "support/configurations.h"
#include "support/tensor.h"
#include "support/tolerance.h"

namespace detops_test::inline roiaware_pool3d {  // one program may use several rooms

inline constexpr int kMax = 0, kAverage = 1;
inline constexpr int kMethods[] = {kMax, kAverage};
inline constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16,
                                             MLUOP_DTYPE_DOUBLE};

inline detopsProfile_t ProfileFor(mluOpDataType_t type) {
  return type == MLUOP_DTYPE_FLOAT || type == MLUOP_DTYPE_HALF ? DETOPS_PROFILE_CONTRACT : DETOPS_PROFILE_FULL;
}

inline std::string TypeName(const testing::TestParamInfo<mluOpDataType_t>& info) { return ElementName(info.param); }

// The neighbours of a value other than 0 in the type.
inline double StepFromZero(mluOpDataType_t type, double value, int steps) {
  uint64_t bits = 0;
  WriteElement(type, &bits, 0, value);
  bits += static_cast<uint64_t>(int64_t{steps});
  return ReadElement(type, &bits, 0);
}
inline double NextAwayFromZero(mluOpDataType_t type, double value) { return StepFromZero(type, value, 1); }
inline double NextTowardsZero(mluOpDataType_t type, double value) { return StepFromZero(type, value, -1); }

struct Sizes {
  int64_t boxes = 1, points = 1, channels = 1;
  int64_t out_x = 1, out_y = 1, out_z = 1;
  int64_t max_pts = 128;

  int64_t voxels() const { return boxes * out_x * out_y * out_z; }
};

struct Switches {
  detopsZOrigin_t z_origin = DETOPS_Z_BOTTOM;
  double xy_margin = 0;
};

struct Box {
  double cx = 0, cy = 0, cz = 0, dx = 1, dy = 1, dz = 1, rz = 0;
};

struct Point {
  double x = 0, y = 0, z = 0;
};

// The tensors of a mluOpRoiAwarePool3dForward call that are written.
struct Dense {
  Dense(mluOpDataType_t type, const Sizes& n, Placement placement = Placement::kAgainstEnd, size_t offset = 0)
      : argmax(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {n.boxes, n.out_x, n.out_y, n.out_z, n.channels}, placement,
               offset),
        pts_idx(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {n.boxes, n.out_x, n.out_y, n.out_z, n.max_pts}, placement,
                offset),
        pooled(MLUOP_LAYOUT_ARRAY, type, {n.boxes, n.out_x, n.out_y, n.out_z, n.channels}, placement, offset) {}

  void FillCanary() {
    argmax.FillCanary();
    pts_idx.FillCanary();
    pooled.FillCanary();
  }
  bool CanaryIntact() const { return argmax.CanaryIntact() && pts_idx.CanaryIntact() && pooled.CanaryIntact(); }
  bool SurroundingsIntact() const {
    return argmax.SurroundingsIntact() && pts_idx.SurroundingsIntact() && pooled.SurroundingsIntact();
  }
  bool SameBytes(const Dense& other) const {
    return argmax.SameBytes(other.argmax) && pts_idx.SameBytes(other.pts_idx) && pooled.SameBytes(other.pooled);
  }

  Tensor argmax, pts_idx, pooled;
};

// Those of a detopsRoiAwarePool3dCompactForward call, with room for so many voxels and points.
struct Compact {
  Compact(mluOpDataType_t type, int64_t channels, int64_t voxel_room, int64_t point_room,
          Placement placement = Placement::kAgainstEnd, size_t offset = 0)
      : voxels(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {voxel_room, 4}, placement, offset),
        begins(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {voxel_room + 1}, placement, offset),
        pts_idx(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {point_room}, placement, offset),
        argmax(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {voxel_room, channels}, placement, offset),
        pooled(MLUOP_LAYOUT_ARRAY, type, {voxel_room, channels}, placement, offset) {}

  std::array<const Tensor*, 5> tensors() const { return {&voxels, &begins, &pts_idx, &argmax, &pooled}; }
  bool CanaryIntact() const {
    const auto all = tensors();
    return std::all_of(all.begin(), all.end(), [](const Tensor* tensor) { return tensor->CanaryIntact(); });
  }
  bool SurroundingsIntact() const {
    const auto all = tensors();
    return std::all_of(all.begin(), all.end(), [](const Tensor* tensor) { return tensor->SurroundingsIntact(); });
  }
  bool SameBytes(const Compact& other) const {
    for (size_t i = 0; i < tensors().size(); ++i) {
      if (!tensors()[i]->SameBytes(*other.tensors()[i])) return false;
    }
    return voxel_num == other.voxel_num && point_num == other.point_num;
  }

  Tensor voxels, begins, pts_idx, argmax, pooled;
  int64_t voxel_num = -7, point_num = -7;
};

// The inputs of a call.
class Problem {
 public:
  Problem(mluOpDataType_t type, const Sizes& problem_sizes, Placement placement = Placement::kAgainstEnd,
          size_t offset = 0)
      : sizes(problem_sizes),
        rois(MLUOP_LAYOUT_ARRAY, type, {sizes.boxes, 7}, placement, offset),
        pts(MLUOP_LAYOUT_ARRAY, type, {sizes.points, 3}, placement, offset),
        features(MLUOP_LAYOUT_ARRAY, type, {sizes.points, sizes.channels}, placement, offset),
        placement_(placement),
        offset_(offset) {
    rois.Fill(0);
    pts.Fill(0);
    features.FillUniform(-1, 1, 1);
  }

  mluOpDataType_t type() const { return rois.type(); }

  void SetBox(int64_t index, const Box& box) {
    const double numbers[] = {box.cx, box.cy, box.cz, box.dx, box.dy, box.dz, box.rz};
    for (int64_t i = 0; i < 7; ++i) rois.Set(index * 7 + i, numbers[i]);
  }
  void SetPoint(int64_t index, const Point& point) {
    const double numbers[] = {point.x, point.y, point.z};
    for (int64_t i = 0; i < 3; ++i) pts.Set(index * 3 + i, numbers[i]);
  }

  Dense NewDense() const { return Dense(type(), sizes, placement_, offset_); }
  Compact NewCompact(int64_t voxel_room, int64_t point_room) const {
    return Compact(type(), sizes.channels, voxel_room, point_room, placement_, offset_);
  }
  Tensor NewGradient() const { return Tensor(MLUOP_LAYOUT_ARRAY, type(), features.extents(), placement_, offset_); }

  mluOpStatus_t Run(const Handle& handle, int method, Dense& dense) const {
    return mluOpRoiAwarePool3dForward(
        handle.get(), method, Int(sizes.boxes), Int(sizes.points), Int(sizes.channels), rois.desc(), rois.data(),
        pts.desc(), pts.data(), features.desc(), features.data(), nullptr, 0, Int(sizes.max_pts), Int(sizes.out_x),
        Int(sizes.out_y), Int(sizes.out_z), dense.argmax.desc(), dense.argmax.data(), dense.pts_idx.desc(),
        dense.pts_idx.data(), dense.pooled.desc(), dense.pooled.data());
  }

  mluOpStatus_t Run(const Handle& handle, int method, const Switches& switches, Dense& dense) const {
    return detopsRoiAwarePool3dForward(handle.get(), method, switches.z_origin, switches.xy_margin, rois.desc(),
                                       rois.data(), pts.desc(), pts.data(), features.desc(), features.data(),
                                       dense.argmax.desc(), dense.argmax.data(), dense.pts_idx.desc(),
                                       dense.pts_idx.data(), dense.pooled.desc(), dense.pooled.data());
  }

  mluOpStatus_t Count(const Handle& handle, const Switches& switches, int64_t* voxel_num, int64_t* point_num) const {
    return detopsCountRoiAwareVoxels(handle.get(), switches.z_origin, switches.xy_margin, Int(sizes.max_pts),
                                     Int(sizes.out_x), Int(sizes.out_y), Int(sizes.out_z), rois.desc(), rois.data(),
                                     pts.desc(), pts.data(), voxel_num, point_num);
  }

  mluOpStatus_t Run(const Handle& handle, int method, const Switches& switches, Compact& compact) const {
    return detopsRoiAwarePool3dCompactForward(
        handle.get(), method, switches.z_origin, switches.xy_margin, Int(sizes.max_pts), Int(sizes.out_x),
        Int(sizes.out_y), Int(sizes.out_z), rois.desc(), rois.data(), pts.desc(), pts.data(), features.desc(),
        features.data(), compact.voxels.desc(), compact.voxels.data(), compact.begins.desc(), compact.begins.data(),
        compact.pts_idx.desc(), compact.pts_idx.data(), compact.argmax.desc(), compact.argmax.data(),
        compact.pooled.desc(), compact.pooled.data(), &compact.voxel_num, &compact.point_num);
  }

  std::vector<detops_reference::RoiAwareVoxel> ExpectedVoxels(const Switches& switches = {}) const {
    const detops_reference::RoiAwareGrid grid = {
        sizes.out_x, sizes.out_y, sizes.out_z, sizes.max_pts, switches.z_origin == DETOPS_Z_CENTER, switches.xy_margin};
    return detops_reference::RoiAwareVoxels(type(), grid, sizes.boxes, rois.data(), sizes.points, pts.data());
  }

  static int Int(int64_t value) { return static_cast<int>(value); }

  Sizes sizes;
  Tensor rois, pts, features;

 private:
  Placement placement_;
  size_t offset_;
};

// Boxes and points of a scene of the catalogue.
inline constexpr const char* kScenes[] = {"scattered", "faces",    "far",        "clustered",
                                          "one_voxel", "outliers", "degenerate", "special"};
inline void FillScene(Problem& problem, const std::string& scene, uint64_t seed) {
  const Sizes& n = problem.sizes;
  const auto text = [](int64_t number) { return std::to_string(number); };
  const detops_harness::Call call =
      CallOf("mluOpRoiAwarePool3dForward",
             "boxes=" + text(n.boxes) + ",points=" + text(n.points) + ",channels=1,max_pts=1,scene=" + scene +
                 ",out=" + text(n.out_x) + "x" + text(n.out_y) + "x" + text(n.out_z),
             problem.type(), seed);
  problem.rois.Assign(call["rois"].Values());
  problem.pts.Assign(call["pts"].Values());
}

// Gradients of a problem's results.
inline mluOpStatus_t RunBackward(const Handle& handle, int method, const Sizes& n, const Dense& forward,
                                 const Tensor& grad_out, Tensor& grad_in) {
  return mluOpRoiAwarePool3dBackward(
      handle.get(), method, Problem::Int(n.boxes), Problem::Int(n.out_x), Problem::Int(n.out_y), Problem::Int(n.out_z),
      Problem::Int(n.channels), Problem::Int(n.max_pts), forward.pts_idx.desc(), forward.pts_idx.data(),
      forward.argmax.desc(), forward.argmax.data(), grad_out.desc(), grad_out.data(), grad_in.desc(), grad_in.data());
}

inline mluOpStatus_t RunBackward(const Handle& handle, int method, const Compact& forward, const Tensor& grad_out,
                                 Tensor& grad_in) {
  return detopsRoiAwarePool3dCompactBackward(handle.get(), method, forward.voxel_num, forward.begins.desc(),
                                             forward.begins.data(), forward.pts_idx.desc(), forward.pts_idx.data(),
                                             forward.argmax.desc(), forward.argmax.data(), grad_out.desc(),
                                             grad_out.data(), grad_in.desc(), grad_in.data());
}

}  // namespace detops_test::inline roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_TEST_PROBLEM_H_
