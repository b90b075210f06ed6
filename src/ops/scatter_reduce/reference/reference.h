// Scatter reductions as their page words them, for tests. Nothing is shared with the library.
#ifndef DETOPS_OPS_SCATTER_REDUCE_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_SCATTER_REDUCE_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

struct Scattered {
  std::vector<double> out, count, argmax;
  std::vector<double> magnitudes;  // of out
};

// src: [rows, columns], index: [rows]; an index outside of [0, groups) is none. Sums of long sums, not rounded.
Scattered ScatterReduce(mluOpReduceMode_t mode, const std::vector<double>& src, const std::vector<double>& index,
                        int64_t columns, int64_t groups);

// [rows, columns].
std::vector<double> ScatterGradient(mluOpReduceMode_t mode, const std::vector<double>& grad,
                                    const std::vector<double>& index, const std::vector<double>& count,
                                    const std::vector<double>& argmax, int64_t columns, int64_t groups);

}  // namespace detops_reference

#endif  // DETOPS_OPS_SCATTER_REDUCE_REFERENCE_REFERENCE_H_
