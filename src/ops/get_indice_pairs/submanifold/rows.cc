#include "ops/get_indice_pairs/submanifold/rows.h"

#include <algorithm>

#include "core/bit_sort.h"
#include "core/checked_math.h"
#include "ops/get_indice_pairs/submanifold/pieces.h"
#include "ops/get_indice_pairs/submanifold/search.h"

namespace detops::get_indice_pairs {
namespace {

// A site as the order sees it.
struct Place {
  int64_t row;
  int32_t column;
};

// Calls body<dims>(), so that the loops over coordinates are unrolled.
template <class Body>
auto WithDims(int dims, const Body& body) {
  switch (dims) {
    case 1:
      return body.template operator()<1>();
    case 2:
      return body.template operator()<2>();
    case 3:
      return body.template operator()<3>();
    default:
      return body.template operator()<4>();
  }
}

template <int kDims>
struct PlaceOfInput {
  Place operator()(int64_t index) const {
    const int32_t* site = problem.indices + index * (kDims + 1);
    int64_t row = site[0];
    for (int axis = 0; axis + 1 < kDims; ++axis) row = row * problem.axes[axis].input + site[axis + 1];
    return {row, site[kDims]};
  }
  const GetIndicePairsProblem& problem;
};

// How a site and its input index are packed into one word: row, column, index from the highest bit to the lowest.
struct Packing {
  explicit Packing(const GetIndicePairsProblem& problem) {
    int64_t rows = problem.batch;
    for (int axis = 0; axis + 1 < problem.dims; ++axis) rows *= problem.axes[axis].input;
    index_bits = BitsToNumber(problem.sites);
    column_bits = BitsToNumber(problem.axes[problem.dims - 1].input);
    place_bits = BitsToNumber(rows) + column_bits;
  }
  bool fits_64() const { return place_bits + index_bits <= 64; }

  int index_bits;
  int column_bits;
  int place_bits;
};

template <typename Word>
struct PlaceOfWord {
  Place operator()(int64_t position) const {
    const Word place = words[position] >> packing.index_bits;
    return {static_cast<int64_t>(place >> packing.column_bits),
            static_cast<int32_t>(place & ((Word{1} << packing.column_bits) - 1))};
  }
  const Word* words;
  Packing packing;
};

// What one task sees of the order; its first place is compared with the last one before it.
struct Summary {
  bool ascending = true;
  bool distinct = true;
  int64_t rows = 0;
};

// Cuts places [range.begin, range.end) into rows, which are put down from index range.begin on, where there is room for
// one row per site. Stops where the places descend. With `last_in_column`, which is all -1, columns may be in any
// order, and a row must not be cut by the range.
template <class PlaceOf>
Summary CutPiece(const PlaceOf& place_of, Range range, int32_t* last_in_column, SiteRows& rows) {
  Summary summary;
  Place before = range.begin > 0 ? place_of(range.begin - 1) : Place{-1, -1};
  int32_t* const columns = rows.columns;
  int64_t row = range.begin;
  int32_t first = 0;
  for (int64_t i = range.begin; i < range.end; ++i) {
    const Place place = place_of(i);
    const auto position = static_cast<int32_t>(i);
    columns[i] = place.column;
    if (place.row != before.row) {
      if (place.row < before.row) return {.ascending = false};
      rows.ids[row] = place.row;
      rows.begins[row] = first = position;
      ++row;
    } else if (last_in_column == nullptr && place.column <= before.column) {
      if (place.column < before.column) return {.ascending = false};
      summary.distinct = false;
    }
    if (last_in_column != nullptr) {
      summary.distinct &= last_in_column[place.column] < first;
      last_in_column[place.column] = position;
    }
    before = place;
  }
  summary.rows = row - range.begin;
  return summary;
}

// Rows, columns and flags of places that come in ascending order; if they do not, only rows.ascending is set. With
// `last_in_column`, [tasks][width], columns may be in any order within a row.
template <class PlaceOf>
[[nodiscard]] bool CutIntoRows(const Parallel& parallel, int64_t sites, const PlaceOf& place_of,
                               int32_t* last_in_column, int64_t width, SiteRows& rows) {
  SitePieces pieces(parallel, sites);
  Summary summaries[SitePieces::kMaxTasks];
  const bool any_order = last_in_column != nullptr;
  const auto same_row = [&](int64_t i) { return any_order && place_of(i).row == place_of(i - 1).row; };
  const bool cut = pieces.Run(same_row, [&](int task, Range range) {
    int32_t* const own = any_order ? last_in_column + task * width : nullptr;
    if (any_order) std::fill_n(own, width, -1);
    summaries[task] = CutPiece(place_of, range, own, rows);
    return summaries[task].rows;
  });
  if (!cut) return false;
  const auto all = [&](bool Summary::* flag) {
    return std::all_of(summaries, summaries + pieces.tasks(), [=](const Summary& summary) { return summary.*flag; });
  };
  rows.ascending = all(&Summary::ascending);
  rows.distinct = all(&Summary::distinct);
  rows.count = pieces.found();
  pieces.Join(rows.ids);
  pieces.Join(rows.begins);
  rows.ids[rows.count] = kMaxInt64;
  rows.begins[rows.count] = static_cast<int32_t>(sites);
  return true;
}

template <typename Word>
RunResult SortIntoRows(const GetIndicePairsProblem& problem, const Parallel& parallel, const SiteSortScratch& scratch,
                       SiteRows& rows) {
  const int64_t sites = problem.sites;
  const Packing packing(problem);
  auto* words = static_cast<Word*>(scratch.words);
  auto* spare = words + sites;
  const int tasks = SitePieces(parallel, sites).tasks();
  const bool packed = parallel.Run(tasks, [&](int task) {
    WithDims(problem.dims, [&]<int kDims>() {
      const PlaceOfInput<kDims> place_of{problem};
      const Range range = PieceOf(sites, tasks, task);
      for (int64_t i = range.begin; i < range.end; ++i) {
        const Place place = place_of(i);
        const Word flat = (static_cast<Word>(place.row) << packing.column_bits) | static_cast<Word>(place.column);
        words[i] = (flat << packing.index_bits) | static_cast<Word>(i);
      }
    });
  });
  if (!packed) return RunResult::kRunnerFailed;
  Word* sorted = nullptr;
  const int column_bits = scratch.last_in_column != nullptr ? packing.column_bits : 0;
  if (!SortByBits(parallel, words, spare, sites, packing.index_bits + column_bits,
                  packing.index_bits + packing.place_bits, scratch.counters, &sorted) ||
      !CutIntoRows(parallel, sites, PlaceOfWord<Word>{sorted, packing}, scratch.last_in_column,
                   problem.axes[problem.dims - 1].input, rows)) {
    return RunResult::kRunnerFailed;
  }
  rows.ascending = false;  // the input is not, its sorted words are
  const bool ordered = parallel.RunPieces(tasks, sites, [&](Range range) {
    const Word mask = (Word{1} << packing.index_bits) - 1;
    for (int64_t i = range.begin; i < range.end; ++i) rows.order[i] = static_cast<int32_t>(sorted[i] & mask);
  });
  return ResultOf(ordered);
}

}  // namespace

SiteRows TakeSiteRows(const GetIndicePairsProblem& problem, Arena& arena) {
  SiteRows rows;
  rows.columns = arena.Take<int32_t>(problem.sites);
  rows.order = arena.Take<int32_t>(problem.sites);
  rows.ids = arena.Take<int64_t>(problem.sites + 1);
  rows.begins = arena.Take<int32_t>(problem.sites + 1);
  return rows;
}

SiteSortScratch::SiteSortScratch(const GetIndicePairsProblem& problem, Arena& arena) {
  const int64_t count = SaturatingMultiply(2, problem.sites);
  if (Packing(problem).fits_64()) {
    words = arena.Take<uint64_t>(count);
  } else {
    words = arena.Take<unsigned __int128>(count);
  }
  counters = arena.Take<uint32_t>(kSortCounters);
  if (RowSearch::HasTables(problem)) {
    last_in_column = arena.Take<int32_t>(SitePieces::kMaxTasks * int64_t{problem.axes[problem.dims - 1].input});
  }
}

RunResult BuildSiteRows(const GetIndicePairsProblem& problem, const Parallel& parallel, const SiteSortScratch& scratch,
                        SiteRows& rows) {
  const bool tried = WithDims(problem.dims, [&]<int kDims>() {
    return CutIntoRows(parallel, problem.sites, PlaceOfInput<kDims>{problem}, nullptr, 0, rows);
  });
  if (!tried) return RunResult::kRunnerFailed;
  if (rows.ascending) return RunResult::kDone;
  return Packing(problem).fits_64() ? SortIntoRows<uint64_t>(problem, parallel, scratch, rows)
                                    : SortIntoRows<unsigned __int128>(problem, parallel, scratch, rows);
}

}  // namespace detops::get_indice_pairs
