#include "ops/box_iou_quadri/reference/reference.h"

#include "support/quad_reference.h"

namespace detops_reference {

RatioResult BoxIouQuadri(mluOpDataType_t type, int mode, bool aligned, int64_t n, int64_t m, const void* quads1,
                         const void* quads2) {
  RatioResult result;
  if (m == 0) return result;
  for (int64_t i = 0; i < n; ++i) {
    const detops_test::Polygon a = detops_test::ReadQuad(type, quads1, i);
    for (int64_t j = aligned ? i : 0; j < (aligned ? i + 1 : m); ++j) {
      const detops_test::Polygon b = detops_test::ReadQuad(type, quads2, j);
      result.values.push_back(static_cast<double>(mode == 0 ? detops_test::IouOf(a, b) : detops_test::IofOf(a, b)));
      result.magnitudes.push_back(static_cast<double>(detops_test::RatioMagnitude(a, b)));
    }
  }
  return result;
}

}  // namespace detops_reference
