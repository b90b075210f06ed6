// What the checks of all operators on index pairs share.
#ifndef DETOPS_SPARSE_PAIR_CHECK_H_
#define DETOPS_SPARSE_PAIR_CHECK_H_

#include <cstdint>
#include <initializer_list>

#include "core/arg_check.h"
#include "sparse/pair_lists.h"
#include "sparse/rulebook.h"

namespace detops {

void CheckIndiceNumPointer(ArgCheck& check, const int64_t* indice_num);

// Every count is in [0, length].
void CheckCounts(ArgCheck& check, const int64_t* indice_num, int64_t offsets, int64_t length);

// The handle, then the rulebook.
void CheckRulebook(ArgCheck& check, detopsRulebook_t rulebook);

bool AnyEmpty(std::initializer_list<TensorArg> tensors);

// Ends a call with the sentence about an index that is not a row.
mluOpStatus_t FailBadIndex(const Call& call, const IndicePairs& pairs, const BadIndex& bad);

IndicePairs MakeIndicePairs(const TensorArg& pairs, const int64_t* indice_num, int64_t input_rows, int64_t output_rows);

// No pairs at all, for calls in which a tensor has no elements.
inline IndicePairs NoPairs(int64_t input_rows, int64_t output_rows) {
  return {0, 0, nullptr, nullptr, {input_rows, output_rows}};
}

// The lists of a rulebook with blocks of `side`; without pairs for calls in which a tensor has no elements.
PairLists ListsOf(const detopsRulebookStruct& rulebook, int side, bool empty);

}  // namespace detops

#endif  // DETOPS_SPARSE_PAIR_CHECK_H_
