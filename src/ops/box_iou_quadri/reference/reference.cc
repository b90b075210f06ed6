#include "ops/box_iou_quadri/reference/reference.h"

#include "support/quad_reference.h"

namespace detops_reference {

std::vector<double> BoxIouQuadri(mluOpDataType_t type, int mode, bool aligned, int64_t n, int64_t m, const void* quads1,
                                 const void* quads2) {
  std::vector<double> ious;
  for (int64_t i = 0; i < n; ++i) {
    const detops_test::Polygon a = detops_test::ReadQuad(type, quads1, i);
    for (int64_t j = aligned ? i : 0; j < (aligned ? i + 1 : m); ++j) {
      const detops_test::Polygon b = detops_test::ReadQuad(type, quads2, j);
      ious.push_back(static_cast<double>(mode == 0 ? detops_test::IouOf(a, b) : detops_test::IofOf(a, b)));
    }
  }
  return ious;
}

}  // namespace detops_reference
