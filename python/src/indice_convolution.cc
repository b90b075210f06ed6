#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "arguments.h"
#include "array.h"
#include "call.h"
#include "detops.h"
#include "operators.h"

namespace detops_python {
namespace {

// Where the channels of filters stand; between or before them are 0 to 4 axes of the kernel.
enum class FilterOrder { kKernelInOut, kOutKernelIn, kOutInKernel };

struct FilterLayout {
  FilterOrder order;
  int rank;  // 0: any
};

FilterLayout LayoutOf(const std::string& word, const char* function) {
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

// Filters as the library knows them: of rank 4 or 5. Other numbers of kernel axes become one axis.
struct Filters {
  int64_t channels_in = 0;
  int64_t channels_out = 0;
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  std::vector<int64_t> shape;

  Filters(std::span<const int64_t> given, const FilterLayout& wanted, const Argument& argument) {
    const size_t rank = given.size();
    if (rank < 2 || (wanted.rank != 0 && rank != static_cast<size_t>(wanted.rank))) {
      throw nb::value_error(
          argument.Text("has rank " + std::to_string(rank) + ", which filters_layout does not fit.").c_str());
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
};

// Pairs and their counts, with what must be known before the library reads counts from our memory.
struct Pairs {
  Array pairs;
  std::vector<int64_t> counts;

  Pairs(nb::handle pairs_source, nb::handle counts_source, const char* function)
      : pairs(Array::Indices(pairs_source, {function, "indice_pairs"})),
        counts(Counts(counts_source, {function, "indice_num"})) {
    if (pairs.rank() != 3) {
      throw nb::value_error(Argument{function, "indice_pairs"}.Text("has not the shape (K, 2, L).").c_str());
    }
    if (static_cast<int64_t>(counts.size()) != pairs.extent(0)) {
      throw nb::value_error(Argument{function, "indice_num"}
                                .Text("has " + std::to_string(counts.size()) + " numbers, expected K = " +
                                      std::to_string(pairs.extent(0)) + " as in indice_pairs.")
                                .c_str());
    }
    counts.push_back(0);  // The address must not be NULL, even if K is 0.
  }
};

// The rows of a result: given, or those of `out`, or L where the mathematics says so.
int64_t RowsOf(std::optional<int64_t> rows, nb::handle out, bool is_pair_length, int64_t pair_length,
               const Argument& argument) {
  if (rows.has_value()) {
    if (*rows < 0) throw nb::value_error(argument.Text("is negative.").c_str());
    return *rows;
  }
  if (is_pair_length) return pair_length;
  if (!out.is_none() && nb::hasattr(out, "shape")) {
    const std::vector<int64_t> shape = Shape(out.attr("shape"), {argument.function, "out"});
    if (!shape.empty()) return shape[0];
  }
  throw nb::type_error(argument.Text("is needed: the pairs do not tell how many rows the result has.").c_str());
}

struct Epilogue {
  nb::handle bias;
  nb::handle residual;
  detopsActivation_t activation = DETOPS_ACTIVATION_NONE;
  float negative_slope = 0;
};

nb::object Convolve(const char* function, nb::handle features, nb::handle filters, nb::handle indice_pairs,
                    nb::handle indice_num, std::optional<int64_t> num_act_out, const std::string& filters_layout,
                    bool inverse, const Epilogue* epilogue, nb::handle out) {
  const FilterLayout layout = LayoutOf(filters_layout, function);
  const Array rows = Array::Numbers(features, {function, "features"});
  const Array weights = Array::Numbers(filters, {function, "filters"}, &rows);
  const Filters as(weights.shape(), layout, {function, "filters"});
  const Pairs book(indice_pairs, indice_num, function);
  const auto numbers_or_none = [&](nb::handle source, const char* name) {
    return source.is_none() ? Array() : Array::Numbers(source, {function, name}, &rows);
  };
  const Array bias = epilogue != nullptr ? numbers_or_none(epilogue->bias, "bias") : Array();
  const Array residual = epilogue != nullptr ? numbers_or_none(epilogue->residual, "residual") : Array();
  const int64_t result_rows = RowsOf(num_act_out, out, inverse, book.pairs.extent(2), {function, "num_act_out"});
  const std::array<int64_t, 2> shape = {result_rows, as.channels_out};
  const Array result = Array::Output(out, {function, "out"}, rows.type(), shape);
  const Descriptor rows_desc(rows);
  const Descriptor weights_desc(weights.type(), as.layout, as.shape);
  const Descriptor pairs_desc(book.pairs);
  const Descriptor bias_desc(bias);
  const Descriptor residual_desc(residual);
  const Descriptor result_desc(result);
  const int64_t is_inverse = inverse ? 1 : 0;
  Run([&](mluOpHandle_t handle) {
    if (epilogue == nullptr) {
      return mluOpIndiceConvolutionForward(handle, rows_desc, rows.data(), weights_desc, weights.data(), pairs_desc,
                                           book.pairs.data(), book.counts.data(), result_rows, is_inverse, 0, nullptr,
                                           0, result_desc, result.data());
    }
    return detopsIndiceConvolutionForwardFused(
        handle, rows_desc, rows.data(), weights_desc, weights.data(), pairs_desc, book.pairs.data(), book.counts.data(),
        result_rows, is_inverse, 0, bias_desc, bias.data(), residual_desc, residual.data(), epilogue->activation,
        epilogue->negative_slope, result_desc, result.data());
  });
  return result.object();
}

nb::object Forward(nb::handle features, nb::handle filters, nb::handle indice_pairs, nb::handle indice_num,
                   std::optional<int64_t> num_act_out, const std::string& filters_layout, bool inverse,
                   nb::handle out) {
  return Convolve("indice_convolution_forward", features, filters, indice_pairs, indice_num, num_act_out,
                  filters_layout, inverse, nullptr, out);
}

nb::object ForwardFused(nb::handle features, nb::handle filters, nb::handle indice_pairs, nb::handle indice_num,
                        std::optional<int64_t> num_act_out, nb::handle bias, nb::handle residual,
                        const std::string& activation, double negative_slope, const std::string& filters_layout,
                        bool inverse, nb::handle out) {
  constexpr char kFunction[] = "indice_convolution_forward_fused";
  const Epilogue epilogue = {.bias = bias,
                             .residual = residual,
                             .activation = Choice<detopsActivation_t>(activation,
                                                                      {{"none", DETOPS_ACTIVATION_NONE},
                                                                       {"relu", DETOPS_ACTIVATION_RELU},
                                                                       {"leaky_relu", DETOPS_ACTIVATION_LEAKY_RELU}},
                                                                      {kFunction, "activation"}),
                             .negative_slope = static_cast<float>(negative_slope)};
  return Convolve(kFunction, features, filters, indice_pairs, indice_num, num_act_out, filters_layout, inverse,
                  &epilogue, out);
}

nb::object BackwardData(nb::handle output_grad, nb::handle filters, nb::handle indice_pairs, nb::handle indice_num,
                        std::optional<int64_t> num_act_in, const std::string& filters_layout, bool inverse,
                        nb::handle out) {
  constexpr char kFunction[] = "indice_convolution_backward_data";
  const FilterLayout layout = LayoutOf(filters_layout, kFunction);
  const Array gradient = Array::Numbers(output_grad, {kFunction, "output_grad"});
  const Array weights = Array::Numbers(filters, {kFunction, "filters"}, &gradient);
  const Filters as(weights.shape(), layout, {kFunction, "filters"});
  const Pairs book(indice_pairs, indice_num, kFunction);
  const int64_t result_rows = RowsOf(num_act_in, out, !inverse, book.pairs.extent(2), {kFunction, "num_act_in"});
  const std::array<int64_t, 2> shape = {result_rows, as.channels_in};
  const Array result = Array::Output(out, {kFunction, "out"}, gradient.type(), shape);
  const Descriptor gradient_desc(gradient);
  const Descriptor weights_desc(weights.type(), as.layout, as.shape);
  const Descriptor pairs_desc(book.pairs);
  const Descriptor result_desc(result);
  Run([&](mluOpHandle_t handle) {
    return mluOpIndiceConvolutionBackwardData(handle, gradient_desc, gradient.data(), weights_desc, weights.data(),
                                              pairs_desc, book.pairs.data(), book.counts.data(), inverse ? 1 : 0, 0,
                                              nullptr, 0, result_desc, result.data());
  });
  return result.object();
}

nb::object BackwardFilter(nb::handle features, nb::handle output_grad, nb::handle indice_pairs, nb::handle indice_num,
                          nb::handle filters_shape, const std::string& filters_layout, bool inverse, nb::handle out) {
  constexpr char kFunction[] = "indice_convolution_backward_filter";
  const FilterLayout layout = LayoutOf(filters_layout, kFunction);
  const Array rows = Array::Numbers(features, {kFunction, "features"});
  const Array gradient = Array::Numbers(output_grad, {kFunction, "output_grad"}, &rows);
  const Pairs book(indice_pairs, indice_num, kFunction);
  const std::vector<int64_t> shape = Shape(filters_shape, {kFunction, "filters_shape"});
  const Filters as(shape, layout, {kFunction, "filters_shape"});
  const Array result = Array::Output(out, {kFunction, "out"}, rows.type(), shape);
  const Descriptor rows_desc(rows);
  const Descriptor gradient_desc(gradient);
  const Descriptor pairs_desc(book.pairs);
  const Descriptor result_desc(rows.type(), as.layout, as.shape);
  Run([&](mluOpHandle_t handle) {
    return mluOpIndiceConvolutionBackwardFilter(handle, rows_desc, rows.data(), gradient_desc, gradient.data(),
                                                pairs_desc, book.pairs.data(), book.counts.data(), inverse ? 1 : 0, 0,
                                                nullptr, 0, result_desc, result.data());
  });
  return result.object();
}

}  // namespace

void AddIndiceConvolution(nb::module_& module) {
  module.def("indice_convolution_forward", &Forward, nb::arg("features").none(), nb::arg("filters").none(),
             nb::arg("indice_pairs").none(), nb::arg("indice_num").none(), nb::arg("num_act_out").none(),
             nb::arg("filters_layout"), nb::arg("inverse"), nb::arg("out").none());
  module.def("indice_convolution_forward_fused", &ForwardFused, nb::arg("features").none(), nb::arg("filters").none(),
             nb::arg("indice_pairs").none(), nb::arg("indice_num").none(), nb::arg("num_act_out").none(),
             nb::arg("bias").none(), nb::arg("residual").none(), nb::arg("activation"), nb::arg("negative_slope"),
             nb::arg("filters_layout"), nb::arg("inverse"), nb::arg("out").none());
  module.def("indice_convolution_backward_data", &BackwardData, nb::arg("output_grad").none(),
             nb::arg("filters").none(), nb::arg("indice_pairs").none(), nb::arg("indice_num").none(),
             nb::arg("num_act_in").none(), nb::arg("filters_layout"), nb::arg("inverse"), nb::arg("out").none());
  module.def("indice_convolution_backward_filter", &BackwardFilter, nb::arg("features").none(),
             nb::arg("output_grad").none(), nb::arg("indice_pairs").none(), nb::arg("indice_num").none(),
             nb::arg("filters_shape").none(), nb::arg("filters_layout"), nb::arg("inverse"), nb::arg("out").none());
}

}  // namespace detops_python
