#include <cstdint>
#include <string>
#include <vector>

#include "demo.h"
#include "ops/psroipool/psroipool_cases.h"
#include "ops/psroipool/psroipool_reference.h"
#include "support/diff.h"
#include "support/status.h"
#include "support/tensor.h"
#include "support/tolerance.h"

namespace detops_demo {
namespace {

using detops_cases::PsRoiPoolCase;
using detops_test::Must;
using detops_test::Tensor;

constexpr int64_t kMostRois = 2000;  // the reference takes its time

struct Problem {
  Problem(const PsRoiPoolCase& the_shape, mluOpDataType_t type)
      : shape(the_shape),
        map(MLUOP_LAYOUT_NHWC, type, {shape.batch, shape.height, shape.width, shape.channels()}),
        rois(MLUOP_LAYOUT_ARRAY, type, {shape.rois, 5}),
        pooled(MLUOP_LAYOUT_NHWC, type, {shape.rois, shape.pooled, shape.pooled, shape.output_dim}),
        mapping(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, {shape.rois, shape.pooled, shape.pooled, shape.output_dim}) {
    map.FillUniform(-1, 1, 1);
    const std::vector<float> numbers = detops_cases::MakeRois(shape, 2);
    for (size_t i = 0; i < numbers.size(); ++i) rois.Set(static_cast<int64_t>(i), static_cast<double>(numbers[i]));
  }

  detops_reference::PsRoiPoolShape sizes() const {
    return {shape.batch, shape.height, shape.width, shape.rois, shape.pooled, shape.pooled, shape.output_dim};
  }

  const PsRoiPoolCase& shape;
  Tensor map, rois, pooled, mapping;
};

std::string ShapeText(const PsRoiPoolCase& shape) {
  return std::to_string(shape.height) + "x" + std::to_string(shape.width) + "x" + std::to_string(shape.channels()) +
         ", " + std::to_string(shape.rois) + " rois";
}

template <class Call>
bool Report(const char* operation, int threads, const Problem& p, const Tensor& result,
            const std::vector<double>& expected, const Call& call) {
  const mluOpDataType_t type = result.type();
  const detops_bench::Timing timing =
      detops_bench::TimeCall(threads, detops_cases::WorkOf(p.shape, detops_test::ElementSize(type)), call, 0.3);
  const std::vector<double> evaluated = result.Values();
  return Print({.operation = operation,
                .shape = ShapeText(p.shape),
                .type = detops_test::ElementName(type),
                .diff1 = detops_test::Diff1(evaluated, expected),
                .diff2 = detops_test::Diff2(evaluated, expected),
                .limit = detops_test::ToleranceFor(type).diff1,
                .timing = timing});
}

bool RunCase(mluOpHandle_t handle, int threads, Problem&& p) {
  const PsRoiPoolCase& shape = p.shape;
  const mluOpDataType_t type = p.map.type();
  const auto expected =
      detops_reference::PsRoiPoolForward(type, DETOPS_PSROIPOOL_RFCN, MLUOP_LAYOUT_NHWC, p.sizes(),
                                         static_cast<double>(shape.spatial_scale), p.map.data(), p.rois.data());
  bool good = Report("psroipool_forward", threads, p, p.pooled, expected.output, [&] {
    Must(mluOpPsRoiPoolForward(handle, shape.pooled, shape.pooled, shape.spatial_scale, shape.pooled, shape.output_dim,
                               p.map.desc(), p.map.data(), p.rois.desc(), p.rois.data(), p.pooled.desc(),
                               p.pooled.data(), p.mapping.desc(), p.mapping.data()),
         "mluOpPsRoiPoolForward");
  });
  const std::vector<double> gradient = detops_reference::PsRoiPoolBackward(
      type, DETOPS_PSROIPOOL_RFCN, MLUOP_LAYOUT_NHWC, p.sizes(), static_cast<double>(shape.spatial_scale),
      p.pooled.data(), p.rois.data(), p.mapping.data());
  return Report("psroipool_backward", threads, p, p.map, gradient,
                [&] {
                  Must(mluOpPsRoiPoolBackward(handle, shape.pooled, shape.pooled, shape.spatial_scale, shape.output_dim,
                                              p.pooled.desc(), p.pooled.data(), p.rois.desc(), p.rois.data(),
                                              p.mapping.desc(), p.mapping.data(), p.map.desc(), p.map.data()),
                       "mluOpPsRoiPoolBackward");
                }) &&
         good;
}

}  // namespace

bool RunPsRoiPool(mluOpHandle_t handle, int threads) {
  bool good = true;
  for (const PsRoiPoolCase& shape : detops_cases::kPsRoiPoolCases) {
    if (shape.rois > kMostRois) continue;
    for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}) {
      good = RunCase(handle, threads, Problem(shape, type)) && good;
    }
  }
  return good;
}

}  // namespace detops_demo
