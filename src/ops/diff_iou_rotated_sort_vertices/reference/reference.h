// diff_iou_rotated_sort_vertices as its page words it, for tests: the place of a vertex is the number of those before
// it, by products of 113 bits. Nothing is shared with the library.
#ifndef DETOPS_OPS_DIFF_IOU_ROTATED_SORT_VERTICES_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_DIFF_IOU_ROTATED_SORT_VERTICES_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

// The slots of the valid vertices of a pair in their order, without those that repeat another.
std::vector<int> SortedVertices(mluOpDataType_t type, const void* vertices, const void* mask, int64_t pair);

// idx, nine numbers for each pair.
std::vector<double> DiffIouRotatedSortVertices(mluOpDataType_t type, int64_t pairs, const void* vertices,
                                               const void* mask);

}  // namespace detops_reference

#endif  // DETOPS_OPS_DIFF_IOU_ROTATED_SORT_VERTICES_REFERENCE_REFERENCE_H_
