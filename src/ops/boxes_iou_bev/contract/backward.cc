// What the gradient of the IoU of volumes promises, and how to call it.
#include "ops/boxes_iou_bev/contract/backward.h"

#include "boxes/contract/gradients.h"

namespace detops_harness::boxes_iou_bev {
namespace {

class Backward : public boxes::PairGradient {
 public:
  Backward()
      : PairGradient({.function = "detopsBoxesIou3dBackward",
                      .first = "boxes_a",
                      .second = "boxes_b",
                      .first_grad = "grad_a",
                      .second_grad = "grad_b",
                      .spatial = true,
                      .choice = "z",
                      .most = 1,
                      .clause = "z has no such value",
                      .expectation = "a value of detopsBoxZ_t"}) {}

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.detopsBoxesIou3dBackward(handle, a.integer("aligned") != 0, a.integer<detopsBoxZ_t>("z"),
                                            a.desc("boxes_a"), a.data("boxes_a"), a.desc("boxes_b"), a.data("boxes_b"),
                                            a.desc("grad"), a.data("grad"), a.desc("grad_a"), a.data("grad_a"),
                                            a.desc("grad_b"), a.data("grad_b"));
  }
};

}  // namespace

std::unique_ptr<Function> MakeBackward() { return std::make_unique<Backward>(); }

}  // namespace detops_harness::boxes_iou_bev
