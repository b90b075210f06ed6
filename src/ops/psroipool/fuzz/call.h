// A call of psroipool as plain data, right or wrong in one or two places, and the status that the documents foretell
// for it.
#ifndef DETOPS_OPS_PSROIPOOL_FUZZ_CALL_H_
#define DETOPS_OPS_PSROIPOOL_FUZZ_CALL_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "detops.h"
#include "fuzz/operator_call.h"
#include "support/element.h"

namespace detops_fuzz {

using detops_test::ElementSize;
using detops_test::ReadElement;
using detops_test::WriteElement;

struct TensorArgument : TensorFields {
  uint64_t bytes() const { return Times(elements(), ElementSize(type)); }
};

struct Call {
  bool forward = true, extension = false;
  bool with_handle = true;
  detopsProfile_t profile = DETOPS_PROFILE_CONTRACT;
  bool value_checks = true;
  bool runner_fails = false;
  int target_for_threads = 0;  // the SIMD target on which numbers of threads are compared
  int convention = DETOPS_PSROIPOOL_RFCN;
  int pooled_height = 1, pooled_width = 1, output_dim = 1, group_size = 1;
  double spatial_scale = 1;
  TensorArgument map, rois, pooled, mapping;
  // The contract's forward alone has a workspace.
  std::vector<unsigned char> workspace_memory;
  unsigned char* workspace = nullptr;
  uint64_t workspace_size = 0;

  bool has_workspace() const { return forward && !extension; }
  bool without_mapping() const { return extension && !mapping.described && mapping.data == nullptr; }
  const TensorArgument& source() const { return forward ? map : pooled; }
  const TensorArgument& target() const { return forward ? pooled : map; }
  std::vector<const TensorArgument*> Tensors() const {
    std::vector<const TensorArgument*> tensors = {&map, &rois, &pooled};
    if (!without_mapping()) tensors.push_back(&mapping);
    return tensors;
  }
  bool nhwc() const { return map.layout == MLUOP_LAYOUT_NHWC; }
  const char* name() const {
    if (extension) return forward ? "detopsPsRoiPoolForward" : "detopsPsRoiPoolBackward";
    return forward ? "mluOpPsRoiPoolForward" : "mluOpPsRoiPoolBackward";
  }
};

// ---- descriptors and scalars ----

// Saturated like the products of extents that nobody can address.
inline int64_t Product(int64_t a, int64_t b) {
  const __int128 product = static_cast<__int128>(a) * b;
  return static_cast<int64_t>(std::min<__int128>(product, INT64_MAX));
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

inline bool TypesAreGood(const Call& call) {
  const mluOpDataType_t type = call.source().type;
  const bool full = call.extension || call.profile == DETOPS_PROFILE_FULL;
  const bool full_type = type == MLUOP_DTYPE_HALF || type == MLUOP_DTYPE_DOUBLE || type == MLUOP_DTYPE_BFLOAT16;
  if (type != MLUOP_DTYPE_FLOAT && !(full && full_type)) return false;
  if (call.rois.type != type || call.target().type != type) return false;
  return call.without_mapping() || call.mapping.type == MLUOP_DTYPE_INT32;
}

inline bool LayoutsAreGood(const Call& call) {
  if (call.map.layout != MLUOP_LAYOUT_NHWC && !(call.extension && call.map.layout == MLUOP_LAYOUT_NCHW)) return false;
  if (call.pooled.layout != call.map.layout) return false;
  return call.without_mapping() || call.mapping.layout == call.map.layout;
}

inline bool ScalarsAreGood(const Call& call) {
  const std::vector<int64_t>& pooled = call.pooled.extents;
  const int64_t height = pooled[call.nhwc() ? 1 : 2], width = pooled[call.nhwc() ? 2 : 3];
  const int64_t dim = pooled[call.nhwc() ? 3 : 1];
  if (call.pooled_height != height || call.pooled_width != width || call.output_dim != dim || dim < 1) return false;
  if (call.extension && (height < 1 || width < 1)) return false;
  if (!call.extension && height != width) return false;
  if (call.has_workspace() && (call.group_size != height || height < 1)) return false;
  const bool is_double = call.extension && call.source().type == MLUOP_DTYPE_DOUBLE;
  const double scale = is_double ? call.spatial_scale : static_cast<double>(static_cast<float>(call.spatial_scale));
  return std::isfinite(scale) && scale > 0 && call.rois.extents[1] == 5;
}

inline bool ShapesAreGood(const Call& call) {
  const int64_t channels = Product(Product(call.pooled_height, call.pooled_width), call.output_dim);
  if (call.pooled.extents[0] != call.rois.extents[0]) return false;
  if (call.map.extents[call.nhwc() ? 3 : 1] != channels) return false;
  return call.without_mapping() || call.mapping.extents == call.pooled.extents;
}

// The documented order as far as the data play no part. `*empty` tells of a success without work.
inline mluOpStatus_t DescriptorStatus(const Call& call, bool* empty) {
  constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;
  *empty = false;
  if (!call.with_handle) return kBad;
  const std::vector<const TensorArgument*> tensors = call.Tensors();
  for (const TensorArgument* tensor : tensors) {
    if (!tensor->described) return kBad;
  }
  if (call.extension && call.profile == DETOPS_PROFILE_CONTRACT) return kLimit;
  for (const TensorArgument* tensor : tensors) {
    if (tensor->extents.size() != (tensor == &call.rois ? 2u : 4u)) return kBad;
  }
  if (!TypesAreGood(call)) return kBad;
  if (call.extension && (call.convention < 0 || call.convention > 2)) return kBad;
  if (!LayoutsAreGood(call) || !ScalarsAreGood(call)) return kBad;
  for (const TensorArgument* tensor : tensors) {
    if (!IsDense(*tensor)) return kLimit;
  }
  if (!ShapesAreGood(call)) return kBad;
  const uint64_t limit = call.profile == DETOPS_PROFILE_CONTRACT ? uint64_t{1} << 31 : uint64_t{1} << 63;
  for (const TensorArgument* tensor : tensors) {
    if (tensor->elements() >= limit || tensor->bytes() >= uint64_t{1} << 63) return kLimit;
  }
  if (call.forward) {
    *empty = call.map.elements() == 0;
    return *empty || call.rois.elements() > 0 ? MLUOP_STATUS_SUCCESS : kBad;
  }
  if (call.rois.elements() == 0) return kBad;
  *empty = call.map.elements() == 0 || call.pooled.elements() == 0;
  return MLUOP_STATUS_SUCCESS;
}

// ---- data ----

struct Buffer {
  const unsigned char* data;
  uint64_t bytes;
};

inline bool Overlap(const Buffer& a, const Buffer& b) {
  // Numbers, not pointers: data may be NULL.
  const auto a_begin = reinterpret_cast<uintptr_t>(a.data), b_begin = reinterpret_cast<uintptr_t>(b.data);
  return a.bytes > 0 && b.bytes > 0 && a_begin < b_begin + b.bytes && b_begin < a_begin + a.bytes;
}

inline bool AnyOverlap(const Call& call) {
  std::vector<Buffer> written = {{call.target().data, call.target().bytes()}}, read;
  read.push_back({call.source().data, call.source().bytes()});
  read.push_back({call.rois.data, call.rois.bytes()});
  if (!call.without_mapping()) (call.forward ? written : read).push_back({call.mapping.data, call.mapping.bytes()});
  if (call.has_workspace()) written.push_back({call.workspace, call.workspace_size});
  for (size_t i = 0; i < written.size(); ++i) {
    for (size_t j = i + 1; j < written.size(); ++j) {
      if (Overlap(written[i], written[j])) return true;
    }
    for (const Buffer& other : read) {
      if (Overlap(written[i], other)) return true;
    }
  }
  return false;
}

enum class Values {
  kGood,
  kBad,        // refused, or up to the caller without value checks
  kBadPlaces,  // the same, but only coordinates are bad, which harm nobody
  kEither      // the documents do not say: whole coordinates that no int holds, ends in the wrong order very far apart
};

// Real is the type of decisions.
template <class Real>
Values RoiValues(const Call& call, const double* roi) {
  for (int i = 0; i < 5; ++i) {
    if (!std::isfinite(roi[i])) return i == 0 ? Values::kBad : Values::kBadPlaces;
  }
  if (roi[0] < 0 || roi[0] >= static_cast<double>(call.map.extents[0]) || roi[0] != std::floor(roi[0])) {
    return Values::kBad;
  }
  // The contract's scale is a float whatever the type.
  const auto scale = call.extension ? static_cast<Real>(call.spatial_scale)
                                    : static_cast<Real>(static_cast<float>(call.spatial_scale));
  Values values = Values::kGood;
  for (const int i : {1, 2}) {
    const auto low = static_cast<Real>(roi[i]), high = static_cast<Real>(roi[i + 2]);
    if (!call.extension || call.convention == DETOPS_PSROIPOOL_RFCN) {
      const Real start = std::round(low) * scale;
      const Real end = static_cast<Real>(static_cast<double>(std::round(high)) + 1.0) * scale;
      if (!std::isfinite(start) || !std::isfinite(end)) return Values::kBadPlaces;
      if (!std::isfinite(end - start)) {
        if (end > start) return Values::kBadPlaces;
        values = Values::kEither;
      }
    } else {
      const Real start = low * scale, end = high * scale;
      if (!std::isfinite(start) || !std::isfinite(end)) return Values::kBadPlaces;
      if (std::fabs(start) > 0x1p29 || std::fabs(end) > 0x1p29) values = Values::kEither;
    }
  }
  return values;
}

inline Values ValuesOf(const Call& call) {
  Values worst = Values::kGood;
  for (int64_t r = 0; r < call.rois.extents[0]; ++r) {
    double roi[5];
    for (int64_t i = 0; i < 5; ++i) roi[i] = ReadElement(call.rois.type, call.rois.data, r * 5 + i);
    const Values values =
        call.rois.type == MLUOP_DTYPE_DOUBLE ? RoiValues<double>(call, roi) : RoiValues<float>(call, roi);
    if (values == Values::kBad) return Values::kBad;
    if (values == Values::kBadPlaces) {
      // What a NaN hides: the batch id must be right all the same for a call without value checks.
      if (roi[0] < 0 || roi[0] >= static_cast<double>(call.map.extents[0]) || roi[0] != std::floor(roi[0])) {
        return Values::kBad;
      }
      worst = Values::kBadPlaces;
    } else if (values == Values::kEither && worst == Values::kGood) {
      worst = Values::kEither;
    }
  }
  if (call.forward || call.without_mapping()) return worst;
  const int64_t channels = call.map.extents[call.nhwc() ? 3 : 1];
  for (uint64_t i = 0; i < call.mapping.elements(); ++i) {
    const double channel = ReadElement(MLUOP_DTYPE_INT32, call.mapping.data, static_cast<int64_t>(i));
    if (channel < 0 || channel >= static_cast<double>(channels)) return Values::kBad;
  }
  return worst;
}

// ---- all together ----

struct Expectation {
  mluOpStatus_t status = MLUOP_STATUS_SUCCESS;
  bool or_bad_param = false;  // where the documents leave two answers
  bool empty = false;         // a success without work
  bool compare = true;        // the reference says what the result is
  bool skip = false;          // wrong data without value checks: the caller's own fault
};

inline Expectation ExpectationOf(const Call& call) {
  Expectation expectation;
  expectation.status = DescriptorStatus(call, &expectation.empty);
  if (expectation.status != MLUOP_STATUS_SUCCESS) return expectation;
  if (expectation.empty) {
    // Two outputs in one place cannot both become right, but the success comes first in the documents.
    expectation.or_bad_param = call.forward && AnyOverlap(call);
    return expectation;
  }
  expectation.status = MLUOP_STATUS_BAD_PARAM;
  for (const TensorArgument* tensor : call.Tensors()) {
    if (tensor->data == nullptr) return expectation;
  }
  if (call.has_workspace() && call.workspace == nullptr && call.workspace_size > 0) return expectation;
  if (AnyOverlap(call)) return expectation;
  const Values values = ValuesOf(call);
  expectation.skip = values == Values::kBad && !call.value_checks;
  expectation.compare = values == Values::kGood;
  const bool refused = call.value_checks && (values == Values::kBad || values == Values::kBadPlaces);
  expectation.or_bad_param = call.value_checks && values == Values::kEither;
  if (call.runner_fails) {
    // Values may be looked at by the runner or before it.
    expectation.or_bad_param = expectation.or_bad_param || refused;
    expectation.status = MLUOP_STATUS_EXECUTION_FAILED;
  } else if (!refused) {
    expectation.status = MLUOP_STATUS_SUCCESS;
  }
  return expectation;
}

}  // namespace detops_fuzz

#endif  // DETOPS_OPS_PSROIPOOL_FUZZ_CALL_H_
