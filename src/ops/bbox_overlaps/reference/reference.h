// bbox_overlaps as its page words it, for tests: plain loops in long double, nothing shared with the library.
#ifndef DETOPS_OPS_BBOX_OVERLAPS_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_BBOX_OVERLAPS_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

struct BoxRatios {
  std::vector<double> values;      // not rounded to the tensors' type
  std::vector<double> magnitudes;  // what rounding errors are relative to
};

// mode 0: over the union, 1: over the first box.
BoxRatios BboxOverlaps(mluOpDataType_t type, int mode, bool aligned, int offset, int64_t count1, const void* bbox1,
                       int64_t count2, const void* bbox2);

}  // namespace detops_reference

#endif  // DETOPS_OPS_BBOX_OVERLAPS_REFERENCE_REFERENCE_H_
