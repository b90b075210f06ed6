// The problems after validation: plain data.
#ifndef DETOPS_OPS_SORT_SITES_PROBLEM_H_
#define DETOPS_OPS_SORT_SITES_PROBLEM_H_

#include <cstddef>
#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"

namespace detops::sort_sites {

struct SortProblem {
  int64_t sites;  // L, below 2^31
  int columns;
  const int32_t* indices;  // [sites, columns]
  int32_t* out_indices;    // [sites, columns]
  int32_t* order;          // [sites]
};

struct GatherProblem {
  int64_t rows;  // of the output
  size_t row_bytes;
  const void* input;
  const int32_t* order;  // [rows]
  void* output;
};

RunResult SortSites(const SortProblem& problem, const Parallel& parallel, Scratch& scratch);

// *bad becomes the first place in numbers[0, count) with a number outside of [0, end), or -1. False if the caller's
// runner failed.
[[nodiscard]] bool FindOutside(const int32_t* numbers, int64_t count, int64_t end, const Parallel& parallel,
                               int64_t* bad);

RunResult GatherRows(const GatherProblem& problem, const Parallel& parallel);

}  // namespace detops::sort_sites

#endif  // DETOPS_OPS_SORT_SITES_PROBLEM_H_
