#include "common/get_indice_pairs.h"

#include <tuple>

#include "torch_ops/box.h"
#include "torch_ops/tensor.h"

namespace detops_torch {
namespace {

using detops_binding::Axes;

std::tuple<Tensor, Tensor, Tensor> GetIndicePairs(const Tensor& indices, int64_t batch_size, const Sizes& spatial_shape,
                                                  const Sizes& kernel_size, const std::optional<Sizes>& stride,
                                                  const std::optional<Sizes>& padding,
                                                  const std::optional<Sizes>& dilation, bool submanifold,
                                                  bool transposed, const std::optional<Sizes>& output_padding,
                                                  const std::optional<Sizes>& output_shape) {
  constexpr char kFunction[] = "get_indice_pairs";
  const size_t ndim = spatial_shape.size();
  detops_binding::RequireSpatialRank(ndim);
  const auto ints = [&](const Sizes& numbers, const char* name) {
    Axes axes(ndim);
    PutInts(numbers, axes.all(), {kFunction, name});
    return axes;
  };
  // Lists cost a microsecond each on their way here, so the usual values may be left out.
  const auto ints_or = [&](const std::optional<Sizes>& numbers, int usual, const char* name) {
    return numbers.has_value() ? ints(*numbers, name) : Axes(ndim, usual);
  };
  detops_binding::PairGeometry geometry = {.input = ints(spatial_shape, "spatial_shape"),
                                           .kernel = ints(kernel_size, "kernel_size"),
                                           .stride = ints_or(stride, 1, "stride"),
                                           .dilation = ints_or(dilation, 1, "dilation"),
                                           .output_padding = ints_or(output_padding, 0, "output_padding"),
                                           .submanifold = submanifold,
                                           .transposed = transposed,
                                           .batch_size = Int(batch_size, {kFunction, "batch_size"})};
  if (padding.has_value()) {
    geometry.padding = ints(*padding, "padding");
  } else {
    geometry.SetDefaultPadding();
  }
  if (output_shape.has_value()) {
    geometry.output = ints(*output_shape, "output_shape");
  } else {
    geometry.SetDefaultOutput();
  }
  const Input sites = Input::Indices(indices, {kFunction, "indices"});
  TorchCall call;
  detops_binding::GetIndicePairs(call, geometry, sites.view());
  return {call.Result(0), call.Result(1), call.Result(2)};
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(detops, library) {
  library.def(
      "get_indice_pairs(Tensor indices, SymInt batch_size, SymInt[] spatial_shape, int[] kernel_size, "
      "int[]? stride=None, int[]? padding=None, int[]? dilation=None, bool submanifold=False, "
      "bool transposed=False, int[]? output_padding=None, SymInt[]? output_shape=None) -> "
      "(Tensor out_indices, Tensor indice_pairs, Tensor indice_num)");
}

STABLE_TORCH_LIBRARY_IMPL(detops, CPU, library) { library.impl("get_indice_pairs", &Box<&GetIndicePairs>::Call); }

}  // namespace detops_torch
