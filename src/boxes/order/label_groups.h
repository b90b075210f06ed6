// Boxes in order, grouped by an integer label.
//
//     order   0  1  2  3  4  5  6        groups   label 3: 0 4        Within a group the order stays. Labels are
//     label   3  7  7  2  3  2  7                 label 7: 1 2 6      compared as integers; nothing is added to
//                                                 label 2: 3 5        coordinates.
#ifndef DETOPS_BOXES_ORDER_LABEL_GROUPS_H_
#define DETOPS_BOXES_ORDER_LABEL_GROUPS_H_

#include <cstdint>

#include "core/arena.h"
#include "core/parallel.h"
#include "mlu_op/types.h"

namespace detops::boxes {

class LabelGroups {
 public:
  // For up to `most` boxes.
  static LabelGroups Take(Arena& arena, int64_t most);

  // Place i of [0, count) has label order[i] of a dense tensor of int32 or int64. False if the caller's runner failed.
  [[nodiscard]] bool Make(const Parallel& parallel, mluOpDataType_t type, const void* labels, const uint32_t* order,
                          int64_t count);

  int64_t groups() const { return groups_; }
  int64_t size(int64_t group) const { return int64_t{begins_[group + 1]} - begins_[group]; }
  // Ascending.
  const uint32_t* places(int64_t group) const { return places_ + begins_[group]; }

 private:
  unsigned __int128* words_;
  unsigned __int128* spare_;
  uint32_t* counters_;
  uint32_t* places_;
  uint32_t* begins_;
  int64_t groups_;
};

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_ORDER_LABEL_GROUPS_H_
