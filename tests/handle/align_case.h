// A rotated_feature_align problem with a plain reference: real work for tests of what surrounds the operators.
#ifndef DETOPS_TESTS_HANDLE_ALIGN_CASE_H_
#define DETOPS_TESTS_HANDLE_ALIGN_CASE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "detops.h"
#include "mlu_op.h"

namespace detops_test {

struct AlignShape {
  int batch, height, width, channels;
  int points;
};

// Empty if the result is within the contract's bar for float, diff1 and diff2 up to 1e-5, otherwise what is wrong.
// These two are blind to one wrong element among many, so no element may be off by more than 1e-4 either; a bound of
// 1e-5 would be wrong there, because a coordinate near 50 is known to 4e-6 in float and enters each of up to 20 terms.
inline std::string Disagreement(const std::vector<float>& actual, const std::vector<double>& expected) {
  if (actual.size() != expected.size()) return "sizes differ";
  double difference = 0, sum = 0, square_difference = 0, square_sum = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double d = std::abs(actual[i] - expected[i]);
    if (!(d <= 1e-4 * std::max(1.0, std::abs(expected[i])))) {
      return "element " + std::to_string(i) + " is " + std::to_string(actual[i]) + ", expected " +
             std::to_string(expected[i]);
    }
    difference += d;
    sum += std::abs(expected[i]);
    square_difference += d * d;
    square_sum += expected[i] * expected[i];
  }
  const double diff1 = difference / (sum + 1e-9), diff2 = std::sqrt(square_difference / (square_sum + 1e-9));
  if (diff1 <= 1e-5 && diff2 <= 1e-5) return "";
  return "diff1 is " + std::to_string(diff1) + ", diff2 " + std::to_string(diff2) + ", expected up to 1e-5";
}

// Features and boxes with fixed random numbers. Several threads may use one case at the same time.
class AlignCase {
 public:
  explicit AlignCase(const AlignShape& shape) : shape_(shape), features_(size()), boxes_(pixels() * 5) {
    std::mt19937 random(12345);
    const auto between = [&](float low, float high) {
      return low + (high - low) * static_cast<float>(random() >> 8) * 0x1p-24f;
    };
    for (float& feature : features_) feature = between(-1.0f, 1.0f);
    for (size_t i = 0; i < pixels(); ++i) {
      float* box = &boxes_[i * 5];
      box[0] = between(-2.0f, static_cast<float>(shape.height) + 2.0f);
      box[1] = between(-2.0f, static_cast<float>(shape.width) + 2.0f);
      box[2] = between(0.0f, 4.0f);
      box[3] = between(0.0f, 4.0f);
      box[4] = between(-4.0f, 4.0f);
    }
    SetDescriptor(&feature_desc_, shape.channels);
    SetDescriptor(&box_desc_, 5);
  }
  ~AlignCase() {
    mluOpDestroyTensorDescriptor(feature_desc_);
    mluOpDestroyTensorDescriptor(box_desc_);
  }
  AlignCase(const AlignCase&) = delete;
  AlignCase& operator=(const AlignCase&) = delete;

  size_t pixels() const { return static_cast<size_t>(shape_.batch) * shape_.height * shape_.width; }
  size_t size() const { return pixels() * static_cast<size_t>(shape_.channels); }

  mluOpStatus_t Forward(mluOpHandle_t handle, float* output) const {
    return mluOpRotatedFeatureAlignForward(handle, feature_desc_, features_.data(), box_desc_, boxes_.data(), 1.0f,
                                           shape_.points, feature_desc_, output);
  }

  // The features serve as the gradient of the output.
  mluOpStatus_t Backward(mluOpHandle_t handle, float* gradient) const {
    return mluOpRotatedFeatureAlignBackward(handle, feature_desc_, features_.data(), box_desc_, boxes_.data(), 1.0f,
                                            shape_.points, feature_desc_, gradient);
  }

  std::vector<double> ForwardReference() const {
    std::vector<double> output(features_.begin(), features_.end());
    VisitTaps([&](size_t pixel, size_t neighbour, double weight) {
      for (size_t c = 0; c < Channels(); ++c) {
        output[pixel * Channels() + c] += weight * features_[neighbour * Channels() + c];
      }
    });
    return output;
  }

  std::vector<double> BackwardReference() const {
    std::vector<double> gradient(features_.begin(), features_.end());
    VisitTaps([&](size_t pixel, size_t neighbour, double weight) {
      for (size_t c = 0; c < Channels(); ++c) {
        gradient[neighbour * Channels() + c] += weight * features_[pixel * Channels() + c];
      }
    });
    return gradient;
  }

 private:
  size_t Channels() const { return static_cast<size_t>(shape_.channels); }

  void SetDescriptor(mluOpTensorDescriptor_t* desc, int channels) const {
    const int extents[] = {shape_.batch, shape_.height, shape_.width, channels};
    mluOpCreateTensorDescriptor(desc);
    mluOpSetTensorDescriptor(*desc, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, extents);
  }

  // Where a coordinate lies between two pixels of an axis.
  struct Place {
    int low, high;
    double fraction;
  };
  static Place Between(double at, int size) {
    const double clipped = std::max(at, 0.0);
    const int low = static_cast<int>(clipped);
    if (low >= size - 1) return {size - 1, size - 1, 0.0};
    return {low, low + 1, clipped - low};
  }

  template <class Visit>
  void VisitTaps(const Visit& visit) const {
    // The centre, then the corners, in units of (half a width, half a height) along the box's own axes.
    constexpr double kAlong[][2] = {{0, 0}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    const int height = shape_.height, width = shape_.width;
    for (size_t pixel = 0; pixel < pixels(); ++pixel) {
      const float* box = &boxes_[pixel * 5];
      const double cosine = std::cos(static_cast<double>(box[4])), sine = std::sin(static_cast<double>(box[4]));
      const size_t image = pixel / static_cast<size_t>(height * width) * static_cast<size_t>(height * width);
      for (int point = 0; point < shape_.points; ++point) {
        const double w = kAlong[point][0] * box[2] / 2, h = kAlong[point][1] * box[3] / 2;
        const double x = box[1] + cosine * w - sine * h, y = box[0] + sine * w + cosine * h;
        if (y < -1 || y > height || x < -1 || x > width) continue;
        const Place row = Between(y, height), column = Between(x, width);
        const auto at = [&](int r, int c) { return image + static_cast<size_t>(r * width + c); };
        visit(pixel, at(row.low, column.low), (1 - row.fraction) * (1 - column.fraction));
        visit(pixel, at(row.low, column.high), (1 - row.fraction) * column.fraction);
        visit(pixel, at(row.high, column.low), row.fraction * (1 - column.fraction));
        visit(pixel, at(row.high, column.high), row.fraction * column.fraction);
      }
    }
  }

  AlignShape shape_;
  std::vector<float> features_, boxes_;
  mluOpTensorDescriptor_t feature_desc_ = nullptr, box_desc_ = nullptr;
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_HANDLE_ALIGN_CASE_H_
