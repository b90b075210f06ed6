#include "network.h"

#include "reader.h"

namespace {

// Far above what networks have, and so small that no product of some of them leaves 64 bits.
constexpr int kMostLayers = 1000, kMostChannels = 4096, kMostKernel = 9, kMostSpace = 1 << 16, kMostBatch = 1 << 12;
constexpr std::int64_t kMostCells = std::int64_t{1} << 40;

Layer ReadLayer(Reader& reader, const std::string& name) {
  Layer layer;
  layer.is_submanifold = reader.Number(name + "kind", 0, 1) == 0;
  layer.kernel = reader.Numbers<3>(name + "kernel", 1, kMostKernel);
  layer.stride = reader.Numbers<3>(name + "stride", 1, kMostSpace);
  layer.padding = reader.Numbers<3>(name + "padding", 0, kMostSpace);
  layer.dilation = reader.Numbers<3>(name + "dilation", 1, kMostSpace);
  layer.in_channels = reader.Number(name + "number of input channels", 1, kMostChannels);
  layer.out_channels = reader.Number(name + "number of output channels", 1, kMostChannels);
  layer.key = reader.Number(name + "key", 0, kMostLayers);
  layer.has_relu = reader.Number(name + "ReLU", 0, 1) == 1;
  const bool has_bias = reader.Number(name + "bias", 0, 1) == 1;
  std::uint64_t weights = 1;
  for (int extent : layer.kernel) weights *= extent;
  weights *= layer.in_channels;
  weights *= layer.out_channels;
  layer.weight = reader.Array<float>(weights, name + "weights");
  if (has_bias) layer.bias = reader.Array<float>(layer.out_channels, name + "biases");
  return layer;
}

}  // namespace

Network ReadNetwork(const std::string& path) {
  Reader reader(path, "DETOPS_E");
  Network network;
  network.space = reader.Numbers<3>("the space", 1, kMostSpace);
  const int count = reader.Number("the number of layers", 1, kMostLayers);
  for (int i = 0; i < count; ++i) {
    const std::string name = "layer " + std::to_string(i + 1) + ": ";
    network.layers.push_back(ReadLayer(reader, name));
    if (i > 0 && network.layers[i].in_channels != network.layers[i - 1].out_channels) {
      reader.Fail(name + "has other channels than the layer before it");
    }
  }
  reader.ExpectEnd();
  return network;
}

Sample ReadSample(const std::string& path) {
  Reader reader(path, "DETOPS_S");
  Sample sample;
  sample.batch = reader.Number("the number of scenes", 1, kMostBatch);
  const std::uint64_t sites = reader.Number("the number of sites", 0, INT32_MAX);
  sample.channels = reader.Number("the number of channels", 1, kMostChannels);
  sample.indices = reader.Array<std::int32_t>(4 * sites, "the sites");
  sample.features = reader.Array<float>(sites * sample.channels, "the features");
  const std::uint64_t out_sites = reader.Number("the number of output sites", 0, INT32_MAX);
  sample.out_indices = reader.Array<std::int32_t>(4 * out_sites, "the output sites");
  std::int64_t cells = 1;
  for (std::int64_t& extent : sample.view_shape) {
    extent = reader.Number("the shape of the bird's-eye view", 1, INT32_MAX);
    if (extent > kMostCells / cells) reader.Fail("the bird's-eye view is too large");
    cells *= extent;
  }
  sample.view = reader.Array<float>(cells, "the bird's-eye view");
  reader.ExpectEnd();
  return sample;
}
