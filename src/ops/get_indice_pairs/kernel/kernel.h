// The vector part of get_indice_pairs: plain structs in, one function per step.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_KERNEL_KERNEL_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_KERNEL_KERNEL_H_

#include <cstdint>

#include "ops/get_indice_pairs/regular/kernel.h"
#include "ops/get_indice_pairs/submanifold/words_kernel.h"

namespace detops::get_indice_pairs {

// What a block of consecutive input sites meets under several offsets, and where the pairs go.
//
// Vectors are stored whole, so up to a vector after the last pair is overwritten, but never more numbers than the
// block has sites: a list that has room for one pair per site is safe.
struct PairBlock {
  const int32_t* met;  // [slots][kBlockSites]: output index, or negative
  int slots;
  int sites;                 // of the block, at most kBlockSites
  int32_t first;             // the input index of the block's first site
  const int64_t* offset_of;  // [slots]: kernel offset
  int32_t* list;             // where the first input index of offset 0 goes; the lists are 2 * row_length apart
  int32_t* counts;           // by kernel offset: pairs in the list; counted on
  int64_t row_length;        // the output index goes this far after the input index
};

// A list of (key, value) with different keys in [0, universe), to be brought into ascending order of the keys.
struct ListToSort {
  const int32_t* keys;
  const int32_t* renamed;  // nullptr, or: the key is renamed[keys[i]]
  const int32_t* values;   // not negative
  int64_t count;
  int64_t universe;
  int32_t* spread;       // [universe], -1 before and afterwards
  int32_t* sorted_keys;  // room for `universe`; may be the place of the list itself
  int64_t row_length;    // the values go this far after
};

struct IndicePairsKernels {
  void (*append_pairs)(const PairBlock& block);

  void (*sort_list)(const ListToSort& list);

  // The first number, counted over the rows [begin, end), that is not in [0, limits[column]); end * columns if none.
  int64_t (*find_outside)(const int32_t* rows, int columns, const int32_t* limits, int64_t begin, int64_t end);

  // The number of bits set in words[begin, end); ranks, if not nullptr, become `before` + the number in front.
  int64_t (*count_bits)(const uint64_t* words, int64_t begin, int64_t end, int64_t before, int32_t* ranks);

  // The words of words[0, count) that are not 0, in their order, and their places; what stands after them in kept and
  // places[0, count) is any number. Returns how many there are; *bits becomes the number of bits set.
  int64_t (*keep_words)(const uint64_t* words, int64_t count, uint64_t* kept, int32_t* places, int64_t* bits);

  // Set data[0, count), past the caches if `stream`.
  void (*fill)(int32_t* data, int64_t count, int32_t value, bool stream);
  void (*copy)(int32_t* data, const int32_t* from, int64_t count, bool stream);
  void (*count_up)(int32_t* data, int64_t count, bool stream);  // 0, 1, 2, ...

  MarkReachedKernel mark_reached;
  AppendReachedKernel append_reached;

  WordKernels words;
};

// The present SIMD target's; ask once per call.
IndicePairsKernels ChooseIndicePairsKernels();

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_KERNEL_KERNEL_H_
