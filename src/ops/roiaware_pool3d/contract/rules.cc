#include "ops/roiaware_pool3d/contract/rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace detops_harness::roiaware_pool3d {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

bool IsFloating(mluOpDataType_t type) {
  return type == MLUOP_DTYPE_FLOAT || type == MLUOP_DTYPE_HALF || type == MLUOP_DTYPE_DOUBLE ||
         type == MLUOP_DTYPE_BFLOAT16;
}

Rules ZeroOrOne(const std::string& argument, const std::string& expectation) {
  Faults faults;
  for (const int64_t value : {-1, 2}) {
    faults.push_back({BadClass::kEnumerator, argument, WithInteger(argument, value)});
  }
  const auto allowed = [](int64_t value, const Call&) { return value == 0 || value == 1; };
  return WithFaults(Integer(argument, {allowed, expectation, {}, BadClass::kEnumerator}), faults);
}

}  // namespace

Contract Named(const std::string& function) {
  Contract contract(function);
  const size_t old_spelling = function.find("Roiaware");
  if (old_spelling == std::string::npos) return contract;
  std::string name = function;
  name.replace(old_spelling, 8, "RoiAware");
  return contract.Says(name).DocumentedAs(name);
}

// ---- what a call says ----

bool IsMax(const Call& call) { return call.integer("pool_method") == 0; }
bool IsAverage(const Call& call) { return call.integer("pool_method") == 1; }

detops_reference::RoiAwareGrid GridOf(const Call& call) {
  detops_reference::RoiAwareGrid grid = {};
  if (call.integers.count("out_x") != 0) {
    grid = {call.integer("out_x"), call.integer("out_y"), call.integer("out_z"), call.integer("max_pts_each_voxel")};
  } else {
    const std::vector<int64_t>& lists = call["pts_idx_of_voxels"].extents;
    grid = {lists[1], lists[2], lists[3], lists[4]};
  }
  if (call.integers.count("z_origin") != 0) {
    grid.z_center = call.integer("z_origin") == DETOPS_Z_CENTER;
    grid.xy_margin = call.number("xy_margin");
  }
  return grid;
}

std::vector<detops_reference::RoiAwareVoxel> VoxelsOf(const Call& call) {
  const Tensor &rois = call["rois"], &pts = call["pts"];
  if (rois.reserved || pts.reserved || rois.stored() < rois.elements() || pts.stored() < pts.elements()) return {};
  return detops_reference::RoiAwareVoxels(rois.type, GridOf(call), rois.extents[0], rois.contents.data(),
                                          pts.extents[0], pts.contents.data());
}

// ---- rules of several functions ----

Rules Method() { return ZeroOrOne("pool_method", "0 (maximum) or 1 (average)"); }
Rules ZOrigin() { return ZeroOrOne("z_origin", "a value of detopsZOrigin_t"); }

Rules XyMargin() {
  Faults faults;
  for (const double value : {kNan, kInf, -kInf, -1.0}) {
    faults.push_back({BadClass::kNotFinite, "xy_margin", WithNumber("xy_margin", value)});
  }
  for (const double value : {-0.0, -5e-324, 5e-324, 1e39, 1e308}) {
    faults.push_back({BadClass::kNotFinite, "xy_margin", WithNumber("xy_margin", value), false});
  }
  return Own({"xy_margin", MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> std::optional<std::string> {
                const double margin = j.call.number("xy_margin");
                if (std::isfinite(margin) && margin >= 0) return {};
                return "xy_margin is " + NumberText(margin) + ", expected a finite number, 0 or more.";
              },
              faults});
}

Rules RowLimit(const std::string& tensor, const Faults& faults) {
  return Own({"rows of " + tensor, MLUOP_STATUS_NOT_SUPPORTED,
              [=](Judgement& j) -> std::optional<std::string> {
                const int64_t rows = j.call[tensor].extents[0];
                if (rows <= INT32_MAX) return {};
                return Format("%s has %lld rows, expected fewer than 2147483648.", tensor.c_str(),
                              static_cast<long long>(rows));
              },
              faults});
}

Rules GradientRowLimit(const Apply& many_rows) {
  return Own({"number of rows of grad_in",
              MLUOP_STATUS_NOT_SUPPORTED,
              [](Judgement& j) -> std::optional<std::string> {
                if (j.call["grad_in"].extents[0] <= INT32_MAX) return {};
                return "grad_in has too many rows, expected fewer than 2^31.";
              },
              {{BadClass::kOverflow, "2^31 points", Then(many_rows, Reserved({"grad_in"}))}}});
}

Rules VoxelLimit(const Faults& faults) {
  return Own({"voxels of a box", MLUOP_STATUS_NOT_SUPPORTED,
              [=](Judgement& j) -> std::optional<std::string> {
                const detops_reference::RoiAwareGrid grid = GridOf(j.call);
                using Wide = __int128;
                if (Wide{grid.out_x} * grid.out_y * grid.out_z <= Wide{1} << 32) return {};
                return Format("a box has %lld x %lld x %lld voxels, expected at most 2^32.",
                              static_cast<long long>(grid.out_x), static_cast<long long>(grid.out_y),
                              static_cast<long long>(grid.out_z));
              },
              faults});
}

Rules Winners(const std::function<int64_t(const Call&)>& rows) {
  Faults faults;
  // In the good call row 1 has the elements 6 to 11, and points are 0 to 10.
  for (const double winner : {-2.0, 11.0, 2147483647.0, -2147483648.0}) {
    faults.push_back({BadClass::kIndices, "argmax " + std::to_string(winner), WithElement("argmax", 9, winner)});
  }
  // 119: the last of the compact form's 20 rows in use; 720: of the dense form's voxels.
  for (const int64_t element : {0, 65, 119, 120, 137, 707, 719}) {
    for (const double winner : {-2.0, -1.0, 0.0, 10.0, 11.0, 12.0, 1073741824.0, -2147483648.0}) {
      faults.push_back(
          {BadClass::kIndices, "argmax " + std::to_string(winner), WithElement("argmax", element, winner), false});
    }
  }
  return Own({"values of argmax", MLUOP_STATUS_BAD_PARAM,
              [=](Judgement& j) -> std::optional<std::string> {
                const Tensor& argmax = j.call["argmax"];
                const int64_t count = std::min(rows(j.call) * argmax.extents.back(), argmax.stored());
                for (int64_t i = 0; i < count; ++i) {
                  const double winner = argmax.Get(i);
                  if (winner >= -1 && winner < static_cast<double>(j.call["grad_in"].extents[0])) continue;
                  return "argmax" + PositionText(argmax, i) + " is " + NumberText(winner) +
                         ", expected -1 or the number of a point in grad_in.";
                }
                return {};
              },
              faults, Checked::kUndefinedIfOff});
}

// ---- faults ----

Apply Sized(std::vector<std::pair<std::string, int64_t>> extents) {
  return [=](Call& call) {
    for (const auto& [dim, value] : extents) WithDim(dim, value)(call);
  };
}

Apply Then(Apply first, Apply second) {
  return [=](Call& call) {
    first(call);
    second(call);
  };
}

Apply AsAverage(Apply fault) { return Then(WithInteger("pool_method", 1), std::move(fault)); }

Apply WithType(mluOpDataType_t type) {
  return [=](Call& call) {
    call.value_checks = false;
    for (Tensor& tensor : call.tensors) {
      if (IsFloating(tensor.type)) tensor.type = type;
    }
  };
}

Apply Reserved(Names tensors) {
  return [=](Call& call) {
    for (const std::string& name : tensors) call[name].reserved = true;
  };
}

Apply Inside(Names tensors, const std::string& other) {
  return [=](Call& call) {
    for (const std::string& name : tensors) call[name].inside = other;
  };
}

void TryBoxes(Contract& contract) {
  for (const double number : {kNan, kInf, -kInf}) {
    for (int64_t column = 0; column < 7; ++column) {
      contract.Try(BadClass::kNotFinite, "rois[1, " + std::to_string(column) + "] is " + std::to_string(number),
                   WithElement("rois", 7 + column, number));
    }
  }
}

void TryOverlaps(Contract& contract, const Names& outputs) {
  for (size_t later = 1; later < outputs.size(); ++later) {
    for (size_t output = 0; output < later; ++output) {
      contract.Try(BadClass::kOverlap, outputs[output] + " in " + outputs[later],
                   Inside({outputs[output]}, outputs[later]));
    }
  }
}

void TryExtents(Contract& contract, const std::vector<std::pair<std::string, size_t>>& axes) {
  for (const auto& [tensor, axis] : axes) {
    contract.Try(BadClass::kShapes, "extent of " + tensor + " on axis " + std::to_string(axis),
                 [name = tensor, number = axis](Call& call) { ++call[name].extents[number]; });
  }
}

void AddReasons(Contract& contract, bool takes_boxes) {
  contract
      .CannotOccur({BadClass::kCoordinates}, "points may lie anywhere: those in no box, NaN and Inf too, are left out")
      .CannotOccur({BadClass::kDuplicates}, "points and boxes may be equal: each counts")
      .CannotOccur({BadClass::kBatchId}, "its boxes have no batch id");
  if (takes_boxes) {
    contract.CannotOccur({BadClass::kIndices});
  } else {
    contract.CannotOccur({BadClass::kNotFinite}, "gradients may hold any number: NaN and Inf propagate");
  }
}

// ---- the size of the workspace ----

Contract MakeWorkspaceContract(const std::string& function) {
  Contract contract = Named(function);
  contract.Check("workspace_size, handle or pts_feature_desc is NULL",
                 {PlaceForResult({"workspace_size"}), Handle(), Descriptors({"pts_feature"})});
  const auto none = [](const Call& call) {
    return call.results.at("workspace_size") == 0 ? "" : "a workspace is needed";
  };
  const auto features = [](mluOpDataType_t type, std::vector<int64_t> extents) {
    return [=](Call& call) {
      call["pts_feature"].type = type;
      call["pts_feature"].extents = extents;
      for (const char* other : {"rois", "pts"}) call[other].described = false;
    };
  };
  contract.Try(BadClass::kNull, "pts_feature_desc", [](Call& call) { call["pts_feature"].described = false; })
      .Try(BadClass::kNull, "the place for the result", [](Call& call) { call.nulls.insert("workspace_size"); });
  contract.Defines(BadClass::kForm, "of any form: none is needed", features(MLUOP_DTYPE_INT8, {1, 2, 3}), none)
      .Defines(BadClass::kEmpty, "no points", features(MLUOP_DTYPE_FLOAT, {0, 6}), none)
      .Defines(BadClass::kOverflow, "elements that int64 cannot count",
               features(MLUOP_DTYPE_FLOAT, {int64_t{1} << 40, int64_t{1} << 40}), none)
      .CannotOccur({BadClass::kShapes}, "of its tensors it looks at pts_feature only, and whether it is there");
  return contract;
}

}  // namespace detops_harness::roiaware_pool3d
