#include "common/indice_convolution.h"

#include <array>
#include <string>

namespace detops_binding {
namespace {

// Where the channels of filters stand; between or before them are the axes of the kernel.
enum class FilterOrder { kKernelInOut, kOutKernelIn, kOutInKernel };

struct FilterLayout {
  FilterOrder order;
  size_t rank;  // 0: any
};

FilterLayout LayoutOf(std::string_view word, const char* function) {
  return Choice<FilterLayout>(word,
                              {{"KIO", {FilterOrder::kKernelInOut, 0}},
                               {"OKI", {FilterOrder::kOutKernelIn, 0}},
                               {"OIK", {FilterOrder::kOutInKernel, 0}},
                               {"DHWCN", {FilterOrder::kKernelInOut, 5}},
                               {"HWCN", {FilterOrder::kKernelInOut, 4}},
                               {"NDHWC", {FilterOrder::kOutKernelIn, 5}},
                               {"NHWC", {FilterOrder::kOutKernelIn, 4}},
                               {"NCDHW", {FilterOrder::kOutInKernel, 5}},
                               {"NCHW", {FilterOrder::kOutInKernel, 4}}},
                              {function, "filters_layout"});
}

}  // namespace

FilterShape::FilterShape(std::span<const int64_t> given, std::string_view layout_name, const Argument& argument) {
  const FilterLayout wanted = LayoutOf(layout_name, argument.function);
  const size_t rank = given.size();
  if (rank < 2 || (wanted.rank != 0 && rank != wanted.rank)) {
    argument.Refuse("has rank " + std::to_string(rank) + ", which filters_layout does not fit.");
  }
  const bool out_last = wanted.order == FilterOrder::kKernelInOut;
  const bool in_second = wanted.order == FilterOrder::kOutInKernel;
  channels_out = out_last ? given[rank - 1] : given[0];
  channels_in = out_last ? given[rank - 2] : in_second ? given[1] : given[rank - 1];
  const bool is_flat = rank == 4;
  layout = out_last    ? (is_flat ? MLUOP_LAYOUT_HWCN : MLUOP_LAYOUT_ARRAY)
           : in_second ? (is_flat ? MLUOP_LAYOUT_NCHW : MLUOP_LAYOUT_NCDHW)
                       : (is_flat ? MLUOP_LAYOUT_NHWC : MLUOP_LAYOUT_NDHWC);
  if (rank == 4 || rank == 5) {
    shape.assign(given.begin(), given.end());
    return;
  }
  const size_t kernel_begin = out_last ? 0 : in_second ? 2 : 1;
  int64_t offsets = 1;
  for (size_t axis = kernel_begin; axis < kernel_begin + rank - 2; ++axis) offsets *= given[axis];
  shape = out_last    ? std::vector<int64_t>{1, 1, offsets, channels_in, channels_out}
          : in_second ? std::vector<int64_t>{channels_out, channels_in, 1, 1, offsets}
                      : std::vector<int64_t>{channels_out, 1, 1, offsets, channels_in};
}

void PairLists::Require(const char* function) {
  if (pairs.rank != 3) Argument{function, "indice_pairs"}.RefuseShape(pairs.shape(), "(K, 2, L)");
  if (static_cast<int64_t>(counts.size()) != pairs.extent(0)) {
    Argument{function, "indice_num"}.Refuse("has " + std::to_string(counts.size()) + " numbers, expected K = " +
                                            std::to_string(pairs.extent(0)) + " as in indice_pairs.");
  }
  counts.push_back(0);  // The address must not be NULL, even if K is 0.
}

detopsActivation_t ActivationOf(std::string_view word, const char* function) {
  return Choice<detopsActivation_t>(word,
                                    {{"none", DETOPS_ACTIVATION_NONE},
                                     {"relu", DETOPS_ACTIVATION_RELU},
                                     {"leaky_relu", DETOPS_ACTIVATION_LEAKY_RELU}},
                                    {function, "activation"});
}

int64_t RowsOf(std::optional<int64_t> rows, bool is_pair_length, int64_t pair_length,
               std::optional<int64_t> rows_of_out, const Argument& argument) {
  if (rows.has_value()) {
    if (*rows < 0) argument.Refuse("is " + std::to_string(*rows) + ", expected 0 or more.");
    return *rows;
  }
  if (is_pair_length) return pair_length;
  if (rows_of_out.has_value()) return *rows_of_out;
  argument.RefuseType("is needed: the pairs do not tell how many rows the result has.");
}

void IndiceConvolutionForward(Binding& binding, const View& features, const View& filters, const FilterShape& shape,
                              const PairLists& lists, int64_t rows, const Epilogue* epilogue) {
  const std::array<int64_t, 2> result_shape = {rows, shape.channels_out};
  const View result = binding.Output(0, features.type, result_shape);
  const Descriptor features_desc(features);
  const Descriptor filters_desc(filters.type, shape.layout, shape.shape);
  const Descriptor pairs_desc(lists.pairs);
  const Descriptor result_desc(result);
  const int64_t inverse = lists.inverse ? 1 : 0;
  if (epilogue == nullptr) {
    binding.Run([&](mluOpHandle_t handle) {
      return mluOpIndiceConvolutionForward(handle, features_desc, features.data, filters_desc, filters.data, pairs_desc,
                                           lists.pairs.data, lists.counts.data(), rows, inverse, 0, nullptr, 0,
                                           result_desc, result.data);
    });
    return;
  }
  const Descriptor bias_desc(epilogue->bias);
  const Descriptor residual_desc(epilogue->residual);
  binding.Run([&](mluOpHandle_t handle) {
    return detopsIndiceConvolutionForwardFused(
        handle, features_desc, features.data, filters_desc, filters.data, pairs_desc, lists.pairs.data,
        lists.counts.data(), rows, inverse, 0, bias_desc, epilogue->bias.data, residual_desc, epilogue->residual.data,
        epilogue->activation, epilogue->negative_slope, result_desc, result.data);
  });
}

void IndiceConvolutionBackwardData(Binding& binding, const View& gradient, const View& filters,
                                   const FilterShape& shape, const PairLists& lists, int64_t rows) {
  const std::array<int64_t, 2> result_shape = {rows, shape.channels_in};
  const View result = binding.Output(0, gradient.type, result_shape);
  const Descriptor gradient_desc(gradient);
  const Descriptor filters_desc(filters.type, shape.layout, shape.shape);
  const Descriptor pairs_desc(lists.pairs);
  const Descriptor result_desc(result);
  binding.Run([&](mluOpHandle_t handle) {
    return mluOpIndiceConvolutionBackwardData(handle, gradient_desc, gradient.data, filters_desc, filters.data,
                                              pairs_desc, lists.pairs.data, lists.counts.data(), lists.inverse ? 1 : 0,
                                              0, nullptr, 0, result_desc, result.data);
  });
}

void IndiceConvolutionBackwardFilter(Binding& binding, const View& features, const View& gradient,
                                     std::span<const int64_t> filters_shape, const FilterShape& shape,
                                     const PairLists& lists) {
  const View result = binding.Output(0, features.type, filters_shape);
  const Descriptor features_desc(features);
  const Descriptor gradient_desc(gradient);
  const Descriptor pairs_desc(lists.pairs);
  const Descriptor result_desc(features.type, shape.layout, shape.shape);
  binding.Run([&](mluOpHandle_t handle) {
    return mluOpIndiceConvolutionBackwardFilter(handle, features_desc, features.data, gradient_desc, gradient.data,
                                                pairs_desc, lists.pairs.data, lists.counts.data(),
                                                lists.inverse ? 1 : 0, 0, nullptr, 0, result_desc, result.data);
  });
}

}  // namespace detops_binding
