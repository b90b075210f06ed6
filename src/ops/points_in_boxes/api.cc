// The C entry point: check table, then problem, then run.
#include "core/arg_check.h"
#include "core/context.h"
#include "mlu_op/points_in_boxes.h"
#include "ops/points_in_boxes/problem.h"
#include "recording/gen_case.h"

using namespace detops;
using namespace detops::points_in_boxes;

mluOpStatus_t MLUOP_WIN_API mluOpPointsInBoxes(mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc,
                                               const void* points, const mluOpTensorDescriptor_t boxes_desc,
                                               const void* boxes, const mluOpTensorDescriptor_t points_indices_desc,
                                               void* points_indices) {
  constexpr int64_t kMostBoxesOfContract = 14042;
  const Call call("mluOpPointsInBoxes", handle);
  const Kernels kernels = ChooseKernels();
  const TensorArg pts{"points", points_desc, points};
  const TensorArg box{"boxes", boxes_desc, boxes};
  const OutputArg out{"points_indices", points_indices_desc, points_indices};
  Dim B("B"), M("M"), T("T");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({pts, box, out})
      .Rank(pts, 3).Rank(box, 3).Rank(out, 2)
      .FloatUnlessFull(pts).SameType(box, pts).Int32UnlessFull(out)
      .Layout(pts, MLUOP_LAYOUT_ARRAY).Layout(box, MLUOP_LAYOUT_ARRAY).Layout(out, MLUOP_LAYOUT_ARRAY)
      .Axis(pts, 0, B).Axis(box, 0, B).Axis(out, 0, B)
      .Axis(pts, 1, M).Axis(out, 1, M)
      .Axis(pts, 2, 3).Axis(box, 1, T).Axis(box, 2, 7)
      .Dense({pts, box, out})
      .CountLimit({pts, box, out})
      .Rule(T.value() <= INT32_MAX, MLUOP_STATUS_NOT_SUPPORTED, "boxes has %lld boxes, expected fewer than 2147483648.",
            static_cast<long long>(T.value()));
  // clang-format on
  if (check.failed()) return check.status();
  const auto describe = [&](GenCase& record) {
    record.RealInput(pts);
    record.RealInput(box);
    record.Output(out);
  };
  constexpr char kCaseName[] = "points_in_boxes";
  const int64_t count = out.desc->element_count();
  if (AnyEmpty({pts, box, out})) {
    return RunRecorded(call, kCaseName, describe, [&] {
      if (out.target != nullptr) FillOutside(out.desc->type, out.target, count);
      return call.Succeed();
    });
  }
  check.Data({pts, box, out})
      .Rule(check.full() || T.value() <= kMostBoxesOfContract, MLUOP_STATUS_BAD_PARAM,
            "boxes has %lld boxes, expected at most %lld%s.", static_cast<long long>(T.value()),
            static_cast<long long>(kMostBoxesOfContract), kFullProfileLifts)
      .Separate(out, {pts, box})
      .Finite(box);
  if (check.failed()) return check.status();
  const Problem problem = {.type = pts.desc->type,
                           .index_type = out.desc->type,
                           .batch = B.value(),
                           .points = M.value(),
                           .boxes = T.value(),
                           .points_data = points,
                           .boxes_data = boxes,
                           .indices = points_indices,
                           .kernels = kernels};
  return RunRecorded(call, kCaseName, describe,
                     [&] { return call.Finish(Run(problem, handle->parallel, handle->scratch)); });
}
