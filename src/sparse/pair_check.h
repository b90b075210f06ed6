// What the checks of all operators on index pairs share.
#ifndef DETOPS_SPARSE_PAIR_CHECK_H_
#define DETOPS_SPARSE_PAIR_CHECK_H_

#include <cstdint>

#include "core/arg_check.h"
#include "detops/rulebook.h"
#include "sparse/pair_lists.h"
#include "sparse/rulebook.h"

namespace detops {

// The pairs that a call works on, or the rulebook that was made of them.
struct PairsArguments {
  TensorArg tensor = Optional("indice_pairs", nullptr, nullptr);  // left out with a rulebook
  const int64_t* indice_num = nullptr;
  detopsRulebook_t rulebook = nullptr;

  bool on_rulebook() const { return rulebook != nullptr; }
  // L, the longest that a list can be. The rank has been checked.
  int64_t length() const { return tensor.absent() ? 0 : tensor.desc->extent(2); }
  BufferArg counts() const {
    const int64_t offsets = tensor.absent() ? 0 : tensor.desc->extent(0);
    return {"indice_num", indice_num, static_cast<size_t>(offsets) * sizeof(int64_t)};
  }
};

void CheckIndiceNumPointer(ArgCheck& check, const int64_t* indice_num);

// Every count is in [0, L]. The shape of the pairs has been checked.
void CheckCounts(ArgCheck& check, const PairsArguments& pairs);

// The handle, then the rulebook.
void CheckRulebook(ArgCheck& check, detopsRulebook_t rulebook);

// The rows that the tensors of a call with a rulebook must have.
struct RulebookDims {
  explicit RulebookDims(detopsRulebook_t rulebook, bool inverse = false)
      : input("rows of the rulebook", rulebook == nullptr ? 0 : rulebook->rows[inverse ? 1 : 0]),
        output("rows of the rulebook", rulebook == nullptr ? 0 : rulebook->rows[inverse ? 0 : 1]) {}
  Dim input, output;
};

// Ends a call with the sentence about an index that is not a row.
mluOpStatus_t FailBadIndex(const Call& call, const IndicePairs& pairs, const BadIndex& bad);

// The caller's pairs, between tensors of so many rows.
IndicePairs MakeIndicePairs(const PairsArguments& pairs, int64_t input_rows, int64_t output_rows);

// No pairs at all, for calls in which a tensor has no elements.
inline IndicePairs NoPairs(int64_t input_rows, int64_t output_rows) {
  return {0, 0, nullptr, nullptr, {input_rows, output_rows}};
}

}  // namespace detops

#endif  // DETOPS_SPARSE_PAIR_CHECK_H_
