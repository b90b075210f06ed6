#include <cstdint>
#include <string>
#include <vector>

#include "demo.h"
#include "ops/roiaware_pool3d/roiaware_pool3d_cases.h"
#include "ops/roiaware_pool3d/roiaware_pool3d_reference.h"
#include "support/diff.h"
#include "support/status.h"
#include "support/tensor.h"
#include "support/tolerance.h"

namespace detops_demo {
namespace {

using detops_cases::RoiAwareCase;
using detops_test::Must;
using detops_test::Tensor;

void Assign(Tensor& tensor, const std::vector<float>& values) {
  for (size_t i = 0; i < values.size(); ++i) tensor.Set(static_cast<int64_t>(i), static_cast<double>(values[i]));
}

struct Problem {
  Problem(const RoiAwareCase& the_shape, mluOpDataType_t type)
      : shape(the_shape),
        rois(MLUOP_LAYOUT_ARRAY, type, {shape.boxes, 7}),
        pts(MLUOP_LAYOUT_ARRAY, type, {shape.points, 3}),
        feature(MLUOP_LAYOUT_ARRAY, type, {shape.points, shape.channels}),
        lists(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {shape.boxes, shape.side, shape.side, shape.side, shape.max_pts}),
        argmax(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32,
               {shape.boxes, shape.side, shape.side, shape.side, shape.channels}),
        pooled(MLUOP_LAYOUT_ARRAY, type, {shape.boxes, shape.side, shape.side, shape.side, shape.channels}) {
    const detops_cases::RoiAwareScene scene = detops_cases::MakeScene(shape, 1);
    Assign(rois, scene.rois);
    Assign(pts, scene.pts);
    feature.FillUniform(-1, 1, 3);
  }
  const RoiAwareCase& shape;
  Tensor rois, pts, feature, lists, argmax, pooled;
};

// The reference's rows, spread over the dense tensor.
std::vector<double> Dense(const RoiAwareCase& shape, const std::vector<detops_reference::RoiAwareVoxel>& voxels,
                          const std::vector<double>& rows) {
  std::vector<double> dense(static_cast<size_t>(shape.pooled()));
  for (size_t v = 0; v < voxels.size(); ++v) {
    const detops_reference::RoiAwareVoxel& voxel = voxels[v];
    const int64_t place = ((voxel.box * shape.side + voxel.x) * shape.side + voxel.y) * shape.side + voxel.z;
    for (int64_t c = 0; c < shape.channels; ++c) {
      dense[static_cast<size_t>(place * shape.channels + c)] =
          rows[v * static_cast<size_t>(shape.channels) + static_cast<size_t>(c)];
    }
  }
  return dense;
}

std::string ShapeText(const RoiAwareCase& shape) {
  return std::to_string(shape.boxes) + " boxes, " + std::to_string(shape.points) + " pts";
}

template <class Call>
bool Report(const char* operation, int threads, const Problem& p, const detops_bench::Work& work, const Tensor& result,
            const std::vector<double>& expected, const Call& call) {
  const detops_bench::Timing timing = detops_bench::TimeCall(threads, work, call, 0.3);
  const std::vector<double> evaluated = result.Values();
  return Print({.operation = operation,
                .shape = ShapeText(p.shape),
                .type = detops_test::ElementName(result.type()),
                .diff1 = detops_test::Diff1(evaluated, expected),
                .diff2 = detops_test::Diff2(evaluated, expected),
                .limit = detops_test::ToleranceFor(result.type()).diff1,
                .timing = timing});
}

bool RunCase(mluOpHandle_t handle, int threads, Problem&& p, int method) {
  const RoiAwareCase& shape = p.shape;
  const int side = shape.side;
  const mluOpDataType_t type = p.pooled.type();
  const size_t size = detops_test::ElementSize(type);
  const auto voxels = detops_reference::RoiAwareVoxels(type, {side, side, side, shape.max_pts}, shape.boxes,
                                                       p.rois.data(), shape.points, p.pts.data());
  const auto expected = detops_reference::RoiAwarePool(type, method, voxels, shape.channels, p.feature.data());
  const std::string suffix = method == 0 ? "_max" : "_average";
  bool good = Report(
      ("roiaware_pool3d_forward" + suffix).c_str(), threads, p, detops_cases::ForwardWork(shape, size), p.pooled,
      Dense(shape, voxels, expected.features), [&] {
        Must(mluOpRoiAwarePool3dForward(handle, method, shape.boxes, shape.points, shape.channels, p.rois.desc(),
                                        p.rois.data(), p.pts.desc(), p.pts.data(), p.feature.desc(), p.feature.data(),
                                        nullptr, 0, shape.max_pts, side, side, side, p.argmax.desc(), p.argmax.data(),
                                        p.lists.desc(), p.lists.data(), p.pooled.desc(), p.pooled.data()),
             "mluOpRoiAwarePool3dForward");
      });
  std::vector<std::vector<int64_t>> lists(static_cast<size_t>(shape.voxels()));
  for (const detops_reference::RoiAwareVoxel& voxel : voxels) {
    lists[static_cast<size_t>(((voxel.box * side + voxel.x) * side + voxel.y) * side + voxel.z)] = voxel.points;
  }
  const std::vector<double> gradient =
      method == 0
          ? detops_reference::RoiAwareMaxBackward(type, shape.voxels(), shape.channels,
                                                  static_cast<const int32_t*>(p.argmax.data()), p.pooled.data(),
                                                  shape.points)
          : detops_reference::RoiAwareAverageBackward(type, lists, shape.channels, p.pooled.data(), shape.points);
  return Report(("roiaware_pool3d_backward" + suffix).c_str(), threads, p,
                detops_cases::BackwardWork(shape, size, method == 0), p.feature, gradient,
                [&] {
                  Must(mluOpRoiAwarePool3dBackward(handle, method, shape.boxes, side, side, side, shape.channels,
                                                   shape.max_pts, p.lists.desc(), p.lists.data(), p.argmax.desc(),
                                                   p.argmax.data(), p.pooled.desc(), p.pooled.data(), p.feature.desc(),
                                                   p.feature.data()),
                       "mluOpRoiAwarePool3dBackward");
                }) &&
         good;
}

}  // namespace

bool RunRoiAwarePool3d(mluOpHandle_t handle, int threads) {
  const RoiAwareCase& shape = detops_cases::kRoiAwareCases[0];
  bool good = true;
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}) {
    for (const int method : {0, 1}) good = RunCase(handle, threads, Problem(shape, type), method) && good;
  }
  return good;
}

}  // namespace detops_demo
