#include "encoder.h"

#include <chrono>
#include <map>
#include <numeric>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// The pairs of a layer, ready for any number of convolutions.
struct Pairs {
  Rulebook rulebook;
  std::int64_t count;
  std::shared_ptr<const Sites> in, out;
  const Layer* maker;
};

Space OutputSpace(const Layer& layer, const Space& space) {
  if (layer.is_submanifold) return space;
  Space made;
  for (int axis = 0; axis < 3; ++axis) {
    const int reach = layer.dilation[axis] * (layer.kernel[axis] - 1) + 1;
    const int rest = space[axis] + 2 * layer.padding[axis] - reach;
    if (rest < 0) throw std::runtime_error("the kernel is larger than the padded space");
    made[axis] = rest / layer.stride[axis] + 1;
  }
  return made;
}

Convolution Describe(const Layer& layer, int batch, const Space& in, const Space& out) {
  mluOpSparseConvolutionDescriptor_t made = nullptr;
  Check(mluOpCreateSparseConvolutionDescriptor(&made));
  Convolution convolution(made);
  Space stride = layer.stride, padding = layer.padding;
  if (layer.is_submanifold) {  // Centred on its site, whatever the file says.
    stride.fill(1);
    for (int axis = 0; axis < 3; ++axis) padding[axis] = layer.kernel[axis] / 2 * layer.dilation[axis];
  }
  Check(detopsSetSparseConvolutionDescriptor(made, 3, batch, padding.data(), stride.data(), layer.dilation.data(),
                                             nullptr, in.data(), layer.kernel.data(), out.data(), layer.is_submanifold,
                                             0, 0));
  return convolution;
}

Pairs FindPairs(mluOpHandle_t handle, const Layer& layer, int batch, const std::shared_ptr<const Sites>& in) {
  auto out = std::make_shared<Sites>();
  out->space = OutputSpace(layer, in->space);
  const Convolution convolution = Describe(layer, batch, in->space, out->space);
  const std::int64_t offsets = std::int64_t{1} * layer.kernel[0] * layer.kernel[1] * layer.kernel[2];
  const Tensor in_tensor = MakeTensor(MLUOP_DTYPE_INT32, {in->count(), 4});
  std::int64_t out_count = 0;
  Check(detopsCountIndicePairOutputs(handle, convolution.get(), in_tensor.get(), in->indices.data(), &out_count));
  out->indices.resize(4 * out_count);

  const Tensor out_tensor = MakeTensor(MLUOP_DTYPE_INT32, {out_count, 4});
  const Tensor pairs_tensor = MakeTensor(MLUOP_DTYPE_INT32, {offsets, 2, in->count()});
  const Tensor counts_tensor = MakeTensor(MLUOP_DTYPE_INT32, {offsets});
  std::vector<std::int32_t> pairs(offsets * 2 * in->count()), counts(offsets);
  std::size_t workspace_size = 0;
  Check(mluOpGetIndicePairsWorkspaceSize(handle, convolution.get(), in_tensor.get(), pairs_tensor.get(),
                                         out_tensor.get(), counts_tensor.get(), &workspace_size));
  std::vector<char> workspace(workspace_size);
  Check(mluOpGetIndicePairs(handle, convolution.get(), in_tensor.get(), in->indices.data(), workspace.data(),
                            workspace_size, pairs_tensor.get(), pairs.data(), out_tensor.get(), out->indices.data(),
                            counts_tensor.get(), counts.data()));

  const std::vector<std::int64_t> wide(counts.begin(), counts.end());
  detopsRulebook_t rulebook = nullptr;
  Check(detopsCreateRulebook(handle, pairs_tensor.get(), pairs.data(), wide.data(), in->count(), out_count, &rulebook));
  // A submanifold layer leaves the sites as they are: the same object, so that the next layer finds its pairs.
  return {Rulebook(rulebook), std::reduce(wide.begin(), wide.end()), in,
          layer.is_submanifold ? in : std::shared_ptr<const Sites>(out), &layer};
}

void CheckReuse(const Layer& layer, const Pairs& pairs, const std::shared_ptr<const Sites>& sites) {
  const Layer& maker = *pairs.maker;
  if (!layer.is_submanifold || !maker.is_submanifold || layer.kernel != maker.kernel ||
      layer.dilation != maker.dilation || pairs.in != sites) {
    throw std::runtime_error("the layer has the key of one whose pairs do not fit it");
  }
}

std::vector<float> Convolve(mluOpHandle_t handle, const Layer& layer, const Pairs& pairs,
                            const std::vector<float>& features) {
  const auto [depth, height, width] = layer.kernel;
  const Tensor in_tensor = MakeTensor(MLUOP_DTYPE_FLOAT, {pairs.in->count(), layer.in_channels});
  const Tensor out_tensor = MakeTensor(MLUOP_DTYPE_FLOAT, {pairs.out->count(), layer.out_channels});
  const Tensor filters_tensor =
      MakeTensor(MLUOP_DTYPE_FLOAT, {layer.out_channels, depth, height, width, layer.in_channels}, MLUOP_LAYOUT_NDHWC);
  const Tensor bias_tensor = MakeTensor(MLUOP_DTYPE_FLOAT, {layer.out_channels});
  const bool has_bias = !layer.bias.empty();
  std::vector<float> made(pairs.out->count() * layer.out_channels);
  Check(detopsRulebookConvolutionForward(
      handle, pairs.rulebook.get(), 0, in_tensor.get(), features.data(), filters_tensor.get(), layer.weight.data(),
      has_bias ? bias_tensor.get() : nullptr, layer.bias.data(), nullptr, nullptr,
      layer.has_relu ? DETOPS_ACTIVATION_RELU : DETOPS_ACTIVATION_NONE, 0.0f, out_tensor.get(), made.data()));
  return made;
}

void RunLayer(mluOpHandle_t handle, const Layer& layer, int batch, std::map<int, Pairs>& pairs_of_keys,
              Encoded& state) {
  const auto begin = Clock::now();
  auto found = pairs_of_keys.find(layer.key);
  const bool is_new = found == pairs_of_keys.end();
  if (is_new) {
    found = pairs_of_keys.emplace(layer.key, FindPairs(handle, layer, batch, state.sites)).first;
  } else {
    CheckReuse(layer, found->second, state.sites);
  }
  const Pairs& pairs = found->second;
  const double pairs_ms = MillisecondsSince(begin);
  const auto middle = Clock::now();
  state.features = Convolve(handle, layer, pairs, state.features);
  state.reports.push_back(
      {pairs.in->count(), pairs.out->count(), pairs.count, is_new, pairs_ms, MillisecondsSince(middle)});
  state.sites = pairs.out;
  state.channels = layer.out_channels;
}

}  // namespace

Encoded Encode(mluOpHandle_t handle, const Network& network, const Sample& sample) {
  if (network.layers.front().in_channels != sample.channels) {
    throw std::runtime_error("the sample has other channels than the first layer expects");
  }
  Encoded state{std::make_shared<Sites>(Sites{network.space, sample.indices}), sample.features, sample.channels, {}};
  std::map<int, Pairs> pairs_of_keys;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    try {
      RunLayer(handle, network.layers[i], sample.batch, pairs_of_keys, state);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("layer " + std::to_string(i + 1) + ": " + error.what());
    }
  }
  return state;
}

ViewShape ShapeFromAbove(const Encoded& encoded, int batch) {
  const auto [depth, rows, columns] = encoded.sites->space;
  return {batch, std::int64_t{encoded.channels} * depth, rows, columns};
}

std::vector<float> SeeFromAbove(const Encoded& encoded, int batch) {
  const ViewShape shape = ShapeFromAbove(encoded, batch);
  const std::int64_t depth = encoded.sites->space[0], columns = shape[3], plane = shape[2] * shape[3];
  std::vector<float> view(shape[0] * shape[1] * plane);
  for (std::int64_t site = 0; site < encoded.sites->count(); ++site) {
    const std::int32_t* at = encoded.sites->indices.data() + 4 * site;  // scene, z, y, x
    const float* row = encoded.features.data() + site * encoded.channels;
    float* cell = view.data() + (at[0] * shape[1] + at[1]) * plane + at[2] * columns + at[3];
    for (std::int64_t channel = 0; channel < encoded.channels; ++channel) {
      cell[channel * depth * plane] = row[channel];
    }
  }
  return view;
}
