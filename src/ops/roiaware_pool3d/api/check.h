// What the entry points of roiaware_pool3d share.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_API_CHECK_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_API_CHECK_H_

#include "core/arg_check.h"
#include "detops/roiaware_pool3d.h"
#include "ops/roiaware_pool3d/problem.h"

namespace detops::roiaware_pool3d {

struct BoxArguments {
  TensorArg rois, pts;
  detopsZOrigin_t z_origin;
  double xy_margin;
  int64_t out_x, out_y, out_z, max_points;
};

void CheckMethod(ArgCheck& check, int pool_method);

// z_origin and xy_margin.
void CheckSwitches(ArgCheck& check, const BoxArguments& args);

// max_pts_each_voxel, out_x, out_y, out_z.
void CheckGridNumbers(ArgCheck& check, const BoxArguments& args);

// Limits of our own, in both profiles: see kMaxVoxels and kMaxPoints.
void CheckGridLimits(ArgCheck& check, const BoxArguments& args);

BoxSearchProblem MakeSearch(const BoxArguments& args);

// Ends a backward call: refuses what it has found wrong.
mluOpStatus_t RunBackward(const Call& call, ArgCheck& check, const GradientProblem& problem, const TensorArg& argmax,
                          const TensorArg& pts_idx, const TensorArg& begins);

}  // namespace detops::roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_API_CHECK_H_
