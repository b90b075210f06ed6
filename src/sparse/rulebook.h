// What a rulebook holds.
#ifndef DETOPS_SPARSE_RULEBOOK_H_
#define DETOPS_SPARSE_RULEBOOK_H_

#include <cstdint>

#include "core/scratch.h"
#include "sparse/pair_lists.h"

struct detopsRulebookStruct {
  int64_t offsets = 0;
  int64_t rows[2] = {0, 0};              // of the input and of the output side
  detops::BlockedPairs by_side[2] = {};  // with blocks made of that side
  detops::Scratch memory;                // of all lists
};

namespace detops {

// Copies lists that were made of the same pairs, with blocks of either side. False if memory is short.
bool FillRulebook(const BlockedPairs by_side[2], detopsRulebookStruct* rulebook);

}  // namespace detops

#endif  // DETOPS_SPARSE_RULEBOOK_H_
