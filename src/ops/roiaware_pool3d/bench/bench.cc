// All passes on the design document's shape and others: detops_bench --benchmark_filter=roiaware
#include <string>
#include <vector>

#include "bench/report.h"
#include "bench/tensors.h"
#include "detops.h"
#include "ops/roiaware_pool3d/bench/cases.h"
#include "support/element.h"

namespace {

using detops_bench::Buffer;
using detops_bench::Descriptor;
using detops_bench::Require;
using detops_cases::RoiAwareCase;

enum class Pass { kForward, kBackward, kCompactForward, kCompactBackward };
constexpr const char* kPassNames[] = {"forward", "backward", "compact_forward", "compact_backward"};

struct Options {
  Pass pass = Pass::kForward;
  bool max = true;
  mluOpDataType_t type = MLUOP_DTYPE_FLOAT;
  int threads = 2;
  bool value_checks = true;
};

std::vector<float> Features(int64_t count) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = uniform(random);
  return values;
}

// One scene with its tensors.
struct Scene {
  Scene(const RoiAwareCase& shape, mluOpDataType_t type)
      : made(detops_cases::MakeScene(shape, 1)),
        rois_desc(MLUOP_LAYOUT_ARRAY, type, {shape.boxes, 7}),
        pts_desc(MLUOP_LAYOUT_ARRAY, type, {shape.points, 3}),
        feature_desc(MLUOP_LAYOUT_ARRAY, type, {shape.points, shape.channels}),
        rois(type, made.rois),
        pts(type, made.pts),
        feature(type, Features(int64_t{shape.points} * shape.channels)) {}
  detops_cases::RoiAwareScene made;
  Descriptor rois_desc, pts_desc, feature_desc;
  Buffer rois, pts, feature;
};

void RunDense(benchmark::State& state, const RoiAwareCase& shape, const Options& options, mluOpHandle_t handle) {
  const Scene scene(shape, options.type);
  const int s = shape.side;
  const Descriptor lists_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {shape.boxes, s, s, s, shape.max_pts});
  const Descriptor argmax_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {shape.boxes, s, s, s, shape.channels});
  const Descriptor pooled_desc(MLUOP_LAYOUT_ARRAY, options.type, {shape.boxes, s, s, s, shape.channels});
  const Buffer lists(MLUOP_DTYPE_FLOAT, shape.voxels() * shape.max_pts), argmax(MLUOP_DTYPE_FLOAT, shape.pooled());
  const Buffer pooled(options.type, shape.pooled());
  const int method = options.max ? 0 : 1;
  const auto forward = [&] {
    Require(mluOpRoiAwarePool3dForward(handle, method, shape.boxes, shape.points, shape.channels, scene.rois_desc.desc,
                                       scene.rois.data, scene.pts_desc.desc, scene.pts.data, scene.feature_desc.desc,
                                       scene.feature.data, nullptr, 0, shape.max_pts, s, s, s, argmax_desc.desc,
                                       argmax.data, lists_desc.desc, lists.data, pooled_desc.desc, pooled.data),
            handle);
  };
  const size_t size = detops_test::ElementSize(options.type);
  if (options.pass == Pass::kForward) {
    detops_bench::Report(state, options.threads, detops_cases::ForwardWork(shape, size), forward);
    return;
  }
  forward();
  detops_bench::Report(state, options.threads, detops_cases::BackwardWork(shape, size, options.max), [&] {
    Require(mluOpRoiAwarePool3dBackward(handle, method, shape.boxes, s, s, s, shape.channels, shape.max_pts,
                                        lists_desc.desc, lists.data, argmax_desc.desc, argmax.data, pooled_desc.desc,
                                        pooled.data, scene.feature_desc.desc, scene.feature.data),
            handle);
  });
}

void RunCompact(benchmark::State& state, const RoiAwareCase& shape, const Options& options, mluOpHandle_t handle) {
  const Scene scene(shape, options.type);
  const int s = shape.side;
  int64_t voxels = 0, points = 0;
  Require(detopsCountRoiAwareVoxels(handle, DETOPS_Z_BOTTOM, 0, shape.max_pts, s, s, s, scene.rois_desc.desc,
                                    scene.rois.data, scene.pts_desc.desc, scene.pts.data, &voxels, &points),
          handle);
  const auto rows = static_cast<int>(voxels), places = static_cast<int>(points);
  const Descriptor voxels_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {rows, 4});
  const Descriptor begins_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {rows + 1});
  const Descriptor ids_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {places});
  const Descriptor argmax_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {rows, shape.channels});
  const Descriptor pooled_desc(MLUOP_LAYOUT_ARRAY, options.type, {rows, shape.channels});
  const Buffer sites(MLUOP_DTYPE_FLOAT, voxels * 4), begins(MLUOP_DTYPE_FLOAT, voxels + 1);
  const Buffer ids(MLUOP_DTYPE_FLOAT, points), argmax(MLUOP_DTYPE_FLOAT, voxels * shape.channels);
  const Buffer pooled(options.type, voxels * shape.channels);
  const int method = options.max ? 0 : 1;
  const auto forward = [&] {
    Require(detopsRoiAwarePool3dCompactForward(
                handle, method, DETOPS_Z_BOTTOM, 0, shape.max_pts, s, s, s, scene.rois_desc.desc, scene.rois.data,
                scene.pts_desc.desc, scene.pts.data, scene.feature_desc.desc, scene.feature.data, voxels_desc.desc,
                sites.data, begins_desc.desc, begins.data, ids_desc.desc, ids.data, argmax_desc.desc, argmax.data,
                pooled_desc.desc, pooled.data, &voxels, &points),
            handle);
  };
  // The same bound as dense would be unfair: here it is what the compact tensors hold.
  const auto size = static_cast<double>(detops_test::ElementSize(options.type));
  const double rows_bytes =
      static_cast<double>(voxels) * (20 + shape.channels * (size + 4)) + 4.0 * static_cast<double>(points);
  const double inputs = size * (7.0 * shape.boxes + (3.0 + shape.channels) * shape.points);
  if (options.pass == Pass::kCompactForward) {
    detops_bench::Report(state, options.threads, {rows_bytes + inputs, 0, false}, forward);
    return;
  }
  forward();
  detops_bench::Report(state, options.threads, {rows_bytes + inputs, 0, false}, [&] {
    Require(detopsRoiAwarePool3dCompactBackward(handle, method, voxels, begins_desc.desc, begins.data, ids_desc.desc,
                                                ids.data, argmax_desc.desc, argmax.data, pooled_desc.desc, pooled.data,
                                                scene.feature_desc.desc, scene.feature.data),
            handle);
  });
}

void Register(const RoiAwareCase& shape, const Options& options) {
  const std::string name = std::string("roiaware_pool3d/") + kPassNames[static_cast<int>(options.pass)] +
                           (options.max ? "_max/" : "_average/") + shape.name + "/" +
                           detops_test::ElementName(options.type) + "/threads:" + std::to_string(options.threads) +
                           (options.value_checks ? "" : "/unchecked");
  detops_bench::Register(name, [=](benchmark::State& state) {
    const mluOpHandle_t handle = detops_bench::MakeHandle(options.threads, options.value_checks);
    if (options.pass == Pass::kForward || options.pass == Pass::kBackward) {
      RunDense(state, shape, options, handle);
    } else {
      RunCompact(state, shape, options, handle);
    }
    mluOpDestroy(handle);
  });
}

const bool registered = [] {
  for (const RoiAwareCase& shape : detops_cases::kRoiAwareCases) {
    for (const Pass pass : {Pass::kForward, Pass::kBackward, Pass::kCompactForward, Pass::kCompactBackward}) {
      for (const bool max : {true, false}) {
        Register(shape, {.pass = pass, .max = max});
        Register(shape, {.pass = pass, .max = max, .type = MLUOP_DTYPE_HALF});
        Register(shape, {.pass = pass, .max = max, .threads = 1});
      }
      Register(shape, {.pass = pass, .type = MLUOP_DTYPE_BFLOAT16});
      Register(shape, {.pass = pass, .type = MLUOP_DTYPE_DOUBLE});
      Register(shape, {.pass = pass, .value_checks = false});
    }
  }
  for (const RoiAwareCase& shape : detops_cases::kCrowdedRoiAwareCases) {
    for (const Pass pass : {Pass::kForward, Pass::kBackward, Pass::kCompactForward, Pass::kCompactBackward}) {
      Register(shape, {.pass = pass});
      Register(shape, {.pass = pass, .threads = 1});
    }
  }
  return true;
}();

}  // namespace
