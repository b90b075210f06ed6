// Pairs of a sparse convolution as arguments.
#ifndef DETOPS_PYTHON_SRC_NUMPY_PAIRS_H_
#define DETOPS_PYTHON_SRC_NUMPY_PAIRS_H_

#include "common/indice_convolution.h"
#include "numpy/array.h"

namespace detops_python {

// Pairs, and what keeps their memory alive.
struct Pairs {
  Array array;
  detops_binding::PairLists lists;

  Pairs(nb::handle pairs, nb::handle counts, bool inverse, const char* function)
      : array(Array::Indices(pairs, {function, "indice_pairs"})),
        lists{.pairs = array.view(), .counts = Counts(counts, {function, "indice_num"}), .inverse = inverse} {
    lists.Require(function);
  }

  int64_t length() const { return lists.pairs.extent(2); }
};

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_NUMPY_PAIRS_H_
