// Makes a call of psroipool of a fuzzer's bytes: mostly right, wrong in one or two places now and then.
#ifndef DETOPS_OPS_PSROIPOOL_FUZZ_MAKE_H_
#define DETOPS_OPS_PSROIPOOL_FUZZ_MAKE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "fuzz/fuzz_support.h"
#include "ops/psroipool/fuzz/call.h"

namespace detops_fuzz {

enum class Fault : uint8_t {
  kNone,
  kNullHandle,
  kProfile,
  kNullDescriptor,
  kNullData,
  kRank,
  kType,
  kAllTypes,
  kLayout,
  kStride,
  kExtent,
  kExtremeExtent,
  kExtremeRois,
  kExtremeMap,
  kArgument,
  kBins,
  kConvention,
  kScale,
  kWorkspace,
  kOverlap,
  kRunner,
  kMaxValue = kRunner
};

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

inline TensorArgument& AnyTensor(FuzzedBytes& bytes, Call& call) {
  TensorArgument* const tensors[] = {&call.map, &call.rois, &call.pooled, &call.mapping};
  return *OneOf(bytes, tensors);
}

inline void SetDenseStrides(TensorArgument& tensor) {
  tensor.strides.assign(tensor.extents.size(), 1);
  for (size_t i = tensor.extents.size(); i-- > 1;) {
    tensor.strides[i - 1] = Product(tensor.strides[i], tensor.extents[i]);
  }
}

inline void ApplyShapeFault(FuzzedBytes& bytes, Fault fault, Call& call) {
  TensorArgument& tensor = AnyTensor(bytes, call);
  const auto axis = static_cast<size_t>(Number(bytes, 0, 3));
  switch (fault) {
    case Fault::kRank:
      tensor.extents.resize(static_cast<size_t>(Number(bytes, 0, 9)), 1);
      break;
    case Fault::kStride: {
      SetDenseStrides(tensor);
      const int64_t stride = OneIn(bytes, 4) ? ExtremeNumber(bytes) : Number(bytes, -100, 100);
      if (axis < tensor.strides.size()) tensor.strides[axis] = stride;
      break;
    }
    case Fault::kExtent:
      if (axis < tensor.extents.size()) tensor.extents[axis] = Number(bytes, 0, 8);
      break;
    case Fault::kExtremeExtent:
      if (axis < tensor.extents.size()) tensor.extents[axis] = ExtremeNumber(bytes);
      break;
    case Fault::kExtremeRois: {
      const int64_t count = OneIn(bytes, 2) ? 0 : ExtremeNumber(bytes);
      for (TensorArgument* each : {&call.rois, &call.pooled, &call.mapping}) {
        if (!each->extents.empty()) each->extents[0] = count;
      }
      break;
    }
    default:  // kExtremeMap
      if (call.map.extents.size() == 4) {
        constexpr size_t kAxes[2][3] = {{0, 1, 2}, {0, 2, 3}};
        call.map.extents[kAxes[call.nhwc() ? 0 : 1][axis % 3]] = OneIn(bytes, 2) ? 0 : ExtremeNumber(bytes);
      }
      break;
  }
}

inline void ApplyScalarFault(FuzzedBytes& bytes, Fault fault, Call& call) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double scales[] = {0.0, -0.0, -1.0, std::nan(""), kInfinity, -kInfinity, 1e-45, 3e38, 1e39, 1e300, 1e-300};
  int* const arguments[] = {&call.pooled_height, &call.pooled_width, &call.output_dim, &call.group_size};
  constexpr int kNumbers[] = {0, -1, 1, 2, 3, 4, 65536, INT32_MAX, INT32_MIN};
  switch (fault) {
    case Fault::kArgument:
      *OneOf(bytes, arguments) = OneOf(bytes, kNumbers);
      break;
    case Fault::kBins: {  // of all tensors that have some, but not of the map
      const auto axis = static_cast<size_t>(Number(bytes, 1, 3));
      const int number = OneOf(bytes, kNumbers);
      for (TensorArgument* tensor : {&call.pooled, &call.mapping}) {
        if (axis < tensor->extents.size()) tensor->extents[axis] = std::max(number, 0);
      }
      *arguments[call.nhwc() ? axis - 1 : (axis + 1) % 3] = number;
      call.group_size = call.pooled_height;
      break;
    }
    case Fault::kConvention:
      if (call.extension) call.convention = Number(bytes, -3, 9);  // the contract has but one
      break;
    default:
      call.spatial_scale = OneOf(bytes, scales);
      break;
  }
}

inline void ApplyFault(FuzzedBytes& bytes, Fault fault, Call& call) {
  switch (fault) {
    case Fault::kNone:
    case Fault::kOverlap:  // needs the memory, see Place
      break;
    case Fault::kNullHandle:
      call.with_handle = false;
      break;
    case Fault::kProfile:
      call.profile = DETOPS_PROFILE_CONTRACT;
      break;
    case Fault::kNullDescriptor:
      AnyTensor(bytes, call).described = false;
      break;
    case Fault::kNullData:
      AnyTensor(bytes, call).has_data = false;
      break;
    case Fault::kType:
      AnyTensor(bytes, call).type = static_cast<mluOpDataType_t>(Number(bytes, 0, 99));
      break;
    case Fault::kAllTypes:
      call.map.type = call.rois.type = call.pooled.type = static_cast<mluOpDataType_t>(Number(bytes, 0, 20));
      break;
    case Fault::kLayout:
      AnyTensor(bytes, call).layout = Number(bytes, 0, 12);
      break;
    case Fault::kWorkspace:
      call.workspace_size = static_cast<uint64_t>(Number(bytes, 0, 2)) * 100;
      break;
    case Fault::kRunner:
      call.runner_fails = true;
      break;
    case Fault::kArgument:
    case Fault::kBins:
    case Fault::kConvention:
    case Fault::kScale:
      ApplyScalarFault(bytes, fault, call);
      break;
    default:
      ApplyShapeFault(bytes, fault, call);
      break;
  }
}

// Gives the tensors memory of the size they describe, and lets two overlap where that is the fault.
inline void Place(FuzzedBytes& bytes, bool overlap, Call& call) {
  constexpr size_t kOffsets[] = {0, 0, 0, 1, 2, 4, 8, 12};
  for (TensorArgument* tensor : {&call.map, &call.rois, &call.pooled, &call.mapping}) {
    if (!tensor->has_data || tensor->bytes() > kMostBytes) continue;
    const size_t offset = OneOf(bytes, kOffsets);
    tensor->memory = std::vector<unsigned char>(static_cast<size_t>(tensor->bytes()) + offset, 0xFF);
    tensor->data = tensor->memory.data() + offset;
  }
  if (call.workspace_size > 0 && !OneIn(bytes, 3)) {
    call.workspace_memory.assign(static_cast<size_t>(call.workspace_size), 0xFF);
    call.workspace = call.workspace_memory.data();
  }
  if (!overlap) return;
  TensorArgument& moved = AnyTensor(bytes, call);
  const TensorArgument& other = AnyTensor(bytes, call);
  if (&moved == &other || moved.data == nullptr || other.data == nullptr) return;
  if (moved.bytes() == 0 || other.bytes() == 0) return;
  // Inside the other's memory if it fits there, so that a call which may go on touches nothing else.
  const auto room = static_cast<int64_t>(other.bytes()) - static_cast<int64_t>(moved.bytes());
  const int64_t shift = room > 0 ? bytes.Between<int64_t>(0, room) : 0;
  if (room < 0 && &moved != &call.target() && !(call.forward && &moved == &call.mapping)) return;
  moved.data = other.data + shift;
}

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

// A coordinate in pixels of the map, whose extent is `size`.
inline double Coordinate(FuzzedBytes& bytes, mluOpDataType_t type, double size) {
  const double specials[] = {-1,   -0.5,  0,     0.5,  size,       size - 1, size - 0.5, 2.5 - 1e-12, 6e4,
                             3e38, -3e38, 1e308, 1e30, 2147483648, -4e9,     1e10,       2.4999999};
  const int selector = Number(bytes, 0, 255);
  if (selector >= 250) {  // any bits of the type; most are finite
    unsigned char raw[sizeof(double)] = {};
    const std::vector<uint8_t> taken = bytes.Take(ElementSize(type));
    std::copy(taken.begin(), taken.end(), raw);
    return ReadElement(type, raw, 0);
  }
  if (selector >= 215) return OneOf(bytes, specials);
  if (selector >= 150) return Number(bytes, -2, static_cast<int>(std::min(size, 1e9)) + 2);
  return bytes.Any<int16_t>() * (size + 3) / 32768;
}

inline void FillRois(FuzzedBytes& bytes, const Call& call) {
  const size_t rows = call.nhwc() ? 1 : 2;
  const auto height = static_cast<double>(call.map.extents[rows]),
             width = static_cast<double>(call.map.extents[rows + 1]);
  const bool usual = call.spatial_scale > 1e-3 && call.spatial_scale < 1e3;
  const double unit = usual ? 1 / call.spatial_scale : 1;
  const auto last_image = static_cast<int>(std::clamp<int64_t>(call.map.extents[0], 1, INT32_MAX) - 1);
  Random random(bytes);
  const double sizes[] = {0, width, height, width, height};
  for (int64_t r = 0; r < call.rois.extents[0]; ++r) {
    const bool chosen = r < 40 && bytes.left() > 0;
    double image = chosen ? Number(bytes, 0, last_image) : 0;
    if (chosen && OneIn(bytes, 60)) image = Number(bytes, -2, 5) * 0.5;
    WriteElement(call.rois.type, call.rois.data, r * 5, image);
    for (int64_t i = 1; i < 5; ++i) {
      const double number = chosen ? Coordinate(bytes, call.rois.type, sizes[i]) : random.Uniform(-0.3, 1.2) * sizes[i];
      WriteElement(call.rois.type, call.rois.data, r * 5 + i, number * unit);
    }
  }
}

// What forward gives, or any channels; now and then one that does not exist.
inline void FillMapping(FuzzedBytes& bytes, const Call& call) {
  const auto count = static_cast<int64_t>(call.mapping.elements());
  const int64_t channels = call.map.extents[call.nhwc() ? 3 : 1];
  const int64_t bins = static_cast<int64_t>(call.pooled_height) * call.pooled_width;
  const int way = Number(bytes, 0, 4);
  Random random(bytes);
  for (int64_t i = 0; i < count; ++i) {
    int64_t channel = call.nhwc() ? i % call.output_dim * bins + i / call.output_dim % bins : i % channels;
    if (way == 3) channel = static_cast<int64_t>(random.Uniform(0, static_cast<double>(channels) - 0.01));
    if (way == 4) channel = i % 3 % channels;
    WriteElement(MLUOP_DTYPE_INT32, call.mapping.data, i, static_cast<double>(channel));
  }
  if (!OneIn(bytes, 10)) return;
  constexpr int kChannels[] = {-1, 0, INT32_MAX, INT32_MIN};
  const int64_t index = bytes.Between<int64_t>(0, count - 1);
  const auto wrong = OneIn(bytes, 2) ? static_cast<double>(channels) : static_cast<double>(OneOf(bytes, kChannels));
  WriteElement(MLUOP_DTYPE_INT32, call.mapping.data, index, wrong);
}

inline void MakeShape(FuzzedBytes& bytes, Call& call) {
  call.pooled_height = Number(bytes, 1, 4);
  call.pooled_width = call.extension ? Number(bytes, 1, 4) : call.pooled_height;
  call.group_size = call.pooled_height;
  constexpr int kDims[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 25, 33};
  call.output_dim = OneOf(bytes, kDims);
  int64_t n = Number(bytes, 1, 3), h = Number(bytes, 1, 7), w = Number(bytes, 1, 9), r = Number(bytes, 1, 6);
  if (OneIn(bytes, 100)) {  // several tasks
    h = Number(bytes, 15, 30);
    w = Number(bytes, 15, 40);
    r = Number(bytes, 60, 90);
  }
  const int64_t ph = call.pooled_height, pw = call.pooled_width, d = call.output_dim, c = ph * pw * d;
  const bool nchw = call.extension && bytes.Bool();
  call.map.layout = call.pooled.layout = call.mapping.layout = nchw ? MLUOP_LAYOUT_NCHW : MLUOP_LAYOUT_NHWC;
  call.map.extents = nchw ? std::vector<int64_t>{n, c, h, w} : std::vector<int64_t>{n, h, w, c};
  call.pooled.extents = nchw ? std::vector<int64_t>{r, d, ph, pw} : std::vector<int64_t>{r, ph, pw, d};
  call.mapping.extents = call.pooled.extents;
  call.rois.extents = {r, 5};
}

inline Call MakeCall(FuzzedBytes& bytes) {
  Call call;
  call.forward = bytes.Bool();
  call.extension = bytes.Bool();
  constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16, MLUOP_DTYPE_DOUBLE};
  const mluOpDataType_t type = OneOf(bytes, kTypes);
  const bool full = call.extension || type != MLUOP_DTYPE_FLOAT || bytes.Bool();
  call.profile = full ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT;
  call.value_checks = !OneIn(bytes, 4);
  call.target_for_threads = Number(bytes, 0, 15);
  if (call.extension) call.convention = Number(bytes, 0, 2);
  constexpr double kScales[] = {1, 0.125, 0.3, 7, 0.1};
  call.spatial_scale = OneOf(bytes, kScales);
  call.map.type = call.rois.type = call.pooled.type = type;
  MakeShape(bytes, call);
  call.rois.layout = Number(bytes, 0, 12);
  if (call.extension && OneIn(bytes, 4)) call.mapping.described = call.mapping.has_data = false;

  bool overlap = false;
  for (int faults = std::max(0, Number(bytes, 0, 5) - 3); faults > 0; --faults) {
    const auto fault = bytes.AnyOf<Fault>();
    overlap = overlap || fault == Fault::kOverlap;
    ApplyFault(bytes, fault, call);
  }
  Place(bytes, overlap, call);
  bool empty = false;
  if (DescriptorStatus(call, &empty) != MLUOP_STATUS_SUCCESS || empty) return call;
  if (call.source().data != nullptr) FillFeatures(bytes, call.source());
  if (call.rois.data != nullptr) FillRois(bytes, call);
  if (!call.forward && call.mapping.data != nullptr) FillMapping(bytes, call);
  return call;
}

}  // namespace detops_fuzz

#endif  // DETOPS_OPS_PSROIPOOL_FUZZ_MAKE_H_
