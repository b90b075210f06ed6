#include "ops/indice_pool/reference/reference.h"

#include <cmath>
#include <limits>

namespace detops_reference {
namespace {

// body(input row, output row) for every pair, in order.
template <class Body>
void ForEachPair(const PoolPairs& pairs, const Body& body) {
  for (int64_t k = 0; k < pairs.offsets; ++k) {
    for (int64_t column = 0; column < pairs.counts.at(static_cast<size_t>(k)); ++column) {
      body(pairs.Input(k, column), pairs.Output(k, column));
    }
  }
}

// Adds up with more digits than double has: a sum of a million terms must be right to the last digit of double.
class Sums {
 public:
  explicit Sums(int64_t elements)
      : values_(static_cast<size_t>(elements)), magnitudes_(values_.size()), terms_(values_.size()) {}

  void Add(int64_t element, double term) {
    const auto at = static_cast<size_t>(element);
    values_.at(at) += static_cast<long double>(term);
    magnitudes_.at(at) += static_cast<long double>(std::abs(term));
    ++terms_.at(at);
  }

  // Each sum as it is, or divided by the number of its terms.
  PoolSums Result(bool averages) const {
    PoolSums result;
    for (size_t i = 0; i < values_.size(); ++i) {
      const auto divisor = static_cast<long double>(averages && terms_[i] > 0 ? terms_[i] : 1);
      result.values.push_back(static_cast<double>(values_[i] / divisor));
      result.magnitudes.push_back(static_cast<double>(magnitudes_[i] / divisor));
    }
    result.terms = terms_;
    return result;
  }

 private:
  std::vector<long double> values_, magnitudes_;
  std::vector<int64_t> terms_;
};

std::vector<int64_t> PairsOfOutputs(const PoolPairs& pairs, int64_t output_rows) {
  std::vector<int64_t> counts(static_cast<size_t>(output_rows));
  ForEachPair(pairs, [&](int64_t, int64_t output) { ++counts.at(static_cast<size_t>(output)); });
  return counts;
}

}  // namespace

std::vector<double> IndicePoolMaximum(const PoolPairs& pairs, const std::vector<double>& features, int64_t channels,
                                      int64_t output_rows, bool from_zero) {
  // NaN: no number yet.
  std::vector<double> result(static_cast<size_t>(output_rows * channels), std::numeric_limits<double>::quiet_NaN());
  ForEachPair(pairs, [&](int64_t input, int64_t output) {
    for (int64_t c = 0; c < channels; ++c) {
      const double x = features.at(static_cast<size_t>(input * channels + c));
      double& largest = result.at(static_cast<size_t>(output * channels + c));
      if (std::isnan(largest) || x > largest) largest = std::isnan(x) ? largest : x;
    }
  });
  for (double& largest : result) {
    if (std::isnan(largest) || (from_zero && largest < 0)) largest = 0;
  }
  return result;
}

PoolSums IndicePoolAverage(const PoolPairs& pairs, const std::vector<double>& features, int64_t channels,
                           int64_t output_rows) {
  Sums sums(output_rows * channels);
  ForEachPair(pairs, [&](int64_t input, int64_t output) {
    for (int64_t c = 0; c < channels; ++c) {
      sums.Add(output * channels + c, features.at(static_cast<size_t>(input * channels + c)));
    }
  });
  return sums.Result(true);
}

PoolSums IndicePoolMaximumGradient(const PoolPairs& pairs, const std::vector<double>& features,
                                   const std::vector<double>& features_out, const std::vector<double>& output_grad,
                                   int64_t channels, int64_t input_rows) {
  Sums sums(input_rows * channels);
  ForEachPair(pairs, [&](int64_t input, int64_t output) {
    for (int64_t c = 0; c < channels; ++c) {
      const auto from = static_cast<size_t>(output * channels + c), to = static_cast<size_t>(input * channels + c);
      if (features.at(to) == features_out.at(from)) sums.Add(input * channels + c, output_grad.at(from));
    }
  });
  return sums.Result(false);
}

PoolSums IndicePoolAverageGradient(const PoolPairs& pairs, const std::vector<double>& output_grad, int64_t channels,
                                   int64_t input_rows, int64_t output_rows) {
  const std::vector<int64_t> counts = PairsOfOutputs(pairs, output_rows);
  Sums sums(input_rows * channels);
  ForEachPair(pairs, [&](int64_t input, int64_t output) {
    for (int64_t c = 0; c < channels; ++c) {
      sums.Add(input * channels + c, output_grad.at(static_cast<size_t>(output * channels + c)) /
                                         static_cast<double>(counts.at(static_cast<size_t>(output))));
    }
  });
  return sums.Result(false);
}

}  // namespace detops_reference
