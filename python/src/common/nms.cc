#include <algorithm>
#include <vector>

#include "common/operators.h"
#include "common/scores.h"

namespace detops_binding {
namespace {

constexpr Schema kHard(
    "nms(Tensor boxes, Tensor? scores, float iou_threshold, Tensor? labels=None, str box_format='xyxy', "
    "float offset=0.0, int pre_max=0, int post_max=0) -> Tensor");
constexpr Schema kSoft(
    "soft_nms(Tensor boxes, Tensor scores, float iou_threshold=0.3, float sigma=0.5, float min_score=0.001, "
    "str method='linear', float offset=0.0) -> (Tensor indices, Tensor new_scores)");
constexpr Schema kMatch("nms_match(Tensor boxes, Tensor scores, float iou_threshold) -> Tensor");

float Float(Call& call, const Parameter& parameter) { return static_cast<float>(call.Real(parameter)); }

// iou_threshold, which is a double here and a float in C.
class Threshold {
 public:
  Threshold(Call& call, const Parameter& parameter) : exact_(call.Real(parameter)) {}
  // What to pass to the next function that this handle is given to.
  float On(mluOpHandle_t handle) const {
    Check(detopsSetExactThreshold(handle, exact_), handle);
    return static_cast<float>(exact_);
  }

 private:
  double exact_;
};

// The most that can be kept.
int64_t Room(int64_t boxes, int64_t pre_max, int64_t post_max) {
  for (const int64_t limit : {pre_max, post_max}) boxes = limit > 0 ? std::min(boxes, limit) : boxes;
  return boxes;
}

void Nms(Call& call) {
  const auto format =
      call.Choice<detopsBoxFormat_t>(kHard["box_format"], {{"xyxy", DETOPS_BOX_FORMAT_XYXY},
                                                           {"cxcywh", DETOPS_BOX_FORMAT_CXCYWH},
                                                           {"cxcywha", DETOPS_BOX_FORMAT_CXCYWHA},
                                                           {"quad", DETOPS_BOX_FORMAT_QUAD},
                                                           {"bev", DETOPS_BOX_FORMAT_BEV},
                                                           {"bev_upright", DETOPS_BOX_FORMAT_BEV_UPRIGHT}});
  const Threshold threshold(call, kHard["iou_threshold"]);
  const float offset = Float(call, kHard["offset"]);
  const int64_t pre_max = call.Int64(kHard["pre_max"]);
  const int64_t post_max = call.Int64(kHard["post_max"]);
  const View boxes = call.Numbers(kHard["boxes"]);
  std::vector<double> ranks;
  const View scores = WithoutInfinities(call.NumbersIf(true, kHard["scores"]), ranks);
  const View labels = call.IntegersIf(true, kHard["labels"]);
  const View kept = call.OutputAtLeast(0, MLUOP_DTYPE_INT64, {Room(boxes.extent(0), pre_max, post_max)});
  int64_t count = 0;
  call.Run([&](mluOpHandle_t handle) {
    return detopsNmsBoxes(handle, format, threshold.On(handle), offset, pre_max, post_max, Descriptor(boxes),
                          boxes.data, Descriptor(scores), scores.data, Descriptor(labels), labels.data,
                          Descriptor(kept), kept.data, &count);
  });
  call.KeepRows(0, count);
}

void SoftNms(Call& call) {
  const auto method = call.Choice<detopsSoftNmsMethod_t>(
      kSoft["method"],
      {{"naive", DETOPS_SOFT_NMS_NAIVE}, {"linear", DETOPS_SOFT_NMS_LINEAR}, {"gaussian", DETOPS_SOFT_NMS_GAUSSIAN}});
  const Threshold threshold(call, kSoft["iou_threshold"]);
  const float sigma = Float(call, kSoft["sigma"]);
  const float min_score = Float(call, kSoft["min_score"]);
  const float offset = Float(call, kSoft["offset"]);
  const View boxes = call.Numbers(kSoft["boxes"]);
  const View scores = call.Numbers(kSoft["scores"]);
  std::vector<double> ranks;
  const View ranked = WithoutInfinities(scores, ranks);
  const View kept = call.OutputAtLeast(0, MLUOP_DTYPE_INT64, {boxes.extent(0)});
  const View new_scores = call.OutputAtLeast(1, scores.type, {boxes.extent(0)});
  int64_t count = 0;
  call.Run([&](mluOpHandle_t handle) {
    const auto run = [&](const View& from, const View& to) {
      return detopsSoftNms(handle, method, threshold.On(handle), sigma, min_score, offset, Descriptor(boxes),
                           boxes.data, Descriptor(from), from.data, Descriptor(to), to.data, Descriptor(kept),
                           kept.data, &count);
    };
    if (ranks.empty()) return run(scores, new_scores);
    // Infinite scores pass only unchecked; a call with their ranks before finds out what else is wrong.
    std::vector<double> numbers(static_cast<size_t>(new_scores.elements()));
    View spare = new_scores;
    spare.type = MLUOP_DTYPE_DOUBLE;
    spare.data = numbers.data();
    const mluOpStatus_t status = run(ranked, spare);
    int checks = 0;
    if (status != MLUOP_STATUS_SUCCESS || detopsGetValueChecks(handle, &checks) != MLUOP_STATUS_SUCCESS) return status;
    detopsSetValueChecks(handle, 0);
    const mluOpStatus_t done = run(scores, new_scores);
    detopsSetValueChecks(handle, checks);
    return done;
  });
  for (const int result : {0, 1}) call.KeepRows(result, count);
}

void NmsMatch(Call& call) {
  const Threshold threshold(call, kMatch["iou_threshold"]);
  const View boxes = call.Numbers(kMatch["boxes"]);
  std::vector<double> ranks;
  const View scores = WithoutInfinities(call.Numbers(kMatch["scores"]), ranks);
  const View group = call.Output(0, MLUOP_DTYPE_INT64, {boxes.extent(0)});
  call.Run([&](mluOpHandle_t handle) {
    return detopsNmsMatch(handle, threshold.On(handle), Descriptor(boxes), boxes.data, Descriptor(scores), scores.data,
                          Descriptor(group), group.data);
  });
}

}  // namespace

constinit const std::array<Operator, 3> kNms = {{{kHard, &Nms}, {kSoft, &SoftNms}, {kMatch, &NmsMatch}}};

}  // namespace detops_binding
