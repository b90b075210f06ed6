// The descriptor: create, set, destroy.
#include <cmath>
#include <new>

#include "core/arg_check.h"
#include "core/call.h"
#include "ops/nms/descriptor.h"

using namespace detops;  // entry points are glue

mluOpStatus_t MLUOP_WIN_API mluOpCreateNmsDescriptor(mluOpNmsDescriptor_t* desc) {
  const Call call("mluOpCreateNmsDescriptor", nullptr);
  if (desc == nullptr) return call.NullResult("desc");
  auto* made = new (std::nothrow) cnnlNmsStruct;
  if (made == nullptr) return call.Fail(MLUOP_STATUS_ALLOC_FAILED, "no memory for a descriptor.");
  *desc = made;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpDestroyNmsDescriptor(mluOpNmsDescriptor_t desc) {
  const Call call("mluOpDestroyNmsDescriptor", nullptr);
  if (desc == nullptr) return call.NullArgument("desc", "an NMS descriptor");
  delete desc;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpSetNmsDescriptor(mluOpNmsDescriptor_t nms_desc, const mluOpNmsBoxPointMode_t box_mode,
                                                  const mluOpNmsOutputMode_t output_mode, const mluOpNmsAlgo_t algo,
                                                  const mluOpNmsMethodMode_t method_mode, const float iou_threshold,
                                                  const float soft_nms_sigma, const int max_output_size,
                                                  const float confidence_threshold, const float offset,
                                                  const int input_layout, const bool pad_to_max_output_size) {
  const Call call("mluOpSetNmsDescriptor", nullptr);
  if (nms_desc == nullptr) return call.NullArgument("nms_desc", "an NMS descriptor");
  // A caller may pass any number as an enumerator.
  const auto number = [](auto enumerator) { return static_cast<int>(enumerator); };
  const auto within = [](int64_t value, int64_t most) { return value >= 0 && value <= most; };
  ArgCheck check(call);
  // clang-format off
  check
      .Integer("box_mode", number(box_mode), within(number(box_mode), MLUOP_NMS_BOX_CENTER),
               "a value of mluOpNmsBoxPointMode_t")
      .Integer("output_mode", number(output_mode), within(number(output_mode), MLUOP_NMS_OUTPUT_TARGET_BATCH_AND_CLASS),
               "a value of mluOpNmsOutputMode_t")
      .Integer("algo", number(algo), within(number(algo), MLUOP_NMS_ALGO_INCLUDE_BOUNDARY), "a value of mluOpNmsAlgo_t")
      .Integer("method_mode", number(method_mode), within(number(method_mode), MLUOP_NMS_SOFT_NMS_GAUSSIAN),
               "a value of mluOpNmsMethodMode_t")
      .Number("iou_threshold", iou_threshold, !std::isnan(iou_threshold), "a number")
      .Number("soft_nms_sigma", soft_nms_sigma, soft_nms_sigma >= 0, "0 or more")
      .Integer("max_output_size", max_output_size, max_output_size >= 0, "0 or more")
      .Number("confidence_threshold", confidence_threshold, confidence_threshold >= 0 && confidence_threshold <= 1,
              "a number in [0, 1]")
      .Number("offset", offset, offset == 0 || offset == 1, "0 or 1")
      .Integer("input_layout", input_layout, within(input_layout, 1), "0 or 1");
  // clang-format on
  if (check.failed()) return check.status();
  *nms_desc = {.set = true,
               .box_mode = box_mode,
               .output_mode = output_mode,
               .method_mode = method_mode,
               .iou_threshold = iou_threshold,
               .soft_nms_sigma = soft_nms_sigma,
               .max_output_size = max_output_size,
               .confidence_threshold = confidence_threshold,
               .offset = offset,
               .input_layout = input_layout,
               .pad_to_max_output_size = pad_to_max_output_size};
  return call.Succeed();
}
