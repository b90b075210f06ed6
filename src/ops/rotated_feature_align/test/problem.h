// What the tests of rotated_feature_align share: a problem with its tensors, boxes of every kind, and the comparison
// with the reference on all targets and numbers of threads.
#ifndef DETOPS_OPS_ROTATED_FEATURE_ALIGN_TEST_PROBLEM_H_
#define DETOPS_OPS_ROTATED_FEATURE_ALIGN_TEST_PROBLEM_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "detops.h"
#include "ops/rotated_feature_align/reference/reference.h"
#include "support/configurations.h"
#include "support/tensor.h"
#include "support/tolerance.h"

namespace detops_test::inline rotated_feature_align {  // one program may use several rooms

enum class Direction { kForward, kBackward };
inline constexpr Direction kDirections[] = {Direction::kForward, Direction::kBackward};
inline constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16,
                                             MLUOP_DTYPE_DOUBLE};

inline detopsProfile_t ProfileFor(mluOpDataType_t type) {
  return type == MLUOP_DTYPE_FLOAT || type == MLUOP_DTYPE_HALF ? DETOPS_PROFILE_CONTRACT : DETOPS_PROFILE_FULL;
}

// The neighbours of the value in the type.
inline double StepFromZero(mluOpDataType_t type, double value, int steps) {
  uint64_t bits = 0;
  WriteElement(type, &bits, 0, value);
  bits += static_cast<uint64_t>(int64_t{steps});
  return ReadElement(type, &bits, 0);
}
inline double NextAwayFromZero(mluOpDataType_t type, double value) { return StepFromZero(type, value, 1); }
inline double NextTowardsZero(mluOpDataType_t type, double value) { return StepFromZero(type, value, -1); }

struct Shape {
  int64_t batch, height, width, channels;
};

struct Box {
  double y = 0, x = 0, w = 0, h = 0, angle = 0;
};

// Data of a call. `source` is the input of forward and the output's gradient of backward.
class Problem {
 public:
  Problem(mluOpDataType_t type, const Shape& shape, float spatial_scale, int points,
          Placement placement = Placement::kAgainstEnd, size_t offset = 0)
      : source(MLUOP_LAYOUT_NHWC, type, {shape.batch, shape.height, shape.width, shape.channels}, placement, offset),
        boxes(MLUOP_LAYOUT_ARRAY, type, {shape.batch, shape.height, shape.width, 5}, placement, offset),
        shape_(shape),
        scale_(spatial_scale),
        points_(points),
        placement_(placement),
        offset_(offset) {
    source.FillUniform(-1, 1, 1);
  }

  const Shape& shape() const { return shape_; }
  mluOpDataType_t type() const { return source.type(); }
  float scale() const { return scale_; }
  int64_t pixels() const { return shape_.batch * shape_.height * shape_.width; }

  void SetBox(int64_t pixel, const Box& box) {
    const double numbers[] = {box.y, box.x, box.w, box.h, box.angle};
    for (int64_t i = 0; i < 5; ++i) boxes.Set(pixel * 5 + i, numbers[i]);
  }

  Tensor NewTarget() const { return Tensor(MLUOP_LAYOUT_NHWC, type(), source.extents(), placement_, offset_); }

  mluOpStatus_t Run(const Handle& handle, Direction direction, Tensor& target) const {
    const auto align =
        direction == Direction::kForward ? mluOpRotatedFeatureAlignForward : mluOpRotatedFeatureAlignBackward;
    return align(handle.get(), source.desc(), source.data(), boxes.desc(), boxes.data(), scale_, points_, target.desc(),
                 target.data());
  }

  // The reference's result, rounded to the type.
  std::vector<double> Expected(Direction direction) const {
    const auto align = direction == Direction::kForward ? detops_reference::RotatedFeatureAlignForward
                                                        : detops_reference::RotatedFeatureAlignBackward;
    std::vector<double> values = align(type(), shape_.batch, shape_.height, shape_.width, shape_.channels,
                                       source.data(), boxes.data(), scale_, points_);
    for (double& value : values) value = RoundToElement(type(), value);
    return values;
  }

  Tensor source;
  Tensor boxes;

 private:
  Shape shape_;
  float scale_;
  int points_;
  Placement placement_;
  size_t offset_;
};

enum class BoxKind {
  kNearPixel,     // around their own pixel, as a detector's refinement stage makes them
  kOverMap,       // anywhere on the map and a little beyond
  kFarOutside,    // nothing is sampled
  kOnBorders,     // on -1, 0, size - 1, size and one step beyond
  kZeroSize,      // all five points coincide
  kHuge,          // finite, but corners overflow or are not numbers
  kNegativeSize,  // w and h below 0
  kLargeAngle     // many turns
};
inline constexpr BoxKind kBoxKinds[] = {BoxKind::kNearPixel,    BoxKind::kOverMap,   BoxKind::kFarOutside,
                                        BoxKind::kOnBorders,    BoxKind::kZeroSize,  BoxKind::kHuge,
                                        BoxKind::kNegativeSize, BoxKind::kLargeAngle};

class BoxMaker {
 public:
  BoxMaker(mluOpDataType_t type, const Shape& shape, uint64_t seed) : type_(type), shape_(shape), random_(seed) {}

  // A box for the pixel in feature units; the angle in radians.
  Box Make(BoxKind kind, int64_t row, int64_t column) {
    const double height = static_cast<double>(shape_.height), width = static_cast<double>(shape_.width);
    Box box = {Uniform(-2, height + 1), Uniform(-2, width + 1), Uniform(0, 7), Uniform(0, 4), Uniform(-1.6, 1.6)};
    switch (kind) {
      case BoxKind::kNearPixel:
        box.y = static_cast<double>(row) + Uniform(-1.5, 1.5);
        box.x = static_cast<double>(column) + Uniform(-1.5, 1.5);
        break;
      case BoxKind::kOverMap:
        break;
      case BoxKind::kFarOutside:
        (Uniform(0, 1) < 0.5 ? box.y : box.x) = Uniform(0, 1) < 0.5 ? -100 : 1000;
        break;
      case BoxKind::kOnBorders:
        box = {OnBorder(height), OnBorder(width), 2 * std::floor(Uniform(0, 3)), 2 * std::floor(Uniform(0, 3)), 0};
        break;
      case BoxKind::kZeroSize:
        box.w = box.h = 0;
        break;
      case BoxKind::kHuge:
        for (double* number : {&box.y, &box.x, &box.w, &box.h}) {
          if (Uniform(0, 1) < 0.4) *number = Huge();
        }
        break;
      case BoxKind::kNegativeSize:
        box.w = -box.w;
        box.h = -box.h;
        break;
      case BoxKind::kLargeAngle:
        box.angle = Uniform(-6e4, 6e4);
        break;
    }
    return box;
  }

 private:
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }

  double OnBorder(double size) {
    const double choices[] = {-1,   NextAwayFromZero(type_, -1),  -0.5, 0, size - 1, size - 0.5,
                              size, NextAwayFromZero(type_, size)};
    return choices[random_() % std::size(choices)];
  }

  double Huge() {
    double largest = 6e4;
    if (type_ == MLUOP_DTYPE_FLOAT) largest = static_cast<double>(std::numeric_limits<float>::max());
    if (type_ == MLUOP_DTYPE_BFLOAT16) largest = 0x1.fep127;
    if (type_ == MLUOP_DTYPE_DOUBLE) largest = std::numeric_limits<double>::max();
    const double choices[] = {largest, type_ == MLUOP_DTYPE_HALF ? 3e4 : 1e30};
    return (random_() % 2 == 0 ? 1 : -1) * choices[random_() % 2];
  }

  mluOpDataType_t type_;
  Shape shape_;
  std::mt19937_64 random_;
};

// Gives every pixel a box of the kind. Huge numbers are not divided by the scale: they would not fit the type.
inline void FillBoxes(Problem& problem, BoxKind kind, uint64_t seed) {
  BoxMaker maker(problem.type(), problem.shape(), seed);
  const double unit = kind == BoxKind::kHuge ? 1.0 : 1.0 / static_cast<double>(problem.scale());
  for (int64_t pixel = 0; pixel < problem.pixels(); ++pixel) {
    const int64_t width = problem.shape().width, height = problem.shape().height;
    const Box box = maker.Make(kind, pixel / width % height, pixel % width);
    problem.SetBox(pixel, {box.y * unit, box.x * unit, box.w * unit, box.h * unit, box.angle});
  }
}

// On every target: one thread agrees with the reference, and 2, 3 and 7 threads give the bits of one.
inline void ExpectAgreement(Direction direction, const Problem& problem) {
  SCOPED_TRACE(direction == Direction::kForward ? "forward" : "backward");
  const std::vector<double> expected = problem.Expected(direction);
  Tensor alone = problem.NewTarget(), target = problem.NewTarget();
  ForEachConfiguration(ProfileFor(problem.type()), [&](const Handle& handle) {
    Tensor& result = handle.Threads() == 1 ? alone : target;
    result.FillCanary();
    ASSERT_EQ(problem.Run(handle, direction, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
    EXPECT_TRUE(result.SurroundingsIntact());
    if (handle.Threads() == 1) {
      ASSERT_EQ(Disagreement(result.Values(), expected, ToleranceFor(problem.type())), "");
    } else {
      ASSERT_TRUE(result.SameBytes(alone));
    }
  });
}

inline std::string TypeName(const testing::TestParamInfo<mluOpDataType_t>& info) { return ElementName(info.param); }

}  // namespace detops_test::inline rotated_feature_align

#endif  // DETOPS_OPS_ROTATED_FEATURE_ALIGN_TEST_PROBLEM_H_
