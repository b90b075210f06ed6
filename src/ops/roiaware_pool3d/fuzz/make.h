// Makes a call of a function of roiaware_pool3d from a fuzzer's bytes: right, or wrong in one or two places.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_FUZZ_MAKE_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_FUZZ_MAKE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ops/roiaware_pool3d/fuzz/call.h"

namespace detops_fuzz {

// What can be wrong. kNone stands for all that is right.
enum class Fault {
  kNone,
  kNullHandle,
  kNullDescriptor,
  kNullData,
  kRank,
  kType,
  kStride,
  kExtent,
  kHugeExtent,
  kMethod,
  kSwitches,
  kNumber,
  kHugeNumber,
  kResultPointer,
  kWorkspace,
  kOverlap,
  kContract,
  kRunner,
  kMaxValue = kRunner
};

class CallMaker {
 public:
  explicit CallMaker(FuzzedBytes& bytes) : bytes_(bytes) {}

  Call Make() {
    call_.function = bytes_.AnyOf<Function>();
    call_.old_spelling = OneIn(bytes_, 4);
    call_.method = Number(bytes_, 0, 1);
    call_.value_checks = !OneIn(bytes_, 8);
    call_.target_for_threads = Number(bytes_, 0, 7);
    constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16,
                                          MLUOP_DTYPE_DOUBLE};
    type_ = OneOf(bytes_, kTypes);
    const bool contract_type = type_ == MLUOP_DTYPE_FLOAT || type_ == MLUOP_DTYPE_HALF;
    if (!call_.extension() && contract_type && OneIn(bytes_, 2)) call_.profile = DETOPS_PROFILE_CONTRACT;
    constexpr double kMargins[] = {0, 1e-5, 0.25, 1, 1e30, 1e300};
    if (call_.extension()) {
      call_.z_origin = Number(bytes_, 0, 1);
      call_.xy_margin = OneOf(bytes_, kMargins);
    }
    Sizes();
    AddTensors();
    const bool average_argmax = !call_.backward() && call_.method == 1;
    if (average_argmax && call_.Find("argmax") != nullptr && OneIn(bytes_, 2)) {
      call_["argmax"].described = call_["argmax"].has_data = false;
    }
    for (int faults = std::max(0, Number(bytes_, 0, 7) - 5); faults > 0; --faults) {
      ApplyFault(bytes_.AnyOf<Fault>());
    }
    Derive();
    Place();
    Fill();
    return std::move(call_);
  }

 private:
  void Sizes() {
    constexpr int kOuts[] = {1, 1, 2, 3, 5, 300};
    constexpr int kRooms[] = {1, 2, 3, 5, 9, 33};
    call_.boxes = Number(bytes_, 1, 3);
    call_.points = OneIn(bytes_, 8) ? Number(bytes_, 1, 255) : Number(bytes_, 1, 24);
    call_.channels = Number(bytes_, 1, 20);
    call_.max_pts = OneOf(bytes_, kRooms);
    call_.out_x = OneOf(bytes_, kOuts);
    call_.out_y = call_.out_x == 300 ? 1 : OneOf(bytes_, kOuts);
    call_.out_z = call_.out_x == 300 || call_.out_y == 300 ? 1 : OneOf(bytes_, kOuts);
    rows_ = Number(bytes_, 0, 60);
    room_ = Number(bytes_, 0, 80);
    call_.used_rows = bytes_.Between<int64_t>(0, rows_);
  }

  void Add(const char* name, mluOpDataType_t type, bool written, std::vector<int64_t> extents) {
    TensorArgument tensor;
    tensor.name = name;
    tensor.type = type;
    tensor.written = written;
    tensor.extents = std::move(extents);
    // Descriptors refuse negative extents, so a tensor cannot follow an argument below 0.
    for (int64_t& extent : tensor.extents) extent = std::max<int64_t>(extent, 0);
    call_.tensors.push_back(std::move(tensor));
  }

  void AddTensors() {
    constexpr mluOpDataType_t kInt = MLUOP_DTYPE_INT32;
    const Call& c = call_;
    const std::vector<int64_t> dense = {c.boxes, c.out_x, c.out_y, c.out_z, c.channels};
    const std::vector<int64_t> lists = {c.boxes, c.out_x, c.out_y, c.out_z, c.max_pts};
    const std::vector<int64_t> rows = {rows_, c.channels}, features = {c.points, c.channels};
    if (!c.backward()) {
      Add("rois", type_, false, {c.boxes, 7});
      Add("pts", type_, false, {c.points, 3});
      if (c.function != Function::kCount) Add("pts_feature", type_, false, features);
    }
    switch (c.function) {
      case Function::kForward:
      case Function::kSwitches:
        Add("argmax", kInt, true, dense);
        Add("pts_idx_of_voxels", kInt, true, lists);
        Add("pooled_features", type_, true, dense);
        break;
      case Function::kBackward:
        Add("pts_idx_of_voxels", kInt, false, lists);
        Add("argmax", kInt, false, dense);
        Add("grad_out", type_, false, dense);
        Add("grad_in", type_, true, features);
        break;
      case Function::kCount:
        break;
      case Function::kCompactForward:
        Add("voxels", kInt, true, {rows_, 4});
        Add("voxel_begins", kInt, true, {rows_ + 1});
        Add("pts_idx", kInt, true, {room_});
        Add("argmax", kInt, true, rows);
        Add("pooled_features", type_, true, rows);
        break;
      case Function::kCompactBackward:
        Add("voxel_begins", kInt, false, {rows_ + 1});
        Add("pts_idx", kInt, false, {room_});
        Add("argmax", kInt, false, rows);
        Add("grad_out", type_, false, rows);
        Add("grad_in", type_, true, features);
        break;
    }
  }

  // What the documents leave open is left out: argmax with average, and the lists that a backward pass does not use.
  TensorArgument& AnyTensor() {
    TensorArgument& tensor =
        call_.tensors[static_cast<size_t>(Number(bytes_, 0, static_cast<int>(call_.tensors.size()) - 1))];
    return call_.Uses(tensor.name) ? tensor : call_.tensors.back();
  }

  void ApplyShapeFault(Fault fault, TensorArgument& tensor) {
    const auto axis = static_cast<size_t>(Number(bytes_, 0, 4));
    switch (fault) {
      case Fault::kRank:
        tensor.extents.resize(static_cast<size_t>(Number(bytes_, 0, 9)), 1);
        break;
      case Fault::kStride: {
        tensor.strides.assign(tensor.extents.size(), 1);
        for (size_t i = tensor.extents.size(); i-- > 1;) {
          tensor.strides[i - 1] = Product(tensor.strides[i], tensor.extents[i]);
        }
        if (axis < tensor.strides.size()) {
          tensor.strides[axis] = OneIn(bytes_, 4) ? ExtremeNumber(bytes_) : Number(bytes_, -100, 100);
        }
        break;
      }
      default:
        if (axis >= tensor.extents.size()) break;
        tensor.extents[axis] = fault == Fault::kExtent ? Number(bytes_, 0, 8) : ExtremeNumber(bytes_);
        break;
    }
  }

  void ApplyFault(Fault fault) {
    TensorArgument& tensor = AnyTensor();
    constexpr int kMethodsToTry[] = {-1, 2, 3, INT32_MAX, INT32_MIN};
    const double margins[] = {-1e-5, -0.0, std::nan(""), HUGE_VAL, -HUGE_VAL};
    int64_t Call::* const numbers[] = {&Call::boxes, &Call::points, &Call::channels, &Call::max_pts,
                                       &Call::out_x, &Call::out_y,  &Call::out_z,    &Call::used_rows};
    constexpr int64_t kHuge[] = {65535, 65536, 2048, 2049, 2944, 2945, 2976, 2977, 1 << 20, 1 << 30, INT32_MAX};
    switch (fault) {
      case Fault::kNone:
        break;
      case Fault::kOverlap:
        overlap_ = true;
        break;
      case Fault::kNullHandle:
        call_.with_handle = false;
        break;
      case Fault::kNullDescriptor:
        tensor.described = false;
        break;
      case Fault::kNullData:
        tensor.has_data = false;
        break;
      case Fault::kType:
        tensor.type = static_cast<mluOpDataType_t>(Number(bytes_, 0, 20));
        break;
      case Fault::kMethod:
        call_.method = OneOf(bytes_, kMethodsToTry);
        break;
      case Fault::kSwitches:
        if (!call_.extension()) break;
        if (OneIn(bytes_, 2)) {
          call_.z_origin = OneOf(bytes_, kMethodsToTry);
        } else {
          call_.xy_margin = OneOf(bytes_, margins);
        }
        break;
      case Fault::kNumber:
        call_.*OneOf(bytes_, numbers) = Number(bytes_, -1, 6);
        break;
      case Fault::kHugeNumber: {  // all tensors follow
        int64_t Call::* const number = numbers[Number(bytes_, 0, 6)];
        call_.*number = OneOf(bytes_, kHuge);
        call_.tensors.clear();
        AddTensors();
        break;
      }
      case Fault::kResultPointer:
        (OneIn(bytes_, 2) ? call_.with_voxel_num : call_.with_point_num) = false;
        break;
      case Fault::kWorkspace:
        call_.with_workspace = OneIn(bytes_, 2);
        call_.workspace_size = static_cast<size_t>(Number(bytes_, 0, 64));
        break;
      case Fault::kContract:
        call_.profile = DETOPS_PROFILE_CONTRACT;
        break;
      case Fault::kRunner:
        call_.runner_fails = true;
        break;
      default:
        ApplyShapeFault(fault, tensor);
        break;
    }
  }

  // Functions that have no arguments for these numbers take them from the tensors.
  void Derive() {
    const auto take = [&](int64_t& number, const char* name, size_t axis) {
      const TensorArgument* tensor = call_.Find(name);
      if (tensor != nullptr && axis < tensor->extents.size()) number = tensor->extents[axis];
    };
    if (call_.backward()) take(call_.points, "grad_in", 0);
    if (!call_.extension()) return;
    take(call_.boxes, "rois", 0);
    take(call_.points, "pts", 0);
    take(call_.channels, "pts_feature", 1);
    if (call_.function == Function::kCompactBackward) take(call_.channels, "grad_out", 1);
    if (call_.function != Function::kSwitches) return;
    take(call_.out_x, "pts_idx_of_voxels", 1);
    take(call_.out_y, "pts_idx_of_voxels", 2);
    take(call_.out_z, "pts_idx_of_voxels", 3);
    take(call_.max_pts, "pts_idx_of_voxels", 4);
  }

  // Gives the tensors memory of the size they describe, and lets an output overlap another where that is the fault.
  void Place() {
    for (TensorArgument& tensor : call_.tensors) {
      if (!tensor.has_data || tensor.bytes() > kMostBytes) continue;
      constexpr size_t kOffsets[] = {0, 0, 0, 1, 2, 4, 8, 12};
      const size_t offset = OneOf(bytes_, kOffsets);
      tensor.memory = std::vector<unsigned char>(static_cast<size_t>(tensor.bytes()) + offset, 0xFF);
      if (tensor.memory.empty()) tensor.memory.reserve(1);  // an address of its own
      tensor.data = tensor.memory.data() + offset;
    }
    if (!overlap_) return;
    TensorArgument &output = AnyTensor(), &other = AnyTensor();
    if (!output.written || &output == &other || output.memory.empty() || other.memory.empty()) return;
    if (output.bytes() == 0 || other.bytes() == 0 || !output.described || !other.described) return;
    const auto before = static_cast<int64_t>(output.bytes()) - 1, after = static_cast<int64_t>(other.bytes()) - 1;
    output.data = other.data + (OneIn(bytes_, 3) ? 0 : OneIn(bytes_, 2) ? -before : after);
  }

  // ---- values ----

  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_()) / static_cast<double>(std::minstd_rand::max()));
  }

  // A coordinate or a size: near the origin, exact or not, or anything.
  double Coordinate(double low, double high) {
    const int selector = Number(bytes_, 0, 255);
    if (selector >= 252) {  // any bits of the type; most are finite
      unsigned char raw[sizeof(double)] = {};
      const std::vector<uint8_t> taken = bytes_.Take(ElementSize(type_));
      std::copy(taken.begin(), taken.end(), raw);
      return ReadElement(type_, raw, 0);
    }
    const double specials[] = {0.0, 1e6, -1e30, 6e4, 3e38, -3e38, 1e-3, 1.5707963267948966};
    if (selector >= 240) return OneOf(bytes_, specials);
    if (selector >= 120) return std::round(Uniform(low, high) * 2) / 2;
    return Uniform(low, high);
  }

  void FillNumbers(TensorArgument& tensor) {
    const auto count = static_cast<int64_t>(tensor.elements());
    const bool boxes = tensor.name == "rois", points = tensor.name == "pts";
    for (int64_t i = 0; i < count; ++i) {
      double value = Uniform(-1, 1);
      const bool chosen = i < 120 && bytes_.left() > 0;
      const bool size = boxes && i % 7 >= 3 && i % 7 < 6;
      const double low = size ? 0 : boxes ? -2 : -3, high = size ? 5 : boxes ? 2 : 3;
      if (boxes || points) value = chosen ? Coordinate(low, high) : std::round(Uniform(low, high) * 8) / 8;
      WriteElement(tensor.type, tensor.data, i, value);
    }
    if (boxes || points) return;
    const double specials[] = {0.0, -0.0, std::nan(""), HUGE_VAL, -HUGE_VAL, 6e4, 3e38, 1e308, 1e-45, 6e-8};
    for (int pokes = Number(bytes_, 0, 7) - 3; pokes > 0 && count > 0; --pokes) {
      WriteElement(tensor.type, tensor.data, bytes_.Between<int64_t>(0, count - 1), OneOf(bytes_, specials));
    }
  }

  void FillIntegers(TensorArgument& tensor) {
    const auto count = static_cast<int64_t>(tensor.elements());
    const int64_t points = std::max<int64_t>(1, std::min<int64_t>(call_.points, INT32_MAX));
    const auto below = [&](int64_t end) { return static_cast<int64_t>(random_()) % end; };
    int64_t begin = 0;
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = below(points);
      if (tensor.name == "argmax") value = below(points + 1) - 1;
      if (tensor.name == "voxel_begins") {
        value = begin;
        begin = std::min(room_, begin + below(4));
      }
      const bool counter = tensor.name == "pts_idx_of_voxels" && call_.max_pts > 0 && i % call_.max_pts == 0;
      if (counter) value = below(std::min<int64_t>(call_.max_pts, 9));
      WriteElement(MLUOP_DTYPE_INT32, tensor.data, i, static_cast<double>(value));
    }
    constexpr int64_t kIndices[] = {-1, -2, 0, 1, 2, 24, 255, INT32_MAX, INT32_MIN};
    for (int pokes = Number(bytes_, 0, 15) - 13; pokes > 0 && count > 0; --pokes) {
      const int64_t value = OneIn(bytes_, 2) ? points : OneOf(bytes_, kIndices);
      WriteElement(MLUOP_DTYPE_INT32, tensor.data, bytes_.Between<int64_t>(0, count - 1), static_cast<double>(value));
    }
  }

  void Fill() {
    random_.seed(bytes_.Any<uint16_t>());
    for (TensorArgument& tensor : call_.tensors) {
      if (tensor.written || tensor.data == nullptr) continue;
      if (tensor.type == MLUOP_DTYPE_INT32) {
        FillIntegers(tensor);
      } else if (ElementSize(tensor.type) > 0) {
        FillNumbers(tensor);
      }
    }
  }

  FuzzedBytes& bytes_;
  Call call_;
  mluOpDataType_t type_ = MLUOP_DTYPE_FLOAT;
  int64_t rows_ = 0, room_ = 0;
  bool overlap_ = false;
  std::minstd_rand random_;
};

}  // namespace detops_fuzz

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_FUZZ_MAKE_H_
