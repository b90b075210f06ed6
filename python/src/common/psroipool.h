#ifndef DETOPS_PYTHON_SRC_COMMON_PSROIPOOL_H_
#define DETOPS_PYTHON_SRC_COMMON_PSROIPOOL_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/call.h"
#include "common/view.h"

namespace detops_binding {

// The words of both passes.
struct PsRoiPoolMode {
  detopsPsRoiPoolConvention_t convention;
  mluOpTensorLayout_t layout;

  // "rfcn", "torchvision" or "consistent"; "NHWC" or "NCHW".
  PsRoiPoolMode(std::string_view convention_name, std::string_view layout_name, const char* function);
};

// Result 0: (R, PH, PW, D) or (R, D, PH, PW). Result 1, if the caller has passed memory for it: the mapping channels,
// of the same shape.
void PsRoiPoolForward(Binding& binding, const PsRoiPoolMode& mode, const View& map, const View& rois,
                      const std::array<int, 2>& pooled_size, double spatial_scale);

// Result 0: input_shape. `mapping` may be left out.
void PsRoiPoolBackward(Binding& binding, const PsRoiPoolMode& mode, const View& gradient, const View& rois,
                       const View& mapping, std::span<const int64_t> input_shape, double spatial_scale);

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_PSROIPOOL_H_
