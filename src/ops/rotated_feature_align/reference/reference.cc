#include "ops/rotated_feature_align/reference/reference.h"

#include <cmath>
#include <cstddef>

#include "support/element.h"

namespace detops_reference {
namespace {

// A bilinear sample: four pixels (y * width + x) and their weights, in the order top left, top right, bottom left,
// bottom right.
struct Sample {
  int64_t pixel[4];
  double weight[4];
};

// One axis of a sample: the two pixels beside the coordinate and the share of the second one.
struct Neighbours {
  int64_t low, high;
  double fraction;
};

template <class Real>
Neighbours NeighboursOf(Real coordinate, int64_t size) {
  if (coordinate < 0) coordinate = 0;
  const auto low = static_cast<int64_t>(coordinate);
  if (low >= size - 1) return {size - 1, size - 1, 0.0};
  return {low, low + 1, static_cast<double>(coordinate) - static_cast<double>(low)};
}

// Appends nothing when the point lies outside. A point that is not a number, as the corners of huge boxes may be,
// lies outside too, hence the comparisons by what is inside.
template <class Real>
void AppendSample(Real y, Real x, int64_t height, int64_t width, std::vector<Sample>& samples) {
  const bool inside = y >= -1 && y <= static_cast<Real>(height) && x >= -1 && x <= static_cast<Real>(width);
  if (!inside) return;
  const Neighbours rows = NeighboursOf(y, height), columns = NeighboursOf(x, width);
  const double ly = rows.fraction, hy = 1.0 - ly, lx = columns.fraction, hx = 1.0 - lx;
  samples.push_back({{rows.low * width + columns.low, rows.low * width + columns.high, rows.high * width + columns.low,
                      rows.high * width + columns.high},
                     {hy * hx, hy * lx, ly * hx, ly * lx}});
}

// The samples of one box = (y, x, w, h, angle), in point order. Real is the type in which the library decides.
template <class Real>
std::vector<Sample> SamplesOf(const double* box, float spatial_scale, int points, int64_t height, int64_t width) {
  const auto scale = static_cast<Real>(spatial_scale);
  const Real y = static_cast<Real>(box[0]) * scale, x = static_cast<Real>(box[1]) * scale;
  const Real w = static_cast<Real>(box[2]) * scale, h = static_cast<Real>(box[3]) * scale;
  std::vector<Sample> samples;
  AppendSample(y, x, height, width, samples);
  if (points == 1) return samples;
  const auto cosine = static_cast<Real>(std::cos(box[4])), sine = static_cast<Real>(std::sin(box[4]));
  const Real wx = cosine * w / 2, wy = sine * w / 2, hx = -sine * h / 2, hy = cosine * h / 2;
  AppendSample<Real>(y + wy + hy, x + wx + hx, height, width, samples);
  AppendSample<Real>(y - wy + hy, x - wx + hx, height, width, samples);
  AppendSample<Real>(y - wy - hy, x - wx - hx, height, width, samples);
  AppendSample<Real>(y + wy - hy, x + wx - hx, height, width, samples);
  return samples;
}

std::vector<double> ReadAll(mluOpDataType_t type, const void* data, int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values[static_cast<size_t>(i)] = detops_test::ReadElement(type, data, i);
  return values;
}

// Calls visit(first element of the image, pixel in the image, samples of the pixel's box) for all pixels in order.
template <class Visit>
void ForEachPixel(mluOpDataType_t type, int64_t batch, int64_t height, int64_t width, int64_t channels,
                  const void* bboxes, float spatial_scale, int points, Visit visit) {
  const int64_t pixels = height * width;
  const std::vector<double> boxes = ReadAll(type, bboxes, batch * pixels * 5);
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      const double* box = &boxes[static_cast<size_t>((n * pixels + pixel) * 5)];
      visit(n * pixels * channels, pixel,
            type == MLUOP_DTYPE_DOUBLE ? SamplesOf<double>(box, spatial_scale, points, height, width)
                                       : SamplesOf<float>(box, spatial_scale, points, height, width));
    }
  }
}

}  // namespace

std::vector<double> RotatedFeatureAlignForward(mluOpDataType_t type, int64_t batch, int64_t height, int64_t width,
                                               int64_t channels, const void* input, const void* bboxes,
                                               float spatial_scale, int points) {
  const std::vector<double> in = ReadAll(type, input, batch * height * width * channels);
  std::vector<double> out = in;
  ForEachPixel(type, batch, height, width, channels, bboxes, spatial_scale, points,
               [&](int64_t image, int64_t pixel, const std::vector<Sample>& samples) {
                 double* sum = &out[static_cast<size_t>(image + pixel * channels)];
                 for (const Sample& sample : samples) {
                   for (int i = 0; i < 4; ++i) {
                     const double* value = &in[static_cast<size_t>(image + sample.pixel[i] * channels)];
                     for (int64_t c = 0; c < channels; ++c) sum[c] += sample.weight[i] * value[c];
                   }
                 }
               });
  return out;
}

std::vector<double> RotatedFeatureAlignBackward(mluOpDataType_t type, int64_t batch, int64_t height, int64_t width,
                                                int64_t channels, const void* top_output, const void* bboxes,
                                                float spatial_scale, int points) {
  const std::vector<double> top = ReadAll(type, top_output, batch * height * width * channels);
  std::vector<double> bottom(top.size(), 0.0);
  ForEachPixel(type, batch, height, width, channels, bboxes, spatial_scale, points,
               [&](int64_t image, int64_t pixel, const std::vector<Sample>& samples) {
                 const double* gradient = &top[static_cast<size_t>(image + pixel * channels)];
                 for (const Sample& sample : samples) {
                   for (int i = 0; i < 4; ++i) {
                     double* sum = &bottom[static_cast<size_t>(image + sample.pixel[i] * channels)];
                     for (int64_t c = 0; c < channels; ++c) sum[c] += gradient[c] * sample.weight[i];
                   }
                 }
                 double* own = &bottom[static_cast<size_t>(image + pixel * channels)];
                 for (int64_t c = 0; c < channels; ++c) own[c] += gradient[c];
               });
  return bottom;
}

}  // namespace detops_reference
