// What the algorithms that keep a bit for every site of the output space have in common.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_REGULAR_BITS_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_REGULAR_BITS_H_

#include <cstdint>

#include "core/arena.h"
#include "core/checked_math.h"
#include "core/parallel.h"
#include "ops/get_indice_pairs/problem.h"
#include "ops/get_indice_pairs/regular/kernel.h"

namespace detops::get_indice_pairs {

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

// True if the kernels' 32-bit numbers are enough.
bool RegularKernelsFit(const GetIndicePairsProblem& problem);

// The promise about memory: true if there may be bits for all sites, and so many bytes more for bits of single threads.
bool BitsFit(const GetIndicePairsProblem& problem);
bool MoreBytesFit(const GetIndicePairsProblem& problem, int64_t bytes);

// The inputs of a call, cut into pieces that are worked on at the same time. The pairs of a piece follow those of the
// piece before in every list.
class RegularPieces {
 public:
  RegularPieces() = default;
  RegularPieces(const GetIndicePairsProblem& problem, int pieces, Arena& arena);

  // What each piece adds to the memory of the inputs.
  static int64_t BytesOfPiece(const GetIndicePairsProblem& problem);

  // When there is memory, before everything else.
  void Prepare();

  // Marks what the inputs of a piece reach; with `shared` other threads may mark in the same words.
  void Mark(int piece, Range inputs, uint64_t* words, bool shared) const;

  // When all pieces are marked, and so many outputs were found: gives their pairs places in the lists. Sets
  // problem.counts. False if there is no memory for a rulebook's.
  [[nodiscard]] bool Place(int64_t outputs);

  // Writes the pairs of a piece; `bits` are those that it has marked, or more.
  void Append(int piece, Range inputs, const SiteBits& bits) const;

 private:
  int32_t* BlocksOf(int piece, int64_t begin) const;

  const GetIndicePairsProblem* problem_ = nullptr;
  int pieces_ = 0;
  RegularGeometry geometry_ = {};
  RegularOffset* rules_ = nullptr;
  int64_t row_length_ = 0;     // from an input index to the output's
  int32_t* blocks_ = nullptr;  // of inputs sorted by class; each piece may have one that is not full
  int32_t* counts_ = nullptr;  // [pieces][offsets]: pairs
  int32_t** heads_ = nullptr;  // [pieces][offsets]: where the piece's next pair goes
  int32_t** ends_ = nullptr;   // [pieces][offsets]: where its last one has gone
};

// Writes the coordinates of the sites whose bits are set in the word of the sites [first, first + 64) to rows from
// `out` on; returns the row after them.
int32_t* WriteSitesOfWord(const GetIndicePairsProblem& problem, int64_t first, uint64_t word, int32_t* out);

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_REGULAR_BITS_H_
