// A call of any function of roiaware_pool3d whose every argument a test can spoil, and what a refused call must leave
// behind.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_TEST_BAD_CALL_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_TEST_BAD_CALL_H_

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/roiaware_pool3d/test/problem.h"

namespace detops_test::inline roiaware_pool3d {  // one program may use several rooms

enum class Function { kForward, kBackward, kSwitches, kCount, kCompactForward, kCompactBackward };

inline const char* NameOf(Function function) {
  const char* const names[] = {"mluOpRoiAwarePool3dForward",         "mluOpRoiAwarePool3dBackward",
                               "detopsRoiAwarePool3dForward",        "detopsCountRoiAwareVoxels",
                               "detopsRoiAwarePool3dCompactForward", "detopsRoiAwarePool3dCompactBackward"};
  return names[static_cast<int>(function)];
}

inline bool IsExtension(Function function) { return function != Function::kForward && function != Function::kBackward; }

// All different, so that a confused axis is noticed. `rows` and `room` are the extents of the compact tensors.
struct CallSizes : Sizes {
  CallSizes() : Sizes{2, 11, 6, 3, 4, 5, 8} {}
  int64_t rows = 23, room = 29;
};

// What the call says of one tensor. Extents follow from the call's sizes; here stands only what deviates from them, so
// that two faults in one tensor do not undo each other.
struct TensorArgument {
  std::string name;
  mluOpDataType_t type;
  bool written;
  std::function<std::vector<int64_t>(const CallSizes&)> extents;
  std::unique_ptr<Tensor> memory = nullptr;  // of the good call
  void* data = nullptr;
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  bool described = true;        // false: the descriptor is NULL
  int rank = -1;                // -1: the right one; above it: ones are appended; below: the last extents are missing
  int64_t surplus[5] = {};      // added to the extents
  int64_t odd_strides[5] = {};  // added to the dense strides
};

class BadCall {
 public:
  BadCall(Function function, int pool_method, mluOpDataType_t type = MLUOP_DTYPE_FLOAT)
      : method(pool_method), function_(function) {
    profile = IsExtension(function) ? DETOPS_PROFILE_FULL : ProfileFor(type);
    AddTensors(type);
    for (TensorArgument& tensor : tensors) {
      tensor.memory = std::make_unique<Tensor>(MLUOP_LAYOUT_ARRAY, tensor.type, tensor.extents(sizes));
      tensor.data = tensor.memory->data();
    }
    FillInputs();
  }

  // Only tensors that the function has.
  TensorArgument& operator[](const std::string& name) {
    const auto at =
        std::find_if(tensors.begin(), tensors.end(), [&](const auto& tensor) { return tensor.name == name; });
    if (at == tensors.end()) throw std::logic_error("no tensor " + name);
    return *at;
  }

  mluOpStatus_t Run(Handle& handle) {
    handle.SetProfile(profile);
    handle.SetValueChecks(value_checks);
    descriptors_.clear();
    for (const TensorArgument& tensor : tensors) descriptors_[tensor.name] = Describe(tensor);
    const mluOpStatus_t status = Dispatch(with_handle ? handle.get() : nullptr);
    thread_text = detopsGetLastError(nullptr);
    descriptors_.clear();
    return status;
  }

  // Everything a refused call must leave as it was.
  std::vector<unsigned char> Bytes() const {
    std::vector<unsigned char> bytes;
    const auto append = [&](const void* data, size_t size) {
      const auto* begin = static_cast<const unsigned char*>(data);
      bytes.insert(bytes.end(), begin, begin + size);
    };
    for (const TensorArgument& tensor : tensors) append(tensor.memory->data(), tensor.memory->bytes());
    append(&voxel_num, sizeof(voxel_num));
    append(&point_num, sizeof(point_num));
    return bytes;
  }

  bool SurroundingsIntact() const {
    return std::all_of(tensors.begin(), tensors.end(),
                       [](const TensorArgument& tensor) { return tensor.memory->SurroundingsIntact(); });
  }

  bool with_handle = true;
  bool old_spelling = false;  // mluOpRoiaware...
  detopsProfile_t profile;
  bool value_checks = true;
  int method;
  detopsZOrigin_t z_origin = DETOPS_Z_BOTTOM;
  double xy_margin = 0;
  CallSizes sizes;
  void* workspace = nullptr;
  size_t workspace_size = 0;
  int64_t used_rows = 20;  // voxel_num of the compact backward pass
  bool with_voxel_num = true, with_point_num = true;
  int64_t voxel_num = -7, point_num = -7;  // results of the compact forward pass and the count
  std::vector<TensorArgument> tensors;     // in the order of the arguments
  std::string thread_text;                 // set by Run

 private:
  struct Destroy {
    void operator()(mluOpTensorDescriptor_t desc) const { mluOpDestroyTensorDescriptor(desc); }
  };
  using OwnedDescriptor = std::unique_ptr<std::remove_pointer_t<mluOpTensorDescriptor_t>, Destroy>;

  void AddTensors(mluOpDataType_t type) {
    constexpr mluOpDataType_t kInt = MLUOP_DTYPE_INT32;
    using N = CallSizes;
    const auto add = [&](const char* name, mluOpDataType_t own, bool written,
                         std::function<std::vector<int64_t>(const N&)> extents) {
      tensors.push_back({name, own, written, std::move(extents)});
    };
    const auto inputs = [&](bool features) {
      add("rois", type, false, [](const N& n) { return std::vector<int64_t>{n.boxes, 7}; });
      add("pts", type, false, [](const N& n) { return std::vector<int64_t>{n.points, 3}; });
      if (!features) return;
      add("pts_feature", type, false, [](const N& n) { return std::vector<int64_t>{n.points, n.channels}; });
    };
    const auto voxels = [](const N& n, int64_t last) {
      return std::vector<int64_t>{n.boxes, n.out_x, n.out_y, n.out_z, last};
    };
    const auto dense_lists = [voxels](const N& n) { return voxels(n, n.max_pts); };
    const auto dense_rows = [voxels](const N& n) { return voxels(n, n.channels); };
    const auto rows = [](const N& n) { return std::vector<int64_t>{n.rows, n.channels}; };
    const auto begins = [](const N& n) { return std::vector<int64_t>{n.rows + 1}; };
    const auto list = [](const N& n) { return std::vector<int64_t>{n.room}; };
    const auto gradient = [](const N& n) { return std::vector<int64_t>{n.points, n.channels}; };
    switch (function_) {
      case Function::kForward:
      case Function::kSwitches:
        inputs(true);
        add("argmax", kInt, true, dense_rows);
        add("pts_idx_of_voxels", kInt, true, dense_lists);
        add("pooled_features", type, true, dense_rows);
        break;
      case Function::kBackward:
        add("pts_idx_of_voxels", kInt, false, dense_lists);
        add("argmax", kInt, false, dense_rows);
        add("grad_out", type, false, dense_rows);
        add("grad_in", type, true, gradient);
        break;
      case Function::kCount:
        inputs(false);
        break;
      case Function::kCompactForward:
        inputs(true);
        add("voxels", kInt, true, [](const N& n) { return std::vector<int64_t>{n.rows, 4}; });
        add("voxel_begins", kInt, true, begins);
        add("pts_idx", kInt, true, list);
        add("argmax", kInt, true, rows);
        add("pooled_features", type, true, rows);
        break;
      case Function::kCompactBackward:
        add("voxel_begins", kInt, false, begins);
        add("pts_idx", kInt, false, list);
        add("argmax", kInt, false, rows);
        add("grad_out", type, false, rows);
        add("grad_in", type, true, gradient);
        break;
    }
  }

  // Boxes that hold all points, so that a good call has work to do; lists and winners that are all in range.
  void FillInputs() {
    for (TensorArgument& tensor : tensors) {
      if (tensor.written) continue;
      Tensor& memory = *tensor.memory;
      if (tensor.name == "rois") {
        const double box[] = {0, 0, -1, 3, 3, 2, 0.5};
        for (int64_t i = 0; i < memory.elements(); ++i) memory.Set(i, box[i % 7]);
      } else if (tensor.name == "pts_idx_of_voxels") {  // two points each: counts first
        for (int64_t i = 0; i < memory.elements(); ++i) {
          memory.Set(i, i % sizes.max_pts == 0 ? 2 : static_cast<double>(i % sizes.points));
        }
      } else if (tensor.name == "voxel_begins") {
        for (int64_t i = 0; i < memory.elements(); ++i) memory.Set(i, static_cast<double>(i));
      } else if (tensor.type == MLUOP_DTYPE_INT32) {  // -1 too where it is a winner
        const int64_t least = tensor.name == "argmax" ? -1 : 0;
        for (int64_t i = 0; i < memory.elements(); ++i) {
          memory.Set(i, static_cast<double>(least + i % (sizes.points - least)));
        }
      } else {
        memory.FillUniform(-1, 1, 3);
      }
    }
  }

  OwnedDescriptor Describe(const TensorArgument& tensor) const {
    if (!tensor.described) return nullptr;
    std::vector<int64_t> extents = tensor.extents(sizes);
    for (size_t axis = 0; axis < extents.size(); ++axis) extents[axis] += tensor.surplus[axis];
    if (tensor.rank >= 0) extents.resize(static_cast<size_t>(tensor.rank), 1);
    const int rank = static_cast<int>(extents.size());
    mluOpTensorDescriptor_t desc = nullptr;
    Must(mluOpCreateTensorDescriptor(&desc), "mluOpCreateTensorDescriptor");
    OwnedDescriptor owned(desc);
    if (rank == 0) {
      Must(mluOpSetTensorDescriptorPointerMode(desc, MLUOP_POINTER_MODE_HOST), "mluOpSetTensorDescriptorPointerMode");
    }
    Must(mluOpSetTensorDescriptor_v2(desc, tensor.layout, tensor.type, rank, extents.data()),
         "mluOpSetTensorDescriptor_v2");
    if (std::all_of(std::begin(tensor.odd_strides), std::end(tensor.odd_strides), [](int64_t s) { return s == 0; })) {
      return owned;
    }
    // On top of the dense strides, which the descriptor itself tells.
    std::vector<int64_t> strides(extents.size());
    mluOpTensorLayout_t layout;
    mluOpDataType_t type;
    int same_rank;
    Must(mluOpGetTensorDescriptorEx_v2(desc, &layout, &type, &same_rank, extents.data(), strides.data()),
         "mluOpGetTensorDescriptorEx_v2");
    for (size_t axis = 0; axis < std::min<size_t>(strides.size(), 5); ++axis) strides[axis] += tensor.odd_strides[axis];
    Must(mluOpSetTensorDescriptorEx_v2(desc, layout, type, rank, extents.data(), strides.data()),
         "mluOpSetTensorDescriptorEx_v2");
    return owned;
  }

  mluOpStatus_t Dispatch(mluOpHandle_t handle) {
    const auto d = [&](const char* name) { return descriptors_[name].get(); };
    const auto p = [&](const char* name) { return (*this)[name].data; };
    const auto i = [](int64_t value) { return static_cast<int>(value); };
    const CallSizes& n = sizes;
    int64_t* const voxels_found = with_voxel_num ? &voxel_num : nullptr;
    int64_t* const points_found = with_point_num ? &point_num : nullptr;
    switch (function_) {
      case Function::kForward:
        return (old_spelling ? mluOpRoiawarePool3dForward : mluOpRoiAwarePool3dForward)(
            handle, method, i(n.boxes), i(n.points), i(n.channels), d("rois"), p("rois"), d("pts"), p("pts"),
            d("pts_feature"), p("pts_feature"), workspace, workspace_size, i(n.max_pts), i(n.out_x), i(n.out_y),
            i(n.out_z), d("argmax"), p("argmax"), d("pts_idx_of_voxels"), p("pts_idx_of_voxels"), d("pooled_features"),
            p("pooled_features"));
      case Function::kBackward:
        return (old_spelling ? mluOpRoiawarePool3dBackward : mluOpRoiAwarePool3dBackward)(
            handle, method, i(n.boxes), i(n.out_x), i(n.out_y), i(n.out_z), i(n.channels), i(n.max_pts),
            d("pts_idx_of_voxels"), p("pts_idx_of_voxels"), d("argmax"), p("argmax"), d("grad_out"), p("grad_out"),
            d("grad_in"), p("grad_in"));
      case Function::kSwitches:
        return detopsRoiAwarePool3dForward(handle, method, z_origin, xy_margin, d("rois"), p("rois"), d("pts"),
                                           p("pts"), d("pts_feature"), p("pts_feature"), d("argmax"), p("argmax"),
                                           d("pts_idx_of_voxels"), p("pts_idx_of_voxels"), d("pooled_features"),
                                           p("pooled_features"));
      case Function::kCount:
        return detopsCountRoiAwareVoxels(handle, z_origin, xy_margin, i(n.max_pts), i(n.out_x), i(n.out_y), i(n.out_z),
                                         d("rois"), p("rois"), d("pts"), p("pts"), voxels_found, points_found);
      case Function::kCompactForward:
        return detopsRoiAwarePool3dCompactForward(
            handle, method, z_origin, xy_margin, i(n.max_pts), i(n.out_x), i(n.out_y), i(n.out_z), d("rois"), p("rois"),
            d("pts"), p("pts"), d("pts_feature"), p("pts_feature"), d("voxels"), p("voxels"), d("voxel_begins"),
            p("voxel_begins"), d("pts_idx"), p("pts_idx"), d("argmax"), p("argmax"), d("pooled_features"),
            p("pooled_features"), voxels_found, points_found);
      case Function::kCompactBackward:
        return detopsRoiAwarePool3dCompactBackward(handle, method, used_rows, d("voxel_begins"), p("voxel_begins"),
                                                   d("pts_idx"), p("pts_idx"), d("argmax"), p("argmax"), d("grad_out"),
                                                   p("grad_out"), d("grad_in"), p("grad_in"));
    }
    return MLUOP_STATUS_INTERNAL_ERROR;
  }

  Function function_;
  std::map<std::string, OwnedDescriptor> descriptors_;
};

using Spoil = std::function<void(BadCall&)>;

struct CallKind {
  Function function;
  int method;
};
inline constexpr CallKind kCallKinds[] = {{Function::kForward, kMax},         {Function::kForward, kAverage},
                                          {Function::kBackward, kMax},        {Function::kBackward, kAverage},
                                          {Function::kSwitches, kMax},        {Function::kCount, kMax},
                                          {Function::kCompactForward, kMax},  {Function::kCompactForward, kAverage},
                                          {Function::kCompactBackward, kMax}, {Function::kCompactBackward, kAverage}};

inline std::string KindName(const testing::TestParamInfo<CallKind>& info) {
  return std::string(NameOf(info.param.function)) + (info.param.method == kMax ? "Max" : "Average");
}

// All tests of a suite share one handle per test: it has to survive every refusal before.
class RoiAwarePool3dRefusals : public testing::TestWithParam<CallKind> {
 protected:
  Function function() const { return GetParam().function; }
  int method() const { return GetParam().method; }
  BadCall NewCall(mluOpDataType_t type = MLUOP_DTYPE_FLOAT) const { return BadCall(function(), method(), type); }

  // Runs the call and expects the status, no changed byte, the same text for handle and thread, and that the handle
  // still works. Gives the text without the function's name.
  std::string Refuse(BadCall& call, mluOpStatus_t status) {
    const std::vector<unsigned char> before = call.Bytes();
    EXPECT_EQ(call.Run(handle_), status);
    if (call.with_handle) {
      EXPECT_EQ(handle_.LastError(), call.thread_text);
    }
    EXPECT_TRUE(call.Bytes() == before);
    EXPECT_TRUE(call.SurroundingsIntact());
    ExpectGoodCall();
    const std::string start = std::string(NameOf(function())) + ": ";
    EXPECT_EQ(call.thread_text.rfind(start, 0), 0u) << call.thread_text;
    return call.thread_text.substr(std::min(start.size(), call.thread_text.size()));
  }

  // The sentence may hold "*".
  void ExpectRefused(mluOpStatus_t status, const std::string& sentence, const Spoil& spoil,
                     mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    SCOPED_TRACE(sentence);
    BadCall call = NewCall(type);
    spoil(call);
    const std::string text = Refuse(call, status);
    EXPECT_TRUE(Matches(text, sentence)) << text;
  }

  void ExpectBadParam(const std::string& sentence, const Spoil& spoil, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    ExpectRefused(MLUOP_STATUS_BAD_PARAM, sentence, spoil, type);
  }

  void ExpectNotSupported(const std::string& sentence, const Spoil& spoil, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED, sentence, spoil, type);
  }

  void ExpectAccepted(const std::string& what, const Spoil& spoil, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    SCOPED_TRACE(what);
    BadCall call = NewCall(type);
    spoil(call);
    EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS) << call.thread_text;
    EXPECT_STREQ(handle_.LastError(), "");
    EXPECT_TRUE(call.SurroundingsIntact());
  }

  void ExpectGoodCall() {
    EXPECT_EQ(good_.Run(handle_), MLUOP_STATUS_SUCCESS) << good_.thread_text;
    EXPECT_STREQ(handle_.LastError(), "");
    EXPECT_EQ(good_.thread_text, "");
  }

  // "*" stands for anything; brackets are brackets.
  static bool Matches(const std::string& text, const std::string& pattern) {
    std::string escaped;
    for (const char c : pattern) {
      if (c == '[') escaped.push_back('\\');
      escaped.push_back(c);
    }
    return fnmatch(escaped.c_str(), text.c_str(), 0) == 0;
  }

  Handle handle_;
  BadCall good_ = NewCall();
};

}  // namespace detops_test::inline roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_TEST_BAD_CALL_H_
