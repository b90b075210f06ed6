// Rows of psroipool.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ops/psroipool/test/bad_call.h"
#include "reliability/bad_input_call.h"

namespace detops_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

TensorArgument& MapOf(BadCall& call) { return call.map; }
TensorArgument& RoisOf(BadCall& call) { return call.rois; }
TensorArgument& PooledOf(BadCall& call) { return call.pooled; }
TensorArgument& MappingOf(BadCall& call) { return call.mapping; }

using PsRow = CallRow<BadCall>;

void AddForm(PsRow& row, const Function& function, const std::string& map, const std::string& pooled) {
  row.BadParam(BadClass::kNull, "handle", "handle is NULL", [](BadCall& call) { call.with_handle = false; });
  row.Tensor(map, MapOf, 4);
  row.Tensor("rois", RoisOf, 2);
  row.Tensor(pooled, PooledOf, 4);
  if (!function.extension) {
    row.NullDescriptor("mapping_channel", MappingOf);
  }
  row.NullData("mapping_channel", MappingOf);
  row.Rank("mapping_channel", MappingOf, 4);
  row.Type("mapping_channel", MappingOf);
  row.Stride("mapping_channel", MappingOf);
  row.Layout(map, MapOf);
  row.Layout(pooled, PooledOf);
  row.Layout("mapping_channel", MappingOf);
  row.BadParam(BadClass::kForm, "half rois with a float map", "has type",
               [](BadCall& call) { call.rois.type = MLUOP_DTYPE_HALF; });
}

void AddShapes(PsRow& row, const Function& function, const std::string& map, const std::string& pooled) {
  row.Axis(map, MapOf, 3, map + " has extent");
  row.Axis("rois", RoisOf, 0, "has extent");
  row.Axis("rois", RoisOf, 1, "rois has extent 6 on axis 1");
  row.Axis(pooled, PooledOf, 0, "has extent");
  row.Axis(pooled, PooledOf, 1, "pooled_height");
  row.Axis(pooled, PooledOf, 2, "pooled_width");
  row.Axis(pooled, PooledOf, 3, "output_dim");
  for (int axis = 0; axis < 4; ++axis) row.Axis("mapping_channel", MappingOf, axis, "mapping_channel has extent");
  row.BadParam(BadClass::kShapes, "pooled_height", "pooled_height", [](BadCall& call) { call.height_surplus = 1; });
  row.BadParam(BadClass::kShapes, "pooled_width", "pooled_width", [](BadCall& call) { call.width_surplus = 1; });
  row.BadParam(BadClass::kShapes, "output_dim", "output_dim", [](BadCall& call) { call.dim_surplus = 1; });
  if (function.forward && !function.extension) {
    row.BadParam(BadClass::kShapes, "group_size", "group_size", [](BadCall& call) { call.group_surplus = 1; });
  }
}

bool AllZero(const Tensor& tensor) {
  const std::vector<double> values = tensor.Values();
  return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
}

void AddSizes(PsRow& row, const Function& function) {
  row.BadParam(BadClass::kEmpty, "no rois", "rois has 0 elements", [](BadCall& call) { call.shape.rois = 0; });
  // Only the map is empty: bins hold no pixel. Backward has nothing to write.
  row.Defines(
      BadClass::kEmpty, "images without rows", [](BadCall& call) { call.shape.height = 0; },
      [forward = function.forward](BadCall& call) -> std::string {
        if (!forward) return call.target.CanaryIntact() ? "" : "bottom_grad without elements was written";
        if (!AllZero(call.target)) return "output is not 0";
        return call.mapping_target.SameBytes(call.problem.mapping) ? "" : "mapping_channel is not the forward one";
      });
  const auto no_bins = [](BadCall& call) { call.shape.pooled_height = call.shape.pooled_width = 0; };
  const auto negative = [](BadCall& call) { call.height_surplus = -2 * static_cast<int>(call.shape.pooled_height); };
  if (function.forward || function.extension) {
    row.BadParam(BadClass::kSizes, "no bins", "is 0", no_bins);
  } else {
    row.Defines(BadClass::kSizes, "no bins: top_grad has no elements, which is a success", no_bins, [](BadCall& call) {
      return call.target.CanaryIntact() ? "" : "bottom_grad without elements was written";
    });
  }
  row.BadParam(BadClass::kSizes, "negative pooled_height", "pooled_height", negative);
  row.BadParam(BadClass::kSizes, "output_dim 0", "output_dim is 0", [](BadCall& call) { call.shape.output_dim = 0; });
  if (!function.extension) {
    row.NotSupported(BadClass::kOverflow, "2^31 elements", "the full profile lifts this limit", [](BadCall& call) {
      call.shape.height = 1 << 21;
      call.shape.width = 1 << 10;
    });
  }
  row.NotSupported(BadClass::kOverflow, "2^60 pixels and more", "expected fewer than 2^63 bytes", [](BadCall& call) {
    call.profile = DETOPS_PROFILE_FULL;
    call.shape.height = call.shape.width = int64_t{1} << 30;
  });
}

void AddMemory(PsRow& row, const Function& function, const std::string& map, const std::string& pooled) {
  if (function.workspace) {
    row.BadParam(BadClass::kWorkspace, "NULL with a size", "workspace is NULL, expected 64 bytes",
                 [](BadCall& call) { call.workspace_size = 64; });
    row.Defines(
        BadClass::kWorkspace, "misaligned: any alignment will do, and none is needed",
        [](BadCall& call) {
          call.workspace = static_cast<char*>(call.workspace_memory.data()) + 1;
          call.workspace_size = 3;
        },
        [](BadCall& call) {
          const std::string wrong =
              Disagreement(call.target.Values(), call.problem.ExpectedOutput(), ToleranceFor(MLUOP_DTYPE_FLOAT));
          return call.workspace_memory.CanaryIntact() ? wrong : "the workspace was written";
        });
    row.BadParam(BadClass::kOverlap, "workspace in output", "overlaps", [](BadCall& call) {
      call.workspace = call.pooled.data;
      call.workspace_size = 4;
    });
  } else {
    row.row().HasNone({BadClass::kWorkspace});
  }
  if (function.forward) {
    row.Overlap(pooled, PooledOf, map, [](BadCall& call) { return call.map.data; });
    row.Overlap(pooled, PooledOf, "rois", [](BadCall& call) { return call.rois.data; });
    row.Overlap("mapping_channel", MappingOf, map, [](BadCall& call) { return call.map.data; });
    row.BadParam(BadClass::kOverlap, "output and mapping_channel in one place", "overlaps",
                 [](BadCall& call) { call.mapping.data = call.pooled.data; });
  } else {
    row.Overlap(map, MapOf, pooled, [](BadCall& call) { return call.pooled.data; });
    row.Overlap(map, MapOf, "rois", [](BadCall& call) { return call.rois.data; });
    row.Overlap(map, MapOf, "mapping_channel", [](BadCall& call) { return call.mapping.data; });
  }
}

void AddValues(PsRow& row, const Function& function) {
  for (const double number : {kNan, kInf, -kInf}) {
    for (int column = 1; column < 5; ++column) {
      const std::string place = "rois[2, " + std::to_string(column) + "] is " + std::to_string(number);
      row.BadParam(BadClass::kNotFinite, place, place,
                   [=](BadCall& call) { call.problem.rois.Set(10 + column, number); });
    }
    row.BadParam(BadClass::kNotFinite, "spatial_scale " + std::to_string(number),
                 "spatial_scale is " + std::to_string(number), [=](BadCall& call) { call.spatial_scale = number; });
  }
  for (const double scale : {0.0, -0.5}) {
    row.BadParam(BadClass::kNotFinite, "spatial_scale not above 0", "spatial_scale is",
                 [=](BadCall& call) { call.spatial_scale = scale; });
  }
  // Both ends are finite, their distance is not.
  row.BadParam(BadClass::kNotFinite, "the extent of a roi overflows", "rois", [](BadCall& call) {
    call.problem.SetRoi(1, {0, -3e38, 0, 3e38, 4});
    call.spatial_scale = 1;
  });
  row.BadParam(BadClass::kNotFinite, "a roi overflows when it is scaled", "rois", [](BadCall& call) {
    call.problem.SetRoi(1, {0, 0, 3e38, 4, 3e38});
    call.spatial_scale = 16;
  });
  for (const double id : {0.5, -1.0, 2.0, 1e9, kNan, kInf}) {
    row.BadParam(BadClass::kBatchId, "batch id " + std::to_string(id), "rois[3, 0] is",
                 [=](BadCall& call) { call.problem.rois.Set(15, id); });
  }
  if (function.forward) {
    row.row().HasNone({BadClass::kIndices});
    return;
  }
  const auto channels = static_cast<double>(GoodShape(function).channels());
  for (const double channel : {-1.0, channels, 2147483647.0, -2147483648.0}) {
    row.BadParam(BadClass::kIndices, "mapping_channel " + std::to_string(channel), "mapping_channel[0, 1, 0, 0] is",
                 [=](BadCall& call) { call.problem.mapping.Set(call.problem.PooledIndex(0, 1, 0, 0), channel); });
  }
}

void AddFunction(Table& table, const Function& function) {
  PsRow row(table, function.symbol,
            {[&function] { return std::make_unique<BadCall>(function); },
             [](BadCall& call, Handle& handle) {
               const mluOpStatus_t status = call.Run(handle);
               return CallAnswer{status, call.thread_text};
             }});
  row.row().MessagesStart(std::string(function.name()) + ": ");
  const std::string map = function.forward ? "input" : "bottom_grad", pooled = function.forward ? "output" : "top_grad";
  AddForm(row, function, map, pooled);
  AddShapes(row, function, map, pooled);
  AddSizes(row, function);
  AddMemory(row, function, map, pooled);
  AddValues(row, function);
  if (function.extension) {
    row.NotSupported(BadClass::kOverflow, "the contract profile", "expected the full one",
                     [](BadCall& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
    for (const int number : {-1, 3}) {
      row.BadParam(BadClass::kEnumerator, "convention " + std::to_string(number),
                   "convention is " + std::to_string(number),
                   [number](BadCall& call) { call.convention = static_cast<detopsPsRoiPoolConvention_t>(number); });
    }
  } else {
    row.row().HasNone({BadClass::kEnumerator});
  }
  row.row()
      .CannotOccur({BadClass::kCoordinates}, "corners of RoIs may lie anywhere: what is beside the map holds no pixel")
      .CannotOccur({BadClass::kDuplicates}, "RoIs are independent of each other and may be equal")
      .CannotOccur({BadClass::kDestroyed}, kCallerGuarantees);
}

}  // namespace

void AddPsRoiPool(Table& table) {
  for (const Function& function : kFunctions) AddFunction(table, function);
}

}  // namespace detops_test
