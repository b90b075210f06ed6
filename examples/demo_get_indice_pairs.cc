#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "demo.h"
#include "ops/get_indice_pairs/get_indice_pairs_cases.h"
#include "ops/get_indice_pairs/get_indice_pairs_reference.h"
#include "support/status.h"
#include "support/tensor.h"

namespace detops_demo {
namespace {

using detops_cases::GetIndicePairsCase;
using detops_test::Must;
using detops_test::Tensor;

Tensor MakeTensor(const std::vector<int64_t>& extents) { return {MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, extents}; }

detops_reference::IndicePairs Expected(const GetIndicePairsCase& shape, const Tensor& indices) {
  detops_reference::SparseConvolution convolution;
  convolution.batch = shape.batch;
  convolution.submanifold = shape.submanifold;
  for (int axis = 0; axis < 3; ++axis) {
    convolution.input_space.push_back(shape.input[axis]);
    convolution.filter_space.push_back(shape.filter[axis]);
    convolution.output_space.push_back(shape.output(axis));
    convolution.pad.push_back(shape.pad[axis]);
    convolution.stride.push_back(shape.stride[axis]);
    convolution.dilation.push_back(1);
  }
  return detops_reference::GetIndicePairs(convolution, shape.sites, static_cast<const int32_t*>(indices.data()));
}

bool SameNumbers(const Tensor& tensor, const std::vector<int32_t>& expected) {
  return tensor.bytes() == expected.size() * sizeof(int32_t) &&
         std::memcmp(tensor.data(), expected.data(), tensor.bytes()) == 0;
}

std::string ShapeText(const GetIndicePairsCase& shape) {
  const int* f = shape.filter;
  return std::to_string(shape.sites) + ", " + std::to_string(f[0]) + "x" + std::to_string(f[1]) + "x" +
         std::to_string(f[2]) + (shape.submanifold ? " subm" : " stride 2");
}

bool RunCase(mluOpHandle_t handle, int threads, const GetIndicePairsCase& shape) {
  mluOpSparseConvolutionDescriptor_t convolution = nullptr;
  Must(mluOpCreateSparseConvolutionDescriptor(&convolution), "mluOpCreateSparseConvolutionDescriptor");
  const int ones[] = {1, 1, 1};
  const int output[] = {shape.output(0), shape.output(1), shape.output(2)};
  Must(mluOpSetSparseConvolutionDescriptor(convolution, 5, shape.batch, shape.pad, shape.stride, ones, shape.input,
                                           shape.filter, output, shape.submanifold ? 1 : 0, 0, 0),
       "mluOpSetSparseConvolutionDescriptor");
  Tensor indices = MakeTensor({shape.sites, 4});
  const auto sites = detops_cases::MakeSites(shape, detops_cases::SiteOrder::kSorted, false);
  std::memcpy(indices.data(), sites.data(), indices.bytes());
  int64_t outputs = 0;
  Must(detopsCountIndicePairOutputs(handle, convolution, indices.desc(), indices.data(), &outputs),
       "detopsCountIndicePairOutputs");
  Tensor pairs = MakeTensor({shape.offsets(), 2, shape.sites});
  Tensor out = MakeTensor({outputs, 4});
  Tensor num = MakeTensor({shape.offsets()});
  size_t bytes = 0;
  Must(mluOpGetIndicePairsWorkspaceSize(handle, convolution, indices.desc(), pairs.desc(), out.desc(), num.desc(),
                                        &bytes),
       "mluOpGetIndicePairsWorkspaceSize");
  std::vector<std::byte> workspace(std::max<size_t>(bytes, 1));
  const auto call = [&] {
    Must(mluOpGetIndicePairs(handle, convolution, indices.desc(), indices.data(), workspace.data(), bytes, pairs.desc(),
                             pairs.data(), out.desc(), out.data(), num.desc(), num.data()),
         "mluOpGetIndicePairs");
  };
  const detops_bench::Timing timing = detops_bench::TimeCall(threads, detops_cases::WorkOf(shape, outputs), call, 0.2);
  const detops_reference::IndicePairs expected = Expected(shape, indices);
  const bool same = SameNumbers(pairs, expected.pairs) && SameNumbers(out, expected.out_indices) &&
                    SameNumbers(num, expected.indice_num);
  mluOpDestroySparseConvolutionDescriptor(convolution);
  const double difference = same ? 0.0 : 1.0;  // indices are right or wrong
  return Print({.operation = "get_indice_pairs",
                .shape = ShapeText(shape),
                .type = "int32",
                .diff1 = difference,
                .diff2 = difference,
                .limit = 0.0,
                .timing = timing});
}

}  // namespace

bool RunGetIndicePairs(mluOpHandle_t handle, int threads) {
  bool good = true;
  for (const GetIndicePairsCase& shape : detops_cases::kGetIndicePairsCases) {
    good = RunCase(handle, threads, shape) && good;
  }
  return good;
}

}  // namespace detops_demo
