// What the ways that keep a bit for every site of the output space have in common.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_BITS_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_BITS_H_

#include <cstdint>

#include "core/arena.h"
#include "core/checked_math.h"
#include "ops/get_indice_pairs/get_indice_pairs.h"
#include "ops/get_indice_pairs/get_indice_pairs_regular_kernel.h"

namespace detops {

inline int64_t SitesOfBatch(const GetIndicePairsProblem& problem) {
  int64_t sites = 1;
  for (int axis = 0; axis < problem.dims; ++axis) sites *= problem.axes[axis].output;
  return sites;
}

inline int64_t WordCount(const GetIndicePairsProblem& problem) {
  return DivideRoundUp(problem.batch * SitesOfBatch(problem), 64);
}

// How many groups of batches are worked on by themselves, at most: those of a call share words at their borders.
inline constexpr int64_t kMaxBatchGroups = 1024;

// Words and ranks for all sites, and a word more for every group of batches.
SiteBits TakeSiteBits(const GetIndicePairsProblem& problem, Arena& arena);

// Numbers of a block of inputs, see RegularBlockNumbers.
int64_t BlockNumbersOf(const GetIndicePairsProblem& problem);

// True if the kernels' 32-bit numbers are enough.
bool RegularKernelsFit(const GetIndicePairsProblem& problem);

// What grows with L or the space, and how much that may be.
int64_t NeededBytes(const GetIndicePairsProblem& problem);
int64_t MostBytes(const GetIndicePairsProblem& problem);

// `rules` has room for all offsets and lives as long as the geometry.
RegularGeometry MakeRegularGeometry(const GetIndicePairsProblem& problem, RegularOffset* rules);

// The lists of a call that are written piece by piece: pieces follow each other in every list.
struct ListPieces {
  ListPieces() = default;
  ListPieces(const GetIndicePairsProblem& problem, int pieces, Arena& arena)
      : counts(arena.Take<int32_t>(pieces * problem.offsets)),
        heads(arena.Take<int32_t*>(pieces * problem.offsets)),
        ends(arena.Take<int32_t*>(pieces * problem.offsets)) {}

  // Sets heads and ends from the counts, and problem.counts.
  void Place(const GetIndicePairsProblem& problem, int pieces) const;

  int32_t* counts = nullptr;  // [pieces][offsets]: pairs
  int32_t** heads = nullptr;  // [pieces][offsets]: where the piece's next pair goes
  int32_t** ends = nullptr;   // [pieces][offsets]: where its last one has gone
};

// Writes the coordinates of the sites whose bits are set in the word of the sites [first, first + 64) to rows from
// `out` on; returns the row behind them.
int32_t* WriteSitesOfWord(const GetIndicePairsProblem& problem, int64_t first, uint64_t word, int32_t* out);

}  // namespace detops

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_BITS_H_
