// The C entry point: check table, then problem, then run.
#include "boxes/pairs/check.h"
#include "boxes/pairs/matrix.h"
#include "core/arg_check.h"
#include "core/context.h"
#include "mlu_op/bbox_overlaps.h"
#include "recording/gen_case.h"

namespace detops::bbox_overlaps {
namespace {

using boxes::PairArgs;

// In the order of the contract, which knows how many boxes there are before it asks for the rank of the output. Without
// boxes an aligned output is [0, 1], whatever its rank is; in the full profile also [0].
ArgCheck& OutputForm(ArgCheck& check, const PairArgs& args, Dim& N, Dim& M) {
  if (check.failed()) return check;
  const int rank = args.output.desc->rank();
  if (rank == 0) return boxes::OutputRank(check, args);
  check.Axis(args.first, 0, N).Axis(args.output, 0, N);
  if (!args.aligned) return check.Rank(args.output, 2).Axis(args.second, 0, M).Axis(args.output, 1, M);
  check.Axis(args.second, 0, N);
  if (args.first.desc->extent(0) != 0) return check.Rank(args.output, 1);
  if (rank != 1) return check.Axis(args.output, rank - 1, 1);
  return check.Rule(check.full(), MLUOP_STATUS_BAD_PARAM, "ious has extent 0 on axis 0, expected 1%s.",
                    kFullProfileLifts);
}

}  // namespace
}  // namespace detops::bbox_overlaps

using namespace detops;
using namespace detops::boxes;

mluOpStatus_t MLUOP_WIN_API mluOpBboxOverlaps(mluOpHandle_t handle, const int mode, const bool aligned,
                                              const int offset, const mluOpTensorDescriptor_t bbox1_desc,
                                              const void* bbox1, const mluOpTensorDescriptor_t bbox2_desc,
                                              const void* bbox2, const mluOpTensorDescriptor_t ious_desc, void* ious) {
  const Call call("mluOpBboxOverlaps", handle);
  const PairArgs args = {
      {"bbox1", bbox1_desc, bbox1}, {"bbox2", bbox2_desc, bbox2}, {"ious", ious_desc, ious}, aligned};
  const TensorArg &first = args.first, &second = args.second;
  const OutputArg& output = args.output;
  Dim N("N"), M("M");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({first, second, output})
      .FloatingType(first).SameType(second, first).SameType(output, first)
      .Rank(first, 2).Rank(second, 2)
      .Dense({first, second, output})
      .Integer("mode", mode, mode == 0 || mode == 1, kModeRule);
  // clang-format on
  RowLength(check, first, 4);
  RowLength(check, second, 4).Integer("offset", offset, offset == 0 || offset == 1, "0 or 1");
  if (bbox_overlaps::OutputForm(check, args, N, M).failed()) return check.status();
  if (NoPairs(args)) return call.Succeed();
  if (PairData(check, args).failed()) return check.status();
  const PairQuestion question = {.kind = PairQuestion::Kind::kUpright,
                                 .value = mode == 0 ? PairValue::kIou : PairValue::kIofFirst,
                                 .offset = static_cast<double>(offset),
                                 .format = RowFormat::kRotated,
                                 .z_is_bottom = false};
  const PairProblem problem = MakePairProblem(question, args);
  return RunRecorded(
      call, "bbox_overlaps",
      [&](GenCase& record) {
        record.RealInput(first);
        record.RealInput(second);
        record.Output(output);
        record.Param("mode", int64_t{mode});
        record.Param("aligned", int64_t{aligned});
        record.Param("offset", int64_t{offset});
      },
      [&] { return call.Finish(RunPairs(problem, handle->parallel, handle->scratch)); });
}
