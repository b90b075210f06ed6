// What the files of this contract share.
#ifndef DETOPS_OPS_DIFF_IOU_ROTATED_SORT_VERTICES_CONTRACT_CONTRACT_H_
#define DETOPS_OPS_DIFF_IOU_ROTATED_SORT_VERTICES_CONTRACT_CONTRACT_H_

#include <cstdint>

#include "harness/contract.h"
#include "harness/fill.h"

namespace detops_harness::diff_iou_rotated_sort_vertices {

Contract MakeContract();

// How many valid vertices of a pair are distinct.
int64_t DistinctOf(const Call& call, int64_t pair);

// The vertices of two rotated boxes, relative to the mean of the valid ones, and which are valid.
struct PairOfBoxes {
  double x[24], y[24];
  bool valid[24];
};
PairOfBoxes VerticesOf(const double first[5], const double second[5], const double cosines[2], const double sines[2]);

}  // namespace detops_harness::diff_iou_rotated_sort_vertices

#endif  // DETOPS_OPS_DIFF_IOU_ROTATED_SORT_VERTICES_CONTRACT_CONTRACT_H_
