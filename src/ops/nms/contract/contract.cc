// What mluOpNms and its size function promise: include/mlu_op/nms.h.
#include <algorithm>
#include <cmath>

#include "harness/function.h"
#include "ops/nms/contract/rules.h"

namespace detops_harness::nms {

Sizes SizesOf(const Call& call) {
  const std::vector<int64_t>& boxes = call["boxes"].extents;
  const std::vector<int64_t>& confidence = call["confidence"].extents;
  const size_t last = boxes.size() - 1;
  Sizes sizes;
  sizes.numbers_axis = LayoutOf(call) == 0 ? last : last - 1;
  sizes.count_axis = LayoutOf(call) == 0 ? last - 1 : last;
  sizes.numbers = boxes[sizes.numbers_axis];
  sizes.count = boxes[sizes.count_axis];
  if (boxes.size() == 3) sizes.images = boxes[0];
  if (boxes.size() == 3 && confidence.size() == 3) sizes.classes = confidence[1];
  return sizes;
}

bool IsSettable(const Call& call) {
  if (call.integer("set") == 0) return false;
  const auto within = [&](const char* name, int64_t most) {
    return call.integer(name) >= 0 && call.integer(name) <= most;
  };
  const auto number = [&](const char* name) { return static_cast<float>(call.number(name)); };
  const float confidence = number("confidence_threshold"), offset = number("offset");
  return within("box_mode", 1) && within("output_mode", 3) && within("algo", 1) && within("method_mode", 2) &&
         !std::isnan(number("iou_threshold")) && number("soft_nms_sigma") >= 0 &&
         within("max_output_size", INT32_MAX) && confidence >= 0 && confidence <= 1 && (offset == 0 || offset == 1) &&
         within("input_layout", 1);
}

int64_t LayoutOf(const Call& call) {
  if (call.nulls.count("nms_desc") == 0 && IsSettable(call)) return call.integer("input_layout");
  // Only the size function comes this far without a descriptor.
  const std::vector<int64_t>& boxes = call["boxes"].extents;
  const auto is_box = [&](int64_t numbers) { return numbers == 4 || (numbers == 7 && boxes.size() == 2); };
  return !is_box(boxes[boxes.size() - 1]) && is_box(boxes[boxes.size() - 2]) ? 1 : 0;
}

bool HoldsIndices(const Call& call) {
  const int64_t mode = call.integer("output_mode");
  return SizesOf(call).bev() || mode == 0 || mode == 3;
}

int64_t Most(const Call& call) { return std::min(call.integer("max_output_size"), SizesOf(call).count); }

int64_t Needed(const Call& call) {
  const Sizes sizes = SizesOf(call);
  if (sizes.bev()) return sizes.count;
  const int64_t limit = call.integer("max_output_size");
  const int64_t room = call.integer("pad_to_max_output_size") != 0 ? limit : Most(call);
  switch (call.integer("output_mode")) {
    case 0:
      return room;
    case 1:
      return 5 * room;
    case 2:
      return 4 * limit + room;
    default: {
      int64_t needed = 0;
      const bool overflows = __builtin_mul_overflow(sizes.images, sizes.classes, &needed) ||
                             __builtin_mul_overflow(needed, 3 * room, &needed);
      return overflows ? INT64_MAX : needed;
    }
  }
}

namespace {

Contract MakeRun() {
  const Names all = {"boxes", "confidence", "output"};
  Contract contract("mluOpNms");
  contract
      .Check(
          "handle, the descriptor of boxes, of nms or of output is NULL, nms was never set, or boxes, output or "
          "output_size is NULL (full profile: boxes and output may be if boxes has no elements)",
          {Handle(), Descriptors({"boxes"}), NmsDescriptor(), Descriptors({"output"}), DataUnlessNoBoxes("boxes"),
           DataUnlessNoBoxes("output"), OutputPlace({"output_size"})})
      .Check("boxes has not rank 2 or 3", {BoxesRank()})
      .Check("a box has not 4 numbers, or 7 with rank 2", {NumbersOfABox()})
      .Check(
          "of 4 numbers: the descriptor or the data pointer of confidence is NULL (full profile: the latter may be if "
          "boxes has no elements), or confidence is not [N], or [B, C, N] with rank 3",
          {PresenceForFour(Kind::kRun), ShapeForFour()})
      .Check("of 7 numbers: confidence or its descriptor is not NULL (full profile: it may be [N])",
             {NoneForSeven(Kind::kRun), DataForSeven(), ShapeForSeven()})
      .Check("a type is not one of those above", {Floating({"boxes"}), ConfidenceType(), OutputType()})
      .Check("output_mode is not 3 and there is not one image with one class", {OneImageAndClass()})
      .Check("contract profile, four numbers: method_mode is not hard", {HardInContract()})
      .Check(
          "output has too few elements: with m = min(max_output_size, N), or max_output_size if padded, m, 5 * m, 4 * "
          "max_output_size + m or 3 * B * C * m by output_mode, of 7 numbers N",
          {RoomInOutput()})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {CountOfBoxes(), CountOfConfidence(), CountOfOutput()})
      .Check("there are 2^31 boxes or more, or more may stay", {Limits()})
      .Check("N, B or C is 0, or, of 4 numbers, max_output_size is: output_size is 0, and output padded",
             {NothingToDo()})
      .Check("workspace is NULL but workspace_size is not 0", {WorkspacePointer()})
      .Check("output, output_size or workspace overlaps another buffer",
             {Separate("output", {"boxes", "confidence", "output_size", "workspace"}),
              Separate("output_size", {"boxes", "confidence", "workspace"}),
              Separate("workspace", {"boxes", "confidence"})})
      .Check("a number in boxes or confidence is NaN or Inf",
             {Finite("boxes", "a box"), Finite("confidence", "a score")})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  return contract;
}

Contract MakeSize() {
  Contract contract("mluOpGetNmsWorkspaceSize");
  contract.Check("workspace_size is NULL", {PlaceForResult({"workspace_size"})})
      .Check("handle or the descriptor of boxes is NULL", {Handle(), Descriptors({"boxes"})})
      .Check("boxes has not rank 2 or 3", {BoxesRank()})
      .Check("a box has not 4 numbers, or 7 with rank 2", {NumbersOfABox()})
      .Check("of 4 numbers: the descriptor of confidence is NULL, or confidence is not [N], or [B, C, N] with rank 3",
             {PresenceForFour(Kind::kSize), ShapeForFour()})
      .Check("of 7 numbers: the descriptor of confidence is not NULL (full profile: it may be [N])",
             {NoneForSeven(Kind::kSize), ShapeForSeven()});
  return contract;
}

}  // namespace

Contract MakeContract(Kind kind) {
  Contract contract = kind == Kind::kRun ? MakeRun() : MakeSize();
  contract.Shape("boxes", {"N", 4}).Shape("confidence", {"N"}).Shape("output", {"elements of output"});
  return contract;
}

}  // namespace detops_harness::nms
