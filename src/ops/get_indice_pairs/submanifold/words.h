// The input sites as words of bits: neighbours on the last axis side by side, in ascending order.
//
// A word has room for 48 to 64 sites of a row and, on both sides, for as many sites of the words next to it as a kernel
// reaches. So the sites that those of one word meet on a line of the kernel are bits of one other word, shifted.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_WORDS_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_WORDS_H_

#include <cstdint>

#include "core/arena.h"
#include "ops/get_indice_pairs/problem.h"

namespace detops::get_indice_pairs {

// Where the sites of a submanifold convolution are among the words. Rows differ on all axes but the last, planes on all
// but the last two.
struct WordGeometry {
  explicit WordGeometry(const GetIndicePairsProblem& problem);

  bool centred;         // the kernel is: offset K - 1 - k is the way back of offset k
  bool fits;            // sites can be words: a centred kernel that does not reach far, planes that are not too large
  int reach;            // of the kernel on the last axis
  int own_sites;        // of a word, after `reach` bits for others
  int64_t row_words;    // per row; the last one is a margin without sites of its own
  int64_t plane_rows;   // rows of a plane
  int64_t margin_rows;  // empty ones on both sides of a plane: the reach of the kernel there
  int64_t planes;       // planes of a sample
  int64_t ring;         // planes that the kernel spans on one side, with its own
  int id_bits;          // of the largest id

  int64_t PlaneIds() const { return plane_rows * row_words; }
  // A plane with its margins, and a word in front for what the first one gives to the word before it.
  int64_t PlaneCells() const { return (plane_rows + 2 * margin_rows) * row_words + 1; }
};

// "Position" is a place in ascending order.
struct SiteWords {
  int64_t* ids = nullptr;     // [words]: row * row_words + number in the row, ascending
  uint64_t* bits = nullptr;   // [words]: the sites of their own
  int32_t* begins = nullptr;  // [words + 1]: position of the first site; then L
  int32_t* order = nullptr;   // [L]: the input index, by position; unused where the input is ascending itself
  int64_t count = 0;
  bool ascending = false;  // the input is in ascending order
  bool distinct = false;   // no two input sites are equal; otherwise nothing here is valid
};

// Takes memory for the words: 24 bytes per site.
SiteWords TakeSiteWords(const GetIndicePairsProblem& problem, Arena& arena);

// Memory for bringing the sites into order: 16 bytes per site, and 1 MiB. It is free again when the words are built.
struct WordSortScratch {
  WordSortScratch(const GetIndicePairsProblem& problem, const WordGeometry& geometry, Arena& arena);
  uint64_t* packed;  // [2][L]; nullptr if a site does not fit, so input must be ascending
  uint32_t* counters;
  WordTables* tables;  // by task
};

// Fills words that have their memory. words.distinct remains false if there are equal sites, or if the input is not
// ascending and cannot be sorted here.
RunResult BuildSiteWords(const GetIndicePairsProblem& problem, const WordGeometry& geometry, const Parallel& parallel,
                         const WordSortScratch& scratch, SiteWords& words);

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_WORDS_H_
