// The C entry point: check table, then problem, then run.
#include <cstdio>

#include "core/arg_check.h"
#include "core/context.h"
#include "mlu_op/diff_iou_rotated_sort_vertices.h"
#include "ops/diff_iou_rotated_sort_vertices/problem.h"
#include "recording/gen_case.h"

namespace detops::diff_iou_rotated_sort_vertices {
namespace {

struct Arguments {
  TensorArg vertices, mask, num_valid;
  OutputArg idx;
};

void CheckValues(const Call& call, ArgCheck& check, const Arguments& args, const Problem& problem) {
  if (check.failed() || !call.handle()->value_checks) return;
  BadValues bad;
  const bool ran = FindBadValues(problem, call.handle()->parallel, &bad);
  char valid[48] = "";
  if (bad.num_valid >= 0) {
    std::snprintf(valid, sizeof(valid), "%d, the true elements of mask", CountValid(problem.mask, bad.num_valid));
  }
  check
      .Rule(ran, MLUOP_STATUS_EXECUTION_FAILED,
            "the parallel runner failed while the values of the tensors were checked.")
      .NoBadElement(args.num_valid, bad.num_valid, valid)
      .NoBadElement(args.vertices, bad.vertices, "a number, as the vertex is valid")
      .NoBadElement(args.num_valid, bad.crowd, "vertices of which at most 8 are distinct");
}

}  // namespace
}  // namespace detops::diff_iou_rotated_sort_vertices

using namespace detops;
using namespace detops::diff_iou_rotated_sort_vertices;

mluOpStatus_t MLUOP_WIN_API mluOpDiffIouRotatedSortVerticesForward(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t vertices_desc, const void* vertices,
    const mluOpTensorDescriptor_t mask_desc, const void* mask, const mluOpTensorDescriptor_t num_valid_desc,
    const void* num_valid, const mluOpTensorDescriptor_t idx_desc, void* idx) {
  const Call call("mluOpDiffIouRotatedSortVerticesForward", handle);
  const Arguments args = {{"vertices", vertices_desc, vertices},
                          {"mask", mask_desc, mask},
                          {"num_valid", num_valid_desc, num_valid},
                          {"idx", idx_desc, idx}};
  const auto& [points, valid, counts, out] = args;
  Dim B("B"), N("N"), slots("slots");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({points, valid, counts, out})
      .Rank(points, 4).Rank(valid, 3).Rank(counts, 2).Rank(out, 3)
      .Dense({points, valid, counts, out})
      .FloatUnlessFull(points).Bool(valid).Int32(counts).Int32UnlessFull(out)
      .Axis(points, 0, B).Axis(valid, 0, B).Axis(counts, 0, B).Axis(out, 0, B)
      .Axis(points, 1, N).Axis(valid, 1, N).Axis(counts, 1, N).Axis(out, 1, N)
      .Axis(points, 2, slots).Axis(valid, 2, slots).Axis(points, 2, kSlots)
      .Axis(points, 3, 2).Axis(out, 2, kResults)
      .CountLimit({points, valid, counts, out});
  // clang-format on
  if (check.failed()) return check.status();
  const auto describe = [&](GenCase& record) {
    record.RealInput(args.vertices);
    record.RealInput(args.mask);
    record.RealInput(args.num_valid);
    record.Output(args.idx);
    record.Exact();
  };
  constexpr char kCaseName[] = "diff_iou_rotated_sort_vertices_forward";
  if (N.value() == 0) {
    return RunRecorded(call, kCaseName, describe, [&] { return call.Succeed(); });
  }
  check.NotEmpty(points).Data({points, valid, counts, out}).Separate(out, {points, valid, counts});
  if (check.failed()) return check.status();
  const Problem problem = {.type = points.desc->type,
                           .index_type = out.desc->type,
                           .pairs = counts.desc->element_count(),
                           .vertices = vertices,
                           .mask = mask,
                           .num_valid = num_valid,
                           .idx = idx};
  CheckValues(call, check, args, problem);
  if (check.failed()) return check.status();
  return RunRecorded(call, kCaseName, describe, [&] { return call.Finish(Run(problem, handle->parallel)); });
}
