// The pass of the filter's gradient.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_FILTERS_PASS_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_FILTERS_PASS_H_

#include <cstddef>
#include <cstdint>

#include "core/arena.h"
#include "core/parallel.h"
#include "ops/indice_convolution/filters/kernel.h"
#include "ops/indice_convolution/problem.h"

namespace detops::indice_convolution {

// The blocks are cut into segments; every segment sums up matrices of its own, which are then added in order. How many
// segments there are does not depend on the threads, so neither do the bits.
class FilterGradient {
 public:
  // Takes the arrays it needs apart from the lists; with an arena that only counts, this tells how much that is.
  FilterGradient(const FilterGradientProblem& problem, const FilterGradientKernels& kernels, int64_t blocks,
                 int64_t lists, int64_t pairs, const Parallel& parallel, Arena& arena);

  // False if the caller's runner failed.
  bool Run(const BlockedPairs& lists, const Parallel& parallel) const;

  int workers() const { return workers_; }
  int lanes() const { return static_cast<int>(kernels_.lanes); }
  PassText Describe() const;

 private:
  bool AddUp(const BlockedPairs& lists, const Parallel& parallel) const;
  bool Store(const BlockedPairs& lists, const Parallel& parallel) const;

  FilterGradientProblem problem_;
  FilterGradientKernels kernels_;
  bool convert_once_;  // both sides are converted as a whole
  const void* tensors_[2];
  std::byte* source_as_sums_[2];  // then: what they become
  bool in_place_;
  int64_t segments_;
  int64_t list_groups_;   // of lists that are worked on together
  int64_t batch_blocks_;  // of one list after the other
  int workers_;
  int64_t matrix_bytes_;
  std::byte* sums_;  // [segments][lists]
  int64_t chunk_;    // pairs whose rows are copied together
  int64_t left_bytes_;
  std::byte* left_;  // [workers]
  int64_t right_bytes_;
  std::byte* right_;  // [workers]
};

}  // namespace detops::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_FILTERS_PASS_H_
