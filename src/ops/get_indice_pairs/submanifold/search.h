// The search of the submanifold convolution: which sites have an active neighbour under which offset.
//
// Offsets are searched a row at a time. All sites of a row meet, under one line of the kernel (offsets that differ on
// the last axis only), sites of one other row. That row is spread out in a table by its last coordinate, so a meeting
// is one look into the table. Where rows are too long for tables, the two rows are merged instead.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_SEARCH_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_SEARCH_H_

#include <cstdint>

#include "core/arena.h"
#include "ops/get_indice_pairs/problem.h"
#include "ops/get_indice_pairs/submanifold/rows.h"

namespace detops::get_indice_pairs {

// Offsets that are searched together. A slot is the number of an offset among them.
//
// A kernel of 3 x 3 x 3, seen from a site at (z, y, x), as OffsetGroups::Next walks through it:
//
//             offset 0  1  2        line 0: delta (z, y) = (+1, +1), first_delta +1, slots 0 1 2   |
//   z + 1            3  4  5        line 1:                (+1,  0)                  slots 3 4 5   | ring 0
//                    6  7  8        line 2:                (+1, -1)                  slots 6 7 8   |
//
//                    9 10 11        line 3: delta (z, y) = ( 0, +1)                  slots 9 ...   |
//   z               12 13 14        line 4:                ( 0,  0)                                | ring 1
//                   15 16 17        line 5:                ( 0, -1)                                |
//   ...
// A line is a row of the kernel: its sites lie in one row of sites, `id_delta` rows on. Lines that differ on the last
// axis but one only are a ring: as the search goes from row to row (y to y + 1), the row that was line 0's becomes line
// 1's, so the tables of a ring are used round about: place = (y + delta) modulo ring_size. Lines and offsets that would
// leave the space whatever the site is are left out; a kernel of more than kMaxSlots offsets takes several groups.
struct OffsetGroup {
  static constexpr int kMaxSlots = 256;

  // Consecutive offsets whose sites lie in one row.
  struct Line {
    int32_t delta[kMaxSpatialDims - 1];  // of the other row: the differences on all axes but the last
    int64_t id_delta;
    int64_t ring;         // rows of one ring differ on the last of these axes only
    int64_t ring_place;   // the difference on that axis, modulo the ring's size
    int64_t first_delta;  // on the last axis; each further offset has `dilation` less
    int first_slot;
    int count;
  };

  int64_t dilation = 1;
  int lines = 0, slots = 0;
  int rings = 0;          // number of different rings
  int64_t ring_size = 0;  // rows that one ring spans
  int64_t reach = 0;      // the largest |delta| on the last axis
  Line line[kMaxSlots];
  int64_t offset_of[kMaxSlots];  // by slot: the kernel offset
};

// Goes through the offsets [0, end) of a submanifold kernel and collects those that can meet anything.
class OffsetGroups {
 public:
  OffsetGroups(const GetIndicePairsProblem& problem, int64_t end) : problem_(problem), end_(end) {}

  // The next group; false if no offset is left.
  bool Next(OffsetGroup& group);

 private:
  const GetIndicePairsProblem& problem_;
  int64_t end_;
  int64_t next_ = 0;  // kernel offset
};

// One task's search through a range of rows.
class RowSearch {
 public:
  // Enough memory for any group of the kernel.
  static int64_t MaxBytes(const GetIndicePairsProblem& problem);

  // False if rows are too long for tables, under some group at least. Then columns must ascend within a row.
  static bool HasTables(const GetIndicePairsProblem& problem);

  RowSearch(const GetIndicePairsProblem& problem, const SiteRows& rows, const OffsetGroup& group, Arena& arena);

  // Appends the pairs of the sites in rows [begin, end), ascending by position: (position, input index of the site
  // met).
  void Append(int64_t begin, int64_t end, int32_t* list, int32_t* counts);

 private:
  // A line whose row is there, for the sites of the present row.
  struct LiveLine {
    const int32_t* table;  // the other row spread out, at the first offset's difference; nullptr: it must be merged
    int64_t other_row;
    const OffsetGroup::Line* line;
  };

  void Start(int64_t begin);
  void MoveTo(int64_t id);
  void EnterRow(int64_t row);
  const int32_t* SpreadOut(int64_t row, int64_t slot);
  void Merge(const LiveLine& live, int64_t begin, int64_t end, int32_t* met) const;
  void LookUp(const LiveLine& live, int64_t begin, int64_t end, int32_t* met) const;

  const GetIndicePairsProblem& problem_;
  const SiteRows& rows_;
  const OffsetGroup& group_;
  int64_t width_;                                  // numbers in one table
  int tables_;                                     // 0: rows are merged
  int32_t* table_ = nullptr;                       // [tables][width]: index of the site at each coordinate, or -1
  int64_t* in_table_ = nullptr;                    // [tables]: the row that is spread out, or -1
  int64_t* candidate_ = nullptr;                   // [lines]: first row whose id is not below the one wanted
  int64_t id_ = 0;                                 // of the present row
  int64_t coordinates_[kMaxSpatialDims - 1] = {};  // on all axes but the last
  LiveLine* live_ = nullptr;                       // [lines]: those that are there for the present row
  int live_count_ = 0;
  int32_t* block_ = nullptr;  // [slots][kBlockSites]
};

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_SEARCH_H_
