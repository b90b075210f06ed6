#include <cstdint>
#include <string>
#include <vector>

#include "demo.h"
#include "ops/indice_convolution/indice_convolution_cases.h"
#include "ops/indice_convolution/indice_convolution_reference.h"
#include "support/diff.h"
#include "support/status.h"
#include "support/tensor.h"

namespace detops_demo {
namespace {

using detops_cases::ConvolutionCase;
using detops_reference::FilterLayout;
using detops_reference::Sums;
using detops_test::Must;
using detops_test::Tensor;

// The reference takes minutes for all rows: every kSample-th row is compared, and of the filters every kSample-th
// offset.
constexpr int64_t kSample = 61;

// Keeps the pairs that one of the sampled rows of `column` takes part in, or those of the sampled offsets.
detops_reference::ConvolutionPairs SampledPairs(const detops_cases::ConvolutionPairs& pairs, int64_t offsets,
                                                int column) {
  detops_reference::ConvolutionPairs sampled = {offsets, pairs.length, pairs.pairs, pairs.counts};
  for (int64_t k = 0; k < offsets; ++k) {
    int32_t* const lists = sampled.indices.data() + k * 2 * pairs.length;
    int64_t kept = 0;
    for (int64_t i = 0; i < pairs.counts[static_cast<size_t>(k)]; ++i) {
      if (column < 2 ? lists[column * pairs.length + i] % kSample != 0 : k % kSample != 0) continue;
      lists[kept] = lists[i];
      lists[pairs.length + kept] = lists[pairs.length + i];
      ++kept;
    }
    sampled.counts[static_cast<size_t>(k)] = kept;
  }
  return sampled;
}

// The elements that were sampled: rows of `row_length`, every kSample-th.
std::vector<double> Sampled(const std::vector<double>& values, int64_t row_length) {
  std::vector<double> sampled;
  const auto rows = static_cast<int64_t>(values.size()) / row_length;
  for (int64_t row = 0; row < rows; row += kSample) {
    sampled.insert(sampled.end(), values.begin() + row * row_length, values.begin() + (row + 1) * row_length);
  }
  return sampled;
}

struct Problem {
  Problem(const ConvolutionCase& the_shape, const detops_cases::ConvolutionPairs& the_pairs, mluOpDataType_t type)
      : shape(the_shape),
        pairs(the_pairs),
        list(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {shape.offsets(), 2, pairs.length}),
        features(MLUOP_LAYOUT_ARRAY, type, {pairs.rows[0], shape.inputs}),
        filters(MLUOP_LAYOUT_ARRAY, type,
                {shape.filter[0], shape.filter[1], shape.filter[2], shape.inputs, shape.outputs}),
        grad(MLUOP_LAYOUT_ARRAY, type, {pairs.rows[1], shape.outputs}) {
    features.FillUniform(-1, 1, 1);
    filters.FillUniform(-1, 1, 2);
    grad.FillUniform(-1, 1, 3);
  }
  const ConvolutionCase& shape;
  const detops_cases::ConvolutionPairs& pairs;
  detops_test::Descriptor list;
  Tensor features, filters, grad;
};

Tensor Like(const Tensor& tensor) { return {MLUOP_LAYOUT_ARRAY, tensor.type(), tensor.extents()}; }

std::string ShapeText(const ConvolutionCase& shape) {
  return std::to_string(shape.sites) + ", " + std::to_string(shape.inputs) + "->" + std::to_string(shape.outputs) +
         ", " + std::to_string(shape.filter[0]) + "x" + std::to_string(shape.filter[1]) + "x" +
         std::to_string(shape.filter[2]);
}

template <class Call>
bool Report(const char* operation, int threads, const Problem& problem, Tensor& result, int64_t row_length,
            const Sums& expected, const Call& call) {
  const mluOpDataType_t type = result.type();
  const bool half = type == MLUOP_DTYPE_HALF;
  const detops_bench::Timing timing =
      detops_bench::TimeCall(threads, detops_cases::WorkOf(problem.shape, problem.pairs, half ? 2 : 4), call, 0.3);
  const std::vector<double> evaluated = Sampled(result.Values(), row_length);
  const std::vector<double> baseline = Sampled(expected.values, row_length);
  return Print({.operation = operation,
                .shape = ShapeText(problem.shape),
                .type = half ? "half" : "float",
                .diff1 = detops_test::Diff1(evaluated, baseline),
                .diff2 = detops_test::Diff2(evaluated, baseline),
                .limit = half ? 3e-3 : 1e-5,
                .timing = timing});
}

bool RunType(mluOpHandle_t handle, int threads, const Problem& p) {
  const ConvolutionCase& shape = p.shape;
  const int64_t offsets = shape.offsets();
  const FilterLayout layout =
      detops_reference::LayoutOfFilters(MLUOP_LAYOUT_ARRAY, offsets, shape.inputs, shape.outputs);
  const void* const list = p.pairs.pairs.data();
  const int64_t* const counts = p.pairs.counts.data();
  const std::vector<double> features = p.features.Values(), filters = p.filters.Values(), grad = p.grad.Values();

  Tensor out = Like(p.grad);
  bool good = Report("indice_convolution_forward", threads, p, out, shape.outputs,
                     detops_reference::IndiceConvolutionForward(SampledPairs(p.pairs, offsets, 1), layout, features,
                                                                filters, p.pairs.rows[1]),
                     [&] {
                       Must(mluOpIndiceConvolutionForward(
                                handle, p.features.desc(), p.features.data(), p.filters.desc(), p.filters.data(),
                                p.list.get(), list, counts, p.pairs.rows[1], 0, 0, nullptr, 0, out.desc(), out.data()),
                            "mluOpIndiceConvolutionForward");
                     });
  Tensor input_grad = Like(p.features);
  good = Report("indice_convolution_backward_data", threads, p, input_grad, shape.inputs,
                detops_reference::IndiceConvolutionBackwardData(SampledPairs(p.pairs, offsets, 0), layout, grad,
                                                                filters, p.pairs.rows[0]),
                [&] {
                  Must(mluOpIndiceConvolutionBackwardData(handle, p.grad.desc(), p.grad.data(), p.filters.desc(),
                                                          p.filters.data(), p.list.get(), list, counts, 0, 0, nullptr,
                                                          0, input_grad.desc(), input_grad.data()),
                       "mluOpIndiceConvolutionBackwardData");
                }) &&
         good;
  Tensor filters_grad = Like(p.filters);
  return Report("indice_convolution_backward_filter", threads, p, filters_grad, shape.inputs * shape.outputs,
                detops_reference::IndiceConvolutionBackwardFilter(SampledPairs(p.pairs, offsets, 2), layout, features,
                                                                  grad),
                [&] {
                  Must(mluOpIndiceConvolutionBackwardFilter(handle, p.features.desc(), p.features.data(), p.grad.desc(),
                                                            p.grad.data(), p.list.get(), list, counts, 0, 0, nullptr, 0,
                                                            filters_grad.desc(), filters_grad.data()),
                       "mluOpIndiceConvolutionBackwardFilter");
                }) &&
         good;
}

}  // namespace

bool RunIndiceConvolution(mluOpHandle_t handle, int threads) {
  bool good = true;
  for (const ConvolutionCase& shape : detops_cases::kConvolutionCases) {
    const detops_cases::ConvolutionPairs pairs = detops_cases::MakePairs(handle, shape);
    for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}) {
      good = RunType(handle, threads, Problem(shape, pairs, type)) && good;
    }
  }
  return good;
}

}  // namespace detops_demo
