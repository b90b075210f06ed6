// What is done with words of sites bit by bit: ranks within words, and the search for neighbours.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_WORDS_KERNEL_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_WORDS_KERNEL_H_

#include <cstdint>

namespace detops::get_indice_pairs {

// How a site becomes a key: the id of its word, then in 6 bits its number there.
struct SiteKeys {
  const int32_t* indices;  // [L, dims + 1]
  int dims;                // 1 to 3
  // The key is the sum of pitch * coordinate over all columns but the last, and of what the last one makes: with
  // word = column / own_sites, that is word * (64 - own_sites) + column + reach.
  int64_t pitches[3];
  int own_sites;
  int reach;
  bool in_32_bits;  // keys are below 2^31 and columns at most 2^15
};

// Sites in ascending order, to be collected into words.
struct SitesToCollect {
  SiteKeys keys;
  int64_t begin, end;  // no word has sites on both sides of an end
  int64_t* ids;        // see SiteWords; written from index `begin` on, where there is room for a word per site
  uint64_t* bits;
  int32_t* begins;
};

// Tables of a task that ranks sites: words are told apart by the last bits of their ids.
struct WordTables {
  static constexpr int kIdBits = 12;
  uint64_t bits[1 << kIdBits];   // sites of each word
  int32_t begins[1 << kIdBits];  // position of its first site
  uint64_t used[1 << (kIdBits - 6)];
};

// Sites that are sorted by all of their words' ids but the last kIdBits bits, to be put into full order.
struct SitesToRank {
  const uint64_t* packed;  // see pack_sites
  int index_bits;
  int64_t begin, end;  // of those; the ids of no other sites have the same first bits
  WordTables* tables;
  int64_t* ids;  // as above
  uint64_t* bits;
  int32_t* begins;
  int32_t* order;
};

// A line of the kernel as seen by the sites of one plane: they are the outputs, and the inputs lie in one other row.
struct WordLine {
  const uint64_t* bits;  // the inputs' words, by the place of the outputs' word
  const int32_t* bases;  // position of the lowest bit of each, if any is set
  int first_delta;       // output - input on the last axis, for the first offset; each further one has `dilation` less
  int dilation;
  int count;       // offsets
  int first_head;  // the number of the first offset's list
};

struct WordsToSearch {
  const int64_t* ids;  // see SiteWords
  const uint64_t* bits;
  const int32_t* begins;
  const int32_t* order;
  int64_t begin, end;  // of the words, all in one plane
  int64_t first_id;    // of the plane: the word's place in the lines' arrays is its id less this
  const WordLine* lines;
  int line_count;
  int32_t** heads;     // where the next input position of each list goes; moves on
  int64_t row_length;  // the output's index goes this far after the input index
};

struct WordKernels {
  // Returns the number of words, or -1 if the sites are not strictly ascending, the first one after the last one
  // before them.
  int64_t (*collect_words)(const SitesToCollect& sites);

  // packed[i] = key of site i, then i in `index_bits` bits; for i in [begin, end).
  void (*pack_sites)(const SiteKeys& how, int64_t begin, int64_t end, int index_bits, uint64_t* packed);

  // Returns the number of words, or -1 if two sites are equal.
  int64_t (*rank_sites)(const SitesToRank& sites);

  // Appends (position of the input, index of the output), ascending by position. One number after the last pair may be
  // overwritten, but never more numbers than there are sites.
  void (*search_words)(const WordsToSearch& words);
};

// The present SIMD target's.
WordKernels ChooseWordKernels();

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_WORDS_KERNEL_H_
