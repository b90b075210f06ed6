#include "ops/get_indice_pairs/submanifold/word_search.h"

#include <algorithm>
#include <bit>

#include "core/checked_math.h"

namespace detops::get_indice_pairs {

int64_t WordSearch::MaxBytes(const GetIndicePairsProblem& problem, const WordGeometry& geometry) {
  const int64_t slots = std::min<int64_t>(problem.offsets, OffsetGroup::kMaxSlots);
  Arena arena;
  arena.Take<Plane>(geometry.ring);
  arena.Take<uint64_t>(SaturatingMultiply(geometry.ring, geometry.PlaneCells()));
  arena.Take<int32_t>(SaturatingMultiply(geometry.ring, geometry.PlaneCells()));
  arena.Take<WordLine>(slots);
  arena.Take<int32_t*>(slots);
  return arena.NeededBytes();
}

WordSearch::WordSearch(const GetIndicePairsProblem& problem, const WordGeometry& geometry, const SiteWords& words,
                       const OffsetGroup& group, Arena& arena)
    : problem_(problem), geometry_(geometry), words_(words), group_(group) {
  const int64_t cells = geometry.PlaneCells();
  planes_ = arena.Take<Plane>(geometry.ring);
  auto* const bits = arena.Take<uint64_t>(geometry.ring * cells);
  auto* const bases = arena.Take<int32_t>(geometry.ring * cells);
  lines_ = arena.Take<WordLine>(group.lines);
  heads_ = arena.Take<int32_t*>(group.slots);
  for (int64_t i = 0; i < geometry.ring; ++i) {
    planes_[i] = {.bits = bits + i * cells, .bases = bases + i * cells, .number = -1, .begin = 0, .end = 0};
  }
}

void WordSearch::ClearCells() { std::fill_n(planes_[0].bits, geometry_.ring * geometry_.PlaneCells(), 0); }

int64_t WordSearch::CellOf(int64_t id, int64_t plane) const {
  return id - plane * geometry_.PlaneIds() + geometry_.margin_rows * geometry_.row_words + 1;
}

void WordSearch::Clear(Plane& plane) const {
  for (int64_t word = plane.begin; word < plane.end; ++word) {
    uint64_t* const cell = plane.bits + CellOf(words_.ids[word], plane.number);
    cell[-1] = cell[0] = cell[1] = 0;
  }
}

// Makes `plane` the one with this number and words. Each gives its first and last sites to the words next to it.
// Positions within a row are consecutive, so they follow from those of the word itself.
void WordSearch::Insert(Plane& plane, int64_t number, int64_t begin, int64_t end) const {
  Clear(plane);
  plane.number = number;
  plane.begin = begin;
  plane.end = end;
  uint64_t* const __restrict__ cells = plane.bits;
  int32_t* const __restrict__ bases = plane.bases;
  const uint64_t* const __restrict__ sites = words_.bits;
  const int32_t* const __restrict__ begins = words_.begins;
  const int own = geometry_.own_sites;
  const bool shares = geometry_.reach > 0;
  for (int64_t word = begin; word < end; ++word) {
    const int64_t cell = CellOf(words_.ids[word], number);
    const uint64_t bits = sites[word];
    if (cells[cell] == 0) bases[cell] = begins[word];
    cells[cell] |= bits;
    if (!shares) continue;
    if (const uint64_t before = bits << own; before != 0) {  // the sites `own` further on in the word before
      if (cells[cell - 1] == 0) bases[cell - 1] = begins[word];
      cells[cell - 1] |= before;
    }
    if (const uint64_t after = bits >> own; after != 0) {
      cells[cell + 1] = after;
      bases[cell + 1] = begins[word + 1] - std::popcount(after);
    }
  }
}

// The lines of the group that have a plane to look at, for sites of plane `number`. Returns their number.
int WordSearch::FindLines(int64_t number) {
  const int dims = problem_.dims;
  int count = 0;
  for (int i = 0; i < group_.lines; ++i) {
    const OffsetGroup::Line& line = group_.line[i];
    const int64_t back = dims >= 3 ? line.delta[dims - 3] : 0;
    const int64_t rows_back = dims >= 2 ? line.delta[dims - 2] : 0;
    const Plane& plane = PlaneFor(number - back + (back > number ? geometry_.ring : 0));
    if (number % geometry_.planes < back || plane.number != number - back) continue;
    const int64_t shift = CellOf(0, 0) - rows_back * geometry_.row_words;
    lines_[count++] = {.bits = plane.bits + shift,
                       .bases = plane.bases + shift,
                       .first_delta = static_cast<int>(line.first_delta),
                       .dilation = static_cast<int>(group_.dilation),
                       .count = line.count,
                       .first_head = line.first_slot};
  }
  return count;
}

void WordSearch::Append(int64_t begin, int64_t end, int32_t* list, int32_t* counts) {
  if (begin >= end) return;
  const int64_t row_length = problem_.sites;
  const auto list_of = [&](int slot) { return list + group_.offset_of[slot] * 2 * row_length; };
  for (int slot = 0; slot < group_.slots; ++slot) heads_[slot] = list_of(slot) + counts[group_.offset_of[slot]];
  // Planes from the first one that the first word's sites may look at.
  const int64_t plane_ids = geometry_.PlaneIds();
  const int64_t first_plane = std::max<int64_t>(0, words_.ids[begin] / plane_ids - (geometry_.ring - 1));
  const auto first_from = [&](int64_t from, int64_t id) {
    return std::lower_bound(words_.ids + from, words_.ids + words_.count, id) - words_.ids;
  };
  for (int64_t word = first_from(0, first_plane * plane_ids); word < end;) {
    const int64_t number = words_.ids[word] / plane_ids;
    const int64_t plane_end = first_from(word, (number + 1) * plane_ids);
    Insert(PlaneFor(number), number, word, plane_end);
    problem_.kernels.words.search_words({.ids = words_.ids,
                                         .bits = words_.bits,
                                         .begins = words_.begins,
                                         .order = words_.ascending ? nullptr : words_.order,
                                         .begin = std::max(word, begin),
                                         .end = std::min(plane_end, end),
                                         .first_id = number * plane_ids,
                                         .lines = lines_,
                                         .line_count = FindLines(number),
                                         .heads = heads_,
                                         .row_length = row_length});
    word = plane_end;
  }
  for (int64_t i = 0; i < geometry_.ring; ++i) Clear(planes_[i]);
  for (int slot = 0; slot < group_.slots; ++slot) {
    counts[group_.offset_of[slot]] = static_cast<int32_t>(heads_[slot] - list_of(slot));
  }
}

}  // namespace detops::get_indice_pairs
