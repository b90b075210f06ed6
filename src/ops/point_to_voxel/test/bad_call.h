// A call of detopsPointToVoxel whose every argument a test can spoil, and what a refused call must leave behind.
#ifndef DETOPS_OPS_POINT_TO_VOXEL_TEST_BAD_CALL_H_
#define DETOPS_OPS_POINT_TO_VOXEL_TEST_BAD_CALL_H_

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "detops.h"
#include "support/handle.h"
#include "support/tensor.h"

namespace detops_test::inline point_to_voxel {  // one program may use several rooms

// All different, so that a confused axis is noticed.
struct CallSizes {
  int64_t points = 11, features = 5, rows = 7, clouds = 2;
};

// What the call says of one tensor. Extents follow from the call's sizes; here stands only what deviates from them, so
// that two faults in one tensor do not undo each other.
struct TensorArgument {
  std::string name;
  mluOpDataType_t type;
  std::unique_ptr<Tensor> memory = nullptr;  // of the good call
  void* data = nullptr;
  bool described = true;        // false: the descriptor is NULL
  int rank = -1;                // -1: the right one; above it: ones are appended; below: the last extents are missing
  int64_t surplus[3] = {};      // added to the extents
  int64_t odd_strides[3] = {};  // added to the dense strides
};

class BadCall {
 public:
  explicit BadCall(mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    constexpr mluOpDataType_t kInt = MLUOP_DTYPE_INT32;
    for (const auto& [name, element] : {std::pair<const char*, mluOpDataType_t>{"points", type},
                                        {"cloud_begins", kInt},
                                        {"voxels", type},
                                        {"means", type},
                                        {"coordinates", kInt},
                                        {"num_points", kInt},
                                        {"point_voxel", kInt}}) {
      TensorArgument& tensor = tensors.emplace_back(TensorArgument{name, element});
      tensor.memory = std::make_unique<Tensor>(MLUOP_LAYOUT_ARRAY, element, ExtentsOf(name));
      tensor.data = tensor.memory->data();
    }
    (*this)["points"].memory->FillUniform(0, 4, 1);
    (*this)["cloud_begins"].memory->Assign({0, 6, 11});
  }

  TensorArgument& operator[](const std::string& name) {
    const auto at =
        std::find_if(tensors.begin(), tensors.end(), [&](const auto& tensor) { return tensor.name == name; });
    if (at == tensors.end()) throw std::logic_error("no tensor " + name);
    return *at;
  }

  mluOpStatus_t Run(Handle& handle) {
    handle.SetProfile(profile);
    handle.SetValueChecks(value_checks);
    std::vector<OwnedDescriptor> descriptors;
    for (const TensorArgument& tensor : tensors) descriptors.push_back(Describe(tensor));
    const auto desc = [&](size_t i) { return descriptors[i].get(); };
    const mluOpStatus_t status = detopsPointToVoxel(
        with_handle ? handle.get() : nullptr, ndim, with_range_min ? range_min.data() : nullptr,
        with_voxel_size ? voxel_size.data() : nullptr, with_grid ? grid.data() : nullptr, max_points, max_voxels, order,
        desc(0), tensors[0].data, desc(1), tensors[1].data, desc(2), tensors[2].data, desc(3), tensors[3].data, desc(4),
        tensors[4].data, desc(5), tensors[5].data, desc(6), tensors[6].data, with_voxel_num ? &voxel_num : nullptr);
    thread_text = detopsGetLastError(nullptr);
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
    return bytes;
  }

  bool SurroundingsIntact() const {
    return std::all_of(tensors.begin(), tensors.end(),
                       [](const TensorArgument& tensor) { return tensor.memory->SurroundingsIntact(); });
  }

  bool with_handle = true, with_range_min = true, with_voxel_size = true, with_grid = true, with_voxel_num = true;
  detopsProfile_t profile = DETOPS_PROFILE_FULL;
  bool value_checks = true;
  int ndim = 3;
  std::vector<double> range_min = {0, 0, 0, 0}, voxel_size = {1, 2, 0.5, 1};
  std::vector<int> grid = {4, 2, 8, 1};
  int64_t max_points = 3, max_voxels = 6;
  detopsVoxelOrder_t order = DETOPS_VOXEL_ORDER_FIRST_POINT;
  CallSizes sizes;
  int64_t voxel_num = -7;
  std::vector<TensorArgument> tensors;  // in the order of the arguments
  std::string thread_text;              // set by Run

 private:
  struct Destroy {
    void operator()(mluOpTensorDescriptor_t desc) const { mluOpDestroyTensorDescriptor(desc); }
  };
  using OwnedDescriptor = std::unique_ptr<std::remove_pointer_t<mluOpTensorDescriptor_t>, Destroy>;

  std::vector<int64_t> ExtentsOf(const std::string& name) const {
    if (name == "points") return {sizes.points, sizes.features};
    if (name == "cloud_begins") return {sizes.clouds + 1};
    if (name == "voxels") return {sizes.rows, 3, sizes.features};
    if (name == "means") return {sizes.rows, sizes.features};
    if (name == "coordinates") return {sizes.rows, 4};
    return {name == "num_points" ? sizes.rows : sizes.points};
  }

  OwnedDescriptor Describe(const TensorArgument& tensor) const {
    if (!tensor.described) return nullptr;
    std::vector<int64_t> extents = ExtentsOf(tensor.name);
    for (size_t axis = 0; axis < extents.size(); ++axis) extents[axis] += tensor.surplus[axis];
    if (tensor.rank >= 0) extents.resize(static_cast<size_t>(tensor.rank), 1);
    const auto rank = static_cast<int>(extents.size());
    mluOpTensorDescriptor_t desc = nullptr;
    Must(mluOpCreateTensorDescriptor(&desc), "mluOpCreateTensorDescriptor");
    OwnedDescriptor owned(desc);
    std::vector<int64_t> strides(extents.size(), 1);
    for (size_t axis = extents.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * extents[axis];
    bool odd = false;
    for (size_t axis = 0; axis < std::min<size_t>(strides.size(), 3); ++axis) {
      strides[axis] += tensor.odd_strides[axis];
      odd |= tensor.odd_strides[axis] != 0;
    }
    Must(
        odd ? mluOpSetTensorDescriptorEx_v2(desc, MLUOP_LAYOUT_ARRAY, tensor.type, rank, extents.data(), strides.data())
            : mluOpSetTensorDescriptor_v2(desc, MLUOP_LAYOUT_ARRAY, tensor.type, rank, extents.data()),
        "mluOpSetTensorDescriptor_v2");
    return owned;
  }
};

using Spoil = std::function<void(BadCall&)>;

// All checks of a test share one handle: it has to survive every refusal before.
class PointToVoxelRefusals : public testing::Test {
 protected:
  // Runs the call and expects the status, the sentence ("*" is any text), no changed byte, the same text for handle and
  // thread, and that the handle still works.
  void ExpectRefused(mluOpStatus_t status, const std::string& sentence, const Spoil& spoil,
                     mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    SCOPED_TRACE(sentence);
    BadCall call(type);
    spoil(call);
    const std::vector<unsigned char> before = call.Bytes();
    EXPECT_EQ(call.Run(handle_), status) << call.thread_text;
    if (call.with_handle) {
      EXPECT_EQ(handle_.LastError(), call.thread_text);
    }
    EXPECT_TRUE(call.Bytes() == before);
    EXPECT_TRUE(call.SurroundingsIntact());
    EXPECT_TRUE(Matches("detopsPointToVoxel: " + sentence, call.thread_text)) << call.thread_text;
    ExpectGoodCall();
  }
  void ExpectBadParam(const std::string& sentence, const Spoil& spoil, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    ExpectRefused(MLUOP_STATUS_BAD_PARAM, sentence, spoil, type);
  }
  void ExpectNotSupported(const std::string& sentence, const Spoil& spoil, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED, sentence, spoil, type);
  }

  void ExpectAccepted(const Spoil& spoil, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    BadCall call(type);
    spoil(call);
    EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS) << call.thread_text;
    EXPECT_STREQ(handle_.LastError(), "");
    EXPECT_TRUE(call.SurroundingsIntact());
  }

  void ExpectGoodCall() {
    BadCall good;
    EXPECT_EQ(good.Run(handle_), MLUOP_STATUS_SUCCESS) << good.thread_text;
    EXPECT_EQ(good.thread_text, "");
    EXPECT_EQ(good.voxel_num, 7);
  }

  // In a sentence, brackets are themselves.
  static bool Matches(const std::string& sentence, const std::string& text) {
    std::string pattern;
    for (const char letter : sentence) {
      if (letter == '[') pattern += '\\';
      pattern += letter;
    }
    return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
  }

  Handle handle_{DETOPS_PROFILE_FULL, 2};
};

}  // namespace detops_test::inline point_to_voxel

#endif  // DETOPS_OPS_POINT_TO_VOXEL_TEST_BAD_CALL_H_
