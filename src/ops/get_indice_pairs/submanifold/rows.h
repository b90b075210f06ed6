// The input sites grouped into rows: sites that differ in the last coordinate only. Rows ascend.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_ROWS_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_ROWS_H_

#include <cstdint>

#include "core/arena.h"
#include "ops/get_indice_pairs/problem.h"

namespace detops::get_indice_pairs {

// "Position" is a place in this order; equal sites are in the order of their input indices.
struct SiteRows {
  int32_t* columns = nullptr;  // [L]: the last coordinate, by position
  int32_t* order = nullptr;    // [L]: the input index, by position; unused where the input is ascending itself
  int64_t* ids = nullptr;      // [rows + 1]: flat number of all coordinates but the last, ascending; then a sentinel
  int32_t* begins = nullptr;   // [rows + 1]: first position; then L
  int64_t count = 0;
  bool ascending = false;  // the input is in ascending order
  bool distinct = false;   // no two input sites are equal

  int32_t InputIndex(int64_t position) const { return ascending ? static_cast<int32_t>(position) : order[position]; }
};

// Takes memory for the rows: 20 bytes per site.
SiteRows TakeSiteRows(const GetIndicePairsProblem& problem, Arena& arena);

// Memory for bringing the sites into order: 16 or 32 bytes per site, and up to 6 MiB for looking for equal ones. It is
// free again when the rows are built.
struct SiteSortScratch {
  SiteSortScratch(const GetIndicePairsProblem& problem, Arena& arena);
  void* words;  // [2][L]
  uint32_t* counters;
  int32_t* last_in_column = nullptr;  // [tasks][last extent]; nullptr if columns are sorted too
};

// Fills rows that have their memory. Columns ascend within a row if the input does or RowSearch needs it.
RunResult BuildSiteRows(const GetIndicePairsProblem& problem, const Parallel& parallel, const SiteSortScratch& scratch,
                        SiteRows& rows);

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_ROWS_H_
