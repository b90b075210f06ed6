// A call of rotated_feature_align made of a fuzzer's bytes, right or wrong in one or two places, and the status that
// the documents foretell for it.
#ifndef DETOPS_OPS_ROTATED_FEATURE_ALIGN_FUZZ_CALL_H_
#define DETOPS_OPS_ROTATED_FEATURE_ALIGN_FUZZ_CALL_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/operator_call.h"
#include "support/element.h"

namespace detops_fuzz {

using detops_test::ElementSize;
using detops_test::ReadElement;
using detops_test::WriteElement;

// ---- a call as plain data ----

struct TensorArgument : TensorFields {
  TensorArgument() {
    layout = MLUOP_LAYOUT_NHWC;
    type = MLUOP_DTYPE_FLOAT;
  }
  uint64_t bytes() const { return Times(elements(), ElementSize(type)); }
};

struct Call {
  bool forward = true;
  bool with_handle = true;
  detopsProfile_t profile = DETOPS_PROFILE_CONTRACT;
  bool value_checks = true;
  bool runner_fails = false;
  int target_for_threads = 0;  // the SIMD target on which numbers of threads are compared
  float spatial_scale = 1;
  int points = 1;
  TensorArgument tensors[3];  // source, boxes, target

  TensorArgument& source() { return tensors[0]; }
  TensorArgument& boxes() { return tensors[1]; }
  TensorArgument& target() { return tensors[2]; }
  const TensorArgument& source() const { return tensors[0]; }
  const TensorArgument& boxes() const { return tensors[1]; }
  const TensorArgument& target() const { return tensors[2]; }
  const char* name() const { return forward ? "mluOpRotatedFeatureAlignForward" : "mluOpRotatedFeatureAlignBackward"; }
};

// ---- what the documents say of it ----

// Saturated like the products of extents that nobody can address.
inline int64_t Product(int64_t a, int64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * static_cast<uint64_t>(b);
  return static_cast<int64_t>(std::min<unsigned __int128>(product, INT64_MAX));
}

inline bool IsDense(const TensorArgument& tensor) {
  if (tensor.strides.empty() || tensor.elements() == 0) return true;
  int64_t dense = 1;
  for (size_t axis = tensor.extents.size(); axis-- > 0;) {
    if (tensor.extents[axis] != 1 && tensor.strides[axis] != dense) return false;
    dense = Product(dense, tensor.extents[axis]);
  }
  return true;
}

inline bool Overlap(const TensorArgument& a, const TensorArgument& b) {
  return a.data < b.data + b.bytes() && b.data < a.data + a.bytes();
}

inline bool AllFinite(const TensorArgument& tensor) {
  for (uint64_t i = 0; i < tensor.elements(); ++i) {
    if (!std::isfinite(ReadElement(tensor.type, tensor.data, static_cast<int64_t>(i)))) return false;
  }
  return true;
}

inline mluOpStatus_t ScalarStatus(const Call& call) {
  const bool points_ok = call.points == 1 || call.points == 5;
  const bool scale_ok = std::isfinite(call.spatial_scale) && call.spatial_scale > 0;
  return points_ok && scale_ok ? MLUOP_STATUS_SUCCESS : MLUOP_STATUS_BAD_PARAM;
}

inline mluOpStatus_t CountStatus(const Call& call) {
  const uint64_t limit = call.profile == DETOPS_PROFILE_CONTRACT ? uint64_t{1} << 31 : uint64_t{1} << 63;
  for (const TensorArgument& tensor : call.tensors) {
    if (tensor.elements() >= limit || tensor.bytes() >= uint64_t{1} << 63) return MLUOP_STATUS_NOT_SUPPORTED;
  }
  return call.source().elements() == 0 ? MLUOP_STATUS_BAD_PARAM : MLUOP_STATUS_SUCCESS;
}

// The documented order, as far as the data play no part. The limit on the pixels of one image comes after them, where
// no tensor of a fuzzer gets.
inline mluOpStatus_t DescriptorStatus(const Call& call) {
  const TensorArgument& source = call.source();
  if (!call.with_handle) return MLUOP_STATUS_BAD_PARAM;
  for (const TensorArgument& tensor : call.tensors) {
    if (!tensor.described || tensor.extents.size() != 4) return MLUOP_STATUS_BAD_PARAM;
  }
  const bool small_type = source.type == MLUOP_DTYPE_FLOAT || source.type == MLUOP_DTYPE_HALF;
  const bool full_type = source.type == MLUOP_DTYPE_DOUBLE || source.type == MLUOP_DTYPE_BFLOAT16;
  if (!small_type && !(full_type && call.profile == DETOPS_PROFILE_FULL)) return MLUOP_STATUS_BAD_PARAM;
  if (call.boxes().type != source.type || call.target().type != source.type) return MLUOP_STATUS_BAD_PARAM;
  if (source.layout != MLUOP_LAYOUT_NHWC || call.target().layout != MLUOP_LAYOUT_NHWC) return MLUOP_STATUS_BAD_PARAM;
  for (const TensorArgument& tensor : call.tensors) {
    if (!IsDense(tensor)) return MLUOP_STATUS_NOT_SUPPORTED;
  }
  const std::vector<int64_t>& shape = source.extents;
  if (call.target().extents != shape) return MLUOP_STATUS_BAD_PARAM;
  if (call.boxes().extents != std::vector<int64_t>{shape[0], shape[1], shape[2], 5}) return MLUOP_STATUS_BAD_PARAM;
  const mluOpStatus_t first = call.forward ? CountStatus(call) : ScalarStatus(call);
  if (first != MLUOP_STATUS_SUCCESS) return first;
  return call.forward ? ScalarStatus(call) : CountStatus(call);
}

inline mluOpStatus_t ExpectedStatus(const Call& call) {
  const mluOpStatus_t status = DescriptorStatus(call);
  if (status != MLUOP_STATUS_SUCCESS) return status;
  for (const TensorArgument& tensor : call.tensors) {
    if (tensor.data == nullptr) return MLUOP_STATUS_BAD_PARAM;
  }
  if (Overlap(call.target(), call.source()) || Overlap(call.target(), call.boxes())) return MLUOP_STATUS_BAD_PARAM;
  if (call.runner_fails) return MLUOP_STATUS_EXECUTION_FAILED;
  if (call.value_checks && !AllFinite(call.boxes())) return MLUOP_STATUS_BAD_PARAM;
  return MLUOP_STATUS_SUCCESS;
}

// ---- from bytes to a call ----

// What can be wrong. kNone stands for all that is right.
enum class Fault {
  kNone,
  kNullHandle,
  kNullDescriptor,
  kNullData,
  kRank,
  kType,
  kAllTypes,
  kLayout,
  kStride,
  kExtent,
  kHugeExtent,
  kPoints,
  kScale,
  kOverlap,
  kRunner,
  kMaxValue = kRunner
};

// Axis 3 of the boxes is not the channels.
inline void SetExtent(Call& call, size_t axis, int64_t extent) {
  for (TensorArgument& tensor : call.tensors) {
    if (axis < tensor.extents.size() && (axis < 3 || &tensor != &call.boxes())) tensor.extents[axis] = extent;
  }
}

inline void ApplyShapeFault(FuzzedBytes& bytes, Fault fault, TensorArgument& tensor, Call& call) {
  const auto axis = static_cast<size_t>(Number(bytes, 0, 3));
  switch (fault) {
    case Fault::kRank:
      tensor.extents.resize(static_cast<size_t>(Number(bytes, 0, 9)), 1);
      break;
    case Fault::kStride: {
      tensor.strides.assign(tensor.extents.size(), 1);
      for (size_t i = tensor.extents.size(); i-- > 1;) {
        tensor.strides[i - 1] = Product(tensor.strides[i], tensor.extents[i]);
      }
      const int64_t stride = OneIn(bytes, 4) ? ExtremeNumber(bytes) : Number(bytes, -100, 100);
      if (axis < tensor.strides.size()) tensor.strides[axis] = stride;
      break;
    }
    case Fault::kExtent:
      if (axis < tensor.extents.size()) tensor.extents[axis] = Number(bytes, 0, 8);
      break;
    default:
      if (OneIn(bytes, 2)) {
        SetExtent(call, axis, ExtremeNumber(bytes));
      } else if (axis < tensor.extents.size()) {
        tensor.extents[axis] = ExtremeNumber(bytes);
      }
      break;
  }
}

inline void ApplyFault(FuzzedBytes& bytes, Fault fault, Call& call) {
  TensorArgument& tensor = call.tensors[Number(bytes, 0, 2)];
  constexpr int kPoints[] = {-1, 0, 2, 3, 4, 6, 1, 5, INT32_MAX, INT32_MIN};
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float scales[] = {0.0f, -0.0f, -1.0f, std::nanf(""), kInfinity, -kInfinity, 1e-45f, 3e38f};
  switch (fault) {
    case Fault::kNone:
    case Fault::kOverlap:  // needs the memory, see Place
      break;
    case Fault::kNullHandle:
      call.with_handle = false;
      break;
    case Fault::kNullDescriptor:
      tensor.described = false;
      break;
    case Fault::kNullData:
      tensor.has_data = false;
      break;
    case Fault::kType:
      tensor.type = static_cast<mluOpDataType_t>(Number(bytes, 0, 99));
      break;
    case Fault::kAllTypes:
      call.source().type = call.boxes().type = call.target().type = static_cast<mluOpDataType_t>(Number(bytes, 0, 20));
      break;
    case Fault::kLayout:
      tensor.layout = Number(bytes, 0, 12);
      break;
    case Fault::kPoints:
      call.points = OneOf(bytes, kPoints);
      break;
    case Fault::kScale:
      call.spatial_scale = OneOf(bytes, scales);
      break;
    case Fault::kRunner:
      call.runner_fails = true;
      break;
    default:
      ApplyShapeFault(bytes, fault, tensor, call);
      break;
  }
}

// Gives the tensors memory of the size they describe, and lets the target overlap another where that is the fault.
inline void Place(FuzzedBytes& bytes, bool overlap, Call& call) {
  for (TensorArgument& tensor : call.tensors) {
    if (!tensor.has_data || tensor.bytes() > kMostBytes) continue;
    constexpr size_t kOffsets[] = {0, 0, 0, 1, 2, 4, 8, 12};
    const size_t offset = OneOf(bytes, kOffsets);
    tensor.memory = std::vector<unsigned char>(static_cast<size_t>(tensor.bytes()) + offset, 0xFF);
    tensor.data = tensor.memory.data() + offset;
  }
  if (!overlap) return;
  TensorArgument& target = call.target();
  const TensorArgument& other = OneIn(bytes, 2) ? call.boxes() : call.source();
  if (target.memory.empty() || other.memory.empty() || target.bytes() == 0 || other.bytes() == 0) return;
  const auto before = static_cast<int64_t>(target.bytes()) - 1, after = static_cast<int64_t>(other.bytes()) - 1;
  constexpr int kSteps[] = {0, 0, 1, 4};
  const int64_t step = OneOf(bytes, kSteps);
  const int64_t shift = OneIn(bytes, 2) ? std::max(-before, step - before) : std::min(after, after - step);
  target.data = other.data + (OneIn(bytes, 3) ? 0 : shift);
}

// Numbers that matter little come from one seed, so that the fuzzer's bytes are left for those that matter.
class Random {
 public:
  explicit Random(FuzzedBytes& bytes) : generator_(bytes.Any<uint16_t>()) {}
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(generator_()) / static_cast<double>(std::minstd_rand::max()));
  }

 private:
  std::minstd_rand generator_;
};

inline void FillFeatures(FuzzedBytes& bytes, const TensorArgument& tensor) {
  const auto count = static_cast<int64_t>(tensor.elements());
  Random random(bytes);
  for (int64_t i = 0; i < count; ++i) WriteElement(tensor.type, tensor.data, i, random.Uniform(-1, 1));
  const double specials[] = {0.0,  -0.0,  std::nan(""), HUGE_VAL, -HUGE_VAL, 6e4,
                             3e38, -3e38, 1e308,        1e-45,    -1e-310,   6e-8};
  for (int pokes = Number(bytes, 0, 7) - 3; pokes > 0; --pokes) {
    const int64_t index = bytes.Between<int64_t>(0, count - 1);
    WriteElement(tensor.type, tensor.data, index, OneOf(bytes, specials));
  }
}

// One of the five numbers of a box, in feature pixels; `size` is the map's.
inline double BoxNumber(FuzzedBytes& bytes, mluOpDataType_t type, double size) {
  const double specials[] = {-1,    size, size - 1, 0,    size - 0.5, -1.0000001, size * (1 + 1e-7), 6e4,
                             -3e38, 3e38, 1e308,    1e30, -1e-45,     -1.008,     1.5707963267948966};
  const int selector = Number(bytes, 0, 255);
  if (selector >= 250) {  // any bits of the type; most are finite
    unsigned char raw[sizeof(double)] = {};
    const std::vector<uint8_t> taken = bytes.Take(ElementSize(type));
    std::copy(taken.begin(), taken.end(), raw);
    return ReadElement(type, raw, 0);
  }
  if (selector >= 200) return OneOf(bytes, specials);
  return bytes.Any<int16_t>() * (size + 3) / 32768;
}

inline void FillBoxes(FuzzedBytes& bytes, const Call& call) {
  const TensorArgument& boxes = call.boxes();
  const auto pixels = static_cast<int64_t>(boxes.elements()) / 5;
  const double sizes[] = {static_cast<double>(boxes.extents[1]), static_cast<double>(boxes.extents[2]), 6, 4, 3.2};
  const bool usual = call.spatial_scale > 1e-3f && call.spatial_scale < 1e3f;
  const double unit = usual ? 1 / static_cast<double>(call.spatial_scale) : 1;
  Random random(bytes);
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    const bool chosen = pixel < 40 && bytes.left() > 0;
    for (int64_t i = 0; i < 5; ++i) {
      const double number = chosen ? BoxNumber(bytes, boxes.type, sizes[i]) : random.Uniform(-0.5, 1.3) * sizes[i];
      WriteElement(boxes.type, boxes.data, pixel * 5 + i, i < 4 ? number * unit : number);
    }
  }
}

inline Call MakeCall(FuzzedBytes& bytes) {
  Call call;
  call.forward = bytes.Bool();
  constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16, MLUOP_DTYPE_DOUBLE};
  const mluOpDataType_t type = OneOf(bytes, kTypes);
  const bool full_only = type == MLUOP_DTYPE_DOUBLE || type == MLUOP_DTYPE_BFLOAT16;
  call.profile = full_only || bytes.Bool() ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT;
  call.value_checks = !OneIn(bytes, 4);
  call.target_for_threads = Number(bytes, 0, 15);
  call.points = bytes.Bool() ? 5 : 1;
  constexpr float kScales[] = {1, 0.125f, 0.3f, 7};
  call.spatial_scale = OneOf(bytes, kScales);
  constexpr int kChannels[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 33, 72};
  std::vector<int64_t> shape = {Number(bytes, 1, 2), Number(bytes, 1, 6), Number(bytes, 1, 6), OneOf(bytes, kChannels)};
  // Now and then large enough for several tasks in every phase.
  constexpr int kManyChannels[] = {1, 24, 33};
  if (OneIn(bytes, 200)) shape = {1, Number(bytes, 29, 32), Number(bytes, 29, 32), OneOf(bytes, kManyChannels)};
  call.source().extents = call.target().extents = shape;
  call.boxes().extents = {shape[0], shape[1], shape[2], 5};
  call.boxes().layout = Number(bytes, 0, 12);
  for (TensorArgument& tensor : call.tensors) tensor.type = type;

  bool overlap = false;
  for (int faults = std::max(0, Number(bytes, 0, 5) - 3); faults > 0; --faults) {
    const auto fault = bytes.AnyOf<Fault>();
    overlap = overlap || fault == Fault::kOverlap;
    ApplyFault(bytes, fault, call);
  }
  Place(bytes, overlap, call);
  if (DescriptorStatus(call) == MLUOP_STATUS_SUCCESS && call.source().data != nullptr && call.boxes().data != nullptr) {
    FillFeatures(bytes, call.source());
    FillBoxes(bytes, call);
  }
  return call;
}

}  // namespace detops_fuzz

#endif  // DETOPS_OPS_ROTATED_FEATURE_ALIGN_FUZZ_CALL_H_
