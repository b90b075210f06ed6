// indice_pool as its README words it, for tests: plain loops over the pairs, sums in double and better, nothing shared
// with the library. Results are not rounded to a tensor's type.
#ifndef DETOPS_OPS_INDICE_POOL_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_INDICE_POOL_REFERENCE_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace detops_reference {

struct PoolPairs {
  int64_t offsets = 0;             // K
  int64_t columns = 0;             // L
  std::vector<int32_t> indices{};  // [K, 2, L]
  std::vector<int64_t> counts{};   // [K]: how many of the columns of an offset count

  int64_t Input(int64_t offset, int64_t column) const { return Index(offset, 0, column); }
  int64_t Output(int64_t offset, int64_t column) const { return Index(offset, 1, column); }
  int32_t& At(int64_t offset, int64_t row, int64_t column) {
    return indices.at(static_cast<size_t>((offset * 2 + row) * columns + column));
  }

 private:
  int64_t Index(int64_t offset, int64_t row, int64_t column) const {
    return indices.at(static_cast<size_t>((offset * 2 + row) * columns + column));
  }
};

// Elements that are sums. How far a computed sum may be from the true one depends on the sizes and the number of its
// terms, so these are told too.
struct PoolSums {
  std::vector<double> values{};
  std::vector<double> magnitudes{};  // sums of the terms' absolute values, divided as the values are
  std::vector<int64_t> terms{};      // numbers of terms
};

// [output_rows, channels] of features [any, channels]. `from_zero`: 0 takes part.
std::vector<double> IndicePoolMaximum(const PoolPairs& pairs, const std::vector<double>& features, int64_t channels,
                                      int64_t output_rows, bool from_zero);
PoolSums IndicePoolAverage(const PoolPairs& pairs, const std::vector<double>& features, int64_t channels,
                           int64_t output_rows);

// The gradients of features [input_rows, channels].
PoolSums IndicePoolMaximumGradient(const PoolPairs& pairs, const std::vector<double>& features,
                                   const std::vector<double>& features_out, const std::vector<double>& output_grad,
                                   int64_t channels, int64_t input_rows);
PoolSums IndicePoolAverageGradient(const PoolPairs& pairs, const std::vector<double>& output_grad, int64_t channels,
                                   int64_t input_rows, int64_t output_rows);

}  // namespace detops_reference

#endif  // DETOPS_OPS_INDICE_POOL_REFERENCE_REFERENCE_H_
