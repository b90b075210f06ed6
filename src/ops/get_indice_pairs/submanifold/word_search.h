// The search of the submanifold convolution among words of sites, for kernels that are their own mirrors.
//
// Sites are taken as outputs, in ascending order. Under the offsets in front of the centre their inputs lie before
// them: in the same plane, or in one of the planes before it that the kernel spans. Those planes are arrays of words,
// used in turn, so that finding a word is one look.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_WORD_SEARCH_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_WORD_SEARCH_H_

#include <cstdint>

#include "core/arena.h"
#include "ops/get_indice_pairs/problem.h"
#include "ops/get_indice_pairs/submanifold/search.h"
#include "ops/get_indice_pairs/submanifold/words.h"

namespace detops::get_indice_pairs {

// One task's search through a range of words.
class WordSearch {
 public:
  static int64_t MaxBytes(const GetIndicePairsProblem& problem, const WordGeometry& geometry);

  WordSearch(const GetIndicePairsProblem& problem, const WordGeometry& geometry, const SiteWords& words,
             const OffsetGroup& group, Arena& arena);

  // Must be called once before the first search in this memory; every search leaves the cells clear.
  void ClearCells();

  // Appends the pairs whose outputs are the sites of words [begin, end), ascending: (position of the input, input index
  // of the output).
  void Append(int64_t begin, int64_t end, int32_t* list, int32_t* counts);

 private:
  // A plane spread out. Cells hold the sites of their words and, in the first and last bits, sites of the words next to
  // them.
  struct Plane {
    uint64_t* bits;      // [cells]
    int32_t* bases;      // [cells]: position of the lowest bit, if any is set
    int64_t number;      // of all planes of the batch; -1: none
    int64_t begin, end;  // its words
  };

  int64_t CellOf(int64_t id, int64_t plane) const;
  Plane& PlaneFor(int64_t number) { return planes_[number % geometry_.ring]; }
  void Clear(Plane& plane) const;
  void Insert(Plane& plane, int64_t number, int64_t begin, int64_t end) const;
  int FindLines(int64_t number);

  const GetIndicePairsProblem& problem_;
  const WordGeometry& geometry_;
  const SiteWords& words_;
  const OffsetGroup& group_;
  Plane* planes_ = nullptr;    // [ring]
  WordLine* lines_ = nullptr;  // [lines]: those under which the sites of the present plane can meet others
  int32_t** heads_ = nullptr;  // [slots]
};

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_WORD_SEARCH_H_
