#include "harness/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/rules.h"
#include "support/element.h"

namespace detops_harness {
namespace {

bool IsInteger(mluOpDataType_t type) {
  return type == MLUOP_DTYPE_INT32 || type == MLUOP_DTYPE_INT64 || type == MLUOP_DTYPE_UINT32;
}

bool IsExact(const Expected& expected, const Tensor& tensor) {
  return IsInteger(tensor.type) || expected.exact.count(tensor.name) != 0;
}

// The first output for which `compare` has something to say, or a result that is another one.
template <class Compare>
std::string FirstDisagreement(const Call& call, const Expected& expected, const Compare& compare) {
  for (const auto& [name, values] : expected.tensors) {
    const Tensor& tensor = call[name];
    if (!tensor.described) continue;  // left out, even if there is memory for it
    std::vector<int64_t> written;
    for (const Part& part : call.function->WrittenParts(call, tensor)) {
      for (int64_t i = part.begin; i < part.end; ++i) written.push_back(i);
    }
    if (written.size() != values.size()) return name + ": the reference has another size";
    const std::string reason = compare(tensor, written, values);
    if (!reason.empty()) return name + ": " + reason;
  }
  for (const auto& [name, value] : expected.results) {
    const int64_t actual = call.results.at(name);
    if (actual != value) return name + " is " + std::to_string(actual) + ", expected " + std::to_string(value);
  }
  return "";
}

// `places` are those of the expected numbers.
std::string ExactDifference(const Tensor& tensor, const std::vector<int64_t>& places,
                            const std::vector<double>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const double actual = tensor.Get(places[i]);
    if (actual == expected[i] || (std::isnan(actual) && std::isnan(expected[i]))) continue;
    return PositionText(tensor, places[i]) + " is " + NumberText(actual) + ", expected " + NumberText(expected[i]);
  }
  return "";
}

double LargestOf(mluOpDataType_t type) {
  if (type == MLUOP_DTYPE_HALF) return 65504;
  if (type == MLUOP_DTYPE_DOUBLE) return std::numeric_limits<double>::max();
  return type == MLUOP_DTYPE_FLOAT ? static_cast<double>(std::numeric_limits<float>::max()) : 0x1.fep127;
}

double SmallestOf(mluOpDataType_t type) {
  if (type == MLUOP_DTYPE_HALF) return 0x1p-24;
  if (type == MLUOP_DTYPE_DOUBLE) return std::numeric_limits<double>::denorm_min();
  return type == MLUOP_DTYPE_FLOAT ? 0x1p-149 : 0x1p-133;
}

// How far a sum may be from the reference before it is rounded to the type of the tensor. Each of n + 2 roundings (with
// those of an activation) is off by at most one unit of the sum of absolute terms: a theorem, whatever the order. Of
// many roundings most cancel: beyond 8 * sqrt(n) units, eight standard deviations, something is wrong. And no sum may
// be worse than the bar that the project promises, so long ones must be cut.
double AllowedError(mluOpDataType_t type, double magnitude, int64_t terms) {
  const bool wide = type == MLUOP_DTYPE_DOUBLE;
  const double unit = wide ? 0x1p-53 : 0x1p-24, n = static_cast<double>(terms);
  const double bar = detops_test::ToleranceFor(wide ? MLUOP_DTYPE_DOUBLE : MLUOP_DTYPE_FLOAT).diff1;
  return magnitude * std::min(bar, unit * std::min(n + 2, 8 * std::sqrt(n)));
}

// Every element lies between the roundings of the ends of the interval in which the sum may be. A second rounding, or
// one in between, leaves that interval.
std::string SumDifference(const Tensor& tensor, const std::vector<int64_t>& places, const std::vector<double>& sums,
                          const std::vector<double>& magnitudes, const std::vector<int64_t>& terms) {
  for (size_t i = 0; i < sums.size(); ++i) {
    const double actual = tensor.Get(places[i]);
    const double error = AllowedError(tensor.type, magnitudes[i], terms[i]);
    const double least = detops_test::RoundToElement(tensor.type, sums[i] - error);
    const double most = detops_test::RoundToElement(tensor.type, sums[i] + error);
    if (!std::isfinite(detops_test::RoundToElement(tensor.type, sums[i]))) continue;
    if (actual >= least && actual <= most) continue;
    return PositionText(tensor, places[i]) + Format(" is %.17g, expected %.17g, from %.17g to %.17g (%lld terms)",
                                                    actual, sums[i], least, most, static_cast<long long>(terms[i]));
  }
  return "";
}

// diff1 and diff2 are about many numbers: of fewer, one that nearly cancels, or lies next to a tie, would fail them. So
// would one that all rows share, hence different ones.
bool HasManyNumbers(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  std::sort(values.begin(), values.end());
  return std::unique(values.begin(), values.end()) - values.begin() >= 64;
}

}  // namespace

std::string Disagreement(const Call& call, const Expected& expected) {
  return FirstDisagreement(
      call, expected, [&](const Tensor& tensor, const std::vector<int64_t>& places, const std::vector<double>& values) {
        if (IsExact(expected, tensor)) return ExactDifference(tensor, places, values);
        std::vector<double> rounded = values;
        for (double& value : rounded) value = detops_test::RoundToElement(tensor.type, value);
        std::vector<double> actual;
        for (const int64_t place : places) actual.push_back(tensor.Get(place));
        const auto terms = expected.terms.find(tensor.name);
        detops_test::Tolerance tolerance = call.function->tolerance(tensor.type);
        if (terms != expected.terms.end() && !HasManyNumbers(rounded)) tolerance = {1e100, 1e100};
        const std::string difference = detops_test::Disagreement(actual, rounded, tolerance);
        if (!difference.empty() || terms == expected.terms.end()) return difference;
        return SumDifference(tensor, places, values, expected.magnitudes.at(tensor.name), terms->second);
      });
}

std::string ElementDisagreement(const Call& call, const Expected& expected) {
  double largest_input = 0;
  for (const Tensor& tensor : call.tensors) {
    if (tensor.access != Access::kRead || IsInteger(tensor.type)) continue;
    // Left out, or described larger than it is, which no rule forbids where it is not read.
    if (!tensor.described || tensor.address == nullptr) continue;
    if (tensor.byte_count() > static_cast<int64_t>(tensor.contents.size())) continue;
    for (const double value : tensor.Values()) {
      if (std::isfinite(value)) largest_input = std::max(largest_input, std::fabs(value));
    }
  }
  const std::string reason = FirstDisagreement(
      call, expected,
      [&](const Tensor& tensor, const std::vector<int64_t>& places, const std::vector<double>& values) -> std::string {
        if (IsExact(expected, tensor)) return ExactDifference(tensor, places, values);
        const auto known = expected.magnitudes.find(tensor.name);
        const double largest = LargestOf(tensor.type), relative = call.function->tolerance(tensor.type).diff1;
        // What is too small for the type, or for the products inside, may be lost.
        const double tiny = tensor.type == MLUOP_DTYPE_DOUBLE ? 0x1p-1060 : 0x1p-135;
        const double absolute = SmallestOf(tensor.type) + tiny * (1 + largest_input);
        for (size_t i = 0; i < values.size(); ++i) {
          const double actual = tensor.Get(places[i]);
          const double magnitude = known != expected.magnitudes.end() ? known->second[i] : std::fabs(values[i]);
          bool agrees;
          if (magnitude < largest * 0.9) {
            agrees = std::fabs(actual - values[i]) <= relative * magnitude + absolute;
          } else if (std::isfinite(magnitude) || largest_input > largest / 1e4) {
            agrees = true;  // sums that overflow by themselves depend on their order
          } else {
            // An Inf or NaN of the input reaches the result; a weight that was too small for float makes NaN of Inf,
            // and one that is not quite 0 Inf of NaN.
            agrees = std::isnan(actual) || actual == values[i] || (std::isnan(values[i]) && std::isinf(actual));
          }
          if (agrees) continue;
          return PositionText(tensor, places[i]) +
                 Format(" is %.17g, expected %.17g, sum of magnitudes %.17g", actual, values[i], magnitude);
        }
        return "";
      });
  return reason.empty() || (expected.may_be && expected.may_be(call)) ? "" : reason;
}

}  // namespace detops_harness
