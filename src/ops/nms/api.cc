// The C entry points: check table, then problem, then run.
#include <algorithm>
#include <cstring>

#include "core/arg_check.h"
#include "core/context.h"
#include "core/data_type.h"
#include "core/half.h"
#include "mlu_op/nms.h"
#include "ops/nms/arguments.h"
#include "ops/nms/problem.h"

namespace detops::nms {
namespace {

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM;
constexpr int64_t kLeastTooMany = int64_t{1} << 31;

bool IsFloating(mluOpDataType_t type) {
  return type == MLUOP_DTYPE_FLOAT || type == MLUOP_DTYPE_HALF || type == MLUOP_DTYPE_DOUBLE ||
         type == MLUOP_DTYPE_BFLOAT16;
}

bool IsBox(const Arguments& args, int input_layout) {
  const int64_t numbers = args.boxes.desc->extent(args.numbers_axis(input_layout));
  return numbers == 4 || (numbers == 7 && args.boxes.desc->rank() == 2);
}

void CheckConfidenceType(ArgCheck& check, const Arguments& args) {
  if (check.failed() || args.confidence.desc == nullptr) return;
  const mluOpDataType_t type = args.confidence.desc->type;
  const mluOpDataType_t boxes_type = args.boxes.desc->type;
  const bool float_boxes = boxes_type == MLUOP_DTYPE_FLOAT && args.boxes.desc->rank() == 2;
  const bool half_too = float_boxes && !args.bev();
  const bool in_contract = type == boxes_type || (half_too && type == MLUOP_DTYPE_HALF);
  const char* expected = half_too ? "float or half" : TypeName(boxes_type);
  if (check.full()) expected = "float, half, double or bfloat16";
  check.Rule(check.full() ? IsFloating(type) : in_contract, kBad, "%s has type %s, expected %s%s.",
             args.confidence.name, TypeName(type), expected,
             !check.full() && IsFloating(type) ? kFullProfileLifts : "");
}

bool HoldsIndices(const Arguments& args, const cnnlNmsStruct& how) {
  return args.bev() || how.output_mode == MLUOP_NMS_OUTPUT_TARGET_INDICES ||
         how.output_mode == MLUOP_NMS_OUTPUT_TARGET_BATCH_AND_CLASS;
}

void CheckTypes(ArgCheck& check, const Arguments& args, const cnnlNmsStruct& how, const OutputArg& output) {
  check.FloatingType(args.boxes);
  CheckConfidenceType(check, args);
  if (check.failed()) return;
  if (!HoldsIndices(args, how)) {
    check.SameType(output, args.boxes);
    return;
  }
  const mluOpDataType_t type = output.desc->type;
  const bool wide = type == MLUOP_DTYPE_INT64;
  check.Rule(type == MLUOP_DTYPE_INT32 || type == MLUOP_DTYPE_UINT32 || (wide && check.full()), kBad,
             "%s has type %s, expected %s%s.", output.name, TypeName(type),
             check.full() ? "int32, uint32 or int64" : "int32 or uint32", wide ? kFullProfileLifts : "");
}

// As many as may stay of one class, and the places of output for them.
int64_t Most(const Arguments& args, const cnnlNmsStruct& how) {
  return args.bev() ? args.count : std::min<int64_t>(how.max_output_size, args.count);
}
int64_t NeededElements(const Arguments& args, const cnnlNmsStruct& how) {
  if (args.bev()) return args.count;
  const int64_t room = how.pad_to_max_output_size ? how.max_output_size : Most(args, how);
  switch (how.output_mode) {
    case MLUOP_NMS_OUTPUT_TARGET_INDICES:
      return room;
    case MLUOP_NMS_OUTPUT_TARGET_CONFIDENCE_AND_POS_1:
      return 5 * room;
    case MLUOP_NMS_OUTPUT_TARGET_CONFIDENCE_AND_POS_2:
      return 4 * int64_t{how.max_output_size} + room;
    default:
      return SaturatingMultiply(SaturatingMultiply(args.images, args.classes), 3 * room);
  }
}

void CheckModes(ArgCheck& check, const Arguments& args, const cnnlNmsStruct& how, const OutputArg& output) {
  if (check.failed()) return;
  const bool of_all = args.bev() || how.output_mode == MLUOP_NMS_OUTPUT_TARGET_BATCH_AND_CLASS;
  const int64_t needed = NeededElements(args, how);
  check
      .Rule(of_all || (args.images == 1 && args.classes == 1), kBad,
            "nms has output_mode %d, expected 3 for %lld images with %lld classes.", how.output_mode,
            static_cast<long long>(args.images), static_cast<long long>(args.classes))
      .Rule(args.bev() || how.method_mode == MLUOP_NMS_HARD_NMS || check.full(), MLUOP_STATUS_NOT_SUPPORTED,
            "nms has method_mode %d, expected 0%s.", how.method_mode, kFullProfileLifts)
      .Rule(output.desc->element_count() >= needed, kBad, "output has %lld elements, expected at least %lld.",
            static_cast<long long>(output.desc->element_count()), static_cast<long long>(needed));
}

void CheckLimits(ArgCheck& check, const Arguments& args, const cnnlNmsStruct& how) {
  if (check.failed()) return;
  const int64_t pairs = SaturatingMultiply(args.images, args.classes);
  const int64_t results = SaturatingMultiply(pairs, Most(args, how));
  check
      .Rule(args.count < kLeastTooMany, MLUOP_STATUS_NOT_SUPPORTED,
            "boxes has %lld boxes of an image, expected fewer than 2^31.", static_cast<long long>(args.count))
      .Rule(results < kLeastTooMany, MLUOP_STATUS_NOT_SUPPORTED,
            "as many as %lld boxes may stay, expected fewer than 2^31: output_size is int32.",
            static_cast<long long>(results));
}

Problem MakeProblem(const Arguments& args, const cnnlNmsStruct& how, const OutputArg& output) {
  const bool scored = args.confidence.desc != nullptr;
  return {.how = how,
          .images = args.images,
          .classes = args.classes,
          .count = args.count,
          .boxes_type = args.boxes.desc->type,
          .confidence_type = scored ? args.confidence.desc->type : MLUOP_DTYPE_FLOAT,
          .output_type = output.desc->type,
          .boxes = args.boxes.data,
          .confidence = scored ? args.confidence.data : nullptr,
          .output = output.target,
          .round = boxes::ChooseRoundKernel()};
}

void SetOutputSize(void* output_size, int64_t kept) {
  StoreElement<int32_t>(output_size, 0, static_cast<int32_t>(kept));
}

}  // namespace

void CheckShapes(ArgCheck& check, int input_layout, bool with_data, Arguments& args) {
  if (check.failed()) return;
  const int rank = args.boxes.desc->rank();
  check.Rule(rank == 2 || rank == 3, kBad, "boxes has rank %d, expected 2 or 3.", rank);
  if (check.failed()) return;
  const int axis = args.numbers_axis(input_layout);
  const int64_t numbers = args.boxes.desc->extent(axis);
  check.Rule(IsBox(args, input_layout), kBad, "boxes has extent %lld on axis %d, expected %s.",
             static_cast<long long>(numbers), axis, rank == 2 ? "4 or 7" : "4");
  if (check.failed()) return;
  args.numbers = static_cast<int>(numbers);
  args.count = args.boxes.desc->extent(args.count_axis(input_layout));
  const bool full = check.full();
  if (args.bev()) {
    // Nothing, or scores where they are allowed.
    const bool none = args.confidence.desc == nullptr && args.confidence.data == nullptr;
    check.Rule(none || full, kBad, "confidence is given for boxes of 7 numbers, expected NULL%s.", kFullProfileLifts);
    if (none) return;
  }
  Dim B("B"), C("C"), N("N");
  check.Descriptor(args.confidence);
  if (with_data && !(full && args.boxes.desc->element_count() == 0)) check.Data(args.confidence);
  check.Rank(args.confidence, rank == 2 ? 1 : 3).Axis(args.boxes, args.count_axis(input_layout), N);
  if (rank == 2) {
    check.Shape(args.confidence, {N});
    return;
  }
  check.Axis(args.boxes, 0, B).Shape(args.confidence, {B, C, N});
  args.images = B.value();
  args.classes = C.value();
}

}  // namespace detops::nms

using namespace detops;
using namespace detops::nms;

mluOpStatus_t MLUOP_WIN_API mluOpGetNmsWorkspaceSize(mluOpHandle_t handle, mluOpNmsDescriptor_t nms_desc,
                                                     const mluOpTensorDescriptor_t boxes_desc,
                                                     const mluOpTensorDescriptor_t confidence_desc,
                                                     size_t* workspace_size) {
  const Call call("mluOpGetNmsWorkspaceSize", handle);
  Arguments args = {.boxes = {"boxes", boxes_desc, nullptr}, .confidence = {"confidence", confidence_desc, nullptr}};
  ArgCheck check(call);
  check.Place("workspace_size", workspace_size).Handle().Descriptor(args.boxes);
  if (check.failed()) return check.status();
  int input_layout = 0;
  if (nms_desc != nullptr && nms_desc->set) {
    input_layout = nms_desc->input_layout;
  } else if (const int rank = boxes_desc->rank(); rank == 2 || rank == 3) {
    input_layout = !IsBox(args, 0) && IsBox(args, 1) ? 1 : 0;
  }
  CheckShapes(check, input_layout, false, args);
  if (check.failed()) return check.status();
  *workspace_size = 0;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpNms(mluOpHandle_t handle, const mluOpNmsDescriptor_t nms_desc,
                                     const mluOpTensorDescriptor_t boxes_desc, const void* boxes,
                                     const mluOpTensorDescriptor_t confidence_desc, const void* confidence,
                                     void* workspace, size_t workspace_size, const mluOpTensorDescriptor_t output_desc,
                                     void* output, void* output_size) {
  const Call call("mluOpNms", handle);
  Arguments args = {.boxes = {"boxes", boxes_desc, boxes}, .confidence = {"confidence", confidence_desc, confidence}};
  const OutputArg out{"output", output_desc, output};
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor(args.boxes)
      .Rule(nms_desc != nullptr, kBad, "the descriptor of nms is NULL, expected an NMS descriptor.")
      .Rule(nms_desc == nullptr || nms_desc->set, kBad,
            "the descriptor of nms was never set, expected one that mluOpSetNmsDescriptor has set.")
      .Descriptor(out);
  // clang-format on
  if (check.failed()) return check.status();
  if (!(check.full() && boxes_desc->element_count() == 0)) check.Data(args.boxes).Data(out);
  check.Place("output_size", output_size);
  const cnnlNmsStruct& how = *nms_desc;
  CheckShapes(check, how.input_layout, true, args);
  CheckTypes(check, args, how, out);
  CheckModes(check, args, how, out);
  const TensorArg scores = UsedIf(args.confidence.desc != nullptr, args.confidence);
  check.Dense({args.boxes, scores, out}).CountLimit({args.boxes, scores, out});
  CheckLimits(check, args, how);
  if (check.failed()) return check.status();
  const Problem problem = MakeProblem(args, how, out);
  if (problem.pairs() == 0 || Most(args, how) == 0) {
    if (!args.bev()) Pad(problem, 0);
    SetOutputSize(output_size, 0);
    return call.Succeed();
  }
  const BufferArg number("output_size", output_size, sizeof(int32_t));
  const BufferArg space("workspace", workspace, workspace_size);
  // clang-format off
  check
      .WorkspacePointer(workspace, workspace_size)
      .Separate(out,    {args.boxes, scores, number, space})
      .Separate(number, {args.boxes, scores, space})
      .Separate(space,  {args.boxes, scores})
      .Finite(args.boxes).Finite(scores);
  // clang-format on
  if (check.failed()) return check.status();
  int64_t kept = 0;
  const auto run = args.bev() ? RunBev : Run;
  const RunResult result = run(problem, handle->parallel, handle->scratch, &kept);
  if (result == RunResult::kDone) SetOutputSize(output_size, kept);
  return call.Finish(result);
}
