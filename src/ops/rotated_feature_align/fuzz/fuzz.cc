// Fuzzes rotated_feature_align with calls that are right, or wrong in one or two places.
//
// A refused call must give the status that the model foretells, say why, change nothing and leave the handle usable. A
// call that succeeds must agree with the double-precision reference on every SIMD target, and give the same bits with
// three threads and with a runner that goes backwards. Tensors are heap blocks of their exact size, so that the address
// sanitizer sees every step beside them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/operator_call.h"
#include "ops/rotated_feature_align/fuzz/call.h"
#include "ops/rotated_feature_align/reference/reference.h"
#include "support/element.h"
#include "support/status.h"
#include "support/tolerance.h"

namespace detops_fuzz {
namespace {

using detops_test::Must;

// ---- running it ----

struct Outcome {
  mluOpStatus_t status;
  std::string text;  // of the thread
};

Outcome Run(const Call& call, mluOpHandle_t handle, void* target) {
  Must(detopsSetProfile(handle, call.profile), "detopsSetProfile");
  Must(detopsSetValueChecks(handle, call.value_checks ? 1 : 0), "detopsSetValueChecks");
  const Descriptor source(call.source()), boxes(call.boxes()), result(call.target());
  const auto align = call.forward ? mluOpRotatedFeatureAlignForward : mluOpRotatedFeatureAlignBackward;
  const mluOpStatus_t status = align(call.with_handle ? handle : nullptr, source.get(), call.source().data, boxes.get(),
                                     call.boxes().data, call.spatial_scale, call.points, result.get(), target);
  return {status, detopsGetLastError(nullptr)};
}

void RequireUsable(mluOpHandle_t handle) {
  Call good;
  good.source().extents = good.target().extents = {1, 1, 2, 1};
  good.boxes().extents = {1, 1, 2, 5};
  float source[] = {1, 2}, boxes[10] = {}, target[2] = {};  // both boxes at (0, 0): each adds the first pixel
  good.source().data = reinterpret_cast<unsigned char*>(source);
  good.boxes().data = reinterpret_cast<unsigned char*>(boxes);
  const Outcome outcome = Run(good, handle, target);
  if (outcome.status != MLUOP_STATUS_SUCCESS) Broken("handle unusable after a failure: %s", outcome.text.c_str());
  if (!outcome.text.empty() || detopsGetLastError(handle)[0] != '\0') Broken("text not empty after a good call");
  if (target[0] != 2 || target[1] != 3) Broken("wrong result after a failure: %g, %g", target[0], target[1]);
}

void RequireFailure(const Call& call, mluOpStatus_t expected) {
  const mluOpHandle_t handle = call.runner_fails ? AllHandles().failing : AllHandles().alone;
  std::vector<unsigned char> before[3];
  for (int i = 0; i < 3; ++i) before[i] = call.tensors[i].memory;
  const Outcome outcome = Run(call, handle, call.target().data);
  if (outcome.status != expected) {
    Broken("%s gave %s, expected %s; text: \"%s\"", call.name(), mluOpGetErrorString(outcome.status),
           mluOpGetErrorString(expected), outcome.text.c_str());
  }
  if (outcome.text.rfind(std::string(call.name()) + ": ", 0) != 0 || outcome.text.back() != '.') {
    Broken("%s failed with the text \"%s\"", call.name(), outcome.text.c_str());
  }
  if (call.with_handle && outcome.text != detopsGetLastError(handle)) Broken("texts of handle and thread differ");
  const int unchanged = expected == MLUOP_STATUS_EXECUTION_FAILED ? 2 : 3;  // the target is undefined then
  for (int i = 0; i < unchanged; ++i) {
    if (call.tensors[i].memory != before[i]) Broken("%s failed and changed tensor %d", call.name(), i);
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

// The reference's result, and how far from it a right answer may be.
class Reference {
 public:
  explicit Reference(const Call& call) : type_(call.source().type) {
    const TensorArgument& source = call.source();
    const std::vector<int64_t>& n = source.extents;
    const auto align =
        call.forward ? detops_reference::RotatedFeatureAlignForward : detops_reference::RotatedFeatureAlignBackward;
    std::vector<unsigned char> magnitudes(source.data, source.data + source.bytes());
    for (size_t i = ElementSize(type_) - 1; i < magnitudes.size(); i += ElementSize(type_)) magnitudes[i] &= 0x7F;
    result_ = align(type_, n[0], n[1], n[2], n[3], source.data, call.boxes().data, call.spatial_scale, call.points);
    // Weights are not negative, so this is the sum of the terms' magnitudes: what rounding errors are relative to.
    // Gradients that cancel each other leave a result to which they are not.
    magnitude_ =
        align(type_, n[0], n[1], n[2], n[3], magnitudes.data(), call.boxes().data, call.spatial_scale, call.points);
    for (uint64_t i = 0; i < source.elements(); ++i) {
      const double value = std::fabs(ReadElement(type_, source.data, static_cast<int64_t>(i)));
      if (std::isfinite(value)) largest_source_ = std::max(largest_source_, value);
    }
    const double terms = static_cast<double>(call.points) * 4 * (call.forward ? 1.0 : static_cast<double>(n[1] * n[2]));
    const bool is_double = type_ == MLUOP_DTYPE_DOUBLE;
    relative_ = std::max(detops_test::ToleranceFor(type_).diff1, (terms + 8) * (is_double ? 0x1p-53 : 0x1p-24));
    // Weights below the smallest number are 0 in the library.
    absolute_ = SmallestOf(type_) + (terms + 2) * (is_double ? 0x1p-1074 : 0x1p-149) * (1 + largest_source_);
  }

  void RequireAgreement(const Call& call, const void* result, const std::string& target) const {
    for (size_t i = 0; i < result_.size(); ++i) {
      const double actual = ReadElement(type_, result, static_cast<int64_t>(i));
      if (Agrees(actual, result_[i], magnitude_[i])) continue;
      Broken("%s on %s: %s element %zu is %.17g, expected %.17g, sum of magnitudes %.17g", call.name(), target.c_str(),
             detops_test::ElementName(type_), i, actual, result_[i], magnitude_[i]);
    }
  }

 private:
  bool Agrees(double actual, double expected, double magnitude) const {
    const double largest = LargestOf(type_);
    if (magnitude < largest * 0.9) return std::fabs(actual - expected) <= relative_ * magnitude + absolute_;
    // An Inf or NaN of the source reaches the result; a weight that was too small for float makes NaN of Inf. Sums
    // that overflow by themselves depend on their order.
    if (std::isfinite(magnitude) || largest_source_ > largest / 1e4) return true;
    return std::isnan(actual) || actual == expected;
  }

  mluOpDataType_t type_;
  std::vector<double> result_, magnitude_;
  double largest_source_ = 0;
  double relative_, absolute_;
};

void RequireSuccess(const Call& call) {
  const std::vector<std::string>& targets = Targets();
  const bool finite_boxes = AllFinite(call.boxes());
  const Reference reference(call);
  std::vector<unsigned char> before[2] = {call.source().memory, call.boxes().memory};
  const size_t bytes = static_cast<size_t>(call.target().bytes());
  const auto run = [&](mluOpHandle_t handle, std::vector<unsigned char>& memory) {
    memory = call.target().memory;  // of its exact size, all ones: NaN
    memory.shrink_to_fit();
    unsigned char* result = memory.data() + (memory.size() - bytes);
    const Outcome outcome = Run(call, handle, result);
    if (outcome.status != MLUOP_STATUS_SUCCESS) {
      Broken("a good call gave %s: %s", mluOpGetErrorString(outcome.status), outcome.text.c_str());
    }
    if (!outcome.text.empty() || detopsGetLastError(handle)[0] != '\0') Broken("text not empty after a success");
    return result;
  };
  std::vector<unsigned char> alone, other;
  for (size_t i = 0; i < targets.size(); ++i) {
    const std::string& target = targets[i];
    Must(detopsSetTarget(target.c_str()), "detopsSetTarget");
    const unsigned char* result = run(AllHandles().alone, alone);
    if (finite_boxes) reference.RequireAgreement(call, result, target);
    if (i != static_cast<size_t>(call.target_for_threads) % targets.size()) continue;
    for (const mluOpHandle_t handle : {AllHandles().three, AllHandles().backwards}) {
      run(handle, other);
      if (other != alone) Broken("%s on %s: the bits depend on the threads", call.name(), target.c_str());
    }
  }
  for (int i = 0; i < 2; ++i) {
    if (call.tensors[i].memory != before[i]) Broken("%s changed its input %d", call.name(), i);
  }
}

}  // namespace
}  // namespace detops_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops_fuzz::FuzzedBytes bytes(data, size);
  const detops_fuzz::Call call = detops_fuzz::MakeCall(bytes);
  const mluOpStatus_t expected = detops_fuzz::ExpectedStatus(call);
  if (expected == MLUOP_STATUS_SUCCESS) {
    detops_fuzz::RequireSuccess(call);
  } else {
    detops_fuzz::RequireFailure(call, expected);
  }
  return 0;
}
