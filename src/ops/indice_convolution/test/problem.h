// What the tests of indice_convolution share: a problem with its tensors between guard pages, the calls, and the
// comparison with the reference on all targets and numbers of threads.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_TEST_PROBLEM_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_TEST_PROBLEM_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "detops.h"
#include "ops/indice_convolution/reference/reference.h"
#include "ops/indice_convolution/test/lists.h"
#include "support/configurations.h"
#include "support/handle.h"
#include "support/tensor.h"
#include "support/tolerance.h"

namespace detops_test::inline indice_convolution {  // one program may use several rooms

using detops_reference::Sums;

inline constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16,
                                             MLUOP_DTYPE_DOUBLE};
inline std::string TypeName(const testing::TestParamInfo<mluOpDataType_t>& info) { return ElementName(info.param); }

enum class Way { kForward, kBackwardData, kBackwardFilter };
inline constexpr Way kWays[] = {Way::kForward, Way::kBackwardData, Way::kBackwardFilter};
inline const char* NameOf(Way way) {
  return way == Way::kForward ? "forward" : way == Way::kBackwardData ? "backward data" : "backward filter";
}

// ---- a problem ----

struct FilterForm {
  mluOpTensorLayout_t layout;
  int rank;
};
inline constexpr FilterForm kFilterForms[] = {{MLUOP_LAYOUT_ARRAY, 5}, {MLUOP_LAYOUT_NDHWC, 5}, {MLUOP_LAYOUT_NCDHW, 5},
                                              {MLUOP_LAYOUT_ARRAY, 4}, {MLUOP_LAYOUT_NHWC, 4},  {MLUOP_LAYOUT_NCHW, 4},
                                              {MLUOP_LAYOUT_HWCN, 4}};

struct Shape {
  int64_t in_rows, out_rows;  // what row 0 and row 1 of indice_pairs number; in_rows is also L
  int64_t ci, co;
  std::vector<int64_t> kernel = {1, 1, 1};  // filters of rank 4 get the first two as one axis
  FilterForm form = kFilterForms[0];
  bool inverse = false;
  int64_t sub_m = 0;
  Placement placement = Placement::kAgainstEnd;
  size_t misalignment = 0;

  int64_t offsets() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t source_rows() const { return inverse ? out_rows : in_rows; }
  int64_t target_rows() const { return inverse ? in_rows : out_rows; }

  std::vector<int64_t> FilterExtents() const {
    std::vector<int64_t> extents = kernel;
    if (form.rank == 4) extents = {kernel[0] * kernel[1], kernel[2]};
    const bool co_first = form.layout != MLUOP_LAYOUT_ARRAY && form.layout != MLUOP_LAYOUT_HWCN;
    const bool ci_second = form.layout == MLUOP_LAYOUT_NCDHW || form.layout == MLUOP_LAYOUT_NCHW;
    if (ci_second) extents.insert(extents.begin(), ci);
    if (co_first) extents.insert(extents.begin(), co);
    if (!ci_second) extents.push_back(ci);
    if (!co_first) extents.push_back(co);
    return extents;
  }
};

struct Epilogue {
  bool bias = false, residual = false;
  detopsActivation_t activation = DETOPS_ACTIVATION_NONE;
  float negative_slope = 0;
};

// Data of all three ways: each reads two of features, filters and output_grad and makes the third.
class Problem {
 public:
  Problem(mluOpDataType_t type, const Shape& shape, ConvolutionPairs lists, uint64_t seed = 1)
      : features(NewTensor(type, shape, {shape.source_rows(), shape.ci})),
        filters(NewTensor(type, shape, shape.FilterExtents(), shape.form.layout)),
        output_grad(NewTensor(type, shape, {shape.target_rows(), shape.co})),
        bias(NewTensor(type, shape, {shape.co})),
        residual(NewTensor(type, shape, {shape.target_rows(), shape.co})),
        indice_pairs(NewTensor(MLUOP_DTYPE_INT32, shape, {lists.offsets, 2, lists.columns})),
        shape_(shape),
        pairs_(std::move(lists)) {
    pairs_.inverse = shape.inverse;
    for (Tensor* tensor : {&features, &filters, &output_grad, &bias, &residual}) tensor->FillUniform(-1, 1, ++seed);
    if (indice_pairs.bytes() > 0) std::memcpy(indice_pairs.data(), pairs_.indices.data(), indice_pairs.bytes());
  }
  Problem(mluOpDataType_t type, const Shape& shape, ListKind kind, uint64_t seed = 1)
      : Problem(type, shape, MakePairs(kind, shape.offsets(), shape.in_rows, shape.out_rows, seed), seed) {}

  mluOpDataType_t type() const { return features.type(); }
  const Shape& shape() const { return shape_; }
  const ConvolutionPairs& pairs() const { return pairs_; }

  // Never NULL, which no call accepts, also if there are no offsets.
  const int64_t* counts() const {
    static constexpr int64_t kNone = 0;
    return pairs_.counts.empty() ? &kNone : pairs_.counts.data();
  }

  // The contract wherever it accepts the call and, for filters_grad, honours the layout.
  detopsProfile_t Profile(Way way) const {
    const int64_t most = pairs_.counts.empty() ? 0 : *std::max_element(pairs_.counts.begin(), pairs_.counts.end());
    const bool kio = shape_.form.layout == MLUOP_LAYOUT_ARRAY || shape_.form.layout == MLUOP_LAYOUT_HWCN;
    const bool full = type() == MLUOP_DTYPE_DOUBLE || type() == MLUOP_DTYPE_BFLOAT16 || shape_.inverse ||
                      (way == Way::kForward && shape_.form.rank == 4) || (way == Way::kBackwardFilter && !kio) ||
                      (way == Way::kBackwardData && most > shape_.out_rows);
    return full ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT;
  }

  // As the tensor that the way makes, full of canaries.
  Tensor NewResult(Way way) const {
    const Tensor& model = way == Way::kForward ? output_grad : way == Way::kBackwardData ? features : filters;
    const bool filter = way == Way::kBackwardFilter;
    return NewTensor(type(), shape_, model.extents(), filter ? shape_.form.layout : MLUOP_LAYOUT_ARRAY);
  }

  mluOpStatus_t Run(const Handle& handle, Way way, Tensor& result, void* workspace = nullptr, size_t size = 0) const {
    const int64_t inverse = shape_.inverse ? 1 : 0;
    switch (way) {
      case Way::kForward:
        return mluOpIndiceConvolutionForward(handle.get(), features.desc(), features.data(), filters.desc(),
                                             filters.data(), indice_pairs.desc(), indice_pairs.data(), counts(),
                                             shape_.target_rows(), inverse, shape_.sub_m, workspace, size,
                                             result.desc(), result.data());
      case Way::kBackwardData:
        return mluOpIndiceConvolutionBackwardData(handle.get(), output_grad.desc(), output_grad.data(), filters.desc(),
                                                  filters.data(), indice_pairs.desc(), indice_pairs.data(), counts(),
                                                  inverse, shape_.sub_m, workspace, size, result.desc(), result.data());
      case Way::kBackwardFilter:
        return mluOpIndiceConvolutionBackwardFilter(
            handle.get(), features.desc(), features.data(), output_grad.desc(), output_grad.data(), indice_pairs.desc(),
            indice_pairs.data(), counts(), inverse, shape_.sub_m, workspace, size, result.desc(), result.data());
    }
    return MLUOP_STATUS_INTERNAL_ERROR;
  }

  mluOpStatus_t RunFused(const Handle& handle, const Epilogue& epilogue, Tensor& result) const {
    return detopsIndiceConvolutionForwardFused(
        handle.get(), features.desc(), features.data(), filters.desc(), filters.data(), indice_pairs.desc(),
        indice_pairs.data(), counts(), shape_.target_rows(), shape_.inverse ? 1 : 0, shape_.sub_m,
        epilogue.bias ? bias.desc() : nullptr, epilogue.bias ? bias.data() : nullptr,
        epilogue.residual ? residual.desc() : nullptr, epilogue.residual ? residual.data() : nullptr,
        epilogue.activation, epilogue.negative_slope, result.desc(), result.data());
  }

  // Before the activation.
  Sums Expected(Way way, const Epilogue& epilogue = {}) const {
    const auto layout = detops_reference::LayoutOfFilters(shape_.form.layout, shape_.offsets(), shape_.ci, shape_.co);
    if (way == Way::kBackwardFilter) {
      return detops_reference::IndiceConvolutionBackwardFilter(pairs_, layout, features.Values(), output_grad.Values());
    }
    if (way == Way::kBackwardData) {
      return detops_reference::IndiceConvolutionBackwardData(pairs_, layout, output_grad.Values(), filters.Values(),
                                                             shape_.source_rows());
    }
    const std::vector<double> none;
    return detops_reference::IndiceConvolutionForward(pairs_, layout, features.Values(), filters.Values(),
                                                      shape_.target_rows(), epilogue.bias ? bias.Values() : none,
                                                      epilogue.residual ? residual.Values() : none);
  }

  Tensor features, filters, output_grad, bias, residual, indice_pairs;

 private:
  static Tensor NewTensor(mluOpDataType_t type, const Shape& shape, const std::vector<int64_t>& extents,
                          mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY) {
    return Tensor(layout, type, extents, shape.placement, shape.misalignment);
  }

  Shape shape_;
  ConvolutionPairs pairs_;
};

// Destroyed with its scope.
class Rulebook {
 public:
  Rulebook(const Handle& handle, const Problem& problem)
      : Rulebook(handle, problem.indice_pairs, problem.counts(), problem.shape().in_rows, problem.shape().out_rows) {}
  Rulebook(const Handle& handle, const Tensor& pairs, const int64_t* counts, int64_t in_rows, int64_t out_rows) {
    Must(detopsCreateRulebook(handle.get(), pairs.desc(), pairs.data(), counts, in_rows, out_rows, &rulebook_),
         "detopsCreateRulebook");
  }
  ~Rulebook() { detopsDestroyRulebook(rulebook_); }
  Rulebook(const Rulebook&) = delete;
  Rulebook& operator=(const Rulebook&) = delete;

  detopsRulebook_t get() const { return rulebook_; }

  size_t Size() const {
    size_t bytes = 0;
    Must(detopsGetRulebookSize(rulebook_, &bytes), "detopsGetRulebookSize");
    return bytes;
  }

  mluOpStatus_t RunFused(const Handle& handle, const Problem& problem, const Epilogue& epilogue, Tensor& result) const {
    return detopsRulebookConvolutionForward(
        handle.get(), rulebook_, problem.shape().inverse ? 1 : 0, problem.features.desc(), problem.features.data(),
        problem.filters.desc(), problem.filters.data(), epilogue.bias ? problem.bias.desc() : nullptr,
        epilogue.bias ? problem.bias.data() : nullptr, epilogue.residual ? problem.residual.desc() : nullptr,
        epilogue.residual ? problem.residual.data() : nullptr, epilogue.activation, epilogue.negative_slope,
        result.desc(), result.data());
  }

  mluOpStatus_t Run(const Handle& handle, const Problem& problem, Way way, Tensor& result) const {
    const int64_t inverse = problem.shape().inverse ? 1 : 0;
    if (way == Way::kForward) return RunFused(handle, problem, {}, result);
    if (way == Way::kBackwardData) {
      return detopsRulebookConvolutionBackwardData(handle.get(), rulebook_, inverse, problem.output_grad.desc(),
                                                   problem.output_grad.data(), problem.filters.desc(),
                                                   problem.filters.data(), result.desc(), result.data());
    }
    return detopsRulebookConvolutionBackwardFilter(handle.get(), rulebook_, inverse, problem.features.desc(),
                                                   problem.features.data(), problem.output_grad.desc(),
                                                   problem.output_grad.data(), result.desc(), result.data());
  }

 private:
  detopsRulebook_t rulebook_ = nullptr;
};

inline std::string Describe(const Problem& problem) {
  const Shape& shape = problem.shape();
  std::ostringstream text;
  text << ElementName(problem.type()) << ", " << shape.in_rows << " -> " << shape.out_rows << " rows, " << shape.ci
       << " -> " << shape.co << " channels, " << shape.offsets() << " offsets, filters in layout " << shape.form.layout
       << " of rank " << shape.form.rank << (shape.inverse ? ", inverse" : "") << ", counts";
  for (size_t k = 0; k < std::min<size_t>(problem.pairs().counts.size(), 8); ++k) {
    text << ' ' << problem.pairs().counts[k];
  }
  return text.str();
}

// ---- comparison ----

// How far a sum may be from the reference before it is rounded to the type of the tensor. Each of n + 2 roundings (with
// those of an activation) is off by at most one unit of the sum of absolute terms: a theorem, whatever the order. Of
// many roundings most cancel: beyond 8 * sqrt(n) units, eight standard deviations, something is wrong. And no sum may
// be worse than the bar that the project promises, so long ones must be cut.
inline double AllowedError(mluOpDataType_t type, double magnitude, int64_t terms) {
  const bool wide = type == MLUOP_DTYPE_DOUBLE;
  const double unit = wide ? 0x1p-53 : 0x1p-24, n = static_cast<double>(terms);
  const double bar = ToleranceFor(wide ? MLUOP_DTYPE_DOUBLE : MLUOP_DTYPE_FLOAT).diff1;
  return magnitude * std::min(bar, unit * std::min(n + 2, 8 * std::sqrt(n)));
}

// diff1 and diff2 are about many numbers: of fewer, one that nearly cancels, or lies beside a tie, would fail them. So
// would one that all rows share, hence different ones.
inline bool HasManyNumbers(std::vector<double> values) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); }),
               values.end());
  std::sort(values.begin(), values.end());
  return std::unique(values.begin(), values.end()) - values.begin() >= 64;
}

// Empty when the result is right: within the bars of diff1 and diff2 (of half the stricter one of operators without
// long sums: one rounding needs no more), and every single element lies between the roundings of the ends of the
// interval in which the sum may be. A second rounding, or one in between, leaves that interval.
inline std::string Complaint(const Tensor& result, const Sums& sums, const Epilogue& epilogue = {}) {
  if (!result.SurroundingsIntact()) return "bytes beside the result were written";
  const auto activate = [&](double x) {
    return detops_reference::Activate(epilogue.activation, static_cast<double>(epilogue.negative_slope), x);
  };
  const mluOpDataType_t type = result.type();
  const std::vector<double> values = result.Values();
  std::vector<double> expected(sums.values.size());
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = RoundToElement(type, activate(sums.values[i]));
  const Tolerance none = {1e100, 1e100};
  std::string disagreement = Disagreement(values, expected, HasManyNumbers(expected) ? ToleranceFor(type) : none);
  if (!disagreement.empty()) return disagreement;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (values[i] == expected[i] || !std::isfinite(expected[i])) continue;
    const double error = AllowedError(type, sums.magnitudes[i], sums.terms[i]);
    const double low = sums.values[i] - error, high = sums.values[i] + error;
    // An activation may bend at 0, where neither end tells its value.
    const double bend = low < 0 && high > 0 ? activate(0) : activate(low);
    const double least = std::min({activate(low), activate(high), bend});
    const double most = std::max({activate(low), activate(high), bend});
    if (values[i] >= RoundToElement(type, least) && values[i] <= RoundToElement(type, most)) continue;
    std::ostringstream text;
    text.precision(17);
    text << "element " << i << " is " << values[i] << ", expected " << expected[i] << ", from " << least << " to "
         << most << " before rounding (" << sums.terms[i] << " terms)";
    return text.str();
  }
  return "";
}

// On every target: one thread agrees with the reference, and 2, 3 and 7 threads give the bits of one.
// run(handle, result) makes the call.
template <class Run>
void ExpectSums(const Problem& problem, Way way, detopsProfile_t profile, const Sums& expected,
                const Epilogue& epilogue, Run run) {
  SCOPED_TRACE(Describe(problem));
  SCOPED_TRACE(NameOf(way));
  Tensor alone = problem.NewResult(way), together = problem.NewResult(way);
  ForEachConfiguration(profile, [&](const Handle& handle) {
    Tensor& result = handle.Threads() == 1 ? alone : together;
    result.FillCanary();
    ASSERT_EQ(run(handle, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
    if (handle.Threads() == 1) {
      ASSERT_EQ(Complaint(result, expected, epilogue), "");
    } else {
      ASSERT_TRUE(result.SameBytes(alone));
      ASSERT_TRUE(result.SurroundingsIntact());
    }
  });
}

inline void ExpectAgreement(const Problem& problem, Way way) {
  ExpectSums(problem, way, problem.Profile(way), problem.Expected(way), {},
             [&](const Handle& handle, Tensor& result) { return problem.Run(handle, way, result); });
}

inline void ExpectAgreementAllWays(const Problem& problem) {
  for (const Way way : kWays) {
    ExpectAgreement(problem, way);
    if (testing::Test::HasFatalFailure()) return;
  }
}

inline void ExpectFusedAgreement(const Problem& problem, const Epilogue& epilogue) {
  ExpectSums(problem, Way::kForward, DETOPS_PROFILE_FULL, problem.Expected(Way::kForward, epilogue), epilogue,
             [&](const Handle& handle, Tensor& result) { return problem.RunFused(handle, epilogue, result); });
}

}  // namespace detops_test::inline indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_TEST_PROBLEM_H_
