// Fuzzes psroipool, the contract's functions and the extensions, with calls that are right, or wrong in one or two
// places.
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
#include "ops/psroipool/fuzz/call.h"
#include "ops/psroipool/fuzz/make.h"
#include "ops/psroipool/reference/reference.h"
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

Outcome Run(const Call& call, mluOpHandle_t handle, void* target, void* mapping) {
  Must(detopsSetProfile(handle, call.profile), "detopsSetProfile");
  Must(detopsSetValueChecks(handle, call.value_checks ? 1 : 0), "detopsSetValueChecks");
  const Descriptor map(call.map), rois(call.rois), pooled(call.pooled), channels(call.mapping);
  const mluOpHandle_t h = call.with_handle ? handle : nullptr;
  const int ph = call.pooled_height, pw = call.pooled_width, dim = call.output_dim;
  const auto convention = static_cast<detopsPsRoiPoolConvention_t>(call.convention);
  const auto scale = static_cast<float>(call.spatial_scale);
  const void* source = call.source().data;
  mluOpStatus_t status;
  if (call.extension && call.forward) {
    status = detopsPsRoiPoolForward(h, convention, ph, pw, call.spatial_scale, dim, map.get(), source, rois.get(),
                                    call.rois.data, pooled.get(), target, channels.get(), mapping);
  } else if (call.extension) {
    status = detopsPsRoiPoolBackward(h, convention, ph, pw, call.spatial_scale, dim, pooled.get(), source, rois.get(),
                                     call.rois.data, channels.get(), mapping, map.get(), target);
  } else if (call.forward && call.workspace == nullptr && call.workspace_size == 0) {
    status = mluOpPsRoiPoolForward(h, ph, pw, scale, call.group_size, dim, map.get(), source, rois.get(),
                                   call.rois.data, pooled.get(), target, channels.get(), mapping);
  } else if (call.forward) {
    status =
        mluOpPsRoiPoolForward(h, ph, pw, scale, call.group_size, dim, map.get(), source, rois.get(), call.rois.data,
                              call.workspace, call.workspace_size, pooled.get(), target, channels.get(), mapping);
  } else {
    status = mluOpPsRoiPoolBackward(h, ph, pw, scale, dim, pooled.get(), source, rois.get(), call.rois.data,
                                    channels.get(), mapping, map.get(), target);
  }
  return {status, detopsGetLastError(nullptr)};
}

// A map of two pixels in one bin, whose mean is 3.
void RequireUsable(mluOpHandle_t handle) {
  Call good;
  good.map.layout = good.pooled.layout = good.mapping.layout = MLUOP_LAYOUT_NHWC;
  good.map.type = good.rois.type = good.pooled.type = MLUOP_DTYPE_FLOAT;
  good.map.extents = {1, 1, 2, 1};
  good.pooled.extents = good.mapping.extents = {1, 1, 1, 1};
  good.rois.extents = {1, 5};
  float map[] = {2, 4}, rois[] = {0, 0, 0, 1, 0}, output = 0;
  int32_t channel = -1;
  good.map.data = reinterpret_cast<unsigned char*>(map);
  good.rois.data = reinterpret_cast<unsigned char*>(rois);
  const Outcome outcome = Run(good, handle, &output, &channel);
  if (outcome.status != MLUOP_STATUS_SUCCESS) Broken("handle unusable after a failure: %s", outcome.text.c_str());
  if (!outcome.text.empty() || detopsGetLastError(handle)[0] != '\0') Broken("text not empty after a good call");
  if (output != 3 || channel != 0) Broken("wrong result after a failure: %g, %d", static_cast<double>(output), channel);
}

std::vector<std::vector<unsigned char>> Memory(const Call& call) {
  return {call.map.memory, call.rois.memory, call.pooled.memory, call.mapping.memory, call.workspace_memory};
}

void RequireFailure(const Call& call, const Expectation& expected) {
  const mluOpHandle_t handle = call.runner_fails ? AllHandles().failing : AllHandles().alone;
  const std::vector<std::vector<unsigned char>> before = Memory(call);
  const Outcome outcome = Run(call, handle, call.target().data, call.mapping.data);
  const bool foretold =
      outcome.status == expected.status || (expected.or_bad_param && outcome.status == MLUOP_STATUS_BAD_PARAM);
  if (!foretold) {
    Broken("%s gave %s, expected %s; text: \"%s\"", call.name(), mluOpGetErrorString(outcome.status),
           mluOpGetErrorString(expected.status), outcome.text.c_str());
  }
  if (outcome.text.rfind(std::string(call.name()) + ": ", 0) != 0 || outcome.text.back() != '.') {
    Broken("%s failed with the text \"%s\"", call.name(), outcome.text.c_str());
  }
  if (call.with_handle && outcome.text != detopsGetLastError(handle)) Broken("texts of handle and thread differ");
  // The outputs are undefined after a runner that failed.
  if (outcome.status != MLUOP_STATUS_EXECUTION_FAILED && Memory(call) != before) {
    Broken("%s failed and changed a tensor", call.name());
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
    std::vector<unsigned char> magnitudes(source.data, source.data + source.bytes());
    for (size_t i = ElementSize(type_) - 1; i < magnitudes.size(); i += ElementSize(type_)) magnitudes[i] &= 0x7F;
    result_ = Compute(call, source.data);
    // The mean or sum of the terms' magnitudes: what rounding errors are relative to.
    magnitude_ = Compute(call, magnitudes.data());
    for (uint64_t i = 0; i < source.elements(); ++i) {
      const double value = std::fabs(ReadElement(type_, source.data, static_cast<int64_t>(i)));
      if (std::isfinite(value)) largest_source_ = std::max(largest_source_, value);
    }
    // Terms of one sum: the pixels of a bin, or, at worst, all elements of top_grad.
    terms_ = static_cast<double>(source.elements());
    const bool is_double = type_ == MLUOP_DTYPE_DOUBLE;
    relative_ = std::max(detops_test::ToleranceFor(type_).diff1, (terms_ + 8) * (is_double ? 0x1p-53 : 0x1p-24));
    absolute_ = SmallestOf(type_) + (terms_ + 2) * (is_double ? 0x1p-1074 : 0x1p-149);
  }

  void RequireAgreement(const Call& call, const void* result, const void* mapping, const std::string& target) const {
    for (size_t i = 0; i < result_.size(); ++i) {
      const double actual = ReadElement(type_, result, static_cast<int64_t>(i));
      if (Agrees(actual, result_[i], magnitude_[i])) continue;
      Broken("%s on %s: %s element %zu is %.17g, expected %.17g, sum of magnitudes %.17g", call.name(), target.c_str(),
             detops_test::ElementName(type_), i, actual, result_[i], magnitude_[i]);
    }
    if (!call.forward || call.without_mapping()) return;
    for (size_t i = 0; i < channels_.size(); ++i) {
      const double channel = ReadElement(MLUOP_DTYPE_INT32, mapping, static_cast<int64_t>(i));
      if (channel != channels_[i]) Broken("%s: channel %zu is %g, expected %d", call.name(), i, channel, channels_[i]);
    }
  }

 private:
  std::vector<double> Compute(const Call& call, const void* source) {
    const std::vector<int64_t>& m = call.map.extents;
    const size_t rows = call.nhwc() ? 1 : 2;
    const detops_reference::PsRoiPoolShape shape = {
        m[0], m[rows], m[rows + 1], call.rois.extents[0], call.pooled_height, call.pooled_width, call.output_dim};
    const auto convention = static_cast<detopsPsRoiPoolConvention_t>(call.convention);
    const auto layout = static_cast<mluOpTensorLayout_t>(call.map.layout);
    const double scale =
        call.extension ? call.spatial_scale : static_cast<double>(static_cast<float>(call.spatial_scale));
    if (!call.forward) {
      return detops_reference::PsRoiPoolBackward(type_, convention, layout, shape, scale, source, call.rois.data,
                                                 call.without_mapping() ? nullptr : call.mapping.data);
    }
    detops_reference::PsRoiPoolResult result =
        detops_reference::PsRoiPoolForward(type_, convention, layout, shape, scale, source, call.rois.data);
    channels_ = result.mapping_channel;
    return result.output;
  }

  bool Agrees(double actual, double expected, double magnitude) const {
    // Sums are float for half and bfloat16, so only the result can overflow there.
    const double largest_sum = type_ == MLUOP_DTYPE_DOUBLE ? std::numeric_limits<double>::max()
                                                           : static_cast<double>(std::numeric_limits<float>::max());
    if (magnitude < LargestOf(type_) * 0.9 && largest_source_ < largest_sum / (terms_ + 1)) {
      return std::fabs(actual - expected) <= relative_ * magnitude + absolute_;
    }
    // Sums that overflow by themselves depend on their order. An Inf or NaN of the source goes where it belongs.
    if (std::isfinite(magnitude) || largest_source_ > LargestOf(type_) / 1e4) return true;
    return (std::isnan(actual) && std::isnan(expected)) || actual == expected;
  }

  mluOpDataType_t type_;
  std::vector<double> result_, magnitude_;
  std::vector<int32_t> channels_;
  double largest_source_ = 0;
  double terms_, relative_, absolute_;
};

// Outputs of their exact size, all ones: NaN. An input in mapping's place stays where it is.
struct Results {
  explicit Results(const Call& call) : target(call.target().memory), mapping(call.mapping.memory) {
    target.shrink_to_fit();
    mapping.shrink_to_fit();
    target_data = call.target().data == nullptr ? nullptr : End(target) - call.target().bytes();
    mapping_data = call.mapping.data;
    if (call.forward && mapping_data != nullptr) mapping_data = End(mapping) - call.mapping.bytes();
  }
  static unsigned char* End(std::vector<unsigned char>& memory) { return memory.data() + memory.size(); }
  bool operator==(const Results& other) const { return target == other.target && mapping == other.mapping; }

  std::vector<unsigned char> target, mapping;
  unsigned char *target_data, *mapping_data;
};

void RequireRun(const Call& call, const Expectation& expected, mluOpHandle_t handle, Results& results, bool* refused) {
  const Outcome outcome = Run(call, handle, results.target_data, results.mapping_data);
  *refused = expected.or_bad_param && outcome.status == MLUOP_STATUS_BAD_PARAM;
  if (*refused) return;
  if (outcome.status != MLUOP_STATUS_SUCCESS) {
    Broken("a good call of %s gave %s: %s", call.name(), mluOpGetErrorString(outcome.status), outcome.text.c_str());
  }
  if (!outcome.text.empty() || detopsGetLastError(handle)[0] != '\0') Broken("text not empty after a success");
}

// No pixels: zeros and channels forward, nothing backward.
void RequireEmpty(const Call& call, const Results& results) {
  if (!call.forward || results.target_data == nullptr) return;
  for (uint64_t i = 0; i < call.pooled.bytes(); ++i) {
    if (results.target_data[i] != 0) Broken("%s of no pixels is not 0", call.name());
  }
}

void RequireSuccess(const Call& call, const Expectation& expected) {
  const std::vector<std::string>& targets = Targets();
  const std::vector<std::vector<unsigned char>> before = Memory(call);
  std::vector<Reference> reference;
  if (expected.compare && !expected.empty) reference.emplace_back(call);
  for (size_t i = 0; i < targets.size(); ++i) {
    const std::string& target = targets[i];
    Must(detopsSetTarget(target.c_str()), "detopsSetTarget");
    Results alone(call);
    bool refused = false;
    RequireRun(call, expected, AllHandles().alone, alone, &refused);
    if (refused) return;
    if (expected.empty) RequireEmpty(call, alone);
    if (!reference.empty()) {
      reference[0].RequireAgreement(call, alone.target_data, alone.mapping_data, target);
    }
    if (i != static_cast<size_t>(call.target_for_threads) % targets.size()) continue;
    for (const mluOpHandle_t handle : {AllHandles().three, AllHandles().backwards}) {
      Results other(call);
      RequireRun(call, expected, handle, other, &refused);
      if (!(other == alone)) Broken("%s on %s: the bits depend on the threads", call.name(), target.c_str());
    }
  }
  if (Memory(call) != before) Broken("%s changed an input", call.name());
}

}  // namespace
}  // namespace detops_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops_fuzz::FuzzedBytes bytes(data, size);
  const detops_fuzz::Call call = detops_fuzz::MakeCall(bytes);
  const detops_fuzz::Expectation expected = detops_fuzz::ExpectationOf(call);
  if (expected.skip) return 0;
  if (expected.status == MLUOP_STATUS_SUCCESS) {
    detops_fuzz::RequireSuccess(call, expected);
  } else {
    detops_fuzz::RequireFailure(call, expected);
  }
  return 0;
}
