// Fuzzes all functions of roiaware_pool3d with calls that are right, or wrong in one or two places.
//
// A refused call must give the status that the model foretells, say why, change nothing and leave the handle usable. A
// call that succeeds must agree with the reference on every SIMD target, and give the same bits with three threads and
// with a runner that goes backwards. Tensors are heap blocks of their exact size, so that the address sanitizer sees
// every step beside them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/operator_call.h"
#include "ops/roiaware_pool3d/fuzz/call.h"
#include "ops/roiaware_pool3d/fuzz/make.h"
#include "ops/roiaware_pool3d/reference/reference.h"
#include "support/element.h"
#include "support/status.h"
#include "support/tolerance.h"

namespace detops_fuzz {
namespace {

using detops_test::Must;

constexpr int64_t kUnset = -77;

struct Outcome {
  mluOpStatus_t status = MLUOP_STATUS_INTERNAL_ERROR;
  std::string text;  // of the thread
  int64_t voxel_num = kUnset, point_num = kUnset;
};

// ---- running it ----

Outcome Run(Call& call, mluOpHandle_t handle) {
  Must(detopsSetProfile(handle, call.profile), "detopsSetProfile");
  Must(detopsSetValueChecks(handle, call.value_checks ? 1 : 0), "detopsSetValueChecks");
  std::map<std::string, std::unique_ptr<Descriptor>> descriptors;
  for (const TensorArgument& tensor : call.tensors) descriptors[tensor.name] = std::make_unique<Descriptor>(tensor);
  const auto d = [&](const char* name) { return descriptors.at(name)->get(); };
  const auto p = [&](const char* name) { return call[name].data; };
  const auto i = [](int64_t number) { return static_cast<int>(number); };
  const auto origin = static_cast<detopsZOrigin_t>(call.z_origin);
  const mluOpHandle_t h = call.with_handle ? handle : nullptr;
  Outcome outcome;
  int64_t* const voxel_num = call.with_voxel_num ? &outcome.voxel_num : nullptr;
  int64_t* const point_num = call.with_point_num ? &outcome.point_num : nullptr;
  unsigned char workspace[64] = {};
  switch (call.function) {
    case Function::kForward:
      outcome.status = (call.old_spelling ? mluOpRoiawarePool3dForward : mluOpRoiAwarePool3dForward)(
          h, call.method, i(call.boxes), i(call.points), i(call.channels), d("rois"), p("rois"), d("pts"), p("pts"),
          d("pts_feature"), p("pts_feature"), call.with_workspace ? workspace : nullptr, call.workspace_size,
          i(call.max_pts), i(call.out_x), i(call.out_y), i(call.out_z), d("argmax"), p("argmax"),
          d("pts_idx_of_voxels"), p("pts_idx_of_voxels"), d("pooled_features"), p("pooled_features"));
      break;
    case Function::kBackward:
      outcome.status = (call.old_spelling ? mluOpRoiawarePool3dBackward : mluOpRoiAwarePool3dBackward)(
          h, call.method, i(call.boxes), i(call.out_x), i(call.out_y), i(call.out_z), i(call.channels), i(call.max_pts),
          d("pts_idx_of_voxels"), p("pts_idx_of_voxels"), d("argmax"), p("argmax"), d("grad_out"), p("grad_out"),
          d("grad_in"), p("grad_in"));
      break;
    case Function::kSwitches:
      outcome.status = detopsRoiAwarePool3dForward(h, call.method, origin, call.xy_margin, d("rois"), p("rois"),
                                                   d("pts"), p("pts"), d("pts_feature"), p("pts_feature"), d("argmax"),
                                                   p("argmax"), d("pts_idx_of_voxels"), p("pts_idx_of_voxels"),
                                                   d("pooled_features"), p("pooled_features"));
      break;
    case Function::kCount:
      outcome.status =
          detopsCountRoiAwareVoxels(h, origin, call.xy_margin, i(call.max_pts), i(call.out_x), i(call.out_y),
                                    i(call.out_z), d("rois"), p("rois"), d("pts"), p("pts"), voxel_num, point_num);
      break;
    case Function::kCompactForward:
      outcome.status = detopsRoiAwarePool3dCompactForward(
          h, call.method, origin, call.xy_margin, i(call.max_pts), i(call.out_x), i(call.out_y), i(call.out_z),
          d("rois"), p("rois"), d("pts"), p("pts"), d("pts_feature"), p("pts_feature"), d("voxels"), p("voxels"),
          d("voxel_begins"), p("voxel_begins"), d("pts_idx"), p("pts_idx"), d("argmax"), p("argmax"),
          d("pooled_features"), p("pooled_features"), voxel_num, point_num);
      break;
    case Function::kCompactBackward:
      outcome.status = detopsRoiAwarePool3dCompactBackward(
          h, call.method, call.used_rows, d("voxel_begins"), p("voxel_begins"), d("pts_idx"), p("pts_idx"), d("argmax"),
          p("argmax"), d("grad_out"), p("grad_out"), d("grad_in"), p("grad_in"));
      break;
  }
  outcome.text = detopsGetLastError(nullptr);
  return outcome;
}

void RequireUsable(mluOpHandle_t handle) {
  Call good;
  good.function = Function::kBackward;
  int32_t lists[] = {1, 1}, argmax[] = {1};
  float grad_out[] = {3}, grad_in[] = {-1, -1};
  const struct {
    const char* name;
    mluOpDataType_t type;
    std::vector<int64_t> extents;
    void* data;
  } rows[] = {{"pts_idx_of_voxels", MLUOP_DTYPE_INT32, {1, 1, 1, 1, 2}, lists},
              {"argmax", MLUOP_DTYPE_INT32, {1, 1, 1, 1, 1}, argmax},
              {"grad_out", MLUOP_DTYPE_FLOAT, {1, 1, 1, 1, 1}, grad_out},
              {"grad_in", MLUOP_DTYPE_FLOAT, {2, 1}, grad_in}};
  for (const auto& row : rows) {
    TensorArgument tensor;
    tensor.name = row.name;
    tensor.type = row.type;
    tensor.extents = row.extents;
    tensor.data = static_cast<unsigned char*>(row.data);
    good.tensors.push_back(tensor);
  }
  const Outcome outcome = Run(good, handle);
  if (outcome.status != MLUOP_STATUS_SUCCESS) Broken("handle unusable after a failure: %s", outcome.text.c_str());
  if (!outcome.text.empty() || detopsGetLastError(handle)[0] != '\0') Broken("text not empty after a good call");
  if (grad_in[0] != 0 || grad_in[1] != 3) Broken("wrong result after a failure: %g, %g", grad_in[0], grad_in[1]);
}

// Runs a call that must fail with one of the statuses.
void RequireFailure(Call& call, const std::vector<mluOpStatus_t>& expected) {
  const mluOpHandle_t handle = call.runner_fails ? AllHandles().failing : AllHandles().alone;
  std::vector<std::vector<unsigned char>> before;
  for (const TensorArgument& tensor : call.tensors) before.push_back(tensor.memory);
  const Outcome outcome = Run(call, handle);
  if (std::find(expected.begin(), expected.end(), outcome.status) == expected.end()) {
    Broken("%s gave %s, expected %s; text: \"%s\"", call.name(), mluOpGetErrorString(outcome.status),
           mluOpGetErrorString(expected.front()), outcome.text.c_str());
  }
  if (outcome.status == MLUOP_STATUS_SUCCESS) return;
  if (outcome.text.rfind(std::string(call.name()) + ": ", 0) != 0 || outcome.text.back() != '.') {
    Broken("%s failed with the text \"%s\"", call.name(), outcome.text.c_str());
  }
  if (call.with_handle && outcome.text != detopsGetLastError(handle)) Broken("texts of handle and thread differ");
  if (outcome.voxel_num != kUnset || outcome.point_num != kUnset) Broken("%s failed and wrote counts", call.name());
  for (size_t i = 0; i < before.size(); ++i) {  // outputs are undefined after a runner failed
    const bool undefined = outcome.status == MLUOP_STATUS_EXECUTION_FAILED && call.tensors[i].written;
    if (!undefined && call.tensors[i].memory != before[i]) {
      Broken("%s failed and changed %s", call.name(), call.tensors[i].name.c_str());
    }
  }
  if (!call.runner_fails) RequireUsable(handle);
}

// ---- comparing with the reference ----

double LargestOf(mluOpDataType_t type) {
  if (type == MLUOP_DTYPE_HALF) return 65504;
  if (type == MLUOP_DTYPE_DOUBLE) return std::numeric_limits<double>::max();
  return type == MLUOP_DTYPE_FLOAT ? static_cast<double>(std::numeric_limits<float>::max()) : 0x1.fep127;
}

double SmallestOf(mluOpDataType_t type) {
  if (type == MLUOP_DTYPE_HALF) return 0x1p-24;
  if (type == MLUOP_DTYPE_DOUBLE) return std::numeric_limits<double>::denorm_min();
  return type == MLUOP_DTYPE_FLOAT ? 0x1p-149 : 0x1p-133;
}

// `magnitude` is the sum of the terms' magnitudes: what rounding errors are relative to. Sums that overflow on their
// way depend on their order.
bool Near(mluOpDataType_t type, double actual, double expected, double magnitude) {
  if (std::isfinite(magnitude) && magnitude < LargestOf(type) * 0.9) {
    return std::fabs(actual - expected) <= detops_test::ToleranceFor(type).diff1 * magnitude + 2 * SmallestOf(type);
  }
  if (std::isfinite(magnitude)) return true;
  return std::isnan(expected) ? std::isnan(actual) : actual == expected || std::isnan(actual);
}

void RequireInteger(const Call& call, const TensorArgument& tensor, uint64_t index, int64_t expected) {
  if (tensor.integer(index) == expected) return;
  Broken("%s: %s element %llu is %lld, expected %lld", call.name(), tensor.name.c_str(),
         static_cast<unsigned long long>(index), static_cast<long long>(tensor.integer(index)),
         static_cast<long long>(expected));
}

std::vector<detops_reference::RoiAwareVoxel> ReferenceVoxels(const Call& call) {
  const detops_reference::RoiAwareGrid grid = {call.out_x,   call.out_y,         call.out_z,
                                               call.max_pts, call.z_origin == 1, call.xy_margin};
  return detops_reference::RoiAwareVoxels(call["rois"].type, grid, call.boxes, call["rois"].data, call.points,
                                          call["pts"].data);
}

// One row of the pooled features and its winners.
void RequirePooled(const Call& call, uint64_t row, const std::vector<int64_t>& points) {
  const TensorArgument &features = call["pts_feature"], &pooled = call["pooled_features"], &argmax = call["argmax"];
  for (int64_t c = 0; c < call.channels; ++c) {
    const int64_t at = static_cast<int64_t>(row) * call.channels + c;
    double largest = -HUGE_VAL, sum = 0, magnitude = 0;
    int64_t winner = -1;
    for (const int64_t point : points) {
      const double value = ReadElement(features.type, features.data, point * call.channels + c);
      sum += value;
      magnitude += std::fabs(value);
      if (!(value > largest)) continue;
      largest = value;
      winner = point;
    }
    const double actual = ReadElement(pooled.type, pooled.data, at);
    const auto count = static_cast<double>(std::max<size_t>(points.size(), 1));
    const bool max = call.method == 0;
    const bool good = max ? actual == (winner < 0 ? 0 : largest)
                          : Near(pooled.type, actual, sum / count,
                                 magnitude < LargestOf(pooled.type) * 0.9 ? magnitude / count : magnitude);
    if (!good) {
      Broken("%s: %s pooled_features element %lld is %.17g, expected %.17g", call.name(),
             detops_test::ElementName(pooled.type), static_cast<long long>(at), actual, max ? largest : sum / count);
    }
    if (argmax.data != nullptr) RequireInteger(call, argmax, static_cast<uint64_t>(at), max ? winner : 0);
  }
}

void RequireDense(const Call& call) {
  std::map<int64_t, std::vector<int64_t>> lists;
  for (auto& voxel : ReferenceVoxels(call)) {
    const int64_t at = ((voxel.box * call.out_x + voxel.x) * call.out_y + voxel.y) * call.out_z + voxel.z;
    lists[at] = std::move(voxel.points);
  }
  const TensorArgument& numbers = call["pts_idx_of_voxels"];
  const int64_t voxels = call.boxes * call.out_x * call.out_y * call.out_z;
  for (int64_t v = 0; v < voxels; ++v) {
    const auto found = lists.find(v);
    const std::vector<int64_t> points = found == lists.end() ? std::vector<int64_t>() : found->second;
    for (int64_t i = 0; i < call.max_pts; ++i) {
      const auto count = static_cast<int64_t>(points.size());
      RequireInteger(call, numbers, static_cast<uint64_t>(v * call.max_pts + i),
                     i == 0       ? count
                     : i <= count ? points[static_cast<size_t>(i - 1)]
                                  : 0);
    }
    RequirePooled(call, static_cast<uint64_t>(v), points);
  }
}

void RequireCompact(const Call& call, const std::vector<detops_reference::RoiAwareVoxel>& voxels) {
  uint64_t entry = 0;
  RequireInteger(call, call["voxel_begins"], 0, 0);
  for (uint64_t v = 0; v < voxels.size(); ++v) {
    const int64_t place[] = {voxels[v].box, voxels[v].x, voxels[v].y, voxels[v].z};
    for (uint64_t i = 0; i < 4; ++i) RequireInteger(call, call["voxels"], v * 4 + i, place[i]);
    for (const int64_t point : voxels[v].points) RequireInteger(call, call["pts_idx"], entry++, point);
    RequireInteger(call, call["voxel_begins"], v + 1, static_cast<int64_t>(entry));
    RequirePooled(call, v, voxels[v].points);
  }
}

void RequireGradient(const Call& call) {
  const TensorArgument &grad_out = call["grad_out"], &grad_in = call["grad_in"];
  std::vector<double> sums(grad_in.elements(), 0.0), magnitudes(grad_in.elements(), 0.0);
  const int64_t rows = call.compact() ? call.used_rows : call.boxes * call.out_x * call.out_y * call.out_z;
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<int64_t> points;
    if (call.method == 1) {
      const TensorArgument& lists = call[call.compact() ? "pts_idx" : "pts_idx_of_voxels"];
      const auto first = static_cast<uint64_t>(row * call.max_pts);
      const int64_t begin = call.compact() ? call["voxel_begins"].integer(static_cast<uint64_t>(row)) : 1;
      const int64_t end =
          call.compact() ? call["voxel_begins"].integer(static_cast<uint64_t>(row) + 1) : 1 + lists.integer(first);
      for (int64_t i = begin; i < end; ++i) {
        points.push_back(lists.integer(static_cast<uint64_t>(i) + (call.compact() ? 0 : first)));
      }
    }
    for (int64_t c = 0; c < call.channels; ++c) {
      const int64_t at = row * call.channels + c;
      if (call.method == 0) points.assign(1, call["argmax"].integer(static_cast<uint64_t>(at)));
      for (const int64_t point : points) {
        if (point < 0) continue;
        const double value = ReadElement(grad_out.type, grad_out.data, at) / static_cast<double>(points.size());
        sums[static_cast<size_t>(point * call.channels + c)] += value;
        magnitudes[static_cast<size_t>(point * call.channels + c)] += std::fabs(value);
      }
    }
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    const double actual = ReadElement(grad_in.type, grad_in.data, static_cast<int64_t>(i));
    if (Near(grad_in.type, actual, sums[i], magnitudes[i])) continue;
    Broken("%s: %s grad_in element %zu is %.17g, expected %.17g, sum of magnitudes %.17g", call.name(),
           detops_test::ElementName(grad_in.type), i, actual, sums[i], magnitudes[i]);
  }
}

void RequireAgreement(const Call& call, const Outcome& outcome,
                      const std::vector<detops_reference::RoiAwareVoxel>& voxels) {
  if (call.backward()) return RequireGradient(call);
  if (!call.compact()) return RequireDense(call);
  int64_t points = 0;
  for (const auto& voxel : voxels) points += static_cast<int64_t>(voxel.points.size());
  if (outcome.voxel_num != static_cast<int64_t>(voxels.size()) || outcome.point_num != points) {
    Broken("%s: %lld voxels, %lld points, expected %zu and %lld", call.name(),
           static_cast<long long>(outcome.voxel_num), static_cast<long long>(outcome.point_num), voxels.size(),
           static_cast<long long>(points));
  }
  if (call.function == Function::kCompactForward) RequireCompact(call, voxels);
}

// Outputs and counts as one block of bytes.
std::vector<unsigned char> Results(const Call& call, const Outcome& outcome) {
  std::vector<unsigned char> all(sizeof(int64_t) * 2);
  std::memcpy(all.data(), &outcome.voxel_num, sizeof(int64_t));
  std::memcpy(all.data() + sizeof(int64_t), &outcome.point_num, sizeof(int64_t));
  for (const TensorArgument& tensor : call.tensors) {
    if (tensor.written) all.insert(all.end(), tensor.memory.begin(), tensor.memory.end());
  }
  return all;
}

// `comparable`: every number is as documented, so that the result is too.
void RequireSuccess(Call& call, bool comparable, const std::vector<detops_reference::RoiAwareVoxel>& voxels) {
  const std::vector<std::string>& targets = Targets();
  std::vector<std::vector<unsigned char>> before;
  for (const TensorArgument& tensor : call.tensors) before.push_back(tensor.memory);
  const auto run = [&](mluOpHandle_t handle) {
    for (TensorArgument& tensor : call.tensors) {
      if (tensor.written) std::fill(tensor.memory.begin(), tensor.memory.end(), static_cast<unsigned char>(0xFF));
    }
    Outcome outcome = Run(call, handle);
    if (outcome.status != MLUOP_STATUS_SUCCESS) {
      Broken("a good call gave %s: %s", mluOpGetErrorString(outcome.status), outcome.text.c_str());
    }
    if (!outcome.text.empty() || detopsGetLastError(handle)[0] != '\0') Broken("text not empty after a success");
    return outcome;
  };
  for (size_t i = 0; i < targets.size(); ++i) {
    Must(detopsSetTarget(targets[i].c_str()), "detopsSetTarget");
    const Outcome alone = run(AllHandles().alone);
    if (comparable) RequireAgreement(call, alone, voxels);
    if (i != static_cast<size_t>(call.target_for_threads) % targets.size()) continue;
    const std::vector<unsigned char> expected = Results(call, alone);
    for (const mluOpHandle_t handle : {AllHandles().three, AllHandles().backwards}) {
      const Outcome other = run(handle);
      if (Results(call, other) != expected) {
        Broken("%s on %s: the bits depend on the threads", call.name(), targets[i].c_str());
      }
    }
  }
  for (size_t i = 0; i < before.size(); ++i) {
    if (!call.tensors[i].written && call.tensors[i].memory != before[i]) {
      Broken("%s changed its input %s", call.name(), call.tensors[i].name.c_str());
    }
  }
}

void Try(Call& call) {
  // Grids of more than 2^32 voxels in a box may be refused.
  const int64_t grid = Product(Product(std::max<int64_t>(call.out_x, 0), std::max<int64_t>(call.out_y, 0)),
                               std::max<int64_t>(call.out_z, 0));
  if (call.compact() && !call.backward() && grid > int64_t{1} << 32) return;
  const mluOpStatus_t expected = Model(call).status();
  if (expected != MLUOP_STATUS_SUCCESS) return RequireFailure(call, {expected});
  const bool good = ValuesAreGood(call);
  if (!good && call.backward() && !call.value_checks) return;  // the caller vouches for these
  std::vector<mluOpStatus_t> failures;
  if (!good && call.value_checks) failures = {MLUOP_STATUS_BAD_PARAM};
  std::vector<detops_reference::RoiAwareVoxel> voxels;
  if (failures.empty() && good && call.compact() && !call.backward()) voxels = ReferenceVoxels(call);
  if (failures.empty() && call.function == Function::kCompactForward) {
    int64_t points = 0;
    for (const auto& voxel : voxels) points += static_cast<int64_t>(voxel.points.size());
    const bool fits = static_cast<int64_t>(voxels.size()) <= call.rows() && points <= call["pts_idx"].extents[0];
    if (!good) return;  // how much room boxes that are not numbers need stands nowhere
    if (!fits) failures = {MLUOP_STATUS_BAD_PARAM};
  }
  if (call.runner_fails) {
    failures.insert(failures.begin(), MLUOP_STATUS_EXECUTION_FAILED);
    if (call.function == Function::kCompactBackward && call.used_rows == 0) failures.push_back(MLUOP_STATUS_SUCCESS);
  }
  if (!failures.empty()) return RequireFailure(call, failures);
  RequireSuccess(call, good, voxels);
}

}  // namespace
}  // namespace detops_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops_fuzz::FuzzedBytes bytes(data, size);
  detops_fuzz::Call call = detops_fuzz::CallMaker(bytes).Make();
  detops_fuzz::CheckWorkspaceSize(call);
  detops_fuzz::Try(call);
  return 0;
}
