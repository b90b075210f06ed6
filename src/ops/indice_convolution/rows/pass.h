// The pass of forward and backward data.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_PASS_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_ROWS_PASS_H_

#include <cstddef>
#include <cstdint>

#include "core/arena.h"
#include "core/parallel.h"
#include "ops/indice_convolution/problem.h"
#include "ops/indice_convolution/rows/kernel.h"

namespace detops::indice_convolution {

// The arrays a pass needs apart from the lists; with an arena that only counts, this tells how much that is.
class RowProducts {
 public:
  RowProducts(const RowProductsProblem& problem, const RowProductsKernels& kernels, int64_t target_blocks,
              int64_t lists, int64_t pairs, const Parallel& parallel, Arena& arena);

  // False if the caller's runner failed.
  bool Run(const BlockedPairs& lists, const Parallel& parallel) const;

  int workers() const { return workers_; }
  int lanes() const { return static_cast<int>(kernels_.lanes); }
  PassText Describe() const;

 private:
  const RowProductsProblem& problem_;
  RowProductsKernels kernels_;
  RowProductsAlgorithm algorithm_;
  int64_t tile_blocks_;
  int workers_;
  int64_t matrix_bytes_;
  std::byte* panels_;
  int64_t sums_bytes_;
  std::byte* sums_;
  int64_t double_sums_size_;
  double* double_sums_;        // [workers], one block each
  bool convert_once_;          // the source is converted as a whole
  std::byte* source_as_sums_;  // then: what it becomes
  int64_t row_buffer_bytes_;
  std::byte* row_buffer_;
};

}  // namespace detops::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_ROWS_PASS_H_
