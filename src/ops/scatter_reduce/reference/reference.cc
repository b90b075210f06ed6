#include "ops/scatter_reduce/reference/reference.h"

#include <algorithm>
#include <cmath>

namespace detops_reference {

Scattered ScatterReduce(mluOpReduceMode_t mode, const std::vector<double>& src, const std::vector<double>& index,
                        int64_t columns, int64_t groups) {
  const auto size = static_cast<size_t>(groups * columns);
  Scattered result = {std::vector<double>(size), std::vector<double>(static_cast<size_t>(groups)),
                      std::vector<double>(size, static_cast<double>(index.size())), std::vector<double>(size)};
  std::vector<long double> sums(size);
  for (size_t row = 0; row < index.size(); ++row) {
    if (index[row] < 0 || index[row] >= static_cast<double>(groups)) continue;
    const auto group = static_cast<size_t>(index[row]);
    ++result.count[group];
    for (size_t c = 0; c < static_cast<size_t>(columns); ++c) {
      const double number = src[row * static_cast<size_t>(columns) + c];
      const size_t at = group * static_cast<size_t>(columns) + c;
      sums[at] += static_cast<long double>(number);
      result.magnitudes[at] += std::abs(number);
      const bool first = result.argmax[at] == static_cast<double>(index.size());
      if (mode != MLUOP_REDUCE_DMAX || std::isnan(number) || number == -INFINITY) continue;
      if (!first && number <= result.out[at]) continue;
      result.out[at] = number;
      result.argmax[at] = static_cast<double>(row);
    }
  }
  if (mode == MLUOP_REDUCE_DMAX) return result;
  for (size_t at = 0; at < size; ++at) {
    const double count = result.count[at / static_cast<size_t>(columns)];
    const double divisor = mode == MLUOP_REDUCE_DMEAN ? std::max(count, 1.0) : 1;
    result.out[at] = static_cast<double>(sums[at] / static_cast<long double>(divisor));
    result.magnitudes[at] /= divisor;
  }
  return result;
}

std::vector<double> ScatterGradient(mluOpReduceMode_t mode, const std::vector<double>& grad,
                                    const std::vector<double>& index, const std::vector<double>& count,
                                    const std::vector<double>& argmax, int64_t columns, int64_t groups) {
  std::vector<double> result;
  for (size_t row = 0; row < index.size(); ++row) {
    const bool inside = index[row] >= 0 && index[row] < static_cast<double>(groups);
    const size_t group = inside ? static_cast<size_t>(index[row]) : 0;
    for (size_t c = 0; c < static_cast<size_t>(columns); ++c) {
      const size_t at = group * static_cast<size_t>(columns) + c;
      double number = inside ? grad[at] : 0;
      if (inside && mode == MLUOP_REDUCE_DMEAN) number /= std::max(count[group], 1.0);
      if (inside && mode == MLUOP_REDUCE_DMAX && argmax[at] != static_cast<double>(row)) number = 0;
      result.push_back(number);
    }
  }
  return result;
}

}  // namespace detops_reference
