// What the entry points of psroipool share: their arguments, the checks of values, and the run.
#ifndef DETOPS_OPS_PSROIPOOL_API_CALL_H_
#define DETOPS_OPS_PSROIPOOL_API_CALL_H_

#include "core/arg_check.h"
#include "ops/psroipool/problem.h"

namespace detops::psroipool {

struct PsRoiPoolArguments {
  BinRules rules;
  int64_t pooled_height, pooled_width, output_dim;
  double spatial_scale;
  TensorArg map;  // input, or bottom_grad
  TensorArg rois;
  TensorArg pooled;                  // output, or top_grad
  TensorArg mapping;                 // may be left out of an extension
  void* target;                      // the data of output, or bottom_grad
  void* mapping_to_write = nullptr;  // forward: the data of mapping_channel
  bool contract = false;             // a call by its name in mlu_op.h, which can be recorded
};

// What the layouts say.
struct PsRoiPoolAxes {
  bool channels_first;
  int map_height() const { return channels_first ? 2 : 1; }
  int map_width() const { return channels_first ? 3 : 2; }
  int map_channels() const { return channels_first ? 1 : 3; }
  int pooled_height() const { return channels_first ? 2 : 1; }
  int pooled_width() const { return channels_first ? 3 : 2; }
  int pooled_channels() const { return channels_first ? 1 : 3; }
};

// Finite and above 0, also once it is rounded to float for tensors that are not double.
void CheckScale(ArgCheck& check, const PsRoiPoolArguments& args);

// Row count, channels and mapping_channel's shape.
void CheckRelations(ArgCheck& check, const PsRoiPoolArguments& args);

// Everything after the shapes: zero elements, data pointers, overlap, values. Then it runs and ends the call.
mluOpStatus_t CheckValuesAndRunForward(const Call& call, ArgCheck& check, const PsRoiPoolArguments& args,
                                       void* workspace, size_t workspace_size);
mluOpStatus_t CheckValuesAndRunBackward(const Call& call, ArgCheck& check, const PsRoiPoolArguments& args);

}  // namespace detops::psroipool

#endif  // DETOPS_OPS_PSROIPOOL_API_CALL_H_
