// What the tests of indice_convolution share: calls of the three ways, also on pairs that a test gives itself.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_TEST_CALLS_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_TEST_CALLS_H_

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "ops/indice_convolution/contract/rules.h"
#include "properties/by_hand.h"
#include "sparse/contract/pairs.h"

namespace detops_test::inline indice_convolution {  // one program may use several rooms

using detops_harness::Call;
using detops_harness::PlacedCall;
using detops_harness::indice_convolution::NamesOf;
using detops_harness::indice_convolution::Way;
using detops_harness::sparse::NoPairs;
using detops_harness::sparse::Pairs;

inline constexpr Way kWays[] = {Way::kForward, Way::kBackwardData, Way::kBackwardFilter};
inline constexpr const char* kLayouts[] = {"ARRAY", "NDHWC", "NCDHW", "ARRAY4", "HWCN", "NHWC", "NCHW"};
inline constexpr const char* kKinds[] = {"ascending", "crossed",    "shuffled",  "holes",      "random",
                                         "crowded",   "one_output", "one_input", "submanifold"};
inline constexpr const char* kFused = "detopsIndiceConvolutionForwardFused";

inline const char* EndOf(Way way) {
  return way == Way::kForward ? "Forward" : way == Way::kBackwardData ? "BackwardData" : "BackwardFilter";
}
inline std::string NameOf(Way way) { return std::string("mluOpIndiceConvolution") + EndOf(way); }
inline std::string OnRulebook(Way way) { return std::string("detopsRulebookConvolution") + EndOf(way); }

// 0, 1, 2, ...
inline std::vector<int32_t> Counting(int64_t count) {
  std::vector<int32_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

inline void AddPairs(Pairs& pairs, int64_t offset, const std::vector<int32_t>& in, const std::vector<int32_t>& out) {
  for (size_t i = 0; i < in.size(); ++i) pairs.Add(offset, in[i], out[i]);
}

// A call on these pairs. Unless the shape says more of it, the kernel lies on its first axis.
inline Call CallOn(const std::string& function, const Pairs& pairs, const std::string& shape,
                   mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
  Call call =
      CallOf(function,
             "filter=" + std::to_string(pairs.offsets) + "x1x1,pairs=none,sites=" + std::to_string(pairs.rows[0]) +
                 ",outputs=" + std::to_string(pairs.rows[1]) + "," + shape,
             type);
  SetPairs(call, pairs);
  return call;
}

// These numbers, NaN for NaN and with the sign of every zero.
inline void ExpectExactly(const Call& call, Way way, const std::vector<double>& expected) {
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
    const std::vector<double> values = done[NamesOf(way).target].Values();
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(std::isnan(values[i]), std::isnan(expected[i])) << "element " << i;
      if (std::isnan(expected[i])) continue;
      ASSERT_EQ(values[i], expected[i]) << "element " << i;
      ASSERT_EQ(std::signbit(values[i]), std::signbit(expected[i])) << "element " << i;
    }
  });
}

}  // namespace detops_test::inline indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_TEST_CALLS_H_
