// What the results of a roiaware_pool3d problem must be, after the reference: integers and maxima exactly, averages and
// gradients within the bars.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_TEST_EXPECTED_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_TEST_EXPECTED_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "ops/roiaware_pool3d/test/problem.h"

namespace detops_test {

inline std::vector<int32_t> Integers(const Tensor& tensor) {
  std::vector<int32_t> numbers(static_cast<size_t>(tensor.elements()));
  if (!numbers.empty()) std::memcpy(numbers.data(), tensor.data(), tensor.bytes());
  return numbers;
}

inline std::string FirstDifference(const std::vector<int32_t>& actual, const std::vector<int32_t>& expected) {
  if (actual == expected) return "";
  std::ostringstream text;
  const auto at = std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end());
  if (at.first == actual.end() || at.second == expected.end()) {
    text << actual.size() << " numbers, expected " << expected.size();
  } else {
    text << "number " << at.first - actual.begin() << " is " << *at.first << ", expected " << *at.second;
  }
  return text.str();
}

// The same numbers, NaN beside NaN.
inline std::string FirstDifference(const std::vector<double>& actual, const std::vector<double>& expected) {
  return Disagreement(actual, expected, {0, 0});
}

// Both forms of a forward result.
class Expected {
 public:
  Expected(const Problem& problem, int method, const Switches& switches = {})
      : sizes_(problem.sizes), type_(problem.type()), method_(method), voxels_(problem.ExpectedVoxels(switches)) {
    const detops_reference::RoiAwarePooled pooled =
        detops_reference::RoiAwarePool(type_, method, voxels_, sizes_.channels, problem.features.data());
    for (const double value : pooled.features) pooled_.push_back(RoundToElement(type_, value));
    for (const int64_t index : pooled.argmax) argmax_.push_back(static_cast<int32_t>(index));
    for (const auto& voxel : voxels_) point_num_ += static_cast<int64_t>(voxel.points.size());
  }

  const std::vector<detops_reference::RoiAwareVoxel>& voxels() const { return voxels_; }
  int64_t voxel_num() const { return static_cast<int64_t>(voxels_.size()); }
  int64_t point_num() const { return point_num_; }

  // Empty, or what is wrong.
  std::string WrongIn(const Dense& dense) const {
    const auto count = static_cast<size_t>(sizes_.voxels()), channels = static_cast<size_t>(sizes_.channels);
    const auto max_pts = static_cast<size_t>(sizes_.max_pts);
    std::vector<int32_t> lists(count * max_pts, 0), argmax(count * channels, method_ == kMax ? -1 : 0);
    std::vector<double> pooled(count * channels, 0);
    for (size_t v = 0; v < voxels_.size(); ++v) {
      const detops_reference::RoiAwareVoxel& voxel = voxels_[v];
      const auto at =
          static_cast<size_t>(((voxel.box * sizes_.out_x + voxel.x) * sizes_.out_y + voxel.y) * sizes_.out_z + voxel.z);
      lists[at * max_pts] = static_cast<int32_t>(voxel.points.size());
      std::transform(voxel.points.begin(), voxel.points.end(), &lists[at * max_pts] + 1,
                     [](int64_t point) { return static_cast<int32_t>(point); });
      std::copy_n(&argmax_[v * channels], channels, &argmax[at * channels]);
      std::copy_n(&pooled_[v * channels], channels, &pooled[at * channels]);
    }
    if (!dense.SurroundingsIntact()) return "bytes beside a tensor changed";
    const std::string wrong_lists = FirstDifference(Integers(dense.pts_idx), lists);
    if (!wrong_lists.empty()) return "pts_idx_of_voxels: " + wrong_lists;
    const std::string wrong_argmax = FirstDifference(Integers(dense.argmax), argmax);
    if (!wrong_argmax.empty()) return "argmax: " + wrong_argmax;
    return WrongPooled(dense.pooled.Values(), pooled);
  }

  std::string WrongIn(const Compact& compact) const {
    std::ostringstream text;
    if (compact.voxel_num != voxel_num() || compact.point_num != point_num_) {
      text << compact.voxel_num << " voxels and " << compact.point_num << " points, expected " << voxel_num() << " and "
           << point_num_;
      return text.str();
    }
    std::vector<int32_t> places, begins = {0}, lists;
    for (const auto& voxel : voxels_) {
      for (const int64_t number : {voxel.box, voxel.x, voxel.y, voxel.z}) {
        places.push_back(static_cast<int32_t>(number));
      }
      for (const int64_t point : voxel.points) lists.push_back(static_cast<int32_t>(point));
      begins.push_back(static_cast<int32_t>(lists.size()));
    }
    if (!compact.SurroundingsIntact()) return "bytes beside a tensor changed";
    const struct {
      const char* name;
      const Tensor& tensor;
      const std::vector<int32_t>& numbers;
    } integers[] = {{"voxels", compact.voxels, places},
                    {"voxel_begins", compact.begins, begins},
                    {"pts_idx", compact.pts_idx, lists},
                    {"argmax", compact.argmax, argmax_}};
    for (const auto& row : integers) {
      std::vector<int32_t> actual = Integers(row.tensor);
      if (actual.size() < row.numbers.size()) return std::string(row.name) + " is too small";
      if (!TailIntact(row.tensor, row.numbers.size())) return std::string(row.name) + " changed behind its numbers";
      actual.resize(row.numbers.size());
      const std::string wrong = FirstDifference(actual, row.numbers);
      if (!wrong.empty()) return std::string(row.name) + ": " + wrong;
    }
    if (!TailIntact(compact.pooled, pooled_.size())) return "pooled_features changed behind its numbers";
    std::vector<double> actual = compact.pooled.Values();
    actual.resize(pooled_.size());
    return WrongPooled(actual, pooled_);
  }

 private:
  // A maximum is one of the features, so it has no tolerance.
  std::string WrongPooled(const std::vector<double>& actual, const std::vector<double>& expected) const {
    const std::string wrong =
        method_ == kMax ? FirstDifference(actual, expected) : Disagreement(actual, expected, ToleranceFor(type_));
    return wrong.empty() ? "" : "pooled_features: " + wrong;
  }

  // What stands behind the numbers is still the canary.
  static bool TailIntact(const Tensor& tensor, size_t used) {
    const auto* bytes = static_cast<const unsigned char*>(tensor.data());
    const unsigned char canary = tensor.type() == MLUOP_DTYPE_INT32 ? 0xA5 : 0xFF;
    return std::all_of(bytes + used * ElementSize(tensor.type()), bytes + tensor.bytes(),
                       [canary](unsigned char byte) { return byte == canary; });
  }

  Sizes sizes_;
  mluOpDataType_t type_;
  int method_;
  std::vector<detops_reference::RoiAwareVoxel> voxels_;
  std::vector<double> pooled_;
  std::vector<int32_t> argmax_;
  int64_t point_num_ = 0;
};

// The gradient after the reference, from what a forward call wrote; rounded to the type.
inline std::vector<double> ExpectedGradient(int method, const Sizes& n, const Dense& forward, const Tensor& grad_out) {
  const std::vector<int32_t> argmax = Integers(forward.argmax), numbers = Integers(forward.pts_idx);
  std::vector<std::vector<int64_t>> lists;
  for (size_t at = 0; at < numbers.size(); at += static_cast<size_t>(n.max_pts)) {
    lists.emplace_back(&numbers[at] + 1, &numbers[at] + 1 + numbers[at]);
  }
  std::vector<double> gradient =
      method == kMax
          ? detops_reference::RoiAwareMaxBackward(grad_out.type(), n.voxels(), n.channels, argmax.data(),
                                                  grad_out.data(), n.points)
          : detops_reference::RoiAwareAverageBackward(grad_out.type(), lists, n.channels, grad_out.data(), n.points);
  for (double& value : gradient) value = RoundToElement(grad_out.type(), value);
  return gradient;
}

// On every target: one thread agrees with the reference, and 2, 3 and 7 threads give the bits of one.
inline void ExpectAgreement(const Problem& problem, int method) {
  SCOPED_TRACE(method == kMax ? "maximum" : "average");
  const Expected expected(problem, method);
  Dense alone = problem.NewDense(), result = problem.NewDense();
  ForEachConfiguration(ProfileFor(problem.type()), [&](const Handle& handle) {
    Dense& dense = handle.Threads() == 1 ? alone : result;
    dense.FillCanary();
    ASSERT_EQ(problem.Run(handle, method, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
    if (handle.Threads() == 1) {
      ASSERT_EQ(expected.WrongIn(dense), "");
    } else {
      ASSERT_TRUE(dense.SameBytes(alone));
      ASSERT_TRUE(dense.SurroundingsIntact());
    }
  });
}

// The same for the gradient of what a forward call wrote.
inline void ExpectGradientAgreement(const Problem& problem, int method, const Dense& forward, const Tensor& grad_out) {
  SCOPED_TRACE(method == kMax ? "gradient of maximum" : "gradient of average");
  const std::vector<double> expected = ExpectedGradient(method, problem.sizes, forward, grad_out);
  Tensor alone = problem.NewGradient(), result = problem.NewGradient();
  ForEachConfiguration(ProfileFor(problem.type()), [&](const Handle& handle) {
    Tensor& gradient = handle.Threads() == 1 ? alone : result;
    gradient.FillCanary();
    ASSERT_EQ(RunBackward(handle, method, problem.sizes, forward, grad_out, gradient), MLUOP_STATUS_SUCCESS)
        << handle.LastError();
    ASSERT_TRUE(gradient.SurroundingsIntact());
    if (handle.Threads() == 1) {
      ASSERT_EQ(Disagreement(gradient.Values(), expected, ToleranceFor(problem.type())), "");
    } else {
      ASSERT_TRUE(gradient.SameBytes(alone));
    }
  });
}

}  // namespace detops_test

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_TEST_EXPECTED_H_
