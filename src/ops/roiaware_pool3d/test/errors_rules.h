// The checks of all functions of roiaware_pool3d as a list of rules in their documented order, each with a way to break
// it.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_TEST_ERRORS_RULES_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_TEST_ERRORS_RULES_H_

#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "ops/roiaware_pool3d/test/bad_call.h"

namespace detops_test {

struct Rule {
  std::string name;
  mluOpStatus_t status;
  std::string sentence;  // with "*": numbers depend on the other fault
  Spoil spoil;
  std::vector<std::string> excludes = {};  // later rules that the same call cannot break as well
};

class RuleList {
 public:
  explicit RuleList(CallKind kind) : function_(kind.function), method_(kind.method) {
    switch (function_) {
      case Function::kForward:
      case Function::kSwitches:
        Forward();
        break;
      case Function::kBackward:
        Backward();
        break;
      case Function::kCount:
        Count();
        break;
      case Function::kCompactForward:
        CompactForward();
        break;
      case Function::kCompactBackward:
        CompactBackward();
        break;
    }
  }

  std::vector<Rule> rules;

 private:
  static constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;
  using Names = std::vector<const char*>;

  void Add(std::string name, mluOpStatus_t status, std::string sentence, Spoil spoil,
           std::vector<std::string> excludes = {}) {
    rules.push_back({std::move(name), status, std::move(sentence), std::move(spoil), std::move(excludes)});
  }

  // ---- kinds of rules ----

  void ResultPointers() {
    Add("voxel_num", kBad, "voxel_num is NULL, *", [](BadCall& c) { c.with_voxel_num = false; });
    Add("point_num", kBad, "point_num is NULL, *", [](BadCall& c) { c.with_point_num = false; });
  }

  void HandleRule() {
    Add("handle", kBad, "handle is NULL, *", [](BadCall& c) { c.with_handle = false; });
  }

  // Which descriptors the compact backward pass needs follows from the method, so a wrong method needs none of them.
  void Descriptors(const Names& names) {
    for (const std::string name : names) {
      const bool by_method = function_ == Function::kCompactBackward && name.rfind("grad", 0) != 0;
      Add(
          name + " descriptor", kBad, "the descriptor of " + name + " is NULL, *",
          [name](BadCall& c) { c[name].described = false; },
          by_method ? std::vector<std::string>{"pool_method"} : std::vector<std::string>());
    }
  }

  void Profile() {
    Add("profile", kLimit, "*full profile*", [](BadCall& c) { c.profile = DETOPS_PROFILE_CONTRACT; });
  }

  void Ranks(const Names& names) {
    for (const std::string name : names) {
      Add(name + " rank", kBad, name + " has rank 6, *", [name](BadCall& c) { c[name].rank = 6; });
    }
  }

  void Axes(const std::string& name, size_t first, size_t end) {
    for (size_t axis = first; axis < end; ++axis) {
      const std::string on_axis = std::to_string(axis);
      Add(name + " axis " + on_axis, kBad, name + " has extent * on axis " + on_axis + ", expected *; its shape is *",
          [name, axis](BadCall& c) { c[name].surplus[axis] = 1; });
    }
  }

  void FirstType(const std::string& name) {
    Add(name + " type", kBad, name + " has type int32, expected float*",
        [name](BadCall& c) { c[name].type = MLUOP_DTYPE_INT32; });
  }

  void SameTypes(const Names& names) {
    for (const std::string name : names) {
      Add(name + " type", kBad, name + " has type half, expected *",
          [name](BadCall& c) { c[name].type = MLUOP_DTYPE_HALF; });
    }
  }

  void IntegerTypes(const Names& names) {
    for (const std::string name : names) {
      Add(name + " type", kBad, name + " has type int64, expected int32.",
          [name](BadCall& c) { c[name].type = MLUOP_DTYPE_INT64; });
    }
  }

  void Method() {
    Add("pool_method", kBad, "pool_method is 2, *", [](BadCall& c) { c.method = 2; });
  }

  void SwitchRules() {
    Add("z_origin", kBad, "z_origin is 2, *", [](BadCall& c) { c.z_origin = static_cast<detopsZOrigin_t>(2); });
    Add("xy_margin", kBad, "xy_margin is -1, *", [](BadCall& c) { c.xy_margin = -1; });
  }

  void AboveZero(const std::string& name, int64_t Sizes::* size) {
    const bool argument = function_ == Function::kForward || function_ == Function::kBackward;
    Add(name + " zero", kBad, argument ? name + " is 0, *" : "*0*", [size](BadCall& c) { c.sizes.*size = 0; });
  }

  void NoElements(const std::string& name, const std::string& tensor, int64_t Sizes::* size) {
    Add(name + " zero", kBad, tensor + " has 0 elements, *", [size](BadCall& c) { c.sizes.*size = 0; });
  }

  // Axis 0: the last axis of a tensor without elements, or of one row, has any stride.
  void Strides(const Names& names, const std::vector<std::string>& excludes = {}) {
    for (const std::string name : names) {
      Add(
          name + " strides", kLimit, name + " has stride *", [name](BadCall& c) { c[name].odd_strides[0] = 1; },
          excludes);
    }
  }

  void ContractLimit(const std::string& name, const std::string& sentence, int64_t Sizes::* size, int64_t value) {
    Add(name, kLimit, sentence, [size, value](BadCall& c) { c.sizes.*size = value; });
  }

  void Data(const Names& names) {
    for (const std::string name : names) {
      std::vector<std::string> excludes = {"overlap"};
      if (name == "rois" || name == "argmax" || name == "pts_idx_of_voxels" || name == "voxel_begins") {
        excludes.emplace_back("values");
        excludes.emplace_back("room");
      }
      Add(
          name + " data", kBad, "the data pointer of " + name + " is NULL, *",
          [name](BadCall& c) { c[name].data = nullptr; }, excludes);
    }
  }

  // The method decides whether the argmax is needed; where it is, it is looked at last.
  void Argmax(size_t axes) {
    if (method_ != kMax) return;
    Add("argmax descriptor", kBad, "the descriptor of argmax is NULL, *",
        [](BadCall& c) { c["argmax"].described = false; },
        {"argmax rank", "argmax type", "argmax axis 0", "argmax axis 1", "argmax axis 2", "argmax axis 3",
         "argmax axis 4", "argmax strides"});
    Ranks({"argmax"});
    Axes("argmax", 0, axes);
    IntegerTypes({"argmax"});
  }

  void Overlap(const std::string& output, const std::string& input) {
    Add("overlap", kBad, "*overlaps*in memory, *", [output, input](BadCall& c) { c[output].data = c[input].data; });
  }

  void RoiValues() {
    Add("values", kBad, "rois[1, 2] is nan, *", [](BadCall& c) { c["rois"].memory->Set(9, std::nan("")); });
  }

  // ---- the functions ----

  void Forward() {
    const bool extension = function_ == Function::kSwitches;
    const Names read = {"rois", "pts", "pts_feature", "pts_idx_of_voxels", "pooled_features"};
    HandleRule();
    Descriptors(read);
    if (extension) Profile();
    Ranks(read);
    // Extents that the extension has from a tensor cannot disagree with anything.
    Axes("rois", extension ? 1 : 0, 2);
    Axes("pts", extension ? 1 : 0, 2);
    Axes("pts_feature", 0, extension ? 1 : 2);
    Axes("pts_idx_of_voxels", 0, extension ? 1 : 5);
    Axes("pooled_features", 0, 5);
    FirstType("rois");
    SameTypes({"pts", "pts_feature"});
    IntegerTypes({"pts_idx_of_voxels"});
    SameTypes({"pooled_features"});
    Method();
    if (extension) SwitchRules();
    const auto above_zero = [&](const char* argument, const char* tensor, int64_t Sizes::* size) {
      extension ? NoElements(argument, tensor, size) : AboveZero(argument, size);
    };
    above_zero("boxes_num", "rois", &Sizes::boxes);
    above_zero("pts_num", "pts", &Sizes::points);
    above_zero("channels", "pts_feature", &Sizes::channels);
    above_zero("max_pts_each_voxel", "pts_idx_of_voxels", &Sizes::max_pts);
    above_zero("out_x", "pts_idx_of_voxels", &Sizes::out_x);
    above_zero("out_y", "pts_idx_of_voxels", &Sizes::out_y);
    above_zero("out_z", "pts_idx_of_voxels", &Sizes::out_z);
    Strides({"rois", "pts", "pts_feature"});
    Strides({"argmax"}, {"argmax descriptor"});
    Strides({"pts_idx_of_voxels", "pooled_features"});
    if (!extension) {
      ContractLimit("boxes limit", "boxes_num is 65536, *full profile*", &Sizes::boxes, 65536);
      ContractLimit("channels limit", "channels is 65536, *full profile*", &Sizes::channels, 65536);
      ContractLimit("max_pts limit", "max_pts_each_voxel is 2977, *full profile*", &Sizes::max_pts, 2977);
      ContractLimit("count", "pts_idx_of_voxels has * elements, *full profile*", &Sizes::out_x, 1 << 30);
      Add("boxes x points", kLimit, "*full profile*", [](BadCall& c) {
        c.sizes.boxes = 65535;
        c.sizes.points = 40000;
      });
      Add("workspace", kBad, "workspace is NULL, *", [](BadCall& c) { c.workspace_size = 8; });
    }
    Data(read);
    Argmax(5);
    if (method_ == kMax) Data({"argmax"});
    Overlap("pooled_features", "pts_feature");
    RoiValues();
  }

  void Backward() {
    const Names all = {"pts_idx_of_voxels", "argmax", "grad_out", "grad_in"};
    HandleRule();
    Descriptors(all);
    Ranks(all);
    Axes("pts_idx_of_voxels", 0, 5);
    Axes("argmax", 0, 5);
    Axes("grad_out", 0, 5);
    Axes("grad_in", 1, 2);
    IntegerTypes({"pts_idx_of_voxels", "argmax"});
    FirstType("grad_out");
    SameTypes({"grad_in"});
    Method();
    AboveZero("boxes_num", &Sizes::boxes);
    // P is no argument; it is the extent of grad_in.
    Add("points zero", kBad, "*0*", [](BadCall& c) { c.sizes.points = 0; });
    AboveZero("channels", &Sizes::channels);
    AboveZero("max_pts_each_voxel", &Sizes::max_pts);
    AboveZero("out_x", &Sizes::out_x);
    AboveZero("out_y", &Sizes::out_y);
    AboveZero("out_z", &Sizes::out_z);
    Strides(all);
    ContractLimit("boxes limit", "boxes_num is 65536, *full profile*", &Sizes::boxes, 65536);
    ContractLimit("channels limit", "channels is 65536, *full profile*", &Sizes::channels, 65536);
    ContractLimit("max_pts limit", "max_pts_each_voxel is 2049, *full profile*", &Sizes::max_pts, 2049);
    ContractLimit("count", "pts_idx_of_voxels has * elements, *full profile*", &Sizes::out_x, 1 << 30);
    Data(all);
    Overlap("grad_in", "grad_out");
    if (method_ == kMax) {
      Add("values", kBad, "argmax[0, 0, 0, 1, 2] is 11, *", [](BadCall& c) { c["argmax"].memory->Set(8, 11); });
    } else {
      Add("values", kBad, "pts_idx_of_voxels[0, 0, 0, 1, 2] is 11, *",
          [](BadCall& c) { c["pts_idx_of_voxels"].memory->Set(10, 11); });
    }
  }

  void CompactNumbers(bool channels) {
    SwitchRules();
    AboveZero("max_pts_each_voxel", &Sizes::max_pts);
    AboveZero("out_x", &Sizes::out_x);
    AboveZero("out_y", &Sizes::out_y);
    AboveZero("out_z", &Sizes::out_z);
    AboveZero("boxes", &Sizes::boxes);
    AboveZero("points", &Sizes::points);
    if (channels) AboveZero("channels", &Sizes::channels);
  }

  void CompactSizes() {
    ContractLimit("points limit", "*2147483648*", &Sizes::points, int64_t{1} << 31);
    Add("grid limit", kLimit, "*", [](BadCall& c) { c.sizes.out_x = c.sizes.out_y = c.sizes.out_z = INT32_MAX; });
  }

  void Count() {
    ResultPointers();
    HandleRule();
    Descriptors({"rois", "pts"});
    Profile();
    Ranks({"rois", "pts"});
    Axes("rois", 1, 2);
    Axes("pts", 1, 2);
    FirstType("rois");
    SameTypes({"pts"});
    CompactNumbers(false);
    Strides({"rois", "pts"});
    CompactSizes();
    Data({"rois", "pts"});
    RoiValues();
  }

  void CompactForward() {
    const Names needed = {"rois", "pts", "pts_feature", "voxels", "voxel_begins", "pts_idx", "pooled_features"};
    ResultPointers();
    HandleRule();
    Descriptors(needed);
    Profile();
    Ranks(needed);
    Axes("rois", 1, 2);
    Axes("pts", 1, 2);
    Axes("pts_feature", 0, 1);
    Axes("voxels", 1, 2);
    Add("voxel_begins axis 0", kBad, "voxel_begins has *", [](BadCall& c) { c["voxel_begins"].surplus[0] = 1; });
    Axes("pooled_features", 0, 2);
    FirstType("rois");
    SameTypes({"pts", "pts_feature"});
    IntegerTypes({"voxels", "voxel_begins", "pts_idx"});
    SameTypes({"pooled_features"});
    Method();
    CompactNumbers(true);
    Strides({"rois", "pts", "pts_feature", "voxels", "voxel_begins", "pts_idx"});
    Strides({"pooled_features"});
    CompactSizes();
    Argmax(2);
    Data(needed);
    if (method_ == kMax) Data({"argmax"});
    Overlap("pooled_features", "pts_feature");
    RoiValues();
    Add("room", kBad, "*", [](BadCall& c) { c.sizes.rows = 2; });
  }

  void CompactBackward() {
    const Names needed = method_ == kMax ? Names{"argmax", "grad_out", "grad_in"}
                                         : Names{"voxel_begins", "pts_idx", "grad_out", "grad_in"};
    HandleRule();
    Descriptors(needed);
    Profile();
    Method();
    Ranks(needed);
    if (method_ == kMax) {
      IntegerTypes({"argmax"});
    } else {
      IntegerTypes({"voxel_begins", "pts_idx"});
    }
    FirstType("grad_out");
    SameTypes({"grad_in"});
    Add("voxel_num", kBad, "voxel_num is -1, *", [](BadCall& c) { c.used_rows = -1; });
    if (method_ == kMax) {
      Axes("argmax", 0, 2);
    } else {
      Add("voxel_begins axis 0", kBad, "voxel_begins has *", [](BadCall& c) { c["voxel_begins"].surplus[0] = -4; });
    }
    Axes("grad_in", 1, 2);
    AboveZero("points", &Sizes::points);
    AboveZero("channels", &Sizes::channels);
    Strides(needed);
    Data(needed);
    Overlap("grad_in", "grad_out");
    if (method_ == kMax) {
      Add("values", kBad, "argmax[1, 2] is 11, *", [](BadCall& c) { c["argmax"].memory->Set(8, 11); });
    } else {
      Add("values", kBad, "pts_idx[3] is 11, *", [](BadCall& c) { c["pts_idx"].memory->Set(3, 11); });
    }
  }

  Function function_;
  int method_;
};

}  // namespace detops_test

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_TEST_ERRORS_RULES_H_
