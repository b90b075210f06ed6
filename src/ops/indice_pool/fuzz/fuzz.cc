// Fuzzes all functions of indice_pool with calls that are right, or wrong in one place.
//
// A refused call must give the status that the fault foretells, say why, change nothing and leave the handle usable. A
// call that succeeds must agree with the reference, give the same bits on every SIMD target, with three threads, with a
// runner that goes backwards and on a rulebook. Tensors are heap blocks of their exact size, so that the address
// sanitizer sees every step beside them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/operator_call.h"
#include "ops/indice_pool/reference/reference.h"
#include "support/element.h"
#include "support/status.h"
#include "support/tolerance.h"

namespace detops_fuzz {
namespace {

using detops_reference::PoolPairs;
using detops_reference::PoolSums;
using detops_test::Must;

enum class Fault { kNone, kIndex, kCount, kType, kRank, kShape, kStride, kData, kOverlap, kMethod, kProfile, kFaults };

struct Call {
  bool backward = false;
  detopsPoolMethod_t method = DETOPS_POOL_MAXIMUM;
  detopsMaximumStart_t start = DETOPS_MAXIMUM_FROM_ZERO;
  detopsProfile_t profile = DETOPS_PROFILE_FULL;
  Fault fault = Fault::kNone;
  int64_t inputs = 0, outputs = 0, channels = 0;
  PoolPairs pairs;
  TensorFields features, features_out, output_grad, input_grad, indice_pairs;

  TensorFields& target() { return backward ? input_grad : features_out; }
  bool maximum() const { return method == DETOPS_POOL_MAXIMUM; }
};

void SetTensor(TensorFields& tensor, mluOpDataType_t type, const std::vector<int64_t>& extents) {
  tensor.type = type;
  tensor.extents = extents;
  tensor.memory.resize(tensor.elements() * detops_test::ElementSize(type), 0xA5);
  tensor.memory.shrink_to_fit();
  tensor.data = tensor.memory.data();
}

void FillNumbers(FuzzedBytes& bytes, TensorFields& tensor) {
  constexpr double kNumbers[] = {0, -0.0, 1, -1, 0.5, -2.25, 3, 1e-3, -7, 1000, INFINITY, -INFINITY, NAN};
  const bool finite = !OneIn(bytes, 4);
  for (uint64_t i = 0; i < tensor.elements(); ++i) {
    const double number = kNumbers[Number(bytes, 0, finite ? 9 : 12)];
    detops_test::WriteElement(tensor.type, tensor.data, static_cast<int64_t>(i), number);
  }
}

std::vector<double> Values(const TensorFields& tensor) {
  std::vector<double> values;
  for (uint64_t i = 0; i < tensor.elements(); ++i) {
    values.push_back(detops_test::ReadElement(tensor.type, tensor.data, static_cast<int64_t>(i)));
  }
  return values;
}

void MakePairs(FuzzedBytes& bytes, Call& call) {
  PoolPairs& pairs = call.pairs;
  pairs.offsets = Number(bytes, 0, 5);
  pairs.columns = Number(bytes, 0, 40);
  pairs.indices.assign(static_cast<size_t>(pairs.offsets * 2 * pairs.columns), INT32_MIN);
  for (int64_t k = 0; k < pairs.offsets; ++k) {
    const bool any = call.inputs > 0 && call.outputs > 0;
    pairs.counts.push_back(any ? Number(bytes, 0, static_cast<int>(pairs.columns)) : 0);
    const bool ascending = OneIn(bytes, 2);
    int64_t input = 0, output = 0;
    for (int64_t i = 0; i < pairs.counts.back(); ++i) {
      input = ascending ? input + Number(bytes, 0, 3) : Number(bytes, 0, 1 << 20);
      output = ascending ? output + Number(bytes, 0, 3) : Number(bytes, 0, 1 << 20);
      pairs.At(k, 0, i) = static_cast<int32_t>(input % call.inputs);
      pairs.At(k, 1, i) = static_cast<int32_t>(output % call.outputs);
    }
  }
}

Call MakeCall(FuzzedBytes& bytes) {
  constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16, MLUOP_DTYPE_DOUBLE};
  Call call;
  call.backward = OneIn(bytes, 2);
  call.method = OneIn(bytes, 2) ? DETOPS_POOL_AVERAGE : DETOPS_POOL_MAXIMUM;
  call.start = OneIn(bytes, 2) ? DETOPS_MAXIMUM_FROM_LOWEST : DETOPS_MAXIMUM_FROM_ZERO;
  const mluOpDataType_t type = OneOf(bytes, kTypes);
  call.inputs = OneIn(bytes, 4) ? Number(bytes, 250, 600) : Number(bytes, 0, 20);
  call.outputs = OneIn(bytes, 4) ? Number(bytes, 250, 600) : Number(bytes, 0, 20);
  call.channels = Number(bytes, 0, 35);
  MakePairs(bytes, call);
  for (TensorFields* tensor : {&call.features, &call.input_grad}) {
    SetTensor(*tensor, type, {call.inputs, call.channels});
  }
  for (TensorFields* tensor : {&call.features_out, &call.output_grad}) {
    SetTensor(*tensor, type, {call.outputs, call.channels});
  }
  FillNumbers(bytes, call.features);
  FillNumbers(bytes, call.output_grad);
  if (call.backward) FillNumbers(bytes, call.features_out);
  SetTensor(call.indice_pairs, MLUOP_DTYPE_INT32, {call.pairs.offsets, 2, call.pairs.columns});
  if (OneIn(bytes, 3)) call.fault = static_cast<Fault>(Number(bytes, 1, static_cast<int>(Fault::kFaults) - 1));
  return call;
}

// Makes the call wrong, if it can be in this way, and tells the status it must get.
mluOpStatus_t Spoil(FuzzedBytes& bytes, Call& call) {
  TensorFields& target = call.target();
  switch (call.fault) {
    case Fault::kIndex:
      for (int64_t k = 0; k < call.pairs.offsets && target.elements() > 0; ++k) {
        const int64_t count = call.pairs.counts[static_cast<size_t>(k)];
        if (count == 0) continue;
        const bool output = OneIn(bytes, 2);
        const auto rows = static_cast<int32_t>(output ? call.outputs : call.inputs);
        const int32_t wrong[] = {-1, rows, INT32_MIN, INT32_MAX};
        call.pairs.At(k, output ? 1 : 0, Number(bytes, 0, static_cast<int>(count) - 1)) = OneOf(bytes, wrong);
        return MLUOP_STATUS_BAD_PARAM;
      }
      return MLUOP_STATUS_SUCCESS;
    case Fault::kCount:
      if (call.pairs.offsets == 0) return MLUOP_STATUS_SUCCESS;
      call.pairs.counts.back() = OneIn(bytes, 2) ? -1 : call.pairs.columns + 1;
      return MLUOP_STATUS_BAD_PARAM;
    case Fault::kType:
      target.type = MLUOP_DTYPE_INT32;
      return MLUOP_STATUS_BAD_PARAM;
    case Fault::kRank:
      target.extents.push_back(1);
      return MLUOP_STATUS_BAD_PARAM;
    case Fault::kShape:
      ++target.extents[1];
      return MLUOP_STATUS_BAD_PARAM;
    case Fault::kStride:
      if (target.elements() == 0 || target.extents[0] < 2) return MLUOP_STATUS_SUCCESS;
      target.strides = {target.extents[1] + 1, 1};
      return MLUOP_STATUS_NOT_SUPPORTED;
    case Fault::kData:
      if (target.elements() == 0) return MLUOP_STATUS_SUCCESS;
      target.data = nullptr;
      return MLUOP_STATUS_BAD_PARAM;
    case Fault::kOverlap: {
      const TensorFields& other = call.backward ? call.output_grad : call.features;
      if (target.elements() == 0 || other.elements() == 0) return MLUOP_STATUS_SUCCESS;
      target.data = other.data;
      return MLUOP_STATUS_BAD_PARAM;
    }
    case Fault::kMethod:
      call.method = static_cast<detopsPoolMethod_t>(OneIn(bytes, 2) ? -1 : 2);
      return MLUOP_STATUS_BAD_PARAM;
    case Fault::kProfile:
      call.profile = DETOPS_PROFILE_CONTRACT;
      return MLUOP_STATUS_NOT_SUPPORTED;
    default:
      return MLUOP_STATUS_SUCCESS;
  }
}

mluOpStatus_t Run(Call& call, mluOpHandle_t handle, bool on_rulebook) {
  Must(detopsSetProfile(handle, DETOPS_PROFILE_FULL), "detopsSetProfile");
  if (!call.indice_pairs.memory.empty()) {
    std::memcpy(call.indice_pairs.data, call.pairs.indices.data(), call.indice_pairs.memory.size());
  }
  const Descriptor in(call.features), out(call.features_out), grad(call.output_grad), result(call.input_grad);
  const Descriptor pairs(call.indice_pairs);
  static constexpr int64_t kNone = 0;
  const int64_t* const counts = call.pairs.counts.empty() ? &kNone : call.pairs.counts.data();
  detopsRulebook_t rulebook = nullptr;
  if (on_rulebook) {
    Must(
        detopsCreateRulebook(handle, pairs.get(), call.indice_pairs.data, counts, call.inputs, call.outputs, &rulebook),
        "detopsCreateRulebook");
  }
  Must(detopsSetProfile(handle, call.profile), "detopsSetProfile");
  const auto status = [&] {
    if (call.backward && on_rulebook) {
      return detopsRulebookPoolBackward(handle, rulebook, call.method, in.get(), call.features.data, out.get(),
                                        call.features_out.data, grad.get(), call.output_grad.data, result.get(),
                                        call.input_grad.data);
    }
    if (call.backward) {
      return detopsIndicePoolBackward(handle, call.method, in.get(), call.features.data, out.get(),
                                      call.features_out.data, grad.get(), call.output_grad.data, pairs.get(),
                                      call.indice_pairs.data, counts, result.get(), call.input_grad.data);
    }
    if (on_rulebook) {
      return detopsRulebookPoolForward(handle, rulebook, call.method, call.start, in.get(), call.features.data,
                                       out.get(), call.features_out.data);
    }
    return detopsIndicePoolForward(handle, call.method, call.start, in.get(), call.features.data, pairs.get(),
                                   call.indice_pairs.data, counts, call.outputs, out.get(), call.features_out.data);
  }();
  const std::string text = detopsGetLastError(nullptr);
  if ((status == MLUOP_STATUS_SUCCESS) != text.empty()) Broken("status %d with the text \"%s\"", status, text.c_str());
  if (rulebook != nullptr) detopsDestroyRulebook(rulebook);
  return status;
}

PoolSums Expected(const Call& call) {
  using namespace detops_reference;
  if (!call.backward && call.maximum()) {
    return {.values = IndicePoolMaximum(call.pairs, Values(call.features), call.channels, call.outputs,
                                        call.start == DETOPS_MAXIMUM_FROM_ZERO)};
  }
  if (!call.backward) return IndicePoolAverage(call.pairs, Values(call.features), call.channels, call.outputs);
  if (call.maximum()) {
    return IndicePoolMaximumGradient(call.pairs, Values(call.features), Values(call.features_out),
                                     Values(call.output_grad), call.channels, call.inputs);
  }
  return IndicePoolAverageGradient(call.pairs, Values(call.output_grad), call.channels, call.inputs, call.outputs);
}

void CompareWithReference(Call& call) {
  const PoolSums sums = Expected(call);
  const mluOpDataType_t type = call.target().type;
  const std::vector<double> values = Values(call.target());
  for (size_t i = 0; i < values.size(); ++i) {
    const double expected = detops_test::RoundToElement(type, sums.values[i]);
    if (values[i] == expected || (std::isnan(values[i]) && std::isnan(expected))) continue;
    const double bar = detops_test::ToleranceFor(type).diff1;
    const double magnitude = sums.magnitudes.empty() ? 0 : sums.magnitudes[i];
    if (std::abs(values[i] - expected) <= 2 * bar * magnitude) continue;
    Broken("element %zu is %g, expected %g", i, values[i], expected);
  }
}

void RequireUsable(mluOpHandle_t handle) {
  Call good;
  good.inputs = good.outputs = good.channels = 1;
  good.pairs = {1, 1, {0, 0}, {1}};
  for (TensorFields* tensor : {&good.features, &good.features_out, &good.output_grad, &good.input_grad}) {
    SetTensor(*tensor, MLUOP_DTYPE_FLOAT, {1, 1});
  }
  SetTensor(good.indice_pairs, MLUOP_DTYPE_INT32, {1, 2, 1});
  detops_test::WriteElement(MLUOP_DTYPE_FLOAT, good.features.data, 0, 3);
  Must(Run(good, handle, false), "a good call");
  if (Values(good.features_out)[0] != 3) Broken("the handle is not usable");
}

void RunOne(FuzzedBytes& bytes) {
  Call call = MakeCall(bytes);
  const mluOpStatus_t expected = Spoil(bytes, call);
  Handles& handles = AllHandles();
  const std::vector<unsigned char> before = call.target().memory;
  const mluOpStatus_t status = Run(call, handles.alone, false);
  if (status != expected) Broken("status %d, expected %d, fault %d", status, expected, static_cast<int>(call.fault));
  if (status != MLUOP_STATUS_SUCCESS) {
    if (call.target().memory != before) Broken("a refused call changed its output");
    return RequireUsable(handles.alone);
  }
  CompareWithReference(call);
  const std::vector<unsigned char> result = call.target().memory;
  const auto require_same = [&](mluOpHandle_t handle, bool on_rulebook, const char* what) {
    std::fill(call.target().memory.begin(), call.target().memory.end(), static_cast<unsigned char>(0xFF));
    Must(Run(call, handle, on_rulebook), what);
    if (call.target().elements() > 0 && call.target().memory != result) Broken("%s: other bits", what);
  };
  for (const std::string& target : Targets()) {
    Must(detopsSetTarget(target.c_str()), "detopsSetTarget");
    require_same(handles.alone, false, target.c_str());
  }
  Must(detopsSetTarget(nullptr), "detopsSetTarget");
  require_same(handles.three, false, "three threads");
  require_same(handles.backwards, false, "a runner");
  require_same(handles.three, true, "a rulebook");
}

}  // namespace
}  // namespace detops_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops_fuzz::FuzzedBytes bytes(data, size);
  detops_fuzz::RunOne(bytes);
  return 0;
}
