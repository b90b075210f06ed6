// The design document's shapes, forward and both gradients: detops_bench --benchmark_filter=indice_convolution
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "bench/report.h"
#include "bench/tensors.h"
#include "detops.h"
#include "ops/indice_convolution/bench/cases.h"
#include "support/element.h"

namespace {

using detops_bench::Require;
using detops_bench::Tensor;
using detops_cases::ConvolutionCase;
using detops_cases::ConvolutionPairs;

enum class Pass { kForward, kBackwardData, kBackwardFilter, kBackward, kRulebookForward };

// Making sites takes longer than most measurements.
const ConvolutionPairs& PairsOf(mluOpHandle_t handle, const ConvolutionCase& shape) {
  static std::map<std::string, ConvolutionPairs> known;
  const auto found = known.find(shape.name);
  if (found != known.end()) return found->second;
  return known[shape.name] = detops_cases::MakePairs(handle, shape);
}

void Run(benchmark::State& state, const ConvolutionCase& shape, Pass pass, mluOpDataType_t type, int threads) {
  const mluOpHandle_t handle = detops_bench::MakeHandle(threads, true);
  const ConvolutionPairs& pairs = PairsOf(handle, shape);
  const int64_t* const counts = pairs.counts.data();
  const auto size = static_cast<int64_t>(detops_test::ElementSize(type));
  {
    const Tensor list(MLUOP_DTYPE_INT32, {shape.offsets(), 2, pairs.length});
    std::memcpy(list.data, pairs.pairs.data(), pairs.pairs.size() * sizeof(int32_t));
    const Tensor features(type, {pairs.rows[0], shape.inputs});
    const Tensor out(type, {pairs.rows[1], shape.outputs});
    const std::vector<int64_t> filter = {shape.filter[0], shape.filter[1], shape.filter[2], shape.inputs,
                                         shape.outputs};
    const Tensor filters(type, filter);
    // Not the tensors that are read: from call to call their numbers would shrink until they are denormal, and slow.
    const Tensor input_grad(type, {pairs.rows[0], shape.inputs});
    const Tensor filters_grad(type, filter);
    const auto forward = [&] {
      Require(mluOpIndiceConvolutionForward(handle, features.desc, features.data, filters.desc, filters.data, list.desc,
                                            list.data, counts, pairs.rows[1], 0, 0, nullptr, 0, out.desc, out.data),
              handle);
    };
    const auto backward_data = [&] {
      Require(mluOpIndiceConvolutionBackwardData(handle, out.desc, out.data, filters.desc, filters.data, list.desc,
                                                 list.data, counts, 0, 0, nullptr, 0, input_grad.desc, input_grad.data),
              handle);
    };
    const auto backward_filter = [&] {
      Require(mluOpIndiceConvolutionBackwardFilter(handle, features.desc, features.data, out.desc, out.data, list.desc,
                                                   list.data, counts, 0, 0, nullptr, 0, filters_grad.desc,
                                                   filters_grad.data),
              handle);
    };
    detopsRulebook_t rulebook = nullptr;
    if (pass == Pass::kRulebookForward) {
      Require(detopsCreateRulebook(handle, list.desc, list.data, counts, pairs.rows[0], pairs.rows[1], &rulebook),
              handle);
    }
    const auto rulebook_forward = [&] {
      Require(detopsRulebookConvolutionForward(handle, rulebook, 0, features.desc, features.data, filters.desc,
                                               filters.data, nullptr, nullptr, nullptr, nullptr, DETOPS_ACTIVATION_NONE,
                                               0.0f, out.desc, out.data),
              handle);
    };
    const auto call = [&] {
      if (pass == Pass::kForward) forward();
      if (pass == Pass::kBackwardData || pass == Pass::kBackward) backward_data();
      if (pass == Pass::kBackwardFilter || pass == Pass::kBackward) backward_filter();
      if (pass == Pass::kRulebookForward) rulebook_forward();
    };
    detops_bench::Work work = detops_cases::WorkOf(shape, pairs, size);
    if (pass == Pass::kBackward) {
      work.bytes *= 2;
      work.flops *= 2;
    }
    constexpr int64_t kManyChannels = 64;  // where the bound is arithmetic
    detops_bench::Report(state, threads, work, call, std::min(shape.inputs, shape.outputs) >= kManyChannels);
    state.counters["pairs/site"] = static_cast<double>(pairs.total()) / static_cast<double>(shape.sites);
    if (rulebook != nullptr) detopsDestroyRulebook(rulebook);
  }
  mluOpDestroy(handle);
}

void Register(const ConvolutionCase& shape, Pass pass, mluOpDataType_t type, int threads) {
  const char* const pass_names[] = {"forward", "backward_data", "backward_filter", "backward", "rulebook_forward"};
  const char* const type_name = type == MLUOP_DTYPE_HALF       ? "half"
                                : type == MLUOP_DTYPE_BFLOAT16 ? "bfloat16"
                                : type == MLUOP_DTYPE_DOUBLE   ? "double"
                                                               : "float";
  const std::string name = std::string("indice_convolution/") + shape.name + "/" + pass_names[static_cast<int>(pass)] +
                           "/" + type_name + "/threads:" + std::to_string(threads);
  detops_bench::Register(name, [=](benchmark::State& state) { Run(state, shape, pass, type, threads); });
}

const bool registered = [] {
  for (const ConvolutionCase& shape : detops_cases::kConvolutionCases) {
    for (const Pass pass : {Pass::kForward, Pass::kBackwardData, Pass::kBackwardFilter, Pass::kBackward}) {
      Register(shape, pass, MLUOP_DTYPE_FLOAT, 2);
      Register(shape, pass, MLUOP_DTYPE_HALF, 2);
    }
    Register(shape, Pass::kForward, MLUOP_DTYPE_FLOAT, 1);
    Register(shape, Pass::kBackward, MLUOP_DTYPE_FLOAT, 1);
    Register(shape, Pass::kRulebookForward, MLUOP_DTYPE_FLOAT, 2);
    Register(shape, Pass::kForward, MLUOP_DTYPE_DOUBLE, 2);
    Register(shape, Pass::kForward, MLUOP_DTYPE_BFLOAT16, 2);
  }
  return true;
}();

}  // namespace
