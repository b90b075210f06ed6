#include "ops/roiaware_pool3d/api/check.h"

#include <cmath>

#include "core/checked_math.h"
#include "core/context.h"

namespace detops::roiaware_pool3d {

void CheckMethod(ArgCheck& check, int pool_method) {
  check.Integer("pool_method", pool_method, pool_method == 0 || pool_method == 1, "0 (maximum) or 1 (average)");
}

void CheckSwitches(ArgCheck& check, const BoxArguments& args) {
  check
      .Integer("z_origin", static_cast<int>(args.z_origin),
               args.z_origin == DETOPS_Z_BOTTOM || args.z_origin == DETOPS_Z_CENTER, "a value of detopsZOrigin_t")
      .Number("xy_margin", args.xy_margin, std::isfinite(args.xy_margin) && args.xy_margin >= 0,
              "a finite number, 0 or more");
}

void CheckGridNumbers(ArgCheck& check, const BoxArguments& args) {
  check.Integer("max_pts_each_voxel", args.max_points, args.max_points > 0, "a number above 0")
      .Integer("out_x", args.out_x, args.out_x > 0, "a number above 0")
      .Integer("out_y", args.out_y, args.out_y > 0, "a number above 0")
      .Integer("out_z", args.out_z, args.out_z > 0, "a number above 0");
}

void CheckGridLimits(ArgCheck& check, const BoxArguments& args) {
  if (check.failed()) return;
  const int64_t points = args.pts.desc->extent(0);
  const int64_t voxels = SaturatingMultiply(SaturatingMultiply(args.out_x, args.out_y), args.out_z);
  const int64_t boxes = args.rois.desc->extent(0);
  check
      .Rule(points <= kMaxPoints, MLUOP_STATUS_NOT_SUPPORTED, "pts has %lld rows, expected fewer than 2147483648.",
            static_cast<long long>(points))
      .Rule(boxes <= kMaxPoints, MLUOP_STATUS_NOT_SUPPORTED, "rois has %lld rows, expected fewer than 2147483648.",
            static_cast<long long>(boxes))
      .Rule(voxels <= kMaxVoxels, MLUOP_STATUS_NOT_SUPPORTED,
            "a box has %lld x %lld x %lld voxels, expected at most 2^32.", static_cast<long long>(args.out_x),
            static_cast<long long>(args.out_y), static_cast<long long>(args.out_z));
}

BoxSearchProblem MakeSearch(const BoxArguments& args) {
  return {.type = args.rois.desc->type,
          .boxes = args.rois.desc->extent(0),
          .points = args.pts.desc->extent(0),
          .rois = args.rois.data,
          .pts = args.pts.data,
          .grid = {args.out_x, args.out_y, args.out_z},
          .rules = {args.z_origin == DETOPS_Z_CENTER, args.xy_margin},
          .most_points = args.max_points - 1,
          .kernels = ChooseRoiAwareKernels(args.rois.desc->type)};
}

mluOpStatus_t RunBackward(const Call& call, ArgCheck& check, const GradientProblem& problem, const TensorArg& argmax,
                          const TensorArg& pts_idx, const TensorArg& begins) {
  const mluOpHandle_t handle = call.handle();
  GradientFault fault;
  const RunResult result = RoiAwareBackward(problem, handle->value_checks, handle->parallel, handle->scratch, &fault);
  if (result != RunResult::kDone) return call.Finish(result);
  switch (fault.kind) {
    case GradientFault::kNone:
      return call.Succeed();
    case GradientFault::kArgmax:
      check.NoBadElement(argmax, fault.index, "-1 or the number of a point in grad_in");
      break;
    case GradientFault::kCount:
      check.NoBadElement(pts_idx, fault.index, "a count in [0, max_pts_each_voxel - 1]");
      break;
    case GradientFault::kPoint:
      check.NoBadElement(pts_idx, fault.index, "the number of a point in grad_in");
      break;
    case GradientFault::kBegin:
      check.NoBadElement(begins, fault.index, "numbers that ascend from 0 to at most the length of pts_idx");
      break;
  }
  return check.status();
}

}  // namespace detops::roiaware_pool3d
