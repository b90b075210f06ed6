// The C entry points: check table, then problem, then run.
#include "boxes/pairs/check.h"
#include "boxes/pairs/matrix.h"
#include "core/arg_check.h"
#include "core/context.h"
#include "detops/boxes_iou_bev.h"

namespace detops::boxes_iou_bev {
namespace {

using boxes::PairArgs;
using boxes::PairQuestion;

// Handle to ranks.
ArgCheck& Form(ArgCheck& check, const PairArgs& args) {
  const auto& [first, second, output, _] = args;
  // clang-format off
  check
      .Handle()
      .Descriptor({first, second, output})
      .AnyFloatingType(first).SameType(second, first).SameType(output, first)
      .Rank(first, 2).Rank(second, 2);
  // clang-format on
  return boxes::OutputRank(check, args);
}

// From strides on.
mluOpStatus_t Finish(const Call& call, ArgCheck& check, const PairArgs& args, const PairQuestion& question) {
  if (check.Dense({args.first, args.second, args.output}).failed()) return check.status();
  if (boxes::NoPairs(args)) return call.Succeed();
  if (boxes::PairData(check, args).failed()) return check.status();
  mluOpHandle_t const handle = call.handle();
  return call.Finish(RunPairs(MakePairProblem(question, args), handle->parallel, handle->scratch));
}

}  // namespace
}  // namespace detops::boxes_iou_bev

using namespace detops;
using namespace detops::boxes;
using namespace detops::boxes_iou_bev;

mluOpStatus_t detopsBoxesOverlapBev(mluOpHandle_t handle, bool aligned, const mluOpTensorDescriptor_t boxes_a_desc,
                                    const void* boxes_a, const mluOpTensorDescriptor_t boxes_b_desc,
                                    const void* boxes_b, const mluOpTensorDescriptor_t overlaps_desc, void* overlaps) {
  const Call call("detopsBoxesOverlapBev", handle);
  const PairArgs args = {{"boxes_a", boxes_a_desc, boxes_a},
                         {"boxes_b", boxes_b_desc, boxes_b},
                         {"overlaps", overlaps_desc, overlaps},
                         aligned};
  Dim N("N"), M("M");
  ArgCheck check(call);
  Form(check, args).Axis(args.first, 1, 7).Axis(args.second, 1, 7);
  OutputShape(check, args, N, M);
  return Finish(call, check, args, {PairQuestion::Kind::kRotated, PairValue::kOverlap, 0, RowFormat::kBev, false});
}

mluOpStatus_t detopsBoxesIouBev(mluOpHandle_t handle, bool aligned, const mluOpTensorDescriptor_t boxes_a_desc,
                                const void* boxes_a, const mluOpTensorDescriptor_t boxes_b_desc, const void* boxes_b,
                                const mluOpTensorDescriptor_t ious_desc, void* ious) {
  const Call call("detopsBoxesIouBev", handle);
  const PairArgs args = {
      {"boxes_a", boxes_a_desc, boxes_a}, {"boxes_b", boxes_b_desc, boxes_b}, {"ious", ious_desc, ious}, aligned};
  Dim N("N"), M("M"), width("the length of its rows");
  ArgCheck check(call);
  if (Form(check, args).failed()) return check.status();
  const int64_t numbers = boxes_a_desc->extent(1);
  check
      .Rule(numbers == 5 || numbers == 7, MLUOP_STATUS_BAD_PARAM, "boxes_a has extent %lld on axis 1, expected 5 or 7.",
            static_cast<long long>(numbers))
      .Axis(args.first, 1, width)
      .Axis(args.second, 1, width);
  OutputShape(check, args, N, M);
  const RowFormat format = numbers == 5 ? RowFormat::kRotated : RowFormat::kBev;
  return Finish(call, check, args, {PairQuestion::Kind::kRotated, PairValue::kIou, 0, format, false});
}

mluOpStatus_t detopsBoxesIou3d(mluOpHandle_t handle, bool aligned, detopsBoxZ_t z,
                               const mluOpTensorDescriptor_t boxes_a_desc, const void* boxes_a,
                               const mluOpTensorDescriptor_t boxes_b_desc, const void* boxes_b,
                               const mluOpTensorDescriptor_t ious_desc, void* ious) {
  const Call call("detopsBoxesIou3d", handle);
  const PairArgs args = {
      {"boxes_a", boxes_a_desc, boxes_a}, {"boxes_b", boxes_b_desc, boxes_b}, {"ious", ious_desc, ious}, aligned};
  Dim N("N"), M("M");
  ArgCheck check(call);
  Form(check, args).Axis(args.first, 1, 7).Axis(args.second, 1, 7);
  OutputShape(check, args, N, M)
      .Integer("z", static_cast<int>(z), z == DETOPS_BOX_Z_CENTRE || z == DETOPS_BOX_Z_BOTTOM,
               "a value of detopsBoxZ_t");
  return Finish(call, check, args,
                {PairQuestion::Kind::kSpatial, PairValue::kIou, 0, RowFormat::kBev, z == DETOPS_BOX_Z_BOTTOM});
}
