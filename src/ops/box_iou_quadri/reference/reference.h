// box_iou_quadri as its page words it, for tests: strips in long double, nothing shared with the library.
#ifndef DETOPS_OPS_BOX_IOU_QUADRI_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_BOX_IOU_QUADRI_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

struct RatioResult {
  std::vector<double> values;      // not rounded to the tensors' type
  std::vector<double> magnitudes;  // what rounding errors are relative to: more than 1 for slivers
};
// mode 0: IoU, 1: IoF. Aligned: quads2 has n rows too.
RatioResult BoxIouQuadri(mluOpDataType_t type, int mode, bool aligned, int64_t n, int64_t m, const void* quads1,
                         const void* quads2);

}  // namespace detops_reference

#endif  // DETOPS_OPS_BOX_IOU_QUADRI_REFERENCE_REFERENCE_H_
