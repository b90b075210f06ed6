// Forward and backward on the design document's shapes and a larger one: detops_bench --benchmark_filter=psroipool
#include <string>
#include <vector>

#include "bench/report.h"
#include "bench/tensors.h"
#include "detops.h"
#include "ops/psroipool/bench/cases.h"
#include "support/element.h"

namespace {

using detops_bench::Buffer;
using detops_bench::Descriptor;
using detops_bench::Require;
using detops_cases::PsRoiPoolCase;

struct Options {
  mluOpDataType_t type = MLUOP_DTYPE_FLOAT;
  bool backward = false;
  int threads = 2;
  bool value_checks = true;
  bool torchvision = false;  // its convention and layout
};

void Run(benchmark::State& state, const PsRoiPoolCase& shape, const Options& options) {
  const mluOpHandle_t handle = detops_bench::MakeHandle(options.threads, options.value_checks);
  const mluOpTensorLayout_t layout = options.torchvision ? MLUOP_LAYOUT_NCHW : MLUOP_LAYOUT_NHWC;
  const std::vector<int> map_shape = options.torchvision
                                         ? std::vector<int>{shape.batch, shape.channels(), shape.height, shape.width}
                                         : std::vector<int>{shape.batch, shape.height, shape.width, shape.channels()};
  const std::vector<int> pooled_shape =
      options.torchvision ? std::vector<int>{shape.rois, shape.output_dim, shape.pooled, shape.pooled}
                          : std::vector<int>{shape.rois, shape.pooled, shape.pooled, shape.output_dim};
  {
    const Descriptor map_desc(layout, options.type, map_shape), pooled_desc(layout, options.type, pooled_shape);
    const Descriptor rois_desc(MLUOP_LAYOUT_ARRAY, options.type, {shape.rois, 5});
    const Descriptor mapping_desc(layout, MLUOP_DTYPE_INT32, pooled_shape);
    const Buffer map(options.type, detops_cases::MakeUniform(shape.map_elements(), 1));
    const Buffer rois(options.type, detops_cases::MakeRois(shape, 2));
    const Buffer pooled(options.type, detops_cases::MakeUniform(shape.pooled_elements(), 3));
    const Buffer mapping(MLUOP_DTYPE_FLOAT, shape.pooled_elements());
    const auto forward = [&] {
      if (options.torchvision) {
        return detopsPsRoiPoolForward(handle, DETOPS_PSROIPOOL_TORCHVISION, shape.pooled, shape.pooled,
                                      static_cast<double>(shape.spatial_scale), shape.output_dim, map_desc.desc,
                                      map.data, rois_desc.desc, rois.data, pooled_desc.desc, pooled.data,
                                      mapping_desc.desc, mapping.data);
      }
      return mluOpPsRoiPoolForward(handle, shape.pooled, shape.pooled, shape.spatial_scale, shape.pooled,
                                   shape.output_dim, map_desc.desc, map.data, rois_desc.desc, rois.data,
                                   pooled_desc.desc, pooled.data, mapping_desc.desc, mapping.data);
    };
    const auto backward = [&] {
      if (options.torchvision) {
        return detopsPsRoiPoolBackward(handle, DETOPS_PSROIPOOL_TORCHVISION, shape.pooled, shape.pooled,
                                       static_cast<double>(shape.spatial_scale), shape.output_dim, pooled_desc.desc,
                                       pooled.data, rois_desc.desc, rois.data, mapping_desc.desc, mapping.data,
                                       map_desc.desc, map.data);
      }
      return mluOpPsRoiPoolBackward(handle, shape.pooled, shape.pooled, shape.spatial_scale, shape.output_dim,
                                    pooled_desc.desc, pooled.data, rois_desc.desc, rois.data, mapping_desc.desc,
                                    mapping.data, map_desc.desc, map.data);
    };
    Require(forward(), handle);  // makes mapping_channel
    detops_bench::Report(state, options.threads, detops_cases::WorkOf(shape, detops_test::ElementSize(options.type)),
                         [&] { Require(options.backward ? backward() : forward(), handle); });
  }
  mluOpDestroy(handle);
}

void Register(const PsRoiPoolCase& shape, const Options& options) {
  const std::string name = std::string("psroipool/") + (options.backward ? "backward/" : "forward/") + shape.name +
                           "/" + detops_test::ElementName(options.type) +
                           (options.torchvision ? "/torchvision_nchw" : "") +
                           "/threads:" + std::to_string(options.threads) + (options.value_checks ? "" : "/unchecked");
  detops_bench::Register(name, [=](benchmark::State& state) { Run(state, shape, options); });
}

const bool registered = [] {
  for (const PsRoiPoolCase& shape : detops_cases::kPsRoiPoolCases) {
    for (const bool backward : {false, true}) {
      for (const mluOpDataType_t type :
           {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16, MLUOP_DTYPE_DOUBLE}) {
        Register(shape, {.type = type, .backward = backward});
      }
      Register(shape, {.backward = backward, .threads = 1});
      Register(shape, {.backward = backward, .value_checks = false});
      Register(shape, {.backward = backward, .torchvision = true});
    }
  }
  return true;
}();

}  // namespace
