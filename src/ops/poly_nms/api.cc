// The C entry points: check table, then problem, then run.
#include "core/arg_check.h"
#include "core/checked_math.h"
#include "core/context.h"
#include "core/half.h"
#include "mlu_op/poly_nms.h"
#include "ops/poly_nms/problem.h"
#include "recording/gen_case.h"

namespace detops::poly_nms {
namespace {

// On the accelerator one bit for each pair, and two lists; programs that allocate it themselves know the formula. The
// largest int64 if that is not representable.
int64_t WorkspaceBytes(int64_t count) {
  const int64_t words = SaturatingMultiply(count, DivideRoundUp(count, 32));
  return SaturatingAdd(SaturatingMultiply(words, 4), SaturatingMultiply(count, 8));
}

constexpr int64_t kContractRows = 9770;
constexpr int64_t kMostRows = int64_t{1} << 31;

// The call as a case file. `size` describes output_size.
void Describe(const TensorArg& boxes, const TensorArg& output, const TensorArg& size, float iou_threshold,
              GenCase& record) {
  record.RealInput(boxes);
  record.Output(output);
  record.Output(size);
  record.Param("iou_threshold", iou_threshold);
  record.Exact();
}

}  // namespace
}  // namespace detops::poly_nms

using namespace detops;
using namespace detops::poly_nms;

mluOpStatus_t MLUOP_WIN_API mluOpGetPolyNmsWorkspaceSize(mluOpHandle_t handle, const mluOpTensorDescriptor_t boxes_desc,
                                                         size_t* workspace_size) {
  const Call call("mluOpGetPolyNmsWorkspaceSize", handle);
  if (workspace_size == nullptr) return call.NullResult("workspace_size");
  const TensorArg quads{"boxes", boxes_desc, nullptr};
  Dim N("N");
  ArgCheck check(call);
  check.Handle().Descriptor(quads).Rank(quads, 2).Shape(quads, {N, kColumns});
  const int64_t bytes = WorkspaceBytes(N.value());
  check.Rule(bytes != kMaxInt64, MLUOP_STATUS_NOT_SUPPORTED,
             "boxes has %lld rows, expected a workspace of fewer than 2^63 bytes.", static_cast<long long>(N.value()));
  if (check.failed()) return check.status();
  *workspace_size = static_cast<size_t>(bytes);
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpPolyNms(mluOpHandle_t handle, const mluOpTensorDescriptor_t boxes_desc,
                                         const void* boxes, const float iou_threshold, void* workspace,
                                         size_t workspace_size, const mluOpTensorDescriptor_t output_desc, void* output,
                                         void* output_size) {
  const Call call("mluOpPolyNms", handle);
  const TensorArg quads{"boxes", boxes_desc, boxes};
  const OutputArg out{"output", output_desc, output};
  const BufferArg space("workspace", workspace, workspace_size);
  const BufferArg size("output_size", output_size, sizeof(int32_t));
  Dim N("N");
  ArgCheck check(call);
  check.Handle().Descriptor({quads, out});
  if (check.failed()) return check.status();
  if (output_size == nullptr) return call.NullResult("output_size");
  // clang-format off
  check
      .FloatUnlessFull(quads).Int32UnlessFull(out)
      .Layout(quads, MLUOP_LAYOUT_ARRAY)
      .Rank(quads, 2).Shape(quads, {N, kColumns})
      .Rank(out, 1).Shape(out, {N})
      .Dense({quads, out});
  // clang-format on
  if (check.failed()) return check.status();
  const int64_t count = N.value();
  if (count == 0) {
    StoreElement(output_size, 0, int32_t{0});
    return call.Succeed();
  }
  check.Data({quads, out})
      .WorkspacePointer(workspace, workspace_size)
      .Rule(check.full() || count < kContractRows, MLUOP_STATUS_NOT_SUPPORTED,
            "boxes has %lld rows, expected fewer than 9770%s.", static_cast<long long>(count), kFullProfileLifts)
      .Rule(count < kMostRows, MLUOP_STATUS_NOT_SUPPORTED, "boxes has %lld rows, expected fewer than 2147483648.",
            static_cast<long long>(count))
      .WorkspaceSize(workspace_size, WorkspaceBytes(count))
      .Separate(out, {quads, space, size})
      .Separate(size, {quads, space})
      .Separate(space, {quads})
      .Finite(quads);
  if (check.failed()) return check.status();
  const Problem problem = {.type = quads.desc->type,
                           .index_type = out.desc->type,
                           .count = count,
                           .threshold = static_cast<double>(iou_threshold),
                           .boxes = boxes,
                           .output = output};
  mluOpTensorStruct one;
  const int64_t extent = 1;
  one.SetShape(1, &extent, static_cast<const int64_t*>(nullptr));
  one.type = MLUOP_DTYPE_INT32;
  const TensorArg kept_count{"output_size", &one, output_size};
  return RunRecorded(
      call, "poly_nms", [&](GenCase& record) { Describe(quads, out, kept_count, iou_threshold, record); },
      [&] {
        int64_t kept = 0;
        const RunResult result = Run(problem, handle->parallel, handle->scratch, &kept);
        if (result == RunResult::kDone) StoreElement(output_size, 0, static_cast<int32_t>(kept));
        return call.Finish(result);
      });
}
