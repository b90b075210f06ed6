// The network on the library: index pairs, convolutions, the bird's-eye view.
#ifndef DETOPS_EXAMPLES_SECOND_CPP_ENCODER_H_
#define DETOPS_EXAMPLES_SECOND_CPP_ENCODER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "api.h"
#include "network.h"

struct Sites {
  Space space;
  std::vector<std::int32_t> indices;  // [count, 4]: scene, z, y, x

  std::int64_t count() const { return static_cast<std::int64_t>(indices.size() / 4); }
};

// How a layer went.
struct LayerReport {
  std::int64_t sites_in, sites_out, pairs;
  bool has_own_pairs;  // Otherwise those of an earlier layer.
  double pairs_ms, convolution_ms;
};

struct Encoded {
  std::shared_ptr<const Sites> sites;
  std::vector<float> features;  // [sites, channels]
  int channels;
  std::vector<LayerReport> reports;
};

// Throws std::runtime_error if layers and sample do not fit together, with the library's sentence.
Encoded Encode(mluOpHandle_t handle, const Network& network, const Sample& sample);

// The bird's-eye view, [scenes, channels times depth, rows, columns]: depth becomes channels, and what has no site is
// 0. Its size is only limited by the file, so look at the shape first.
ViewShape ShapeFromAbove(const Encoded& encoded, int batch);
std::vector<float> SeeFromAbove(const Encoded& encoded, int batch);

#endif  // DETOPS_EXAMPLES_SECOND_CPP_ENCODER_H_
