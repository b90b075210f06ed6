// What the gradient of box_iou_rotated promises, and how to call it.
#include "ops/box_iou_rotated/contract/backward.h"

#include "boxes/contract/gradients.h"

namespace detops_harness::box_iou_rotated {
namespace {

class Backward : public boxes::PairGradient {
 public:
  Backward()
      : PairGradient({.function = "detopsBoxIouRotatedBackward",
                      .first = "bbox1",
                      .second = "bbox2",
                      .first_grad = "grad1",
                      .second_grad = "grad2",
                      .spatial = false,
                      .choice = "mode",
                      .most = 2,
                      .clause = "mode is not 0, 1 or 2",
                      .expectation = "0 (over union), 1 (over the first box) or 2 (overlap)"}) {}

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.detopsBoxIouRotatedBackward(handle, a.integer("mode"), a.integer("aligned") != 0, a.desc("bbox1"),
                                               a.data("bbox1"), a.desc("bbox2"), a.data("bbox2"), a.desc("grad"),
                                               a.data("grad"), a.desc("grad1"), a.data("grad1"), a.desc("grad2"),
                                               a.data("grad2"));
  }
};

}  // namespace

std::unique_ptr<Function> MakeBackward() { return std::make_unique<Backward>(); }

}  // namespace detops_harness::box_iou_rotated
