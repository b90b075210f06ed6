// diff_iou_rotated_sort_vertices after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_DIFF_IOU_ROTATED_SORT_VERTICES_PROBLEM_H_
#define DETOPS_OPS_DIFF_IOU_ROTATED_SORT_VERTICES_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "mlu_op/types.h"

namespace detops::diff_iou_rotated_sort_vertices {

inline constexpr int kSlots = 24;         // vertices of a pair of boxes
inline constexpr int kFirstCrossing = 8;  // those before it are corners
inline constexpr int kMostVertices = 8;   // that two rectangles can have in common
inline constexpr int kResults = 9;        // the vertices and the first again

struct Problem {
  mluOpDataType_t type;  // of the vertices
  mluOpDataType_t index_type;
  int64_t pairs;
  const void* vertices;   // [pairs, kSlots, 2]
  const void* mask;       // [pairs, kSlots]
  const void* num_valid;  // [pairs]
  void* idx;              // [pairs, kResults]
};

// The first element of each kind that the values of the tensors must not have; -1: there is none.
struct BadValues {
  int64_t num_valid = -1;  // not the number of true elements of mask
  int64_t vertices = -1;   // a NaN that is valid
  int64_t crowd = -1;      // of num_valid: more than kMostVertices of them are distinct
};
// False if the caller's runner failed.
bool FindBadValues(const Problem& problem, const Parallel& parallel, BadValues* bad);

// How many vertices of a pair are valid.
int CountValid(const void* mask, int64_t pair);

RunResult Run(const Problem& problem, const Parallel& parallel);

}  // namespace detops::diff_iou_rotated_sort_vertices

#endif  // DETOPS_OPS_DIFF_IOU_ROTATED_SORT_VERTICES_PROBLEM_H_
