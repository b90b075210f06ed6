// Forward and backward on the design document's shapes: detops_bench --benchmark_filter=rotated
#include <string>
#include <vector>

#include "bench/report.h"
#include "bench/tensors.h"
#include "detops.h"
#include "ops/rotated_feature_align/bench/cases.h"
#include "support/element.h"

namespace {

using detops_bench::Buffer;
using detops_bench::Descriptor;
using detops_bench::Require;
using detops_cases::Boxes;
using detops_cases::RotatedFeatureAlignCase;

void Run(benchmark::State& state, const RotatedFeatureAlignCase& shape, mluOpDataType_t type, Boxes kind, bool backward,
         int threads, bool value_checks) {
  const mluOpHandle_t handle = detops_bench::MakeHandle(threads, value_checks);
  {
    const Descriptor features_desc(MLUOP_LAYOUT_NHWC, type, {shape.batch, shape.height, shape.width, shape.channels});
    const Descriptor boxes_desc(MLUOP_LAYOUT_ARRAY, type, {shape.batch, shape.height, shape.width, 5});
    const Buffer source(type, detops_cases::MakeFeatures(shape, 1));
    const Buffer boxes(type, detops_cases::MakeBoxes(shape, kind, 2));
    const Buffer target(type, shape.elements());
    const auto align = backward ? mluOpRotatedFeatureAlignBackward : mluOpRotatedFeatureAlignForward;
    detops_bench::Report(state, threads, detops_cases::WorkOf(shape, detops_test::ElementSize(type)), [&] {
      Require(align(handle, features_desc.desc, source.data, boxes_desc.desc, boxes.data, shape.spatial_scale,
                    shape.points, features_desc.desc, target.data),
              handle);
    });
  }
  mluOpDestroy(handle);
}

void Register(const RotatedFeatureAlignCase& shape, mluOpDataType_t type, Boxes kind, bool backward, int threads,
              bool value_checks) {
  std::string name = std::string("rotated_feature_align/") + (backward ? "backward/" : "forward/") + shape.name + "/" +
                     detops_test::ElementName(type) + (kind == Boxes::kNear ? "/near" : "/anywhere") +
                     "/threads:" + std::to_string(threads) + (value_checks ? "" : "/unchecked");
  detops_bench::Register(
      name, [=](benchmark::State& state) { Run(state, shape, type, kind, backward, threads, value_checks); });
}

const bool registered = [] {
  for (const RotatedFeatureAlignCase& shape : detops_cases::kRotatedFeatureAlignCases) {
    for (const bool backward : {false, true}) {
      for (const mluOpDataType_t type :
           {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16, MLUOP_DTYPE_DOUBLE}) {
        Register(shape, type, Boxes::kNear, backward, 2, true);
      }
      Register(shape, MLUOP_DTYPE_FLOAT, Boxes::kNear, backward, 1, true);
      Register(shape, MLUOP_DTYPE_FLOAT, Boxes::kNear, backward, 2, false);
      Register(shape, MLUOP_DTYPE_FLOAT, Boxes::kAnywhere, backward, 2, true);
    }
  }
  return true;
}();

}  // namespace
