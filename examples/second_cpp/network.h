// What export_encoder.py writes, in memory.
#ifndef DETOPS_EXAMPLES_SECOND_CPP_NETWORK_H_
#define DETOPS_EXAMPLES_SECOND_CPP_NETWORK_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

using Space = std::array<int, 3>;  // z, y, x
using ViewShape = std::array<std::int64_t, 4>;

struct Layer {
  bool is_submanifold;
  Space kernel, stride, padding, dilation;
  int in_channels, out_channels;
  int key;  // Layers with the same number share index pairs.
  bool has_relu;
  std::vector<float> weight;  // [out_channels, kernel..., in_channels]
  std::vector<float> bias;    // [out_channels], or empty
};

struct Network {
  Space space;
  std::vector<Layer> layers;
};

struct Sample {
  int batch, channels;
  std::vector<std::int32_t> indices;  // [sites, 4]: scene, z, y, x
  std::vector<float> features;        // [sites, channels]
  // What Python has made of it.
  std::vector<std::int32_t> out_indices;  // [out sites, 4]
  ViewShape view_shape;                   // scenes, channels times depth, rows, columns
  std::vector<float> view;
};

// They throw std::runtime_error, which names the file and what is wrong with it.
Network ReadNetwork(const std::string& path);
Sample ReadSample(const std::string& path);

#endif  // DETOPS_EXAMPLES_SECOND_CPP_NETWORK_H_
