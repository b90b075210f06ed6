// Rows of roiaware_pool3d, in both spellings.
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ops/roiaware_pool3d/test/bad_call.h"
#include "reliability/bad_input_call.h"
#include "reliability/bad_input_plain.h"

namespace detops_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

using RoiRow = CallRow<BadCall>;

auto Of(const std::string& name) {
  return [name](BadCall& call) -> TensorArgument& { return call[name]; };
}

bool IsForward(Function function) { return function != Function::kBackward && function != Function::kCompactBackward; }

// With maximum every tensor is looked at, but the lists of the compact backward pass: those belong to average.
void AddTensors(RoiRow& row, Function function) {
  row.BadParam(BadClass::kNull, "handle", "handle is NULL", [](BadCall& call) { call.with_handle = false; });
  for (const TensorArgument& tensor : BadCall(function, kMax).tensors) {
    const std::string& name = tensor.name;
    const auto rank = static_cast<int>(tensor.extents(CallSizes()).size());
    if (function == Function::kCompactBackward && (name == "voxel_begins" || name == "pts_idx")) {
      const auto average = [name](void (*spoil)(TensorArgument&)) {
        return [name, spoil](BadCall& call) {
          call.method = kAverage;
          spoil(call[name]);
        };
      };
      row.BadParam(BadClass::kNull, "descriptor of " + name, "the descriptor of " + name + " is NULL",
                   average([](TensorArgument& t) { t.described = false; }));
      row.BadParam(BadClass::kForm, "rank of " + name, name + " has rank 2",
                   average([](TensorArgument& t) { t.rank = 2; }));
      row.BadParam(BadClass::kForm, "type of " + name, name + " has type float",
                   average([](TensorArgument& t) { t.type = MLUOP_DTYPE_FLOAT; }));
      continue;
    }
    row.Tensor(name, Of(name), rank);
    for (int axis = 0; axis < rank; ++axis) {
      // The numbers of boxes, points, rows and slots that nothing else tells.
      const bool free = axis == 0 && (name == "grad_in" || name == "pts_idx" || function == Function::kCount ||
                                      (function == Function::kCompactForward && name == "rois") ||
                                      (function == Function::kCompactBackward && name == "grad_out"));
      const bool free_slots = function == Function::kSwitches && name == "pts_idx_of_voxels" && axis == 4;
      if (!free && !free_slots) row.Axis(name, Of(name), axis, "has extent");
    }
  }
}

void AddSizes(RoiRow& row, Function function) {
  const auto size = [&](BadClass bad_class, const char* name, const char* text, int64_t CallSizes::* field,
                        int64_t value) {
    row.BadParam(bad_class, std::string(name) + " " + std::to_string(value), text,
                 [field, value](BadCall& call) { call.sizes.*field = value; });
  };
  const bool compact_backward = function == Function::kCompactBackward;
  if (!compact_backward) size(BadClass::kEmpty, "boxes", "0", &CallSizes::boxes, 0);
  size(BadClass::kEmpty, "points", "0", &CallSizes::points, 0);
  if (function != Function::kCount) size(BadClass::kEmpty, "channels", "0", &CallSizes::channels, 0);
  if (compact_backward) {
    for (const int64_t rows : {-1, 24}) {
      row.BadParam(BadClass::kSizes, "voxel_num " + std::to_string(rows), "voxel_num is " + std::to_string(rows),
                   [rows](BadCall& call) { call.used_rows = rows; });
    }
    return;
  }
  size(BadClass::kSizes, "max_pts_each_voxel", "0", &CallSizes::max_pts, 0);
  size(BadClass::kSizes, "out_x", "0", &CallSizes::out_x, 0);
  size(BadClass::kSizes, "out_y", "0", &CallSizes::out_y, 0);
  size(BadClass::kSizes, "out_z", "0", &CallSizes::out_z, 0);
}

void AddLimits(RoiRow& row, Function function) {
  const bool contract = !IsExtension(function);
  if (contract) {
    const std::string lifts = "the full profile lifts this limit";
    row.NotSupported(BadClass::kOverflow, "65536 boxes", lifts, [](BadCall& call) { call.sizes.boxes = 65536; });
    row.NotSupported(BadClass::kOverflow, "65536 channels", lifts, [](BadCall& call) { call.sizes.channels = 65536; });
    row.NotSupported(BadClass::kOverflow, "2977 points per voxel", lifts,
                     [](BadCall& call) { call.sizes.max_pts = 2977; });
  } else {
    row.NotSupported(BadClass::kOverflow, "the contract profile", "expected the full one",
                     [](BadCall& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
  }
  if (function == Function::kForward) {
    row.NotSupported(BadClass::kOverflow, "2^31 boxes x points", "the full profile lifts", [](BadCall& call) {
      call.sizes.boxes = 1 << 11;
      call.sizes.points = 1 << 20;
      call.sizes.out_x = call.sizes.out_y = call.sizes.out_z = call.sizes.max_pts = 1;
    });
  }
  // 2^64 bytes and more.
  row.NotSupported(BadClass::kOverflow, "bytes that int64 cannot count", "expected", [function](BadCall& call) {
    call.profile = DETOPS_PROFILE_FULL;
    if (function == Function::kCompactBackward) {
      call.sizes.channels = call.sizes.points = int64_t{1} << 31;
    } else {
      call.sizes.out_x = call.sizes.out_y = call.sizes.out_z = 1 << 30;
    }
  });
}

void AddMemory(RoiRow& row, Function function) {
  if (function == Function::kForward) {
    row.BadParam(BadClass::kWorkspace, "NULL with a size", "workspace is NULL, expected 64 bytes",
                 [](BadCall& call) { call.workspace_size = 64; });
    row.BadParam(BadClass::kOverlap, "workspace in pooled_features", "overlaps", [](BadCall& call) {
      call.workspace = call["pooled_features"].data;
      call.workspace_size = 4;
    });
  } else {
    row.row().HasNone({BadClass::kWorkspace});
  }
  const BadCall sample(function, kMax);
  if (function == Function::kCount) return;
  for (const TensorArgument& output : sample.tensors) {
    if (!output.written) continue;
    for (const TensorArgument& other : sample.tensors) {
      const bool unread = function == Function::kCompactBackward && other.name != "argmax" && other.name != "grad_out";
      if (&other == &output || unread) continue;
      row.BadParam(BadClass::kOverlap, output.name + " in " + other.name, "overlaps",
                   [to = output.name, from = other.name](BadCall& call) { call[to].data = call[from].data; });
    }
  }
}

void AddValues(RoiRow& row, Function function) {
  if (IsForward(function)) {
    row.row().HasNone({BadClass::kIndices});
    for (const double number : {kNan, kInf, -kInf}) {
      for (int column = 0; column < 7; ++column) {
        const std::string place = "rois[1, " + std::to_string(column) + "] is " + std::to_string(number);
        row.BadParam(BadClass::kNotFinite, place, place,
                     [=](BadCall& call) { call["rois"].memory->Set(7 + column, number); });
      }
      if (!IsExtension(function)) continue;
      row.BadParam(BadClass::kNotFinite, "xy_margin", "xy_margin is " + std::to_string(number),
                   [number](BadCall& call) { call.xy_margin = number; });
    }
    return;
  }
  row.row().CannotOccur({BadClass::kNotFinite}, "gradients may hold any number: NaN and Inf propagate");
  for (const double winner : {-2.0, 11.0, 2147483647.0, -2147483648.0}) {
    row.BadParam(BadClass::kIndices, "argmax " + std::to_string(winner), "argmax[",
                 [winner](BadCall& call) { call["argmax"].memory->Set(9, winner); });
  }
  const std::string lists = function == Function::kBackward ? "pts_idx_of_voxels" : "pts_idx";
  const auto average = [&](const std::string& what, const std::string& tensor, int64_t element, double value) {
    row.BadParam(BadClass::kIndices, what + " " + std::to_string(value), tensor + "[", [=](BadCall& call) {
      call.method = kAverage;
      call[tensor].memory->Set(element, value);
    });
  };
  for (const double point : {-1.0, 11.0, 2147483647.0}) average("a listed point is", lists, 1, point);
  if (function == Function::kBackward) {
    for (const double count : {-1.0, 8.0, 2147483647.0}) average("a count of 8 slots is", lists, 8, count);
  } else {
    for (const double begin : {-1.0, 0.0, 30.0, 2147483647.0}) average("a begin is", "voxel_begins", 20, begin);
    average("the first begin is", "voxel_begins", 0, 1);
  }
}

void AddFunction(Table& table, Function function, bool old_spelling = false) {
  std::string name = NameOf(function);
  const std::string start = name + ": ";
  if (old_spelling) name.replace(name.find("RoiAware"), std::strlen("RoiAware"), "Roiaware");
  RoiRow row(table, name,
             {[=] {
                auto call = std::make_unique<BadCall>(function, kMax);
                call->old_spelling = old_spelling;
                return call;
              },
              [](BadCall& call, Handle& handle) {
                const mluOpStatus_t status = call.Run(handle);
                return CallAnswer{status, call.thread_text};
              }});
  row.row().MessagesStart(start);
  AddTensors(row, function);
  AddSizes(row, function);
  AddLimits(row, function);
  AddMemory(row, function);
  AddValues(row, function);
  if (function == Function::kCount || function == Function::kCompactForward) {
    row.BadParam(BadClass::kNull, "voxel_num", "voxel_num is NULL", [](BadCall& call) { call.with_voxel_num = false; });
    row.BadParam(BadClass::kNull, "point_num", "point_num is NULL", [](BadCall& call) { call.with_point_num = false; });
  }
  if (function == Function::kCompactForward) {
    row.BadParam(BadClass::kShapes, "too few rows for the voxels", "expected at least",
                 [](BadCall& call) { call.sizes.rows = 1; });
    row.BadParam(BadClass::kShapes, "too little room for the points", "expected at least",
                 [](BadCall& call) { call.sizes.room = 1; });
  }
  if (function != Function::kCount) {
    for (const int method : {-1, 2}) {
      row.BadParam(BadClass::kEnumerator, "pool_method", "pool_method is " + std::to_string(method),
                   [method](BadCall& call) { call.method = method; });
    }
  }
  if (IsExtension(function) && IsForward(function)) {
    for (const int origin : {-1, 2}) {
      row.BadParam(BadClass::kEnumerator, "z_origin", "z_origin is " + std::to_string(origin),
                   [origin](BadCall& call) { call.z_origin = static_cast<detopsZOrigin_t>(origin); });
    }
  }
  if (function == Function::kCount) row.row().CannotOccur({BadClass::kOverlap}, kNumbersAtTheEnd);
  row.row()
      .CannotOccur({BadClass::kCoordinates}, "points may lie anywhere: those in no box, NaN and Inf too, are left out")
      .CannotOccur({BadClass::kDuplicates}, "points and boxes may be equal: each counts")
      .CannotOccur({BadClass::kBatchId}, "its boxes have no batch id")
      .CannotOccur({BadClass::kDestroyed}, kCallerGuarantees);
}

// ---- the size of the workspace, which is always 0 ----

struct WorkspaceSize {
  Descriptor features{MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {11, 6}};
  size_t size = 7;

  std::string State(mluOpHandle_t /*handle*/) const { return std::to_string(size); }
  std::string Message(int /*status*/) const { return ThreadMessage(); }
};

void AddWorkspaceSize(Table& table, const std::string& name,
                      mluOpStatus_t (*get)(mluOpHandle_t, mluOpTensorDescriptor_t, mluOpTensorDescriptor_t,
                                           mluOpTensorDescriptor_t, size_t*)) {
  using World = WorkspaceSize;
  PlainRow<World> row(table, name, [get](World& w, mluOpHandle_t handle) -> int {
    return get(handle, nullptr, nullptr, w.features.get(), &w.size);
  });
  row.row().MessagesStart("mluOpGetRoiAwarePool3dForwardWorkspaceSize: ");
  row.BadParam(
         BadClass::kNull, "handle", "handle is NULL",
         [get](World& w, mluOpHandle_t) -> int { return get(nullptr, nullptr, nullptr, w.features.get(), &w.size); })
      .BadParam(
          BadClass::kNull, "pts_feature_desc", "the descriptor of pts_feature is NULL",
          [get](World& w, mluOpHandle_t handle) -> int { return get(handle, nullptr, nullptr, nullptr, &w.size); })
      .BadParam(BadClass::kNull, "the place for the result", "workspace_size is NULL",
                [get](World& w, mluOpHandle_t handle) -> int {
                  return get(handle, nullptr, nullptr, w.features.get(), nullptr);
                });
  const auto needs_none = [](World& w) { return w.size == 0 ? "" : "a workspace is needed"; };
  const auto with = [get](mluOpDataType_t type, std::vector<int64_t> extents) {
    return [=](World& w, mluOpHandle_t handle) -> int {
      w.features.Set(MLUOP_LAYOUT_ARRAY, type, extents);
      return get(handle, nullptr, nullptr, w.features.get(), &w.size);
    };
  };
  row.Defines(BadClass::kForm, "of any form: none is needed", with(MLUOP_DTYPE_INT8, {1, 2, 3}), needs_none)
      .Defines(BadClass::kEmpty, "no points", with(MLUOP_DTYPE_FLOAT, {0, 6}), needs_none)
      .Defines(BadClass::kOverflow, "elements that int64 cannot count",
               with(MLUOP_DTYPE_FLOAT, {int64_t{1} << 40, int64_t{1} << 40}), needs_none);
  row.row().CannotOccur({BadClass::kShapes}, "of its tensors it looks at pts_feature only, and whether it is there");
  row.HasNothingElse(Row::Objects::kSome);
}

}  // namespace

void AddRoiAwarePool(Table& table) {
  AddWorkspaceSize(table, "mluOpGetRoiAwarePool3dForwardWorkspaceSize", mluOpGetRoiAwarePool3dForwardWorkspaceSize);
  AddWorkspaceSize(table, "mluOpGetRoiawarePool3dForwardWorkspaceSize", mluOpGetRoiawarePool3dForwardWorkspaceSize);
  for (const Function function : {Function::kForward, Function::kBackward}) {
    AddFunction(table, function);
    AddFunction(table, function, true);
  }
  for (const Function function :
       {Function::kSwitches, Function::kCount, Function::kCompactForward, Function::kCompactBackward}) {
    AddFunction(table, function);
  }
}

}  // namespace detops_test
