// A call of detopsPointToVoxel as plain data, made of the fuzzer's bytes, and the status that it must give.
#ifndef DETOPS_OPS_POINT_TO_VOXEL_FUZZ_CALL_H_
#define DETOPS_OPS_POINT_TO_VOXEL_FUZZ_CALL_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/operator_call.h"
#include "support/element.h"

namespace detops_fuzz {

enum Place { kPoints, kBegins, kVoxels, kMeans, kCoordinates, kNumPoints, kPointVoxel, kTensors };

struct VoxelCall {
  bool with_voxel_num = true, with_handle = true, with_min = true, with_size = true, with_grid = true;
  detopsProfile_t profile = DETOPS_PROFILE_FULL;
  bool value_checks = true, runner_fails = false;
  int ndim = 3;
  std::array<double, 4> range_min = {}, voxel_size = {1, 1, 1, 1};
  std::array<int, 4> grid = {1, 1, 1, 1};
  int64_t max_points = 1, max_voxels = 0;
  int order = DETOPS_VOXEL_ORDER_FIRST_POINT;
  std::array<TensorFields, kTensors> tensors;

  mluOpDataType_t type() const { return tensors[kPoints].type; }
  bool Has(Place place) const { return tensors[static_cast<size_t>(place)].described; }
};

// ---- making one ----

inline double AnyCoordinate(FuzzedBytes& bytes) {
  constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kNumbers[] = {0,   -0.0, 0.5, 1,    1.5,   2,      2.5,   3,    -0.5, -1,
                                 0.1, 0.3,  0.7, 0.25, 1e-40, -1e-40, 65504, 3e38, kInf, kNan};
  return OneOf(bytes, kNumbers);
}

inline void SetMemory(TensorFields& tensor) {
  const uint64_t size = detops_test::ElementSize(tensor.type);
  const uint64_t count = TensorFields::Times(tensor.elements(), size);
  tensor.data = nullptr;
  if (count > kMostBytes || size == 0) return;
  tensor.memory.assign(static_cast<size_t>(count), 0xA5);
  if (tensor.has_data && count > 0) tensor.data = tensor.memory.data();
}

inline void SpoilTensor(FuzzedBytes& bytes, TensorFields& tensor) {
  switch (Number(bytes, 0, 5)) {
    case 0:
      tensor.described = false;
      break;
    case 1:
      tensor.extents.resize(static_cast<size_t>(Number(bytes, 1, 4)), 1);
      break;
    case 2:
      tensor.extents[static_cast<size_t>(Number(bytes, 0, static_cast<int>(tensor.extents.size()) - 1))] =
          ExtremeNumber(bytes);
      break;
    case 3:
      tensor.type = OneOf(bytes, {MLUOP_DTYPE_INT32, MLUOP_DTYPE_HALF, MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_INT64});
      break;
    case 4:
      tensor.strides.assign(tensor.extents.size(), Number(bytes, 1, 3));
      break;
    default:
      tensor.has_data = false;
  }
}

inline void SpoilNumbers(FuzzedBytes& bytes, VoxelCall& call) {
  const auto axis = static_cast<size_t>(Number(bytes, 0, 3));
  constexpr double kBad[] = {0, -1, 1e-60, 1e60, std::numeric_limits<double>::infinity(), 1e-40};
  switch (Number(bytes, 0, 9)) {
    case 0:
      call.with_voxel_num = false;
      break;
    case 1:
      call.with_handle = false;
      break;
    case 2:
      (OneIn(bytes, 3) ? call.with_min : OneIn(bytes, 2) ? call.with_size : call.with_grid) = false;
      break;
    case 3:
      call.profile = DETOPS_PROFILE_CONTRACT;
      break;
    case 4:
      call.ndim = OneOf(bytes, {-1, 0, 5, 1, 4});
      break;
    case 5:
      call.range_min[axis] = OneOf(bytes, kBad);
      break;
    case 6:
      call.voxel_size[axis] = OneOf(bytes, kBad);
      break;
    case 7:
      call.grid[axis] = OneOf(bytes, {0, -1, INT32_MAX, 1 << 30});
      break;
    case 8:
      (OneIn(bytes, 2) ? call.max_points : call.max_voxels) = OneOf(bytes, {int64_t{-1}, int64_t{0}, INT64_MAX});
      break;
    default:
      call.order = OneOf(bytes, {-1, 2, 0, 1});
  }
}

inline void FillInputs(FuzzedBytes& bytes, VoxelCall& call) {
  TensorFields& points = call.tensors[kPoints];
  if (points.type == MLUOP_DTYPE_INT32 || points.type == MLUOP_DTYPE_INT64) return;
  const uint64_t columns = points.extents.size() > 1 ? static_cast<uint64_t>(points.extents[1]) : 1;
  for (uint64_t i = 0; points.data != nullptr && i < points.elements(); ++i) {
    // Few bytes are left for the last ones; those repeat what has been.
    const double value = bytes.left() > 0 ? AnyCoordinate(bytes)
                         : i >= columns
                             ? detops_test::ReadElement(points.type, points.data, static_cast<int64_t>(i - columns))
                             : 0.5;
    detops_test::WriteElement(points.type, points.data, static_cast<int64_t>(i), value);
  }
}

inline void FillBegins(FuzzedBytes& bytes, VoxelCall& call) {
  TensorFields& begins = call.tensors[kBegins];
  if (begins.data == nullptr || begins.type != MLUOP_DTYPE_INT32) return;
  const int64_t points = std::min<int64_t>(call.tensors[kPoints].extents[0], INT32_MAX);
  const auto count = static_cast<int64_t>(begins.elements());
  int64_t begin = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) begin = i + 1 == count ? points : std::min<int64_t>(points, begin + Number(bytes, 0, 9));
    const int64_t number = Rarely(bytes) && Rarely(bytes) ? Number(bytes, -2, 50) : begin;
    detops_test::WriteElement(MLUOP_DTYPE_INT32, begins.data, i, static_cast<double>(number));
  }
}

inline VoxelCall MakeCall(FuzzedBytes& bytes) {
  VoxelCall call;
  const auto type = OneOf(bytes, {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16, MLUOP_DTYPE_DOUBLE});
  call.ndim = Number(bytes, 1, 4);
  for (size_t axis = 0; axis < 4; ++axis) {
    call.range_min[axis] = OneOf(bytes, {0.0, -1.0, 0.1});
    call.voxel_size[axis] = OneOf(bytes, {1.0, 0.5, 0.1});
    call.grid[axis] = OneOf(bytes, {1, 2, 3, 40, 1 << 20, INT32_MAX});
  }
  call.max_points = Number(bytes, 0, 4);
  call.max_voxels = OneIn(bytes, 3) ? Number(bytes, 1, 5) : 0;
  call.order = Number(bytes, 0, 1);
  const int64_t points = Number(bytes, 0, 48), features = call.ndim + Number(bytes, 0, 9);
  const int64_t rows = OneIn(bytes, 3) ? Number(bytes, 0, 6) : points;
  const bool batched = OneIn(bytes, 2);
  const std::vector<int64_t> extents[] = {{points, features},
                                          {Number(bytes, 1, 5)},
                                          {rows, call.max_points, features},
                                          {rows, features},
                                          {rows, call.ndim + (batched ? 1 : 0)},
                                          {rows},
                                          {points}};
  for (size_t i = 0; i < kTensors; ++i) {
    TensorFields& tensor = call.tensors[i];
    tensor.extents = extents[i];
    tensor.type = i == kPoints || i == kVoxels || i == kMeans ? type : MLUOP_DTYPE_INT32;
    tensor.described = i == kPoints || i == kCoordinates || !OneIn(bytes, 4);
  }
  call.tensors[kBegins].described = batched;
  if (call.max_points == 0) call.tensors[kVoxels].described = false;
  call.value_checks = !OneIn(bytes, 4);
  call.runner_fails = Rarely(bytes);
  for (int faults = OneIn(bytes, 3) ? Number(bytes, 1, 2) : 0; faults > 0; --faults) {
    if (OneIn(bytes, 2)) {
      SpoilTensor(bytes, call.tensors[static_cast<size_t>(Number(bytes, 0, kTensors - 1))]);
    } else {
      SpoilNumbers(bytes, call);
    }
  }
  for (TensorFields& tensor : call.tensors) SetMemory(tensor);
  FillBegins(bytes, call);
  FillInputs(bytes, call);
  return call;
}

// ---- what it must give ----

inline bool IsDense(const TensorFields& tensor) {
  if (tensor.strides.size() != tensor.extents.size() || tensor.elements() == 0) return true;
  uint64_t stride = 1;
  for (size_t axis = tensor.extents.size(); axis-- > 0;) {
    if (tensor.extents[axis] != 1 && static_cast<uint64_t>(tensor.strides[axis]) != stride) return false;
    stride = TensorFields::Times(stride, static_cast<uint64_t>(tensor.extents[axis]));
  }
  return true;
}

inline bool ShapesFit(const VoxelCall& call) {
  constexpr size_t kRanks[] = {2, 1, 3, 2, 2, 1, 1};
  for (size_t i = 0; i < kTensors; ++i) {
    if (call.tensors[i].described && call.tensors[i].extents.size() != kRanks[i]) return false;
  }
  const std::vector<int64_t>& points = call.tensors[kPoints].extents;
  const std::vector<int64_t>& coordinates = call.tensors[kCoordinates].extents;
  if (points[1] < call.ndim || coordinates[1] != call.ndim + (call.Has(kBegins) ? 1 : 0)) return false;
  if (call.Has(kBegins) && call.tensors[kBegins].extents[0] == 0) return false;
  const auto is = [&](Place place, const std::vector<int64_t>& extents) {
    return !call.Has(place) || call.tensors[static_cast<size_t>(place)].extents == extents;
  };
  return is(kVoxels, {coordinates[0], call.max_points, points[1]}) && is(kMeans, {coordinates[0], points[1]}) &&
         is(kNumPoints, {coordinates[0]}) && is(kPointVoxel, {points[0]});
}

inline bool TypesFit(const VoxelCall& call) {
  for (size_t i = 0; i < kTensors; ++i) {
    const mluOpDataType_t type = call.tensors[i].type;
    if (!call.tensors[i].described) continue;
    if (i == kPoints && (type == MLUOP_DTYPE_INT32 || type == MLUOP_DTYPE_INT64)) return false;
    if ((i == kVoxels || i == kMeans) && type != call.type()) return false;
    if (i != kPoints && i != kVoxels && i != kMeans && type != MLUOP_DTYPE_INT32) return false;
  }
  return true;
}

inline bool NumbersFit(const VoxelCall& call) {
  const auto rounded = [&](double value) {
    return call.type() == MLUOP_DTYPE_DOUBLE ? value : static_cast<double>(static_cast<float>(value));
  };
  for (size_t axis = 0; axis < static_cast<size_t>(call.ndim); ++axis) {
    const double size = rounded(call.voxel_size[axis]);
    if (!std::isfinite(rounded(call.range_min[axis])) || !std::isfinite(size) || size <= 0) return false;
    if (call.grid[axis] <= 0) return false;
  }
  return call.max_points >= (call.Has(kVoxels) ? 1 : 0) && call.max_voxels >= 0 && call.order >= 0 && call.order <= 1;
}

inline bool LimitsHold(const VoxelCall& call) {
  for (const TensorFields& tensor : call.tensors) {
    if (tensor.described && !IsDense(tensor)) return false;
  }
  for (const TensorFields& tensor : call.tensors) {
    const uint64_t size = detops_test::ElementSize(tensor.type);
    if (tensor.described && TensorFields::Times(tensor.elements(), size) >= INT64_MAX) return false;
  }
  const int64_t clouds = call.Has(kBegins) ? call.tensors[kBegins].extents[0] - 1 : 1;
  const auto bits = [](int64_t count) {
    return count <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<uint64_t>(count - 1)));
  };
  int sum = bits(clouds);
  for (size_t axis = 0; axis < static_cast<size_t>(call.ndim); ++axis) sum += bits(call.grid[axis]);
  return call.tensors[kPoints].extents[0] <= INT32_MAX && clouds <= INT32_MAX && sum <= 62;
}

inline bool BeginsAscend(const VoxelCall& call) {
  const TensorFields& begins = call.tensors[kBegins];
  const auto count = static_cast<int64_t>(begins.elements());
  const auto at = [&](int64_t i) {
    return static_cast<int64_t>(detops_test::ReadElement(MLUOP_DTYPE_INT32, begins.data, i));
  };
  if (at(0) != 0 || at(count - 1) != call.tensors[kPoints].extents[0]) return false;
  for (int64_t i = 1; i < count; ++i) {
    if (at(i) < at(i - 1)) return false;
  }
  return true;
}

inline mluOpStatus_t Foretold(const VoxelCall& call) {
  const bool arrays = call.with_min && call.with_size && call.with_grid;
  if (!call.with_voxel_num || !call.with_handle || !call.Has(kPoints) || !call.Has(kCoordinates) || !arrays) {
    return MLUOP_STATUS_BAD_PARAM;
  }
  if (call.profile != DETOPS_PROFILE_FULL) return MLUOP_STATUS_NOT_SUPPORTED;
  if (call.ndim < 1 || call.ndim > 4 || !ShapesFit(call) || !TypesFit(call) || !NumbersFit(call)) {
    return MLUOP_STATUS_BAD_PARAM;
  }
  if (!LimitsHold(call)) return MLUOP_STATUS_NOT_SUPPORTED;
  for (const TensorFields& tensor : call.tensors) {
    if (tensor.described && tensor.elements() > 0 && tensor.data == nullptr) return MLUOP_STATUS_BAD_PARAM;
  }
  if (call.Has(kBegins) && call.value_checks && !BeginsAscend(call)) return MLUOP_STATUS_BAD_PARAM;
  return call.runner_fails ? MLUOP_STATUS_EXECUTION_FAILED : MLUOP_STATUS_SUCCESS;
}

}  // namespace detops_fuzz

#endif  // DETOPS_OPS_POINT_TO_VOXEL_FUZZ_CALL_H_
