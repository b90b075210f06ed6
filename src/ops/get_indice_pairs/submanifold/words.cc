#include "ops/get_indice_pairs/submanifold/words.h"

#include <algorithm>

#include "core/bit_sort.h"
#include "core/checked_math.h"
#include "ops/get_indice_pairs/submanifold/pieces.h"

namespace detops::get_indice_pairs {
namespace {

constexpr int kMaxReach = 8;  // a word has at least 48 sites of its own

// How far a centred kernel reaches on an axis, counted from the last but `from_last`.
int64_t ReachOf(const GetIndicePairsProblem& problem, int from_last) {
  const int axis = problem.dims - 1 - from_last;
  return axis < 0 ? 0 : std::min<int64_t>(problem.axes[axis].pad, problem.axes[axis].input - 1);
}

int64_t ExtentOf(const GetIndicePairsProblem& problem, int from_last) {
  const int axis = problem.dims - 1 - from_last;
  return axis < 0 ? 1 : problem.axes[axis].input;
}

SiteKeys KeysFor(const GetIndicePairsProblem& problem, const WordGeometry& geometry) {
  SiteKeys keys = {.indices = problem.indices,
                   .dims = problem.dims,
                   .pitches = {},
                   .own_sites = geometry.own_sites,
                   .reach = geometry.reach,
                   .in_32_bits = geometry.id_bits + 6 <= 31 && ExtentOf(problem, 0) <= (1 << 15)};
  int64_t pitch = geometry.row_words << 6;
  for (int axis = problem.dims - 1; axis >= 0; --axis) {
    keys.pitches[axis] = pitch;
    if (axis > 0) pitch *= problem.axes[axis - 1].input;
  }
  return keys;
}

// Collects words by collect(task, range) on pieces of the sites that words do not cross, see SitePieces; it returns a
// negative number if it cannot. Then words.distinct becomes false.
template <class Same, class Collect>
[[nodiscard]] bool CollectPieces(const Parallel& parallel, int64_t sites, const Same& same, const Collect& collect,
                                 SiteWords& words) {
  SitePieces pieces(parallel, sites);
  if (!pieces.Run(same, collect)) return false;
  words.distinct = !pieces.failed();
  if (!words.distinct) return true;
  words.count = pieces.found();
  const bool joined = pieces.tasks() == 1 || parallel.Run(3, [&](int array) {
    if (array == 0) pieces.Join(words.ids);
    if (array == 1) pieces.Join(words.bits);
    if (array == 2) pieces.Join(words.begins);
  });
  words.begins[words.count] = static_cast<int32_t>(sites);
  return joined;
}

RunResult SortIntoWords(const GetIndicePairsProblem& problem, const WordGeometry& geometry, const SiteKeys& keys,
                        const Parallel& parallel, const WordSortScratch& scratch, SiteWords& words) {
  const int64_t sites = problem.sites;
  const int index_bits = BitsToNumber(sites);
  const int tasks = SitePieces(parallel, sites).tasks();
  const bool packed = parallel.RunPieces(tasks, sites, [&](Range range) {
    problem.kernels.words.pack_sites(keys, range.begin, range.end, index_bits, scratch.packed);
  });
  if (!packed) return RunResult::kRunnerFailed;
  const int low = index_bits + 6 + WordTables::kIdBits;
  const int high = index_bits + 6 + geometry.id_bits;
  uint64_t* sorted = nullptr;
  if (!SortByBits(parallel, scratch.packed, scratch.packed + sites, sites, std::min(low, high), high, scratch.counters,
                  &sorted)) {
    return RunResult::kRunnerFailed;
  }
  const auto same = [&](int64_t i) { return (sorted[i] ^ sorted[i - 1]) >> low == 0; };
  const auto rank = [&](int task, Range range) {
    return problem.kernels.words.rank_sites({.packed = sorted,
                                             .index_bits = index_bits,
                                             .begin = range.begin,
                                             .end = range.end,
                                             .tables = scratch.tables + task,
                                             .ids = words.ids,
                                             .bits = words.bits,
                                             .begins = words.begins,
                                             .order = words.order});
  };
  return ResultOf(CollectPieces(parallel, sites, same, rank, words));
}

}  // namespace

WordGeometry::WordGeometry(const GetIndicePairsProblem& problem) {
  reach = static_cast<int>(std::min<int64_t>(ReachOf(problem, 0), kMaxReach + 1));
  own_sites = 64 - 2 * reach;
  row_words = DivideRoundUp(ExtentOf(problem, 0), own_sites) + 1;
  plane_rows = ExtentOf(problem, 1);
  margin_rows = ReachOf(problem, 1);
  planes = ExtentOf(problem, 2);
  ring = ReachOf(problem, 2) + 1;
  const int64_t samples = SaturatingMultiply(problem.batch, planes);
  const int64_t words = SaturatingMultiply(SaturatingMultiply(samples, plane_rows), row_words);
  const int64_t cells = SaturatingMultiply(SaturatingMultiply(plane_rows + 2 * margin_rows, row_words), ring);
  id_bits = BitsToNumber(words);
  // Every task has cells of its own, 12 bytes each, and clearing them must not cost more than the search.
  const int64_t max_cells = std::min<int64_t>(512 << 10, 4096 + 4 * problem.sites);
  constexpr int kMaxIdBits = 57;  // ids are shifted by 6 on the way
  centred = std::all_of(problem.axes, problem.axes + problem.dims, [](const SparseConvolutionAxis& axis) {
    return axis.filter % 2 == 1 && axis.pad == int64_t{axis.filter / 2} * axis.dilation;
  });
  fits = problem.dims <= 3 && centred && reach <= kMaxReach && id_bits <= kMaxIdBits && cells <= max_cells;
}

SiteWords TakeSiteWords(const GetIndicePairsProblem& problem, Arena& arena) {
  SiteWords words;
  words.ids = arena.Take<int64_t>(problem.sites);
  words.bits = arena.Take<uint64_t>(problem.sites);
  words.begins = arena.Take<int32_t>(problem.sites + 1);
  words.order = arena.Take<int32_t>(problem.sites);
  return words;
}

WordSortScratch::WordSortScratch(const GetIndicePairsProblem& problem, const WordGeometry& geometry, Arena& arena) {
  const bool packable = geometry.fits && geometry.id_bits + 6 + BitsToNumber(problem.sites) <= 64;
  packed = packable ? arena.Take<uint64_t>(SaturatingMultiply(2, problem.sites)) : nullptr;
  counters = packable ? arena.Take<uint32_t>(kSortCounters) : nullptr;
  tables = packable ? arena.Take<WordTables>(SitePieces::kMaxTasks) : nullptr;
}

RunResult BuildSiteWords(const GetIndicePairsProblem& problem, const WordGeometry& geometry, const Parallel& parallel,
                         const WordSortScratch& scratch, SiteWords& words) {
  const SiteKeys keys = KeysFor(problem, geometry);
  const int columns = problem.columns();
  const auto same_word = [&](int64_t i) {
    const int32_t* const site = problem.indices + i * columns;
    return std::equal(site, site + columns - 1, site - columns) &&
           site[columns - 1] / geometry.own_sites == site[-1] / geometry.own_sites;
  };
  const auto collect = [&](int, Range range) {
    return problem.kernels.words.collect_words({.keys = keys,
                                                .begin = range.begin,
                                                .end = range.end,
                                                .ids = words.ids,
                                                .bits = words.bits,
                                                .begins = words.begins});
  };
  if (!CollectPieces(parallel, problem.sites, same_word, collect, words)) return RunResult::kRunnerFailed;
  words.ascending = words.distinct;
  if (words.ascending || scratch.packed == nullptr) return RunResult::kDone;
  return SortIntoWords(problem, geometry, keys, parallel, scratch, words);
}

}  // namespace detops::get_indice_pairs
