// The descriptor, boxes and confidence.
#include "ops/nms/contract/rules.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <utility>

#include "harness/function.h"

namespace detops_harness::nms {
namespace {

using Apply = std::function<void(Call&)>;
using Sentence = std::optional<std::string>;

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM;

Apply Without(const char* tensor, bool described, bool has_data) {
  return [=](Call& call) {
    call[tensor].described = described;
    call[tensor].has_data = has_data;
  };
}
constexpr char kNoBoxesOfFour[] = "count=0";
Apply NoDescriptor() {
  return [](Call& call) { call.nulls.insert("nms_desc"); };
}

}  // namespace

Apply All(std::vector<Apply> changes) {
  return [changes = std::move(changes)](Call& call) {
    for (const Apply& change : changes) change(call);
  };
}

Apply Full() {
  return [](Call& call) { call.profile = DETOPS_PROFILE_FULL; };
}

Apply As(const std::string& shape, bool full) {
  const std::string completed = shape.find("count=") == std::string::npos ? shape + ",count=11" : shape;
  const detopsProfile_t profile = full ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT;
  return [=](Call& call) { call = call.function->MakeSample(completed, MLUOP_DTYPE_FLOAT, profile, 1); };
}

Apply WithExtents(const char* tensor, std::vector<int64_t> extents) {
  return [=](Call& call) { call[tensor].extents = extents; };
}

Rules NmsDescriptor() {
  Faults faults = {{BadClass::kNull, "nms_desc", [](Call& call) { call.nulls.insert("nms_desc"); }},
                   {BadClass::kEnumerator, "a descriptor that was never set", WithInteger("set", 0)},
                   {BadClass::kEnumerator, "a descriptor whose setting was refused", WithInteger("output_mode", 9)}};
  for (const char* enumerator : {"box_mode", "output_mode", "algo", "method_mode", "input_layout", "max_output_size"}) {
    faults.push_back({BadClass::kEnumerator, std::string(enumerator) + " -1", WithInteger(enumerator, -1), false});
  }
  for (const char* number : {"iou_threshold", "soft_nms_sigma", "confidence_threshold", "offset"}) {
    faults.push_back({BadClass::kNotFinite, std::string(number) + " NaN", WithNumber(number, std::nan("")), false});
  }
  return Own({"nms", kBad,
              [](Judgement& j) -> Sentence {
                if (j.call.nulls.count("nms_desc") != 0) {
                  return "the descriptor of nms is NULL, expected an NMS descriptor.";
                }
                if (IsSettable(j.call)) return {};
                return "the descriptor of nms was never set, expected one that mluOpSetNmsDescriptor has set.";
              },
              std::move(faults)});
}

Rules DataUnlessNoBoxes(const std::string& tensor) {
  Rules rules = Data({tensor});
  return WithFaults(When([](const Call& call) { return !call.full() || call["boxes"].elements() != 0; }, rules),
                    {{BadClass::kNull, "no boxes, no " + tensor,
                      All({As(kNoBoxesOfFour), [=](Call& call) { call[tensor].has_data = false; }}), false},
                     {BadClass::kNull, "no boxes, no " + tensor + ", full profile",
                      All({As(kNoBoxesOfFour, true), [=](Call& call) { call[tensor].has_data = false; }}), false}});
}

Rules BoxesRank() {
  Faults faults;
  for (const size_t rank : {4, 1, 0, 8, 100}) {
    faults.push_back({BadClass::kForm, "rank of boxes", [rank](Call& call) { call["boxes"].extents.resize(rank, 1); },
                      faults.empty()});
  }
  return Own({"rank of boxes", kBad,
              [](Judgement& j) -> Sentence {
                const size_t rank = j.call["boxes"].extents.size();
                if (rank == 2 || rank == 3) return {};
                return Format("boxes has rank %zu, expected 2 or 3.", rank);
              },
              std::move(faults)});
}

Rules NumbersOfABox() {
  return Own({"numbers of a box",
              kBad,
              [](Judgement& j) -> Sentence {
                const Sizes sizes = SizesOf(j.call);
                const bool images = j.call["boxes"].extents.size() == 3;
                if (sizes.numbers == 4 || (sizes.numbers == 7 && !images)) return {};
                return Format("boxes has extent %lld on axis %zu, expected %s.", static_cast<long long>(sizes.numbers),
                              sizes.numbers_axis, images ? "4" : "4 or 7");
              },
              {{BadClass::kShapes, "boxes of 5 numbers", WithExtents("boxes", {11, 5})},
               {BadClass::kShapes, "boxes of 3 numbers", WithExtents("boxes", {11, 3}), false},
               {BadClass::kShapes, "boxes of no numbers", WithExtents("boxes", {11, 0}), false},
               {BadClass::kShapes, "boxes of 7 numbers in images", WithExtents("boxes", {1, 11, 7}), false},
               {BadClass::kShapes, "numbers on the other axis", WithInteger("input_layout", 1), false},
               {BadClass::kShapes, "the other axis without a descriptor",
                All({NoDescriptor(), WithExtents("boxes", {4, 11})}), false},
               {BadClass::kShapes, "either axis without a descriptor",
                All({NoDescriptor(), WithExtents("boxes", {4, 7})}), false},
               {BadClass::kShapes, "neither axis without a descriptor",
                All({NoDescriptor(), WithExtents("boxes", {5, 11})}), false},
               {BadClass::kShapes, "images without a descriptor",
                All({NoDescriptor(), WithExtents("boxes", {2, 4, 7})}), false},
               {BadClass::kShapes, "a descriptor that was not set",
                All({WithInteger("set", 0), WithExtents("boxes", {4, 11})}), false},
               {BadClass::kShapes, "boxes of 4 numbers on the other axis",
                All({WithInteger("input_layout", 1), WithExtents("boxes", {4, 11})}), false}}});
}

namespace {

bool OfFour(const Call& call) { return !SizesOf(call).bev(); }
bool OfSeven(const Call& call) { return SizesOf(call).bev(); }

constexpr char kOfSeven[] = "numbers=7,scored=1", kOfImages[] = "images=2,classes=3,mode=batch_class";

Sentence ShapeSentence(const Call& call, const Sizes& sizes) {
  const Tensor &boxes = call["boxes"], &confidence = call["confidence"];
  if (!confidence.described) return {};
  const size_t expected = boxes.extents.size() == 2 ? 1 : 3;
  if (confidence.extents.size() != expected) {
    return Format("confidence has rank %zu, expected %zu.", confidence.extents.size(), expected);
  }
  const auto differs = [&](size_t axis, const char* name, int64_t wanted) -> Sentence {
    if (confidence.extents[axis] == wanted) return {};
    return Format("confidence has extent %lld on axis %zu, expected %s = %lld as in boxes; its shape is %s.",
                  static_cast<long long>(confidence.extents[axis]), axis, name, static_cast<long long>(wanted),
                  ShapeText(confidence.extents).c_str());
  };
  if (expected == 1) return differs(0, "N", sizes.count);
  const Sentence images = differs(0, "B", boxes.extents[0]);
  return images.has_value() ? images : differs(2, "N", sizes.count);
}

Rules ConfidenceShape(Faults faults) {
  return Own({"shape of confidence", kBad, [](Judgement& j) { return ShapeSentence(j.call, SizesOf(j.call)); },
              std::move(faults)});
}

}  // namespace

Rules PresenceForFour(Kind kind) {
  Rules rules = When(OfFour, Descriptors({"confidence"}));
  if (kind == Kind::kSize) return rules;
  Rules data = When(OfFour, DataUnlessNoBoxes("confidence"));
  rules.insert(rules.end(), data.begin(), data.end());
  return rules;
}

Rules ShapeForFour() {
  const auto with = [](std::vector<int64_t> extents) { return WithExtents("confidence", std::move(extents)); };
  return When(OfFour,
              ConfidenceShape({{BadClass::kShapes, "one score more", with({12})},
                               {BadClass::kShapes, "one score fewer", with({10}), false},
                               {BadClass::kForm, "rank of confidence", with({1, 11})},
                               {BadClass::kForm, "scores of classes", with({1, 1, 11}), false},
                               {BadClass::kForm, "one score", with({}), false},
                               {BadClass::kForm, "scores without classes", All({As(kOfImages), with({11})}), false},
                               {BadClass::kForm, "scores of one image", All({As(kOfImages), with({3, 11})}), false},
                               {BadClass::kShapes, "fewer images", All({As(kOfImages), with({1, 3, 11})}), false},
                               {BadClass::kShapes, "fewer boxes", All({As(kOfImages), with({2, 3, 10})}), false},
                               {BadClass::kShapes, "fewer classes", All({As(kOfImages), with({2, 2, 11})}), false}}));
}

Rules NoneForSeven(Kind kind) {
  const Apply scored = As(kOfSeven);
  return Own({"confidence of boxes of 7 numbers",
              kBad,
              [=](Judgement& j) -> Sentence {
                const Tensor& confidence = j.call["confidence"];
                const bool data = kind == Kind::kRun && confidence.address != nullptr;
                if (!SizesOf(j.call).bev() || (!confidence.described && !data)) return {};
                if (j.call.full() && confidence.described) return {};
                if (j.call.full()) return "the descriptor of confidence is NULL, expected a tensor descriptor.";
                return std::string("confidence is given for boxes of 7 numbers, expected NULL") + kFullProfileLifts +
                       ".";
              },
              {{BadClass::kForm, "scores of boxes of 7 numbers", scored},
               {BadClass::kForm, "a descriptor without data", All({scored, Without("confidence", true, false)}), false},
               {BadClass::kForm, "data without a descriptor", All({scored, Without("confidence", false, true)}), false},
               {BadClass::kForm, "the same in the full profile",
                All({As(kOfSeven, true), Without("confidence", false, true)}), false},
               {BadClass::kForm, "no scores", As("numbers=7"), false},
               {BadClass::kForm, "scores in the full profile", As(kOfSeven, true), false}}});
}

Rules DataForSeven() {
  return When(OfSeven, When([](const Call& call) { return call["boxes"].elements() != 0; }, Data({"confidence"})),
              As(kOfSeven, true));
}

Rules ShapeForSeven() {
  return When(OfSeven, ConfidenceShape({{BadClass::kShapes, "scores of fewer boxes of 7 numbers",
                                         All({As(kOfSeven, true), WithExtents("confidence", {10})})},
                                        {BadClass::kForm, "scores of classes for boxes of 7 numbers",
                                         All({As(kOfSeven, true), WithExtents("confidence", {1, 1, 11})}), false}}));
}

}  // namespace detops_harness::nms
