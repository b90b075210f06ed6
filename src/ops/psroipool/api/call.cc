#include "ops/psroipool/api/call.h"

#include <cmath>

#include "core/checked_math.h"
#include "core/context.h"
#include "core/simd_target.h"
#include "core/value_check.h"
#include "ops/psroipool/geometry/rois.h"
#include "ops/psroipool/mapping.h"
#include "recording/gen_case.h"

namespace detops::psroipool {
namespace {

PsRoiPoolProblem MakeProblem(const PsRoiPoolArguments& args) {
  const bool channels_first = args.map.desc->layout == MLUOP_LAYOUT_NCHW;
  const PsRoiPoolAxes axes{channels_first};
  return {.type = args.map.desc->type,
          .rules = args.rules,
          .channels_first = channels_first,
          .spatial_scale = args.spatial_scale,
          .images = args.map.desc->extent(0),
          .height = args.map.desc->extent(axes.map_height()),
          .width = args.map.desc->extent(axes.map_width()),
          .roi_count = args.rois.desc->extent(0),
          .pooled_height = args.pooled_height,
          .pooled_width = args.pooled_width,
          .output_dim = args.output_dim,
          .rois = args.rois.data,
          .source = args.rules.backward ? args.pooled.data : args.map.data,
          .target = args.target,
          .mapping_channel = static_cast<int32_t*>(args.mapping_to_write),
          .kernels = ChoosePsRoiPoolKernels()};
}

// As the caller wrote it, if it was a float.
NumberText TextOf(double number) {
  const auto narrow = static_cast<float>(number);
  return static_cast<double>(narrow) == number ? NumberText(narrow) : NumberText(number);
}

void CheckRoiValues(ArgCheck& check, const Call& call, const PsRoiPoolArguments& args,
                    const PsRoiPoolProblem& problem) {
  check.Finite(args.rois);
  if (check.failed() || !call.handle()->value_checks) return;
  int64_t roi = -1;
  RoiFault fault = RoiFault::kNone;
  if (!FindBadRoi(problem, call.handle()->parallel, &roi, &fault)) {
    check.Rule(false, MLUOP_STATUS_EXECUTION_FAILED, "the parallel runner failed while rois was checked.");
    return;
  }
  if (fault == RoiFault::kBatchId) {
    check.NoBadElement(args.rois, roi * 5, "a whole number in [0, N), N being the number of images");
  } else if (fault == RoiFault::kOverflow) {
    const auto coordinate = [&](int column) {
      return TextOf(ElementAsDouble(args.rois.desc->type, args.rois.data, roi * 5 + column));
    };
    check.Rule(false, MLUOP_STATUS_BAD_PARAM,
               "rois[%lld] has the corners (%s, %s) and (%s, %s), which or whose distance overflow once scaled by "
               "spatial_scale = %s, expected finite ones.",
               static_cast<long long>(roi), coordinate(1).text, coordinate(2).text, coordinate(3).text,
               coordinate(4).text, TextOf(args.spatial_scale).text);
  }
}

// Limits of our own: mapping_channel holds 32-bit channels, and spans of bins are 32-bit.
void CheckExtentLimit(ArgCheck& check, const TensorArg& map, int axis, int64_t most) {
  const int64_t extent = map.desc->extent(axis);
  check.Rule(extent <= most, MLUOP_STATUS_NOT_SUPPORTED, "%s has extent %lld on axis %d, expected at most %lld.",
             map.name, static_cast<long long>(extent), axis, static_cast<long long>(most));
}
void CheckChannelLimit(ArgCheck& check, const TensorArg& map) {
  CheckExtentLimit(check, map, PsRoiPoolAxes{map.desc->layout == MLUOP_LAYOUT_NCHW}.map_channels(), INT32_MAX);
}
void CheckPixelLimits(ArgCheck& check, const TensorArg& map) {
  const PsRoiPoolAxes axes{map.desc->layout == MLUOP_LAYOUT_NCHW};
  CheckExtentLimit(check, map, axes.map_height(), UINT32_MAX);
  CheckExtentLimit(check, map, axes.map_width(), UINT32_MAX);
}

// What mapping_channel of a backward pass holds.
void CheckMappingValues(ArgCheck& check, const Call& call, const PsRoiPoolArguments& args,
                        const PsRoiPoolProblem& problem, MappingFindings* findings) {
  if (check.failed() || args.mapping.absent()) return;
  const mluOpHandle_t handle = call.handle();
  auto* pattern =
      static_cast<int32_t*>(handle->scratch.Reserve(static_cast<size_t>(PatternSize(problem)) * sizeof(int32_t)));
  check.Rule(pattern != nullptr, MLUOP_STATUS_ALLOC_FAILED, "no memory for the check of mapping_channel.");
  if (check.failed()) return;
  const auto* mapping = static_cast<const int32_t*>(args.mapping.data);
  const bool done = InspectMapping(problem, handle->parallel, mapping, handle->value_checks, pattern, findings);
  check.Rule(done, MLUOP_STATUS_EXECUTION_FAILED, "the parallel runner failed while mapping_channel was checked.")
      .NoBadElement(args.mapping, findings->bad_index, "a channel in [0, C), C being the channels of bottom_grad");
}

// The call as a case file; in the contract group_size is pooled_height.
void Describe(const PsRoiPoolArguments& args, GenCase& record) {
  if (args.rules.backward) {
    record.RandomInput(args.pooled);
    record.RealInput(args.mapping);
    record.RealInput(args.rois);
    record.Output(args.map);
  } else {
    record.RandomInput(args.map);
    record.RealInput(args.rois);
    record.Output(args.pooled);
    record.Output(args.mapping);
  }
  record.Param("spatial_scale", static_cast<float>(args.spatial_scale));
  if (!args.rules.backward) record.Param("group_size", args.pooled_height);
  record.Param("output_dim", args.output_dim);
  record.Param("pooled_height", args.pooled_height);
  record.Param("pooled_width", args.pooled_width);
}

// Runs the work after the checks; records it if the form of case files knows such a call.
template <class Run>
mluOpStatus_t RunAndEnd(const Call& call, const PsRoiPoolArguments& args, const Run& run) {
  const char* const name = args.rules.backward ? "psroipool_backward" : "psroipool_forward";
  return RunRecorded(
      call, args.contract ? name : nullptr, [&](GenCase& record) { Describe(args, record); },
      [&] { return call.Finish(run(call.handle()->parallel, call.handle()->scratch)); });
}

// The map has no pixels: what has elements gets what the mathematics says.
mluOpStatus_t CheckAndRunEmptyForward(const Call& call, ArgCheck& check, const PsRoiPoolArguments& args,
                                      const BufferArg& space) {
  const PsRoiPoolProblem problem = MakeProblem(args);
  if (problem.target != nullptr) check.Separate(args.pooled, {args.rois, args.mapping, space});
  if (problem.mapping_channel != nullptr) check.Separate(args.mapping, {args.rois, space});
  if (problem.mapping_channel != nullptr && args.mapping.desc->element_count() > 0) CheckChannelLimit(check, args.map);
  if (check.failed()) return check.status();
  return RunAndEnd(call, args, [&](const Parallel& parallel, Scratch& scratch) {
    return PsRoiPoolEmpty(problem, parallel, scratch);
  });
}

}  // namespace

void CheckScale(ArgCheck& check, const PsRoiPoolArguments& args) {
  if (check.failed()) return;
  const auto fine = [](auto scale) { return std::isfinite(scale) && scale > 0; };
  const bool narrow = args.map.desc->type != MLUOP_DTYPE_DOUBLE;
  check.Rule(fine(args.spatial_scale) && (!narrow || fine(static_cast<float>(args.spatial_scale))),
             MLUOP_STATUS_BAD_PARAM, "spatial_scale is %s, expected a finite number above 0.",
             TextOf(args.spatial_scale).text);
}

void CheckRelations(ArgCheck& check, const PsRoiPoolArguments& args) {
  if (check.failed()) return;
  const PsRoiPoolAxes axes{args.map.desc->layout == MLUOP_LAYOUT_NCHW};
  const int64_t channels =
      SaturatingMultiply(SaturatingMultiply(args.pooled_height, args.pooled_width), args.output_dim);
  Dim R("R"), C("pooled_height * pooled_width * output_dim", channels);
  check.Axis(args.rois, 0, R).Axis(args.pooled, 0, R).Axis(args.map, axes.map_channels(), C);
  for (int axis = 0; axis < 4; ++axis) {
    Dim same("the extent");
    check.Axis(args.pooled, axis, same).Axis(args.mapping, axis, same);
  }
}

mluOpStatus_t CheckValuesAndRunForward(const Call& call, ArgCheck& check, const PsRoiPoolArguments& args,
                                       void* workspace, size_t workspace_size) {
  if (check.failed()) return check.status();
  const BufferArg space("workspace", workspace, workspace_size);
  if (args.map.desc->element_count() == 0) return CheckAndRunEmptyForward(call, check, args, space);
  check.NotEmpty(args.rois).Data({args.map, args.rois, args.pooled, args.mapping});
  check.WorkspacePointer(workspace, workspace_size).Separate(args.pooled, {args.map, args.rois, space});
  check.Separate(args.mapping, {args.map, args.rois, args.pooled, space});
  if (workspace != nullptr) check.Separate(space, {args.map, args.rois});
  if (check.failed()) return check.status();
  const PsRoiPoolProblem problem = MakeProblem(args);
  CheckRoiValues(check, call, args, problem);
  CheckChannelLimit(check, args.map);
  CheckPixelLimits(check, args.map);
  if (check.failed()) return check.status();
  return RunAndEnd(call, args, [&](const Parallel& parallel, Scratch& scratch) {
    return PsRoiPoolForward(problem, parallel, scratch);
  });
}

mluOpStatus_t CheckValuesAndRunBackward(const Call& call, ArgCheck& check, const PsRoiPoolArguments& args) {
  check.NotEmpty(args.rois);
  if (check.failed()) return check.status();
  // Without rois the call has been refused, so a pooled tensor is empty only if the map is.
  if (args.pooled.desc->element_count() == 0 || args.map.desc->element_count() == 0) {
    return RunAndEnd(call, args, [](const Parallel&, Scratch&) { return RunResult::kDone; });
  }
  check.Data({args.pooled, args.rois, args.map, args.mapping});
  check.Separate(args.map, {args.pooled, args.rois, args.mapping});
  if (check.failed()) return check.status();
  const PsRoiPoolProblem problem = MakeProblem(args);
  CheckRoiValues(check, call, args, problem);
  CheckChannelLimit(check, args.map);
  MappingFindings findings;
  CheckMappingValues(check, call, args, problem, &findings);
  CheckPixelLimits(check, args.map);
  if (check.failed()) return check.status();
  const auto* mapping = static_cast<const int32_t*>(args.mapping.data);
  call.Log(DETOPS_LOG_DISPATCH, "%s; %s",
           findings.usual ? "rois added up in planes, as every channel has one bin"
                          : "a piece of a row of pixels at a time, as mapping_channel is not that of the forward pass",
           TargetName());
  return RunAndEnd(call, args, [&](const Parallel& parallel, Scratch& scratch) {
    return findings.usual ? PsRoiPoolBackward(problem, parallel, scratch)
                          : PsRoiPoolBackwardMapped(problem, mapping, parallel, scratch);
  });
}

}  // namespace detops::psroipool
