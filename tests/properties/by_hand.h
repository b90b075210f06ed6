// Calls whose numbers a test gives itself, and what they must come to: numbers worked out on paper, or a property that
// ties forward and backward together.
#ifndef DETOPS_TESTS_PROPERTIES_BY_HAND_H_
#define DETOPS_TESTS_PROPERTIES_BY_HAND_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "harness/fill.h"
#include "properties/expect.h"
#include "support/diff.h"
#include "support/element.h"

namespace detops_test {

inline constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16,
                                             MLUOP_DTYPE_DOUBLE};
inline std::string TypeName(const testing::TestParamInfo<mluOpDataType_t>& test) { return ElementName(test.param); }

// The neighbours of a value other than 0 in the type.
inline double StepFromZero(mluOpDataType_t type, double value, int steps) {
  uint64_t bits = 0;
  WriteElement(type, &bits, 0, value);
  bits += static_cast<uint64_t>(int64_t{steps});
  return ReadElement(type, &bits, 0);
}
inline double NextAwayFromZero(mluOpDataType_t type, double value) { return StepFromZero(type, value, 1); }
inline double NextTowardsZero(mluOpDataType_t type, double value) { return StepFromZero(type, value, -1); }

// Half of the least power of two that the type does not hold: twice it is infinite.
inline double HalfTheLimit(mluOpDataType_t type) {
  return type == MLUOP_DTYPE_HALF ? 0x1p15 : type == MLUOP_DTYPE_DOUBLE ? 0x1p1023 : 0x1p127;
}

// ---- numbers into tensors ----

inline void SetRow(detops_harness::Call& call, const std::string& tensor, int64_t row,
                   const std::vector<double>& numbers) {
  const auto length = static_cast<int64_t>(numbers.size());
  for (int64_t i = 0; i < length; ++i) call[tensor].Set(row * length + i, numbers[static_cast<size_t>(i)]);
}

// All elements.
inline void Assign(detops_harness::Call& call, const std::string& tensor, const std::vector<double>& numbers) {
  ASSERT_EQ(call[tensor].elements(), static_cast<int64_t>(numbers.size())) << tensor;
  SetRow(call, tensor, 0, numbers);
}

inline void Fill(detops_harness::Call& call, const std::string& tensor, double number) {
  for (int64_t i = 0; i < call[tensor].elements(); ++i) call[tensor].Set(i, number);
}

inline void FillUniform(detops_harness::Call& call, const std::string& tensor, double low, double high, uint64_t seed) {
  detops_harness::Random random(seed);
  for (int64_t i = 0; i < call[tensor].elements(); ++i) call[tensor].Set(i, random.Uniform(low, high));
}

// The numbers in turn, one in every `step` elements.
inline void Sprinkle(detops_harness::Call& call, const std::string& tensor, const std::vector<double>& numbers,
                     int64_t step) {
  size_t next = 0;
  for (int64_t i = step / 2; i < call[tensor].elements(); i += step) {
    call[tensor].Set(i, numbers[next++ % numbers.size()]);
  }
}

// A case with one channel runs with several too, so that vectors and their remainders do: the others are 2, 4 and 1
// times the first, which is exact.
inline double ChannelFactor(int64_t channel) { return static_cast<double>(1 << channel % 3); }
inline std::vector<double> InChannels(const std::vector<double>& numbers, int64_t channels) {
  std::vector<double> all;
  for (const double number : numbers) {
    for (int64_t c = 0; c < channels; ++c) all.push_back(number * ChannelFactor(c));
  }
  return all;
}

// ---- what must come out ----

using Numbers = std::map<std::string, std::vector<double>>;  // of outputs, by their names

// On outputs that were NaN.
inline void CarryOut(detops_harness::PlacedCall& placed, const Handle& handle) {
  placed.Reset(0xFF);
  ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
  ASSERT_TRUE(placed.SurroundingsIntact());
}

// Exactly these numbers, everywhere, and so says the reference.
inline void ExpectNumbersEverywhere(const detops_harness::Call& call, const Numbers& outputs) {
  detops_harness::Expected expected{.tensors = outputs};
  for (const auto& [name, numbers] : outputs) expected.exact.insert(name);
  ExpectAgreementEverywhere(call, {},
                            [&](const detops_harness::Call& done) { ASSERT_EQ(Disagreement(done, expected), ""); });
}

// The bars of diff1 and diff2 alone: where every addition rounds the same way, so do those of the reference, and diff4
// says nothing. Against the reference unless the outputs are given.
inline void ExpectWithinTheBar(const detops_harness::Call& call, Numbers outputs = {}) {
  detops_harness::PlacedCall placed(call);
  if (outputs.empty()) outputs = call.function->Reference(placed.call()).tensors;
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    CarryOut(placed, handle);
    for (const auto& [name, numbers] : outputs) {
      const Tolerance tolerance = call.function->tolerance(placed.call()[name].type);
      ASSERT_LE(Diff1(placed.call()[name].Values(), numbers), tolerance.diff1) << name;
      ASSERT_LE(Diff2(placed.call()[name].Values(), numbers), tolerance.diff2) << name;
    }
  });
}

// Two calls give the same bits on every target, with three threads.
inline void ExpectSameBits(const detops_harness::Call& call, const detops_harness::Call& other,
                           detops_harness::Placing placing = {}, detops_harness::Placing other_placing = {}) {
  detops_harness::PlacedCall first(call, placing), second(other, other_placing);
  ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
    handle.SetThreads(3);
    CarryOut(first, handle);
    CarryOut(second, handle);
    ASSERT_TRUE(first.Outputs() == second.Outputs());
  });
}

// Large outputs are written past the caches where they are whole cache lines. Nothing but the time may differ from
// outputs off the lines.
inline void ExpectSameBitsOffTheCacheLines(const detops_harness::Call& call) {
  constexpr detops_harness::MemoryKind kFront = detops_harness::MemoryKind::kAgainstFront;
  ExpectSameBits(call, call, {kFront}, {kFront, 8});
}

// ---- gradients ----

// A call in double with the tensors whose numbers count.
struct Pass {
  detops_harness::Call call;
  std::string source, target;
};

inline double InnerProduct(const detops_harness::Tensor& a, const detops_harness::Tensor& b) {
  long double sum = 0;
  for (int64_t i = 0; i < a.elements(); ++i) sum += static_cast<long double>(a.Get(i)) * b.Get(i);
  return static_cast<double>(sum);
}

// What backward reads under a name that forward has, read or written, is forward's.
inline void HandOver(const detops_harness::Call& forward, detops_harness::Call& backward) {
  for (detops_harness::Tensor& tensor : backward.tensors) {
    for (const detops_harness::Tensor& known : forward.tensors) {
      if (known.name != tensor.name || tensor.access != detops_harness::Access::kRead || !tensor.described) continue;
      for (int64_t i = 0; i < known.elements(); ++i) tensor.Set(i, known.Get(i));
    }
  }
}

// <A x, y> = <x, A' y>. x and y are positive, so that nothing cancels and the error is relative.
inline void ExpectAdjoint(Pass forward, Pass backward) {
  FillUniform(forward.call, forward.source, 0.5, 1, 4);
  FillUniform(backward.call, backward.source, 0.5, 1, 5);
  detops_harness::PlacedCall there(forward.call);
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    CarryOut(there, handle);
    HandOver(there.call(), backward.call);
    detops_harness::PlacedCall back(backward.call);
    CarryOut(back, handle);
    const double left = InnerProduct(there.call()[forward.target], backward.call[backward.source]);
    ASSERT_GT(left, 0);
    ASSERT_NEAR(left, InnerProduct(forward.call[forward.source], back.call()[backward.target]), 1e-12 * left);
  });
}

// Central differences of a weighted sum of forward's results. It is linear as long as the step changes no decision.
inline void ExpectSlope(Pass forward, Pass backward) {
  constexpr double kStep = 1e-6;
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  FillUniform(backward.call, backward.source, -1, 1, 6);
  const auto loss = [&](int64_t element, double value) {
    Pass moved = forward;
    moved.call[moved.source].Set(element, value);
    detops_harness::PlacedCall there(moved.call, {detops_harness::MemoryKind::kHeap});
    CarryOut(there, handle);
    return InnerProduct(there.call()[forward.target], backward.call[backward.source]);
  };
  detops_harness::PlacedCall there(forward.call);
  CarryOut(there, handle);
  HandOver(there.call(), backward.call);
  detops_harness::PlacedCall back(backward.call);
  CarryOut(back, handle);
  for (int64_t i = 0; i < forward.call[forward.source].elements(); ++i) {
    const double value = forward.call[forward.source].Get(i);
    const double slope = (loss(i, value + kStep) - loss(i, value - kStep)) / (2 * kStep);
    ASSERT_NEAR(back.call()[backward.target].Get(i), slope, 1e-8) << "element " << i;
  }
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_PROPERTIES_BY_HAND_H_
