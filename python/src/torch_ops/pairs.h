// Pairs of a sparse convolution as arguments.
#ifndef DETOPS_PYTHON_SRC_TORCH_OPS_PAIRS_H_
#define DETOPS_PYTHON_SRC_TORCH_OPS_PAIRS_H_

#include "common/indice_convolution.h"
#include "torch_ops/tensor.h"

namespace detops_torch {

// Pairs, and what keeps their memory alive.
struct Pairs {
  Input input;
  detops_binding::PairLists lists;

  Pairs(const Tensor& pairs, const Tensor& counts, bool inverse, const char* function)
      : input(Input::Indices(pairs, {function, "indice_pairs"})),
        lists{.pairs = input.view(), .counts = Counts(counts, {function, "indice_num"}), .inverse = inverse} {
    lists.Require(function);
  }

  int64_t length() const { return lists.pairs.extent(2); }
};

}  // namespace detops_torch

#endif  // DETOPS_PYTHON_SRC_TORCH_OPS_PAIRS_H_
