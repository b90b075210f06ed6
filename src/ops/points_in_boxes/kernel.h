// The vector part: the first box that contains each point.
#ifndef DETOPS_OPS_POINTS_IN_BOXES_KERNEL_H_
#define DETOPS_OPS_POINTS_IN_BOXES_KERNEL_H_

#include <cstdint>

#include "boxes/points/cells.h"
#include "boxes/points/interior.h"
#include "mlu_op/types.h"

namespace detops::points_in_boxes {

// The boxes of one batch. Each axis of the ground is cut into cells, and each cell knows which boxes reach it, as a bit
// for each box: those that may contain a point have their bits in the cell of its x and in the cell of its y.
template <typename Real>
struct BoxSet {
  const boxes::BoxInterior<Real>* boxes;
  int64_t count;
  bool direct;  // so few that every point is tested against every box: there are no cells
  boxes::CellAxis<Real> columns, rows;
  // A cell's `stride` words: first a bit for each word that is not 0, then the words, a bit for each box.
  const uint64_t* in_columns;
  const uint64_t* in_rows;
  int64_t stride, summaries;
};

struct PointRange {
  mluOpDataType_t type;
  const void* points;  // of the batch, three numbers each
  int64_t begin, end;
  mluOpDataType_t index_type;
  void* indices;  // of the batch
};

// A call asks for the kernels once, so that a change of the SIMD target never reaches into a running call.
struct Kernels {
  void (*find_float)(const PointRange& range, const BoxSet<float>& boxes);
  void (*find_double)(const PointRange& range, const BoxSet<double>& boxes);

  void Find(const PointRange& range, const BoxSet<float>& boxes) const { find_float(range, boxes); }
  void Find(const PointRange& range, const BoxSet<double>& boxes) const { find_double(range, boxes); }
};
Kernels ChooseKernels();

}  // namespace detops::points_in_boxes

#endif  // DETOPS_OPS_POINTS_IN_BOXES_KERNEL_H_
