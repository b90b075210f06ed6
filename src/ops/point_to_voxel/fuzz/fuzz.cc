// Fuzzes point_to_voxel with calls that are right, or wrong in one or two places.
//
// A refused call must give the status that the model foretells, say why, change nothing and leave the handle usable. A
// call that succeeds must agree with the reference on every SIMD target, and give the same bits with three threads and
// with a runner that goes backwards. Tensors are heap blocks of their exact size, so that the address sanitizer sees
// every step beside them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ops/point_to_voxel/fuzz/call.h"
#include "ops/point_to_voxel/reference/reference.h"
#include "support/tolerance.h"

namespace detops_fuzz {
namespace {

using detops_test::Must;
using detops_test::ReadElement;

struct Outcome {
  mluOpStatus_t status;
  std::string text;  // of the thread
  int64_t voxel_num = -7;
};

Outcome Run(VoxelCall& call, mluOpHandle_t handle) {
  Must(detopsSetProfile(handle, call.profile), "detopsSetProfile");
  Must(detopsSetValueChecks(handle, call.value_checks ? 1 : 0), "detopsSetValueChecks");
  const auto& t = call.tensors;
  const Descriptor points(t[kPoints]), begins(t[kBegins]), voxels(t[kVoxels]), means(t[kMeans]),
      coordinates(t[kCoordinates]), num_points(t[kNumPoints]), point_voxel(t[kPointVoxel]);
  Outcome outcome = {};
  outcome.voxel_num = -7;
  outcome.status = detopsPointToVoxel(
      call.with_handle ? handle : nullptr, call.ndim, call.with_min ? call.range_min.data() : nullptr,
      call.with_size ? call.voxel_size.data() : nullptr, call.with_grid ? call.grid.data() : nullptr, call.max_points,
      call.max_voxels, static_cast<detopsVoxelOrder_t>(call.order), points.get(), t[kPoints].data, begins.get(),
      t[kBegins].data, voxels.get(), t[kVoxels].data, means.get(), t[kMeans].data, coordinates.get(),
      t[kCoordinates].data, num_points.get(), t[kNumPoints].data, point_voxel.get(), t[kPointVoxel].data,
      call.with_voxel_num ? &outcome.voxel_num : nullptr);
  outcome.text = detopsGetLastError(nullptr);
  return outcome;
}

std::vector<std::vector<unsigned char>> Memory(const VoxelCall& call) {
  std::vector<std::vector<unsigned char>> memory;
  for (const TensorFields& tensor : call.tensors) memory.push_back(tensor.memory);
  return memory;
}

void RequireUsable(mluOpHandle_t handle) {
  VoxelCall good;
  good.ndim = 1;
  good.tensors[kPoints] = {.type = MLUOP_DTYPE_FLOAT, .extents = {1, 1}};
  good.tensors[kCoordinates].extents = {1, 1};
  for (const Place place : {kBegins, kVoxels, kMeans, kNumPoints, kPointVoxel}) good.tensors[place].described = false;
  for (TensorFields& tensor : good.tensors) SetMemory(tensor);
  std::memset(good.tensors[kPoints].data, 0, 4);
  const Outcome outcome = Run(good, handle);
  if (outcome.status != MLUOP_STATUS_SUCCESS) Broken("handle unusable after a failure: %s", outcome.text.c_str());
  if (outcome.voxel_num != 1 || !outcome.text.empty()) Broken("wrong result after a failure");
}

void RequireFailure(VoxelCall& call, mluOpStatus_t expected) {
  const bool runner_failed = expected == MLUOP_STATUS_EXECUTION_FAILED;
  const mluOpHandle_t handle = runner_failed ? AllHandles().failing : AllHandles().alone;
  const auto before = Memory(call);
  const Outcome outcome = Run(call, handle);
  if (outcome.status != expected) {
    Broken("gave %s, expected %s; text: \"%s\"", mluOpGetErrorString(outcome.status), mluOpGetErrorString(expected),
           outcome.text.c_str());
  }
  if (outcome.text.rfind("detopsPointToVoxel: ", 0) != 0 || outcome.text.back() != '.') {
    Broken("failed with the text \"%s\"", outcome.text.c_str());
  }
  if (call.with_handle && outcome.text != detopsGetLastError(handle)) Broken("texts of handle and thread differ");
  if (outcome.voxel_num != -7) Broken("failed and changed voxel_num");
  if (runner_failed) return;  // the results are undefined
  if (Memory(call) != before) Broken("failed and changed a tensor");
  RequireUsable(AllHandles().alone);
}

// ---- comparing with the reference ----

detops_reference::PointVoxels ReferenceOf(const VoxelCall& call) {
  const TensorFields& points = call.tensors[kPoints];
  const auto dims = static_cast<size_t>(call.ndim);
  const detops_reference::VoxelRules rules = {
      .range_min = std::vector<double>(call.range_min.begin(), call.range_min.begin() + call.ndim),
      .voxel_size = std::vector<double>(call.voxel_size.begin(), call.voxel_size.begin() + call.ndim),
      .grid = std::vector<int>(call.grid.begin(), call.grid.begin() + static_cast<int64_t>(dims)),
      .max_points = call.max_points,
      .max_voxels = call.max_voxels,
      .room = call.tensors[kCoordinates].extents[0],
      .ascending = call.order == DETOPS_VOXEL_ORDER_ASCENDING};
  std::vector<int64_t> begins = {0, points.extents[0]};
  if (call.Has(kBegins)) {
    begins.clear();
    for (uint64_t i = 0; i < call.tensors[kBegins].elements(); ++i) {
      begins.push_back(
          static_cast<int64_t>(ReadElement(MLUOP_DTYPE_INT32, call.tensors[kBegins].data, static_cast<int64_t>(i))));
    }
  }
  return detops_reference::PointsToVoxels(points.type, rules, points.extents[0], points.extents[1], points.data,
                                          begins);
}

void RequireNumber(const VoxelCall& call, Place place, int64_t index, int64_t expected) {
  if (!call.Has(place)) return;
  const TensorFields& tensor = call.tensors[static_cast<size_t>(place)];
  const auto actual = static_cast<int64_t>(ReadElement(tensor.type, tensor.data, index));
  if (actual == expected) return;
  Broken("tensor %d, element %lld is %lld, expected %lld", place, static_cast<long long>(index),
         static_cast<long long>(actual), static_cast<long long>(expected));
}

// A row of lists and means against the points that it must hold.
void RequireRow(const VoxelCall& call, const detops_reference::PointVoxel& voxel, int64_t row) {
  const TensorFields& points = call.tensors[kPoints];
  const int64_t features = points.extents[1];
  const auto size = static_cast<int64_t>(detops_test::ElementSize(points.type));
  const auto kept = static_cast<int64_t>(voxel.kept.size());
  for (int64_t k = 0; call.Has(kVoxels) && k < call.max_points; ++k) {
    const unsigned char* actual = call.tensors[kVoxels].data + (row * call.max_points + k) * features * size;
    std::vector<unsigned char> expected(static_cast<size_t>(features * size), 0);
    if (k < kept) {
      const int64_t point = voxel.kept[static_cast<size_t>(k)];
      std::memcpy(expected.data(), points.data + point * features * size, expected.size());
    }
    if (std::memcmp(actual, expected.data(), expected.size()) != 0) {
      Broken("voxel %lld, point %lld is wrong", static_cast<long long>(row), static_cast<long long>(k));
    }
  }
  for (int64_t f = 0; call.Has(kMeans) && f < features; ++f) {
    double sum = 0, magnitude = 0;
    for (const int64_t point : voxel.kept) {
      const double value = ReadElement(points.type, points.data, point * features + f);
      sum += value;
      magnitude += std::fabs(value);
    }
    const double expected = sum / static_cast<double>(kept);
    const double actual = ReadElement(points.type, call.tensors[kMeans].data, row * features + f);
    if (std::isnan(expected) || !(magnitude < 1e38)) continue;  // sums that overflow in float
    const double slack = detops_test::ToleranceFor(points.type).diff1 * magnitude + 1e-7;
    if (!(std::fabs(actual - expected) <= slack)) Broken("mean is %.17g, expected %.17g", actual, expected);
  }
}

void RequireAgreement(const VoxelCall& call, const detops_reference::PointVoxels& expected, const Outcome& outcome) {
  const auto rows = static_cast<int64_t>(expected.voxels.size());
  if (outcome.voxel_num != rows) {
    Broken("%lld voxels, expected %lld", static_cast<long long>(outcome.voxel_num), static_cast<long long>(rows));
  }
  for (int64_t row = 0; row < rows; ++row) {
    const detops_reference::PointVoxel& voxel = expected.voxels[static_cast<size_t>(row)];
    const size_t skipped = call.Has(kBegins) ? 0 : 1;
    const auto columns = static_cast<int64_t>(voxel.site.size() - skipped);
    for (int64_t i = 0; i < columns; ++i) {
      RequireNumber(call, kCoordinates, row * columns + i, voxel.site[static_cast<size_t>(i) + skipped]);
    }
    RequireNumber(call, kNumPoints, row, static_cast<int64_t>(voxel.kept.size()));
    RequireRow(call, voxel, row);
  }
  for (size_t point = 0; point < expected.voxel_of_point.size(); ++point) {
    RequireNumber(call, kPointVoxel, static_cast<int64_t>(point), expected.voxel_of_point[point]);
  }
}

void RequireSuccess(VoxelCall& call) {
  // Clouds that overlap are no error if nobody looks, and their result is not specified.
  const bool specified = !call.Has(kBegins) || BeginsAscend(call);
  const auto fresh = Memory(call);
  std::vector<std::vector<unsigned char>> first;
  const auto run = [&](mluOpHandle_t handle) {
    for (size_t i = kVoxels; i < kTensors; ++i) {
      std::copy(fresh[i].begin(), fresh[i].end(), call.tensors[i].memory.begin());  // the address stays
    }
    const Outcome outcome = Run(call, handle);
    if (outcome.status != MLUOP_STATUS_SUCCESS) Broken("failed: %s", outcome.text.c_str());
    if (specified) RequireAgreement(call, ReferenceOf(call), outcome);
    if (first.empty()) first = Memory(call);
    if (Memory(call) != first) Broken("different bits");
  };
  for (const std::string& target : Targets()) {
    Must(detopsSetTarget(target.c_str()), "detopsSetTarget");
    run(AllHandles().alone);
  }
  Must(detopsSetTarget(nullptr), "detopsSetTarget");
  run(AllHandles().three);
  run(AllHandles().backwards);
  if (Memory(call)[kPoints] != fresh[kPoints] || Memory(call)[kBegins] != fresh[kBegins]) Broken("changed an input");
}

// ---- detopsGetVoxelGrid ----

// Arrays of their exact length; numbers that are usual, large or none at all.
void TryGrid(FuzzedBytes& bytes) {
  const int ndim = Rarely(bytes) ? Number(bytes, -1, 6) : Number(bytes, 1, 4);
  std::vector<double> arrays[3];
  for (auto& array : arrays) {
    for (int axis = 0; axis < ndim; ++axis) {
      const double usual = OneOf(bytes, {0.1, 0.0, -3.0, 0.05, 40.0, 70.4, 1.0, 0x1p31, 1e300, -1e300});
      array.push_back(OneIn(bytes, 3) ? static_cast<double>(bytes.AnyFloat()) : usual);
    }
    array.shrink_to_fit();
  }
  const size_t count = static_cast<size_t>(std::max(ndim, 0));
  std::vector<int> grid(count, -7), expected(count, -7);
  const auto given = [&](const auto& array) { return array.empty() ? nullptr : array.data(); };
  const double* const low = OrNull(bytes, given(arrays[0]));
  const double* const high = OrNull(bytes, given(arrays[1]));
  const double* const size = OrNull(bytes, given(arrays[2]));
  int* const to_grid = OrNull(bytes, grid.empty() ? nullptr : grid.data());
  bool good = ndim >= 1 && ndim <= 4 && low != nullptr && high != nullptr && size != nullptr && to_grid != nullptr;
  for (size_t axis = 0; good && axis < count; ++axis) {
    const auto from = static_cast<float>(low[axis]), to = static_cast<float>(high[axis]);
    const auto step = static_cast<float>(size[axis]);
    const float voxels = std::round((to - from) / step);
    good = std::isfinite(from) && std::isfinite(to) && to > from && std::isfinite(step) && step > 0 && voxels >= 1 &&
           voxels < 0x1p31f;
    if (good) expected[axis] = static_cast<int>(voxels);
  }
  ExpectStatus(detopsGetVoxelGrid(ndim, low, high, size, to_grid), good, "detopsGetVoxelGrid");
  if (good ? grid != expected : grid != std::vector<int>(count, -7)) Broken("detopsGetVoxelGrid: wrong grid");
}

}  // namespace
}  // namespace detops_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops_fuzz::FuzzedBytes bytes(data, size);
  if (detops_fuzz::OneIn(bytes, 16)) {
    detops_fuzz::TryGrid(bytes);
    return 0;
  }
  detops_fuzz::VoxelCall call = detops_fuzz::MakeCall(bytes);
  const mluOpStatus_t expected = detops_fuzz::Foretold(call);
  if (expected == MLUOP_STATUS_SUCCESS) {
    detops_fuzz::RequireSuccess(call);
  } else {
    detops_fuzz::RequireFailure(call, expected);
  }
  return 0;
}
