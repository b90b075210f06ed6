#include "ops/get_indice_pairs/submanifold/search.h"

#include <algorithm>
#include <cstdlib>

#include "core/checked_math.h"

namespace detops::get_indice_pairs {

bool OffsetGroups::Next(OffsetGroup& group) {
  const int last = problem_.dims - 1;
  const SparseConvolutionAxis& last_axis = problem_.axes[last];
  group.dilation = last_axis.dilation;
  group.lines = group.slots = group.rings = 0;
  group.reach = 0;
  int64_t ring_first = INT32_MAX;
  int64_t ring_last = INT32_MIN;
  while (next_ < end_ && group.slots < OffsetGroup::kMaxSlots) {
    // Offsets from next_ to the end of its kernel line.
    const int64_t outer = next_ / last_axis.filter;
    const int64_t line_begin = outer * last_axis.filter;
    const int64_t line_end = std::min(end_, line_begin + last_axis.filter);
    OffsetGroup::Line line = {};
    bool meets = true;
    int64_t rest = outer;
    int64_t pitch = 1;
    for (int axis = last - 1; axis >= 0; --axis) {
      const SparseConvolutionAxis& rule = problem_.axes[axis];
      const int64_t delta = rule.pad - rest % rule.filter * int64_t{rule.dilation};
      rest /= rule.filter;
      meets &= std::abs(delta) < rule.input;
      line.delta[axis] = static_cast<int32_t>(meets ? delta : 0);
      line.id_delta += line.delta[axis] * pitch;
      pitch *= rule.input;
    }
    // On the last axis those that meet are consecutive.
    const auto delta_of = [&](int64_t offset) {
      return last_axis.pad - (offset - line_begin) * int64_t{last_axis.dilation};
    };
    while (meets && next_ < line_end && delta_of(next_) >= last_axis.input) ++next_;
    if (!meets || next_ >= line_end || delta_of(next_) <= -int64_t{last_axis.input}) {
      next_ = line_end;
      continue;
    }
    line.first_slot = group.slots;
    line.first_delta = delta_of(next_);
    for (; next_ < line_end && group.slots < OffsetGroup::kMaxSlots && delta_of(next_) > -int64_t{last_axis.input};
         ++next_) {
      group.reach = std::max(group.reach, std::abs(delta_of(next_)));
      group.offset_of[group.slots++] = next_;
      ++line.count;
    }
    const OffsetGroup::Line* before = group.lines > 0 ? &group.line[group.lines - 1] : nullptr;
    const bool same_ring =
        before != nullptr && std::equal(line.delta, line.delta + std::max(last - 1, 0), before->delta);
    if (!same_ring) ++group.rings;
    line.ring = group.rings - 1;
    const int64_t on_ring = last > 0 ? line.delta[last - 1] : 0;
    ring_first = std::min(ring_first, on_ring);
    ring_last = std::max(ring_last, on_ring);
    group.line[group.lines++] = line;
  }
  group.ring_size = group.lines > 0 ? ring_last - ring_first + 1 : 0;
  for (int i = 0; i < group.lines; ++i) {
    const int64_t on_ring = last > 0 ? group.line[i].delta[last - 1] : 0;
    group.line[i].ring_place = (on_ring % group.ring_size + group.ring_size) % group.ring_size;
  }
  return group.slots > 0;
}

namespace {

// All tables of a task together should stay in the second-level cache, and setting them up must be worth it.
constexpr int64_t kMaxTables = 4096;
int64_t MaxTableNumbers(const GetIndicePairsProblem& problem) {
  return std::min<int64_t>(256 << 10, 4096 + 4 * problem.sites);
}

// The most tables that a group can need: a ring for each offset on the axes before the last two.
int64_t MaxTables(const GetIndicePairsProblem& problem) {
  int64_t tables = 1;
  for (int axis = 0; axis + 2 < problem.dims; ++axis) {
    tables = SaturatingMultiply(tables, problem.axes[axis].filter);
  }
  if (problem.dims > 1) {
    const SparseConvolutionAxis& ring = problem.axes[problem.dims - 2];
    tables = SaturatingMultiply(tables, int64_t{ring.filter - 1} * ring.dilation + 1);
  }
  return tables;
}

// The reach on the last axis is below its extent.
int64_t MaxTableWidth(const GetIndicePairsProblem& problem) {
  return int64_t{3} * problem.axes[problem.dims - 1].input;
}

}  // namespace

bool RowSearch::HasTables(const GetIndicePairsProblem& problem) {
  const int64_t tables = MaxTables(problem);
  return tables <= kMaxTables && SaturatingMultiply(tables, MaxTableWidth(problem)) <= MaxTableNumbers(problem);
}

int64_t RowSearch::MaxBytes(const GetIndicePairsProblem& problem) {
  const int64_t tables = MaxTables(problem);
  const int64_t slots = std::min<int64_t>(problem.offsets, OffsetGroup::kMaxSlots);
  Arena arena;
  arena.Take<int32_t>(std::min(MaxTableNumbers(problem), SaturatingMultiply(tables, MaxTableWidth(problem))));
  arena.Take<int64_t>(std::min(kMaxTables, tables));
  arena.Take<int64_t>(slots);
  arena.Take<LiveLine>(slots);
  arena.Take<int32_t>(slots * kBlockSites);
  return arena.NeededBytes();
}

RowSearch::RowSearch(const GetIndicePairsProblem& problem, const SiteRows& rows, const OffsetGroup& group, Arena& arena)
    : problem_(problem), rows_(rows), group_(group) {
  width_ = problem.axes[problem.dims - 1].input + 2 * group.reach;
  const int64_t tables = group.rings * group.ring_size;
  tables_ = tables <= std::min(kMaxTables, MaxTableNumbers(problem) / width_) ? static_cast<int>(tables) : 0;
  table_ = arena.Take<int32_t>(tables_ * width_);
  in_table_ = arena.Take<int64_t>(tables_);
  candidate_ = arena.Take<int64_t>(group.lines);
  live_ = arena.Take<LiveLine>(group.lines);
  block_ = arena.Take<int32_t>(int64_t{group.slots} * kBlockSites);
}

void RowSearch::Start(int64_t begin) {
  std::fill_n(table_, tables_ * width_, -1);
  std::fill_n(in_table_, tables_, -1);
  for (int i = 0; i < group_.lines; ++i) {
    const int64_t wanted = SaturatingAdd(rows_.ids[begin], group_.line[i].id_delta);
    candidate_[i] = std::lower_bound(rows_.ids, rows_.ids + rows_.count, wanted) - rows_.ids;
  }
}

// Sets the coordinates to those of row `id`.
void RowSearch::MoveTo(int64_t id) {
  const int ring_axis = problem_.dims - 2;
  if (ring_axis >= 0) {
    coordinates_[ring_axis] += id - id_;  // rows are near each other: mostly this is all
    if (coordinates_[ring_axis] < 0 || coordinates_[ring_axis] >= problem_.axes[ring_axis].input) {
      int64_t rest = id;
      for (int axis = ring_axis; axis >= 0; --axis) {
        coordinates_[axis] = rest % problem_.axes[axis].input;
        rest /= problem_.axes[axis].input;
      }
    }
  }
  id_ = id;
}

// Finds the lines under which the sites of `row` can meet others.
void RowSearch::EnterRow(int64_t row) {
  const int outer_axes = problem_.dims - 1;
  MoveTo(rows_.ids[row]);
  // Tables are few, so 32-bit division does.
  const auto ring_size = static_cast<uint32_t>(tables_ > 0 ? group_.ring_size : 1);
  const int64_t on_ring = outer_axes > 0 ? static_cast<uint32_t>(coordinates_[outer_axes - 1]) % ring_size : 0;
  live_count_ = 0;
  for (int i = 0; i < group_.lines; ++i) {
    const OffsetGroup::Line& other = group_.line[i];
    bool inside = true;
    for (int axis = 0; axis < outer_axes; ++axis) {
      const int64_t coordinate = coordinates_[axis] + other.delta[axis];
      inside &= coordinate >= 0 && coordinate < problem_.axes[axis].input;
    }
    if (!inside) continue;
    const int64_t wanted = rows_.ids[row] + other.id_delta;
    int64_t candidate = candidate_[i];
    while (rows_.ids[candidate] < wanted) ++candidate;  // the sentinel ends this
    candidate_[i] = candidate;
    if (rows_.ids[candidate] != wanted) continue;
    LiveLine& live = live_[live_count_++];
    live = {.table = nullptr, .other_row = candidate, .line = &other};
    if (tables_ == 0) continue;
    // Coordinates on the ring axis are taken modulo the ring's size, so a row stays in its table while the present
    // row moves on past it.
    int64_t place = on_ring + other.ring_place;
    if (place >= ring_size) place -= ring_size;
    live.table = SpreadOut(candidate, other.ring * ring_size + place) + other.first_delta;
  }
}

const int32_t* RowSearch::SpreadOut(int64_t row, int64_t slot) {
  int32_t* const at_zero = table_ + slot * width_ + group_.reach;
  if (in_table_[slot] == row) return at_zero;
  const int32_t* const columns = rows_.columns;
  if (const int64_t old = in_table_[slot]; old >= 0) {
    const int32_t end = rows_.begins[old + 1];
    for (int32_t s = rows_.begins[old]; s < end; ++s) at_zero[columns[s]] = -1;
  }
  // Of equal sites the last one stays.
  const int32_t end = rows_.begins[row + 1];
  if (rows_.ascending) {
    for (int32_t s = rows_.begins[row]; s < end; ++s) at_zero[columns[s]] = s;
  } else {
    for (int32_t s = rows_.begins[row]; s < end; ++s) at_zero[columns[s]] = rows_.order[s];
  }
  in_table_[slot] = row;
  return at_zero;
}

// met[slot of the line][position - begin] for the positions [begin, end) of the present row.
void RowSearch::LookUp(const LiveLine& live, int64_t begin, int64_t end, int32_t* __restrict__ met) const {
  const int64_t count = end - begin;
  const int64_t dilation = group_.dilation;
  const int32_t* const __restrict__ columns = rows_.columns + begin;
  if (live.line->count == 3) {  // by far the most frequent
    for (int64_t i = 0; i < count; ++i) {
      const int32_t* at = live.table + columns[i];
      met[i] = at[0];
      met[kBlockSites + i] = at[-dilation];
      met[2 * kBlockSites + i] = at[-2 * dilation];
    }
    return;
  }
  for (int slot = 0; slot < live.line->count; ++slot) {
    const int32_t* const table = live.table - slot * dilation;
    for (int64_t i = 0; i < count; ++i) met[slot * kBlockSites + i] = table[columns[i]];
  }
}

// The same without a table: the two rows are gone through side by side. Only what is met is written.
void RowSearch::Merge(const LiveLine& live, int64_t begin, int64_t end, int32_t* met) const {
  const int64_t other_begin = rows_.begins[live.other_row];
  const int64_t other_end = rows_.begins[live.other_row + 1];
  for (int slot = 0; slot < live.line->count; ++slot) {
    const int64_t delta = live.line->first_delta - slot * group_.dilation;
    // The last site that the first one meets, or the one after: all others of a heap of equal sites would be passed
    // again for every block.
    const int32_t* const after =
        std::upper_bound(rows_.columns + other_begin, rows_.columns + other_end, rows_.columns[begin] + delta);
    int64_t other = std::max(after - rows_.columns - 1, other_begin);
    for (int64_t s = begin; s < end; ++s) {
      const int64_t wanted = rows_.columns[s] + delta;
      while (other < other_end && rows_.columns[other] < wanted) ++other;
      // Of equal sites the last one counts.
      while (other + 1 < other_end && rows_.columns[other + 1] == wanted) ++other;
      if (other == other_end) break;
      if (rows_.columns[other] == wanted) met[slot * kBlockSites + (s - begin)] = rows_.InputIndex(other);
    }
  }
}

void RowSearch::Append(int64_t begin, int64_t end, int32_t* list, int32_t* counts) {
  if (begin >= end) return;
  Start(begin);
  PairBlock block = {.met = block_,
                     .slots = group_.slots,
                     .sites = 0,
                     .first = rows_.begins[begin],
                     .offset_of = group_.offset_of,
                     .list = list,
                     .counts = counts,
                     .row_length = problem_.sites};
  const int64_t block_numbers = int64_t{group_.slots} * kBlockSites;
  std::fill_n(block_, block_numbers, -1);
  for (int64_t row = begin; row < end; ++row) {
    EnterRow(row);
    const int64_t row_end = rows_.begins[row + 1];
    for (int64_t s = rows_.begins[row]; s < row_end;) {
      const int64_t stop = std::min<int64_t>(row_end, int64_t{block.first} + kBlockSites);
      for (int i = 0; i < live_count_; ++i) {
        const LiveLine& live = live_[i];
        int32_t* const met = block_ + live.line->first_slot * kBlockSites + (s - block.first);
        if (live.table != nullptr) {
          LookUp(live, s, stop, met);
        } else {
          Merge(live, s, stop, met);
        }
      }
      s = stop;
      if (stop < int64_t{block.first} + kBlockSites) continue;
      block.sites = kBlockSites;
      problem_.kernels.append_pairs(block);
      block.first += kBlockSites;
      std::fill_n(block_, block_numbers, -1);
    }
  }
  block.sites = rows_.begins[end] - block.first;
  problem_.kernels.append_pairs(block);
}

}  // namespace detops::get_indice_pairs
