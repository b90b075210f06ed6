// What the tests of indice_pool share: a problem with its tensors between guard pages, the calls
// with pairs and on a rulebook, and the comparison with the reference.
#ifndef DETOPS_OPS_INDICE_POOL_TEST_PROBLEM_H_
#define DETOPS_OPS_INDICE_POOL_TEST_PROBLEM_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "detops.h"
#include "ops/indice_pool/reference/reference.h"
#include "sparse/contract/pairs.h"
#include "support/configurations.h"
#include "support/handle.h"
#include "support/tensor.h"
#include "support/tolerance.h"

namespace detops_test::inline indice_pool {  // one program may use several rooms

using detops_reference::PoolPairs;
using detops_reference::PoolSums;

inline constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16,
                                             MLUOP_DTYPE_DOUBLE};
inline std::string TypeName(const testing::TestParamInfo<mluOpDataType_t>& info) { return ElementName(info.param); }

enum class Way { kFromZero, kFromLowest, kAverage, kMaximumBackward, kAverageBackward };

inline const char* NameOf(Way way) {
  constexpr const char* kNames[] = {"FromZero", "FromLowest", "Average", "MaximumBackward", "AverageBackward"};
  return kNames[static_cast<int>(way)];
}
inline bool IsForward(Way way) { return way < Way::kMaximumBackward; }
inline bool IsMaximum(Way way) { return way == Way::kFromZero || way == Way::kFromLowest; }
inline detopsPoolMethod_t MethodOf(Way way) {
  return way == Way::kAverage || way == Way::kAverageBackward ? DETOPS_POOL_AVERAGE : DETOPS_POOL_MAXIMUM;
}
inline detopsMaximumStart_t StartOf(Way way) {
  return way == Way::kFromLowest ? DETOPS_MAXIMUM_FROM_LOWEST : DETOPS_MAXIMUM_FROM_ZERO;
}

// ---- pairs ----

// What stands in columns that do not count: whoever uses it as an index leaves every tensor.
inline constexpr int32_t kGarbageIndex = -0x5A5A5A5A;

inline PoolPairs NoPairs(int64_t offsets, int64_t columns) {
  return {offsets, columns, std::vector<int32_t>(static_cast<size_t>(offsets * 2 * columns), kGarbageIndex),
          std::vector<int64_t>(static_cast<size_t>(offsets))};
}

inline void AddPair(PoolPairs& pairs, int64_t offset, int64_t input, int64_t output) {
  const int64_t column = pairs.counts.at(static_cast<size_t>(offset))++;
  pairs.At(offset, 0, column) = static_cast<int32_t>(input);
  pairs.At(offset, 1, column) = static_cast<int32_t>(output);
}

// Lists of a kind of the catalogue (sparse/contract/pairs.h).
inline PoolPairs MakePairs(const std::string& kind, int64_t offsets, int64_t inputs, int64_t outputs, int64_t columns) {
  detops_harness::Random random(5);
  const detops_harness::sparse::Pairs pairs = detops_harness::sparse::MakePairs(
      detops_harness::Shape("pairs=" + kind), offsets, columns, inputs, outputs, random);
  return {pairs.offsets, pairs.columns, pairs.indices, pairs.counts};
}

// ---- a problem ----

struct Shape {
  int64_t inputs, outputs, channels;
  Placement placement = Placement::kAgainstEnd;
  size_t misalignment = 0;
};

class Problem {
 public:
  Problem(mluOpDataType_t type, const Shape& shape, PoolPairs pairs, uint64_t seed = 1)
      : features(MLUOP_LAYOUT_ARRAY, type, {shape.inputs, shape.channels}, shape.placement, shape.misalignment),
        features_out(MLUOP_LAYOUT_ARRAY, type, {shape.outputs, shape.channels}, shape.placement, shape.misalignment),
        output_grad(MLUOP_LAYOUT_ARRAY, type, {shape.outputs, shape.channels}, shape.placement, shape.misalignment),
        indice_pairs(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {pairs.offsets, 2, pairs.columns}, shape.placement),
        shape_(shape),
        pairs_(std::move(pairs)) {
    // Few different numbers, so that maxima tie; the sums of gradients round.
    detops_harness::Random random(seed);
    for (int64_t i = 0; i < features.elements(); ++i) {
      features.Set(i, static_cast<double>(random.Below(9) - 5) * 0.375);
    }
    output_grad.FillUniform(-1, 1, seed + 1);
    SetMaximum(true);
    if (indice_pairs.bytes() > 0) std::memcpy(indice_pairs.data(), pairs_.indices.data(), indice_pairs.bytes());
  }

  mluOpDataType_t type() const { return features.type(); }
  const Shape& shape() const { return shape_; }
  const PoolPairs& pairs() const { return pairs_; }

  // features_out becomes what the forward pass would give.
  void SetMaximum(bool from_zero) {
    features_out.Assign(
        detops_reference::IndicePoolMaximum(pairs_, features.Values(), shape_.channels, shape_.outputs, from_zero));
  }

  // Never NULL, which no call accepts, also if there are no offsets.
  const int64_t* counts() const {
    static constexpr int64_t kNone = 0;
    return pairs_.counts.empty() ? &kNone : pairs_.counts.data();
  }

  // As the tensor that the way makes, full of canaries.
  Tensor NewResult(Way way) const {
    return Tensor(MLUOP_LAYOUT_ARRAY, type(), (IsForward(way) ? features_out : features).extents(), shape_.placement,
                  shape_.misalignment);
  }

  mluOpStatus_t Run(const Handle& handle, Way way, Tensor& result) const {
    if (IsForward(way)) {
      return detopsIndicePoolForward(handle.get(), MethodOf(way), StartOf(way), features.desc(), features.data(),
                                     indice_pairs.desc(), indice_pairs.data(), counts(), shape_.outputs, result.desc(),
                                     result.data());
    }
    return detopsIndicePoolBackward(handle.get(), MethodOf(way), features.desc(), features.data(), features_out.desc(),
                                    features_out.data(), output_grad.desc(), output_grad.data(), indice_pairs.desc(),
                                    indice_pairs.data(), counts(), result.desc(), result.data());
  }

  mluOpStatus_t RunOn(detopsRulebook_t rulebook, const Handle& handle, Way way, Tensor& result) const {
    if (IsForward(way)) {
      return detopsRulebookPoolForward(handle.get(), rulebook, MethodOf(way), StartOf(way), features.desc(),
                                       features.data(), result.desc(), result.data());
    }
    return detopsRulebookPoolBackward(handle.get(), rulebook, MethodOf(way), features.desc(), features.data(),
                                      features_out.desc(), features_out.data(), output_grad.desc(), output_grad.data(),
                                      result.desc(), result.data());
  }

  // Not rounded; a maximum has no terms.
  PoolSums Expected(Way way) const {
    using namespace detops_reference;
    if (IsMaximum(way)) {
      return {.values =
                  IndicePoolMaximum(pairs_, features.Values(), shape_.channels, shape_.outputs, way == Way::kFromZero)};
    }
    if (way == Way::kAverage) {
      return IndicePoolAverage(pairs_, features.Values(), shape_.channels, shape_.outputs);
    }
    if (way == Way::kMaximumBackward) {
      return IndicePoolMaximumGradient(pairs_, features.Values(), features_out.Values(), output_grad.Values(),
                                       shape_.channels, shape_.inputs);
    }
    return IndicePoolAverageGradient(pairs_, output_grad.Values(), shape_.channels, shape_.inputs, shape_.outputs);
  }

  Tensor features, features_out, output_grad, indice_pairs;

 private:
  Shape shape_;
  PoolPairs pairs_;
};

// Destroyed with its scope.
class Rulebook {
 public:
  Rulebook(const Handle& handle, const Problem& problem) {
    Must(detopsCreateRulebook(handle.get(), problem.indice_pairs.desc(), problem.indice_pairs.data(), problem.counts(),
                              problem.shape().inputs, problem.shape().outputs, &rulebook_),
         "detopsCreateRulebook");
  }
  ~Rulebook() { detopsDestroyRulebook(rulebook_); }
  Rulebook(const Rulebook&) = delete;
  Rulebook& operator=(const Rulebook&) = delete;
  detopsRulebook_t get() const { return rulebook_; }

 private:
  detopsRulebook_t rulebook_ = nullptr;
};

// ---- comparison ----

// Empty when the result is right: a maximum exactly; a sum of n terms, each with at most three roundings, within as
// many units of the sum of absolute terms, but for long ones within the bar that the project promises, and then rounded
// once.
inline std::string Complaint(const Tensor& result, const PoolSums& sums) {
  if (!result.SurroundingsIntact()) return "bytes next to the result were written";
  const mluOpDataType_t type = result.type();
  const bool wide = type == MLUOP_DTYPE_DOUBLE;
  const double unit = wide ? 0x1p-53 : 0x1p-24;
  const double bar = ToleranceFor(wide ? MLUOP_DTYPE_DOUBLE : MLUOP_DTYPE_FLOAT).diff1;
  for (int64_t i = 0; i < result.elements(); ++i) {
    const auto at = static_cast<size_t>(i);
    const double value = result.Get(i), exact = sums.values[at], expected = RoundToElement(type, exact);
    if (value == expected || (std::isnan(value) && std::isnan(expected))) continue;
    double error = 0;
    if (!sums.terms.empty()) {
      error = sums.magnitudes[at] * std::min(bar, unit * static_cast<double>(sums.terms[at] + 3));
    }
    if (value >= RoundToElement(type, exact - error) && value <= RoundToElement(type, exact + error)) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(value) + ", expected " + std::to_string(expected);
  }
  return "";
}

// Runs the way with pairs and on a rulebook and compares both with the reference, and with each other bit by bit.
inline void ExpectRight(const Handle& handle, const Problem& problem, Way way, const PoolSums& expected) {
  SCOPED_TRACE(testing::Message() << NameOf(way) << " of " << ElementName(problem.type()) << ", "
                                  << problem.shape().inputs << " -> " << problem.shape().outputs << " rows of "
                                  << problem.shape().channels << " channels, " << problem.pairs().offsets
                                  << " offsets");
  Tensor result = problem.NewResult(way);
  ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
  ASSERT_EQ(Complaint(result, expected), "");
  const Rulebook rulebook(handle, problem);
  Tensor again = problem.NewResult(way);
  ASSERT_EQ(problem.RunOn(rulebook.get(), handle, way, again), MLUOP_STATUS_SUCCESS) << handle.LastError();
  ASSERT_TRUE(again.SameBytes(result)) << "on a rulebook";
}

}  // namespace detops_test::inline indice_pool

#endif  // DETOPS_OPS_INDICE_POOL_TEST_PROBLEM_H_
