// indice_convolution as the specification words it, for tests: plain loops, sums in double and better, nothing shared
// with the library. Results are not rounded to a tensor's type.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "detops.h"

namespace detops_reference {

// The pairs of a convolution. Source rows are those a forward convolution reads, target rows those it writes.
struct ConvolutionPairs {
  int64_t offsets = 0;             // K
  int64_t columns = 0;             // L
  std::vector<int32_t> indices{};  // [K, 2, L]
  std::vector<int64_t> counts{};   // [K]: how many of the columns of an offset count
  bool inverse = false;            // row 1 names the source rows, row 0 the target rows

  int64_t Source(int64_t offset, int64_t column) const { return Index(offset, inverse ? 1 : 0, column); }
  int64_t Target(int64_t offset, int64_t column) const { return Index(offset, inverse ? 0 : 1, column); }

 private:
  int64_t Index(int64_t offset, int64_t row, int64_t column) const {
    return indices.at(static_cast<size_t>((offset * 2 + row) * columns + column));
  }
};

// How filters lie in memory. In every layout the axes of the kernel are neighbours, so that one step leads from an
// offset to the next.
struct FilterLayout {
  int64_t offsets, ci, co;                      // extents
  int64_t offset_stride, ci_stride, co_stride;  // in elements
  int64_t Position(int64_t offset, int64_t i, int64_t o) const {
    return offset * offset_stride + i * ci_stride + o * co_stride;
  }
};

// NDHWC and NHWC: [Co, offsets, Ci]; NCDHW and NCHW: [Co, Ci, offsets]; ARRAY and HWCN: [offsets, Ci, Co].
FilterLayout LayoutOfFilters(mluOpTensorLayout_t layout, int64_t offsets, int64_t ci, int64_t co);

// Elements of a result that are sums. How far a computed sum may be from the true one depends on the sizes and the
// number of its terms, so these are told too.
struct Sums {
  std::vector<double> values{};
  std::vector<double> magnitudes{};  // sums of the terms' absolute values
  std::vector<int64_t> terms{};      // numbers of terms
};

// [target_rows, Co] = what pairs and filters make of features [any, Ci]; then + bias [Co], then + residual
// [target_rows, Co]; an empty vector means there is none.
Sums IndiceConvolutionForward(const ConvolutionPairs& pairs, const FilterLayout& layout,
                              const std::vector<double>& features, const std::vector<double>& filters,
                              int64_t target_rows, const std::vector<double>& bias = {},
                              const std::vector<double>& residual = {});

// The gradient of the features [source_rows, Ci] from output_grad [any, Co].
Sums IndiceConvolutionBackwardData(const ConvolutionPairs& pairs, const FilterLayout& layout,
                                   const std::vector<double>& output_grad, const std::vector<double>& filters,
                                   int64_t source_rows);

// The gradient of the filters, in the given layout.
Sums IndiceConvolutionBackwardFilter(const ConvolutionPairs& pairs, const FilterLayout& layout,
                                     const std::vector<double>& features, const std::vector<double>& output_grad);

double Activate(detopsActivation_t activation, double negative_slope, double x);

}  // namespace detops_reference

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_REFERENCE_REFERENCE_H_
