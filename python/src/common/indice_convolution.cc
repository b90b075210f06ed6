#include <array>
#include <span>
#include <string>
#include <vector>

#include "common/operators.h"
#include "common/pairs.h"

namespace detops_binding {
namespace {

constexpr Schema kForward(
    "indice_convolution_forward(Tensor features, Tensor filters, Tensor indice_pairs, Tensor indice_num, "
    "SymInt? num_act_out=None, str filters_layout='KIO', bool inverse=False) -> Tensor");
constexpr Schema kFused(
    "indice_convolution_forward_fused(Tensor features, Tensor filters, Tensor indice_pairs, Tensor indice_num, "
    "SymInt? num_act_out=None, Tensor? bias=None, Tensor? residual=None, str activation='none', "
    "float negative_slope=0.01, str filters_layout='KIO', bool inverse=False) -> Tensor");
constexpr Schema kBackwardData(
    "indice_convolution_backward_data(Tensor output_grad, Tensor filters, Tensor indice_pairs, Tensor indice_num, "
    "SymInt? num_act_in=None, str filters_layout='KIO', bool inverse=False) -> Tensor");
constexpr Schema kBackwardFilter(
    "indice_convolution_backward_filter(Tensor features, Tensor output_grad, Tensor indice_pairs, "
    "Tensor indice_num, SymInt[] filters_shape, str filters_layout='KIO', bool inverse=False) -> Tensor");

// Where the channels of filters stand; between or before them are the axes of the kernel.
enum class FilterOrder { kKernelInOut, kOutKernelIn, kOutInKernel };

struct FilterLayout {
  FilterOrder order;
  size_t rank;  // 0: any
};

FilterLayout LayoutOf(std::string_view word, std::string_view function) {
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
struct FilterShape {
  int64_t channels_in = 0;
  int64_t channels_out = 0;
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  std::vector<int64_t> shape;

  // `layout_name` is "KIO", "OKI", "OIK" (with any number of kernel axes) or one of the library's own names.
  FilterShape(std::span<const int64_t> given, std::string_view layout_name, const Argument& argument);
};

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

template <const Schema& kSchema>
FilterShape ReadFilterShape(Call& call, std::span<const int64_t> given, const Parameter& parameter) {
  return {given, call.Word(kSchema["filters_layout"]), call.At(parameter)};
}

// What follows the convolution before the one rounding.
struct Epilogue {
  View bias = {};
  View residual = {};
  detopsActivation_t activation = DETOPS_ACTIVATION_NONE;
  float slope = 0;
};

Epilogue ReadEpilogue(Call& call, const View& features) {
  return {.bias = call.NumbersIf(true, kFused["bias"], &features),
          .residual = call.NumbersIf(true, kFused["residual"], &features),
          .activation =
              call.Choice<detopsActivation_t>(kFused["activation"], {{"none", DETOPS_ACTIVATION_NONE},
                                                                     {"relu", DETOPS_ACTIVATION_RELU},
                                                                     {"leaky_relu", DETOPS_ACTIVATION_LEAKY_RELU}}),
          .slope = static_cast<float>(call.Real(kFused["negative_slope"]))};
}

template <const Schema& kSchema>
void Forward(Call& call) {
  constexpr bool kIsFused = &kSchema == &kFused;
  const View features = call.Numbers(kSchema["features"]);
  const View filters = call.Numbers(kSchema["filters"], &features);
  const FilterShape shape = ReadFilterShape<kSchema>(call, filters.shape(), kSchema["filters"]);
  const int64_t inverse = call.Flag(kSchema["inverse"]) ? 1 : 0;
  const PairLists lists(call, kSchema["indice_pairs"], kSchema["indice_num"]);
  const Epilogue epilogue = kIsFused ? ReadEpilogue(call, features) : Epilogue();
  const int64_t rows = ReadRows(call, kSchema["num_act_out"], inverse != 0, lists);
  const View result = call.Output(0, features.type, {rows, shape.channels_out});
  const Descriptor features_desc(features);
  const Descriptor filters_desc(filters.type, shape.layout, shape.shape);
  const Descriptor pairs_desc(lists.pairs);
  const Descriptor bias_desc(epilogue.bias);
  const Descriptor residual_desc(epilogue.residual);
  const Descriptor result_desc(result);
  call.Run([&](mluOpHandle_t handle) {
    if (call.rulebook() != nullptr) {
      return detopsRulebookConvolutionForward(handle, call.rulebook(), inverse, features_desc, features.data,
                                              filters_desc, filters.data, bias_desc, epilogue.bias.data, residual_desc,
                                              epilogue.residual.data, epilogue.activation, epilogue.slope, result_desc,
                                              result.data);
    }
    if (!kIsFused) {
      return mluOpIndiceConvolutionForward(handle, features_desc, features.data, filters_desc, filters.data, pairs_desc,
                                           lists.pairs.data, lists.counts.data(), rows, inverse, 0, nullptr, 0,
                                           result_desc, result.data);
    }
    return detopsIndiceConvolutionForwardFused(handle, features_desc, features.data, filters_desc, filters.data,
                                               pairs_desc, lists.pairs.data, lists.counts.data(), rows, inverse, 0,
                                               bias_desc, epilogue.bias.data, residual_desc, epilogue.residual.data,
                                               epilogue.activation, epilogue.slope, result_desc, result.data);
  });
}

void BackwardData(Call& call) {
  const View gradient = call.Numbers(kBackwardData["output_grad"]);
  const View filters = call.Numbers(kBackwardData["filters"], &gradient);
  const FilterShape shape = ReadFilterShape<kBackwardData>(call, filters.shape(), kBackwardData["filters"]);
  const bool inverse = call.Flag(kBackwardData["inverse"]);
  const PairLists lists(call, kBackwardData["indice_pairs"], kBackwardData["indice_num"]);
  const int64_t rows = ReadRows(call, kBackwardData["num_act_in"], !inverse, lists);
  const View result = call.Output(0, gradient.type, {rows, shape.channels_in});
  const Descriptor gradient_desc(gradient);
  const Descriptor filters_desc(filters.type, shape.layout, shape.shape);
  const Descriptor pairs_desc(lists.pairs);
  const Descriptor result_desc(result);
  call.Run([&](mluOpHandle_t handle) {
    if (call.rulebook() != nullptr) {
      return detopsRulebookConvolutionBackwardData(handle, call.rulebook(), inverse ? 1 : 0, gradient_desc,
                                                   gradient.data, filters_desc, filters.data, result_desc, result.data);
    }
    return mluOpIndiceConvolutionBackwardData(handle, gradient_desc, gradient.data, filters_desc, filters.data,
                                              pairs_desc, lists.pairs.data, lists.counts.data(), inverse ? 1 : 0, 0,
                                              nullptr, 0, result_desc, result.data);
  });
}

void BackwardFilter(Call& call) {
  const View features = call.Numbers(kBackwardFilter["features"]);
  const View gradient = call.Numbers(kBackwardFilter["output_grad"], &features);
  const bool inverse = call.Flag(kBackwardFilter["inverse"]);
  const PairLists lists(call, kBackwardFilter["indice_pairs"], kBackwardFilter["indice_num"]);
  const std::vector<int64_t> given = call.Shape(kBackwardFilter["filters_shape"]);
  const FilterShape shape = ReadFilterShape<kBackwardFilter>(call, given, kBackwardFilter["filters_shape"]);
  const View result = call.Output(0, features.type, given);
  const Descriptor features_desc(features);
  const Descriptor gradient_desc(gradient);
  const Descriptor pairs_desc(lists.pairs);
  const Descriptor result_desc(features.type, shape.layout, shape.shape);
  call.Run([&](mluOpHandle_t handle) {
    if (call.rulebook() != nullptr) {
      return detopsRulebookConvolutionBackwardFilter(handle, call.rulebook(), inverse ? 1 : 0, features_desc,
                                                     features.data, gradient_desc, gradient.data, result_desc,
                                                     result.data);
    }
    return mluOpIndiceConvolutionBackwardFilter(handle, features_desc, features.data, gradient_desc, gradient.data,
                                                pairs_desc, lists.pairs.data, lists.counts.data(), inverse ? 1 : 0, 0,
                                                nullptr, 0, result_desc, result.data);
  });
}

}  // namespace

constinit const std::array<Operator, 4> kIndiceConvolution = {{
    {kForward, &Forward<kForward>},
    {kFused, &Forward<kFused>},
    {kBackwardData, &BackwardData},
    {kBackwardFilter, &BackwardFilter},
}};

}  // namespace detops_binding
