// Fuzzes the sparse convolutions, their workspace sizes, the fused call and rulebooks with calls that are right, or
// wrong in one or two places.
//
// A refused call must give the status that the model foretells, say why, change nothing and leave the handle usable. A
// call that succeeds must agree with the reference on every SIMD target and give the same bits with three threads, with
// a runner that goes backwards and on a rulebook. Tensors and numbers are heap blocks of their exact size.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/operator_call.h"
#include "ops/indice_convolution/fuzz/call.h"
#include "ops/indice_convolution/fuzz/make.h"
#include "ops/indice_convolution/fuzz/run.h"
#include "ops/indice_convolution/reference/reference.h"
#include "support/element.h"
#include "support/status.h"

namespace detops_fuzz {
namespace {

using detops_test::Must;

// ---- handles ----

bool g_runner_failed = false;

int FailAndTell(void* opaque, detopsTask_t task, void* context, int count) {
  g_runner_failed = true;
  return RunAndFail(opaque, task, context, count);
}

mluOpHandle_t FailingHandle() {
  static const mluOpHandle_t handle = NewHandle(3, &FailAndTell);
  return handle;
}

void RequireLine(void* /*opaque*/, detopsLogLevel_t level, const char* line) {
  const std::string text = line;
  if (level != DETOPS_LOG_DISPATCH || text.find("Convolution") == std::string::npos ||
      text.find('\n') != std::string::npos) {
    Broken("not a line of the log: \"%s\"", line);
  }
}

// Two rows that change places, by a filter of 3.
void RequireUsable(mluOpHandle_t handle) {
  Must(detopsSetProfile(handle, DETOPS_PROFILE_CONTRACT), "detopsSetProfile");
  TensorFields rows, filters, pairs;
  rows.type = filters.type = MLUOP_DTYPE_FLOAT;
  rows.extents = {2, 1};
  filters.extents = {1, 1, 1, 1, 1};
  pairs.extents = {1, 2, 2};
  const Descriptor rows_desc(rows), filters_desc(filters), pairs_desc(pairs);
  const float features[] = {1, 2}, filter[] = {3};
  const int32_t indices[] = {0, 1, 1, 0};
  const int64_t num[] = {2};
  float result[2] = {};
  Must(mluOpIndiceConvolutionForward(handle, rows_desc.get(), features, filters_desc.get(), filter, pairs_desc.get(),
                                     indices, num, 2, 0, 0, nullptr, 0, rows_desc.get(), result),
       "the good call");
  if (result[0] != 6 || result[1] != 3) Broken("the good call is wrong: %g, %g", result[0], result[1]);
  if (detopsGetLastError(handle)[0] != '\0') Broken("text not empty after a good call");
}

// ---- refusals ----

void RequireStatus(mluOpStatus_t status, mluOpStatus_t expected, bool either, const char* function) {
  if (status == expected || (either && (status == kBad || status == kLimit))) return;
  Broken("%s gave %s, expected %s; text: \"%s\"", function, mluOpGetErrorString(status), mluOpGetErrorString(expected),
         detopsGetLastError(nullptr));
}

void CheckSize(const Call& call, const Arguments& arguments) {
  constexpr size_t kMark = 0x5A5A5A5A;
  size_t size = kMark;
  if (!call.with_result) RequireStatus(arguments.Size(nullptr), kBad, false, "the size function without a place");
  Model model(call, Entry::kSize);
  const mluOpStatus_t expected = model.BeforeData();
  if (!call.value_checks && !call.NumbersAreInside()) return;  // the caller vouches for them
  RequireStatus(arguments.Size(&size), expected, model.either, "the size function");
  if (size != (expected == kGood ? 0 : kMark)) Broken("the size function wrote %zu", size);
}

void RequireFailure(const Call& call, const Arguments& arguments, Entry entry, mluOpStatus_t expected, bool either) {
  std::vector<unsigned char> before[kRoles];
  for (int role = 0; role < kRoles; ++role) before[role] = call.tensors[role].memory;
  RequireStatus(arguments.Run(entry), expected, either, "a convolution");
  for (int role = 0; role < kRoles; ++role) {
    if (call.tensors[role].memory != before[role]) Broken("a refused call changed tensor %d", role);
  }
  if (!arguments.NumbersIntact()) Broken("a refused call changed indice_num");
}

// ---- rulebooks ----

mluOpStatus_t ExpectedOfCreate(const Call& call) {
  const TensorArgument& pairs = call.tensors[kPairs];
  if (!call.with_handle || !pairs.described || !call.with_num) return kBad;
  if (call.contract()) return kLimit;
  if (pairs.type != MLUOP_DTYPE_INT32 || pairs.rank() != 3 || pairs.extents[1] != 2) return kBad;
  if (!IsDense(pairs) || pairs.bytes() >= uint64_t{1} << 63) return kLimit;
  for (const int64_t rows : {call.book_in, call.book_out}) {
    if (rows < 0 || rows > INT32_MAX) return kBad;
  }
  for (const int64_t number : call.num) {
    if (number < 0 || number > pairs.extents[2]) return kBad;
  }
  if (pairs.elements() == 0) return kGood;
  return pairs.data != nullptr && IndicesAreInside(call, call.book_in, call.book_out) ? kGood : kBad;
}

// False if there is none. Left out where it would read more numbers than there are.
bool CheckCreate(const Call& call, Arguments& arguments) {
  if (!call.with_result) RequireStatus(arguments.Create(nullptr), kBad, false, "a rulebook without a place");
  const TensorArgument& pairs = call.tensors[kPairs];
  if (pairs.rank() != 3 || static_cast<int64_t>(call.num.size()) != pairs.extents[0]) return false;
  auto* const mark = reinterpret_cast<detopsRulebook_t>(&g_runner_failed);
  detopsRulebook_t rulebook = mark;
  const mluOpStatus_t expected = ExpectedOfCreate(call);
  RequireStatus(arguments.Create(&rulebook), expected, false, "detopsCreateRulebook");
  if ((rulebook == mark) != (expected != kGood)) Broken("the place of the rulebook");
  if (expected != kGood) return false;
  arguments.SetRulebook(rulebook, true);
  size_t bytes = 0;
  Must(detopsGetRulebookSize(rulebook, &bytes), "detopsGetRulebookSize");
  const auto offsets = static_cast<int64_t>(call.num.size());
  int64_t most = 512 * (offsets + 2) + (8 * offsets + 1) * (call.book_in / 256 + call.book_out / 256 + 4);
  for (const int64_t number : call.num) most += 16 * number;
  constexpr int64_t kLargePage = 2 << 20;
  if (most >= kLargePage / 2) most = (most + kLargePage - 1) / kLargePage * kLargePage;
  most += 4096;
  if (static_cast<int64_t>(bytes) > most) {
    Broken("a rulebook of %zu bytes, expected up to %lld: %lld offsets, %lld and %lld rows", bytes,
           static_cast<long long>(most), static_cast<long long>(offsets), static_cast<long long>(call.book_in),
           static_cast<long long>(call.book_out));
  }
  return true;
}

// ---- results ----

std::vector<double> Values(const TensorArgument& tensor) {
  std::vector<double> values(tensor.data != nullptr ? tensor.elements() : 0);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = detops_test::ReadElement(tensor.type, tensor.data, static_cast<int64_t>(i));
  }
  return values;
}

// What the reference says, and how far from it a right answer may be.
class Expectation {
 public:
  Expectation(const Call& call, Entry entry) : type_(call.tensors[kIn].type) {
    const TensorArgument* const t = call.tensors;
    const FilterShape filter(call);
    detops_reference::ConvolutionPairs pairs;
    pairs.offsets = static_cast<int64_t>(filter.offsets);
    pairs.columns = t[kPairs].extents[2];
    pairs.inverse = call.inverse == 1;
    pairs.counts = call.num;
    const bool empty = HasEmptyTensor(call, entry);
    if (empty) std::fill(pairs.counts.begin(), pairs.counts.end(), 0);  // nobody has looked at them
    if (!empty) {
      const auto* const indices = reinterpret_cast<const int32_t*>(t[kPairs].data);
      pairs.indices.assign(indices, indices + t[kPairs].elements());
    }
    const auto layout = detops_reference::LayoutOfFilters(static_cast<mluOpTensorLayout_t>(call.filter_layout()),
                                                          pairs.offsets, filter.ci, filter.co);
    if (call.way == Way::kForward) {
      const std::vector<double> none;
      sums_ = IndiceConvolutionForward(pairs, layout, Values(t[kIn]), Values(t[kFilters]), t[kOut].extents[0],
                                       call.Has(kBias, entry) ? Values(t[kBias]) : none,
                                       call.Has(kResidual, entry) ? Values(t[kResidual]) : none);
      if (entry != Entry::kCall) activation_ = static_cast<detopsActivation_t>(call.activation);
      if (activation_ == DETOPS_ACTIVATION_LEAKY_RELU) slope_ = static_cast<double>(call.negative_slope);
    } else if (call.way == Way::kBackwardData) {
      sums_ = IndiceConvolutionBackwardData(pairs, layout, Values(t[kOut]), Values(t[kFilters]), t[kIn].extents[0]);
    } else {
      sums_ = IndiceConvolutionBackwardFilter(pairs, layout, Values(t[kIn]), Values(t[kOut]));
    }
  }

  void Require(const unsigned char* result, const std::string& target) const {
    for (size_t i = 0; i < sums_.values.size(); ++i) {
      const double actual = detops_test::ReadElement(type_, result, static_cast<int64_t>(i));
      const double expected = detops_reference::Activate(activation_, slope_, sums_.values[i]);
      if (Agrees(actual, expected, i)) continue;
      Broken("on %s: %s element %zu is %.17g, expected %.17g (%lld terms, sum of magnitudes %.17g)", target.c_str(),
             detops_test::ElementName(type_), i, actual, expected, static_cast<long long>(sums_.terms[i]),
             sums_.magnitudes[i]);
    }
  }

 private:
  // Every term may be off by a rounding of its size, then the sum is rounded once.
  bool Agrees(double actual, double expected, size_t i) const {
    if (std::isnan(expected)) return std::isnan(actual);
    if (std::isinf(expected)) return actual == expected;
    const bool wide = type_ == MLUOP_DTYPE_DOUBLE;
    const double unit = wide ? 0x1p-52 : 0x1p-24;
    const double steepness = std::max(1.0, std::fabs(slope_));
    const double sum_error = unit * static_cast<double>(sums_.terms[i] + 4) * sums_.magnitudes[i] * steepness;
    const double last = type_ == MLUOP_DTYPE_HALF ? 0x1p-11 : type_ == MLUOP_DTYPE_BFLOAT16 ? 0x1p-8 : unit;
    const double tiny = type_ == MLUOP_DTYPE_HALF ? 0x1p-25 : wide ? 0x1p-1074 : 0x1p-133;
    if (type_ == MLUOP_DTYPE_HALF && std::fabs(expected) > 65000) return true;  // near the end rounding may overflow
    return std::fabs(actual - expected) <= sum_error + last * (std::fabs(expected) + sum_error) + tiny;
  }

  mluOpDataType_t type_;
  detops_reference::Sums sums_;
  detopsActivation_t activation_ = DETOPS_ACTIVATION_NONE;
  double slope_ = 0;
};

// A call with a target of its own, aligned as the call says.
class FreshTarget {
 public:
  FreshTarget(const Call& call, mluOpHandle_t handle, detopsRulebook_t rulebook)
      : arguments(call, handle), tensor_(call.tensors[TargetOf(call.way)]) {
    arguments.SetRulebook(rulebook, false);
    if (tensor_.data == nullptr) return;
    offset_ = static_cast<size_t>(tensor_.data - tensor_.memory.data());
    memory_.assign(static_cast<size_t>(tensor_.bytes()) + offset_, 0xA5);
    memory_.shrink_to_fit();
    arguments.data[TargetOf(call.way)] = memory_.data() + offset_;
  }
  std::vector<unsigned char> Bytes() const {
    return {memory_.begin() + static_cast<std::ptrdiff_t>(offset_), memory_.end()};
  }

  Arguments arguments;

 private:
  const TensorArgument& tensor_;
  size_t offset_ = 0;
  std::vector<unsigned char> memory_;
};

std::vector<unsigned char> Run(const Call& call, Entry entry, mluOpHandle_t handle, detopsRulebook_t rulebook) {
  const FreshTarget fresh(call, handle, rulebook);
  RequireStatus(fresh.arguments.Run(entry), kGood, false, "a good call");
  return fresh.Bytes();
}

std::vector<unsigned char> RequireSuccess(const Call& call, Entry entry, detopsRulebook_t rulebook) {
  const Expectation expectation(call, entry);
  const std::vector<std::string>& targets = Targets();
  const bool written = call.tensors[TargetOf(call.way)].data != nullptr;
  std::vector<unsigned char> before[kRoles], of_best;
  for (int role = 0; role < kRoles; ++role) before[role] = call.tensors[role].memory;
  for (size_t i = 0; i < targets.size(); ++i) {
    Must(detopsSetTarget(targets[i].c_str()), "detopsSetTarget");
    const std::vector<unsigned char> alone = Run(call, entry, AllHandles().alone, rulebook);
    if (written) expectation.Require(alone.data(), targets[i]);
    if (i == 0) of_best = alone;
    if (i != static_cast<size_t>(call.target_for_threads) % targets.size()) continue;
    Must(detopsSetLog(AllHandles().three, DETOPS_LOG_DISPATCH, &RequireLine, nullptr), "detopsSetLog");
    if (Run(call, entry, AllHandles().three, rulebook) != alone) Broken("three threads give other bits");
    if (Run(call, entry, AllHandles().backwards, rulebook) != alone) Broken("a runner gives other bits");
  }
  Must(detopsSetTarget(nullptr), "detopsSetTarget");
  for (int role = 0; role < kRoles; ++role) {
    if (call.tensors[role].memory != before[role]) Broken("a good call changed input %d", role);
  }
  return of_best;
}

// The result is undefined then.
void RequireRunnerFailure(const Call& call, Entry entry, detopsRulebook_t rulebook) {
  const FreshTarget fresh(call, FailingHandle(), rulebook);
  g_runner_failed = false;
  const mluOpStatus_t status = fresh.arguments.Run(entry);
  RequireStatus(status, g_runner_failed ? MLUOP_STATUS_EXECUTION_FAILED : kGood, false, "a call with a failing runner");
}

// The bytes of the result on the best target; none if the call is refused or has none.
std::vector<unsigned char> Check(const Call& call, const Arguments& arguments, Entry entry) {
  // Whoever vouches for bad values is not told what happens.
  const bool vouched = !call.value_checks && entry != Entry::kRulebook;
  if (vouched && !call.NumbersAreInside()) return {};
  Model model(call, entry);
  mluOpStatus_t expected = model.BeforeData();
  const bool empty = expected == kGood && HasEmptyTensor(call, entry);
  if (expected == kGood && !empty) {
    if (vouched && call.AllData(entry) && !ValuesAreGood(call)) return {};
    expected = arguments.OfData(entry);
  }
  if (expected != kGood) {
    RequireFailure(call, arguments, entry, expected, model.either);
    return {};
  }
  if (empty && call.overlap >= 0) return {};  // it shares memory at which nobody looks, as there is nothing to do
  for (const Role role : {kBias, kResidual}) {
    // Needed for the result, but not asked for where there is nothing to do.
    if (empty && call.Has(role, entry) && call.tensors[role].data == nullptr) {
      const mluOpStatus_t status = FreshTarget(call, AllHandles().alone, arguments.rulebook()).arguments.Run(entry);
      RequireStatus(status == kBad ? kGood : status, kGood, false, "a call without the data of the bias");
      return {};
    }
  }
  if (call.runner_fails) RequireRunnerFailure(call, entry, arguments.rulebook());
  return RequireSuccess(call, entry, arguments.rulebook());
}

}  // namespace
}  // namespace detops_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detops_fuzz;  // NOLINT(google-build-using-namespace): the fuzzer's own
  detops_fuzz::FuzzedBytes bytes(data, size);
  Call call;
  if (!MakeCall(bytes, call)) return 0;
  const mluOpHandle_t handle = AllHandles().alone;
  RequireUsable(handle);
  {
    Arguments arguments(call, handle);
    CheckSize(call, arguments);
    const bool has_book = CheckCreate(call, arguments);
    const std::vector<unsigned char> plain = Check(call, arguments, Entry::kCall);
    std::vector<unsigned char> fused, booked;
    if (call.way == Way::kForward) fused = Check(call, arguments, Entry::kFused);
    if (has_book || !call.with_rulebook) booked = Check(call, arguments, Entry::kRulebook);
    const std::vector<unsigned char>& same = call.way == Way::kForward ? fused : plain;
    if (!same.empty() && !booked.empty() && same != booked) Broken("a rulebook gives other bits");
    const bool simple = !call.tensors[kBias].described && !call.tensors[kResidual].described &&
                        call.activation == DETOPS_ACTIVATION_NONE;
    if (simple && !fused.empty() && !plain.empty() && fused != plain) Broken("fusing nothing gives other bits");
  }
  RequireUsable(handle);
  return 0;
}
