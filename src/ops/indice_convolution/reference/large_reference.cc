#include "ops/indice_convolution/reference/large_reference.h"

#include <algorithm>
#include <thread>

namespace detops_reference {
namespace {

// Calls body(begin, end) on pieces of [0, count), one per core.
template <class Body>
void InPieces(int64_t count, Body body) {
  const int64_t pieces = std::max<int64_t>(1, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < pieces; ++i) threads.emplace_back(body, count * i / pieces, count * (i + 1) / pieces);
  for (std::thread& thread : threads) thread.join();
}

// Compiled twice, for speed: sums of four products are the same bits with vectors of any width.
#if defined(__x86_64__) && defined(__ELF__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define DETOPS_WITH_AVX2 __attribute__((target_clones("default", "avx2")))
#else
#define DETOPS_WITH_AVX2
#endif

// to += row * matrix, for a matrix of [depth, width]. Four rows of it at a time, for fewer passes over `to`.
DETOPS_WITH_AVX2 void AddProduct(double* to, const double* row, const double* matrix, int64_t depth, int64_t width) {
  int64_t i = 0;
  for (; i + 4 <= depth; i += 4) {
    const double a = row[i], b = row[i + 1], c = row[i + 2], d = row[i + 3];
    const double* const m = matrix + i * width;
    for (int64_t j = 0; j < width; ++j) {
      to[j] += a * m[j] + b * m[width + j] + c * m[2 * width + j] + d * m[3 * width + j];
    }
  }
  for (; i < depth; ++i) {
    for (int64_t j = 0; j < width; ++j) to[j] += row[i] * matrix[i * width + j];
  }
}

// sums[i - begin, o] += the sum of four products feature[i] * grad[o].
DETOPS_WITH_AVX2 void AddOuterProducts(double* sums, const double* const (&feature)[4], const double* const (&grad)[4],
                                       int64_t begin, int64_t end, int64_t width) {
  for (int64_t i = begin; i < end; ++i) {
    double* const to = sums + (i - begin) * width;
    const double a = feature[0][i], b = feature[1][i], c = feature[2][i], d = feature[3][i];
    for (int64_t o = 0; o < width; ++o) to[o] += a * grad[0][o] + b * grad[1][o] + c * grad[2][o] + d * grad[3][o];
  }
}

// Rows of `width` from rows of `depth` by matrices [depth, width], one per offset. kBackwards: from targets to sources.
template <bool kBackwards>
std::vector<double> Multiply(const ConvolutionPairs& pairs, const std::vector<double>& rows, int64_t depth,
                             const std::vector<double>& matrices, int64_t width, int64_t result_rows) {
  std::vector<double> result(static_cast<size_t>(result_rows * width));
  // A piece is a range of result rows: every sum has one owner and one order.
  InPieces(result_rows, [&](int64_t begin, int64_t end) {
    for (int64_t offset = 0; offset < pairs.offsets; ++offset) {
      const double* const matrix = matrices.data() + offset * depth * width;
      for (int64_t column = 0; column < pairs.counts[static_cast<size_t>(offset)]; ++column) {
        const int64_t to = kBackwards ? pairs.Source(offset, column) : pairs.Target(offset, column);
        if (to < begin || to >= end) continue;
        const int64_t from = kBackwards ? pairs.Target(offset, column) : pairs.Source(offset, column);
        AddProduct(&result[static_cast<size_t>(to * width)], &rows[static_cast<size_t>(from * depth)], matrix, depth,
                   width);
      }
    }
  });
  return result;
}

// Filters as [offsets, ci, co], or [offsets, co, ci] when turned.
std::vector<double> Matrices(const FilterLayout& layout, const std::vector<double>& filters, bool turned) {
  std::vector<double> matrices(filters.size());
  for (int64_t offset = 0; offset < layout.offsets; ++offset) {
    for (int64_t i = 0; i < layout.ci; ++i) {
      for (int64_t o = 0; o < layout.co; ++o) {
        const int64_t place = turned ? o * layout.ci + i : i * layout.co + o;
        matrices[static_cast<size_t>(offset * layout.ci * layout.co + place)] =
            filters[static_cast<size_t>(layout.Position(offset, i, o))];
      }
    }
  }
  return matrices;
}

}  // namespace

std::vector<double> LargeConvolutionForward(const ConvolutionPairs& pairs, const FilterLayout& layout,
                                            const std::vector<double>& features, const std::vector<double>& filters,
                                            int64_t target_rows) {
  return Multiply<false>(pairs, features, layout.ci, Matrices(layout, filters, false), layout.co, target_rows);
}

std::vector<double> LargeConvolutionBackwardData(const ConvolutionPairs& pairs, const FilterLayout& layout,
                                                 const std::vector<double>& output_grad,
                                                 const std::vector<double>& filters, int64_t source_rows) {
  return Multiply<true>(pairs, output_grad, layout.co, Matrices(layout, filters, true), layout.ci, source_rows);
}

std::vector<double> LargeConvolutionBackwardFilter(const ConvolutionPairs& pairs, const FilterLayout& layout,
                                                   const std::vector<double>& features,
                                                   const std::vector<double>& output_grad) {
  std::vector<double> gradient(static_cast<size_t>(layout.offsets * layout.ci * layout.co));
  // A piece is a range of input channels, as most pairs may belong to one offset.
  InPieces(layout.ci, [&](int64_t begin, int64_t end) {
    std::vector<double> sums(static_cast<size_t>((end - begin) * layout.co));
    const std::vector<double> zeros(static_cast<size_t>(std::max(layout.ci, layout.co)));
    for (int64_t offset = 0; offset < layout.offsets; ++offset) {
      std::fill(sums.begin(), sums.end(), 0.0);
      const int64_t count = pairs.counts[static_cast<size_t>(offset)];
      for (int64_t column = 0; column < count; column += 4) {
        // Four pairs at a time, for fewer passes over the sums; zeros instead of a pair too many.
        const double *feature[4], *grad[4];
        for (int64_t i = 0; i < 4; ++i) {
          const int64_t pair = column + i;
          const bool exists = pair < count;
          feature[i] = exists ? &features[static_cast<size_t>(pairs.Source(offset, pair) * layout.ci)] : zeros.data();
          grad[i] = exists ? &output_grad[static_cast<size_t>(pairs.Target(offset, pair) * layout.co)] : zeros.data();
        }
        AddOuterProducts(sums.data(), feature, grad, begin, end, layout.co);
      }
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t o = 0; o < layout.co; ++o) {
          gradient[static_cast<size_t>(layout.Position(offset, i, o))] =
              sums[static_cast<size_t>((i - begin) * layout.co + o)];
        }
      }
    }
  });
  return gradient;
}

}  // namespace detops_reference
