// A call of any function of roiaware_pool3d as plain data, and the statuses that the documents foretell for it.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_FUZZ_CALL_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_FUZZ_CALL_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/operator_call.h"
#include "support/element.h"

namespace detops_fuzz {

using detops_test::ElementSize;
using detops_test::ReadElement;
using detops_test::WriteElement;

enum class Function {
  kForward,
  kBackward,
  kSwitches,
  kCount,
  kCompactForward,
  kCompactBackward,
  kMaxValue = kCompactBackward
};

struct TensorArgument : TensorFields {
  std::string name;
  bool written = false;
  uint64_t bytes() const { return Times(elements(), ElementSize(type)); }
  int64_t integer(uint64_t index) const {
    return static_cast<int64_t>(ReadElement(MLUOP_DTYPE_INT32, data, static_cast<int64_t>(index)));
  }
};

struct Call {
  Function function = Function::kForward;
  bool old_spelling = false;  // mluOpRoiaware...
  bool with_handle = true;
  detopsProfile_t profile = DETOPS_PROFILE_FULL;
  bool value_checks = true;
  bool runner_fails = false;
  int target_for_threads = 0;  // the SIMD target on which numbers of threads are compared
  int method = 0;
  int z_origin = 0;
  double xy_margin = 0;
  int64_t boxes = 1, points = 1, channels = 1;  // what the arguments say, beside the tensors
  int64_t max_pts = 2, out_x = 1, out_y = 1, out_z = 1;
  int64_t used_rows = 0;  // voxel_num of the compact backward pass
  bool with_voxel_num = true, with_point_num = true;
  bool with_workspace = false;
  size_t workspace_size = 0;
  std::vector<TensorArgument> tensors;

  TensorArgument* Find(const std::string& name) {
    const auto at =
        std::find_if(tensors.begin(), tensors.end(), [&](const auto& tensor) { return tensor.name == name; });
    return at == tensors.end() ? nullptr : &*at;
  }
  TensorArgument& operator[](const std::string& name) { return *Find(name); }
  const TensorArgument& operator[](const std::string& name) const { return *const_cast<Call*>(this)->Find(name); }

  // Of the compact tensors.
  int64_t rows() const {
    if (function == Function::kCount) return 0;
    const TensorArgument& tensor = (*this)[function == Function::kCompactForward ? "voxels" : "grad_out"];
    return tensor.extents.empty() ? 0 : tensor.extents[0];
  }
  bool extension() const { return function != Function::kForward && function != Function::kBackward; }
  bool backward() const { return function == Function::kBackward || function == Function::kCompactBackward; }
  bool compact() const {
    return function == Function::kCount || function == Function::kCompactForward ||
           function == Function::kCompactBackward;
  }
  const char* name() const {
    const char* const names[] = {"mluOpRoiAwarePool3dForward",         "mluOpRoiAwarePool3dBackward",
                                 "detopsRoiAwarePool3dForward",        "detopsCountRoiAwareVoxels",
                                 "detopsRoiAwarePool3dCompactForward", "detopsRoiAwarePool3dCompactBackward"};
    return names[static_cast<int>(function)];
  }

  // Whether the function looks at the tensor at all.
  bool Uses(const std::string& tensor) const {
    if (tensor == "argmax") return function == Function::kBackward || method != 1;
    if (function != Function::kCompactBackward) return true;
    return method != 0 || (tensor != "voxel_begins" && tensor != "pts_idx");
  }
};

inline int64_t Product(int64_t a, int64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * static_cast<uint64_t>(b);
  return static_cast<int64_t>(std::min<unsigned __int128>(product, INT64_MAX));
}

inline bool IsDense(const TensorArgument& tensor) {
  if (tensor.strides.size() != tensor.extents.size() || tensor.elements() == 0) return true;
  int64_t dense = 1;
  for (size_t axis = tensor.extents.size(); axis-- > 0;) {
    if (tensor.extents[axis] != 1 && tensor.strides[axis] != dense) return false;
    dense = Product(dense, tensor.extents[axis]);
  }
  return true;
}

inline bool AllFinite(const TensorArgument& tensor) {
  for (uint64_t i = 0; i < tensor.elements(); ++i) {
    if (!std::isfinite(ReadElement(tensor.type, tensor.data, static_cast<int64_t>(i)))) return false;
  }
  return true;
}

// ---- what the documents say of it ----

// The checks in their order, as far as statuses tell them apart. The first that fails stays.
class Model {
 public:
  explicit Model(const Call& call) : call_(call) {
    Descriptors();
    if (call.extension() && call.profile == DETOPS_PROFILE_CONTRACT) Fail(MLUOP_STATUS_NOT_SUPPORTED);
    if (!decided_) Shapes();
    if (!decided_) Numbers();
    if (!decided_) Sizes();
    if (!decided_) Memory();
  }
  mluOpStatus_t status() const { return status_; }

 private:
  void Fail(mluOpStatus_t status) {
    if (!decided_) status_ = status;
    decided_ = true;
  }
  void Require(bool condition, mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
    if (!condition) Fail(status);
  }

  // In the documents' first line argmax is left out where only the maximum needs it.
  bool InFirstLine(const TensorArgument& tensor) const {
    if (tensor.name != "argmax") return call_.Uses(tensor.name);
    return call_.backward() && call_.Uses(tensor.name);
  }

  void Descriptors() {
    if (call_.function == Function::kCount || call_.function == Function::kCompactForward) {
      Require(call_.with_voxel_num && call_.with_point_num);
    }
    Require(call_.with_handle);
    for (const TensorArgument& tensor : call_.tensors) Require(!InFirstLine(tensor) || tensor.described);
  }

  static size_t RankOf(const Call& call, const std::string& name) {
    if (name == "voxel_begins" || (name == "pts_idx")) return 1;
    const bool five = !call.compact() && (name == "pts_idx_of_voxels" || name == "argmax" ||
                                          name == "pooled_features" || name == "grad_out");
    return five ? 5 : 2;
  }

  void TypesOf(const TensorArgument& tensor) {
    if (tensor.name == "rois" || tensor.name == "grad_out") {
      const bool small = tensor.type == MLUOP_DTYPE_FLOAT || tensor.type == MLUOP_DTYPE_HALF;
      const bool full = tensor.type == MLUOP_DTYPE_DOUBLE || tensor.type == MLUOP_DTYPE_BFLOAT16;
      Require(small || (full && call_.profile == DETOPS_PROFILE_FULL));
    } else if (tensor.name == "pts" || tensor.name == "pts_feature" || tensor.name == "pooled_features" ||
               tensor.name == "grad_in") {
      Require(tensor.type == call_[call_.backward() ? "grad_out" : "rois"].type);
    } else {
      Require(tensor.type == MLUOP_DTYPE_INT32);
    }
  }

  // Extents in terms of the arguments. For functions that take them from the tensors the call's numbers are those.
  std::vector<int64_t> ExtentsOf(const std::string& name) const {
    const Call& c = call_;
    const int64_t rows = c.compact() ? c.rows() : 0;
    if (name == "rois") return {c.boxes, 7};
    if (name == "pts") return {c.points, 3};
    if (name == "pts_feature" || name == "grad_in") return {c.points, c.channels};
    if (name == "voxels") return {rows, 4};
    if (name == "voxel_begins") return {rows + 1};
    if (name == "pts_idx_of_voxels") return {c.boxes, c.out_x, c.out_y, c.out_z, c.max_pts};
    if (c.compact()) return {rows, c.channels};
    return {c.boxes, c.out_x, c.out_y, c.out_z, c.channels};
  }

  void ShapeOf(const TensorArgument& tensor) {
    if (tensor.name == "pts_idx") return;
    if (tensor.name == "voxel_begins" && call_.function == Function::kCompactBackward) {
      return Require(tensor.extents[0] > call_.used_rows);
    }
    Require(tensor.extents == ExtentsOf(tensor.name));
  }

  // All of these are BAD_PARAM, so their order does not show.
  void Shapes() {
    for (const TensorArgument& tensor : call_.tensors) {
      if (InFirstLine(tensor)) Require(tensor.extents.size() == RankOf(call_, tensor.name));
    }
    if (decided_) return;
    if (call_.function == Function::kCompactBackward) {
      Require(call_.used_rows >= 0 && call_.used_rows <= call_["grad_out"].extents[0]);
    }
    for (const TensorArgument& tensor : call_.tensors) {
      if (!InFirstLine(tensor)) continue;
      ShapeOf(tensor);
      TypesOf(tensor);
    }
  }

  void Numbers() {
    if (call_.function != Function::kCount) Require(call_.method == 0 || call_.method == 1);
    if (call_.extension() && !call_.backward()) {
      Require(call_.z_origin == 0 || call_.z_origin == 1);
      Require(std::isfinite(call_.xy_margin) && call_.xy_margin >= 0);
    }
    Require(call_.points > 0);
    if (call_.function != Function::kCount) Require(call_.channels > 0);
    if (call_.function == Function::kCompactBackward) return;
    Require(call_.boxes > 0 && call_.max_pts > 0 && call_.out_x > 0 && call_.out_y > 0 && call_.out_z > 0);
  }

  void Sizes() {
    constexpr mluOpStatus_t kLimit = MLUOP_STATUS_NOT_SUPPORTED;
    for (const TensorArgument& tensor : call_.tensors) {
      const bool argmax = tensor.name == "argmax" && !call_.backward() && tensor.described;
      if (InFirstLine(tensor) || argmax) Require(IsDense(tensor), kLimit);
    }
    if (call_.compact() && !call_.backward()) {
      Require(call_.points <= INT32_MAX, kLimit);
      Require(call_.boxes <= INT32_MAX, kLimit);  // voxels names them in 32 bits
      int64_t voxels = Product(Product(call_.boxes, call_.out_x), Product(call_.out_y, call_.out_z));
      Require(voxels < INT64_MAX, kLimit);
    }
    if (call_.function == Function::kCompactForward) Argmax();
    const bool contract = call_.profile == DETOPS_PROFILE_CONTRACT;
    if (contract) {
      Require(call_.boxes < 65536 && call_.channels < 65536, kLimit);
      const int64_t most = call_.backward() ? 2048 : call_["rois"].type == MLUOP_DTYPE_FLOAT ? 2976 : 2944;
      Require(call_.max_pts <= most, kLimit);
    }
    for (const TensorArgument& tensor : call_.tensors) {
      const bool counted = InFirstLine(tensor) || (call_.compact() && call_.Uses(tensor.name));
      if (!counted) continue;
      Require(tensor.bytes() < uint64_t{1} << 63, kLimit);
      if (contract) Require(tensor.elements() < uint64_t{1} << 31, kLimit);
    }
    if (contract && !call_.backward()) Require(Product(call_.boxes, call_.points) <= INT32_MAX, kLimit);
  }

  void Argmax() {
    if (call_.method != 0) return;
    const TensorArgument& argmax = call_["argmax"];
    Require(argmax.described && argmax.extents == ExtentsOf("argmax") && argmax.type == MLUOP_DTYPE_INT32);
  }

  void Memory() {
    if (call_.function == Function::kForward) Require(call_.with_workspace || call_.workspace_size == 0);
    for (const TensorArgument& tensor : call_.tensors) {
      if (InFirstLine(tensor) && tensor.elements() > 0) Require(tensor.data != nullptr);
    }
    if (!call_.compact() && !call_.backward()) Argmax();
    if (!decided_ && !call_.backward() && call_.function != Function::kCount && call_.method == 0) {
      Require(call_["argmax"].data != nullptr || call_["argmax"].elements() == 0);
    }
    if (decided_) return;
    for (const TensorArgument& output : call_.tensors) {
      for (const TensorArgument& other : call_.tensors) {
        if (output.written && &other != &output) Require(!Overlap(output, other));
      }
    }
  }

  static bool Overlap(const TensorArgument& a, const TensorArgument& b) {
    if (a.data == nullptr || b.data == nullptr || !a.described || !b.described) return false;
    return a.data < b.data + b.bytes() && b.data < a.data + a.bytes();
  }

  const Call& call_;
  bool decided_ = false;
  mluOpStatus_t status_ = MLUOP_STATUS_SUCCESS;
};

// The numbers in a call that got past the model are as documented.
inline bool ValuesAreGood(const Call& call) {
  if (!call.backward()) return AllFinite(call["rois"]);
  const auto point = [&](int64_t index) { return index >= 0 && index < call.points; };
  if (call.method == 0) {
    const TensorArgument& argmax = call["argmax"];
    const uint64_t used = call.compact() ? static_cast<uint64_t>(call.used_rows * call.channels) : argmax.elements();
    for (uint64_t i = 0; i < used; ++i) {
      if (argmax.integer(i) != -1 && !point(argmax.integer(i))) return false;
    }
    return true;
  }
  if (call.compact()) {
    const TensorArgument &begins = call["voxel_begins"], &list = call["pts_idx"];
    if (begins.integer(0) != 0) return false;
    const auto rows = static_cast<uint64_t>(call.used_rows);
    for (uint64_t row = 0; row < rows; ++row) {
      if (begins.integer(row + 1) < begins.integer(row)) return false;
    }
    if (begins.integer(rows) > list.extents[0]) return false;
    for (int64_t i = 0; i < begins.integer(rows); ++i) {
      if (!point(list.integer(static_cast<uint64_t>(i)))) return false;
    }
    return true;
  }
  const TensorArgument& lists = call["pts_idx_of_voxels"];
  const auto room = static_cast<uint64_t>(call.max_pts);
  for (uint64_t at = 0; at < lists.elements(); at += room) {
    const int64_t count = lists.integer(at);
    if (count < 0 || count >= call.max_pts) return false;
    for (uint64_t i = 1; i <= static_cast<uint64_t>(count); ++i) {
      if (!point(lists.integer(at + i))) return false;
    }
  }
  return true;
}

// No workspace is needed, whatever the tensors are.
inline void CheckWorkspaceSize(const Call& call) {
  if (call.function != Function::kForward) return;
  const auto get = call.old_spelling ? mluOpGetRoiawarePool3dForwardWorkspaceSize  // the error names the new spelling
                                     : mluOpGetRoiAwarePool3dForwardWorkspaceSize;
  const Descriptor rois(call["rois"]), pts(call["pts"]), feature(call["pts_feature"]);
  const mluOpHandle_t handle = call.with_handle ? AllHandles().alone : nullptr;
  size_t size = 77;
  size_t* const to_size = call.with_voxel_num ? &size : nullptr;
  const bool good = call.with_handle && call["pts_feature"].described && to_size != nullptr;
  ExpectStatus(get(handle, rois.get(), pts.get(), feature.get(), to_size), good,
               "mluOpGetRoiAwarePool3dForwardWorkspaceSize", handle);
  if (size != (good ? 0u : 77u)) Broken("the workspace has %zu bytes", size);
}

}  // namespace detops_fuzz

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_FUZZ_CALL_H_
