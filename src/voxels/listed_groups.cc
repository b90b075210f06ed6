#include "voxels/listed_groups.h"

#include "core/half.h"

namespace detops::voxels {

int64_t GroupNumbers::operator[](int64_t point) const {
  const int64_t number =
      type_ == MLUOP_DTYPE_INT64 ? LoadElement<int64_t>(data_, point) : LoadElement<int32_t>(data_, point);
  return number >= 0 && number < groups_ ? number : -1;
}

ListedGroups::ListedGroups(int64_t points, int64_t groups, Arena& arena)
    : count_(points),
      groups_(groups),
      sorted_(points, BitsToNumber(groups + 1), arena),
      points_(arena.Take<int32_t>(points)),
      begins_(arena.Take<int64_t>(groups + 1)) {}

bool ListedGroups::Make(const Parallel& parallel, const GroupNumbers& numbers) {
  const bool sorted = sorted_.Sort(parallel, [&](int64_t point) {
    const int64_t number = numbers[point];
    return static_cast<uint64_t>(number < 0 ? groups_ : number);
  });
  if (!sorted) return false;
  const int tasks = TasksFor(parallel, count_);
  return parallel.RunPieces(tasks, count_, [&](Range range) {
    // Groups up to that of the point before have their begin already, and those behind the last point's end here.
    int64_t next = range.begin == 0 ? 0 : static_cast<int64_t>(sorted_.Key(range.begin - 1)) + 1;
    for (int64_t i = range.begin; i < range.end; ++i) {
      points_[i] = sorted_.Point(i);
      for (const auto group = static_cast<int64_t>(sorted_.Key(i)); next <= group; ++next) begins_[next] = i;
    }
    if (range.end == count_) {
      for (; next <= groups_; ++next) begins_[next] = count_;
    }
  });
}

}  // namespace detops::voxels
