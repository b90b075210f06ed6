// Pairs of a sparse convolution as arguments.
#ifndef DETOPS_PYTHON_SRC_COMMON_PAIRS_H_
#define DETOPS_PYTHON_SRC_COMMON_PAIRS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/call.h"
#include "common/view.h"

namespace detops_binding {

struct PairLists {
  View pairs;
  std::vector<int64_t> counts;

  PairLists(Call& call, const Parameter& indice_pairs, const Parameter& indice_num)
      // With a rulebook the pairs are there: what stands in for them may have no numbers.
      : pairs(call.rulebook() != nullptr ? call.ShapeOnly(indice_pairs) : call.Indices(indice_pairs)),
        counts(call.Counts(indice_num)) {
    // What must hold before the library reads as many counts as there are offsets.
    if (pairs.rank != 3) call.At(indice_pairs).RefuseShape(pairs.shape(), "(K, 2, L)");
    if (static_cast<int64_t>(counts.size()) != pairs.extent(0)) {
      call.At(indice_num)
          .Refuse("has " + std::to_string(counts.size()) + " numbers, expected K = " + std::to_string(pairs.extent(0)) +
                  " as in indice_pairs.");
    }
    counts.push_back(0);  // The address must not be NULL, even if K is 0.
  }
};

// The rows of a result: given, or L where the mathematics says so, or those of the memory that the caller has passed.
inline int64_t ReadRows(Call& call, const Parameter& parameter, bool is_pair_length, const PairLists& lists) {
  if (const std::optional<int64_t> rows = call.Int64OrNone(parameter)) {
    if (*rows < 0) call.At(parameter).Refuse("is " + std::to_string(*rows) + ", expected 0 or more.");
    return *rows;
  }
  if (is_pair_length) return lists.pairs.extent(2);
  if (const std::optional<int64_t> rows = call.RowsOfOut()) return *rows;
  call.At(parameter).RefuseType("is needed: the pairs do not tell how many rows the result has.");
}

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_PAIRS_H_
