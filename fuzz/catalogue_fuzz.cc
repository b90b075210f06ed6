// Fuzzes the functions of one room with calls that are right, or wrong in one or two places. What a call must get, and
// the faults that break it, come from the contracts; what must come out of it from the references.
//
// A refused call must get the status and the sentence that its contract says, change nothing and leave the handle
// usable. A call that is carried out must agree with the reference on every instruction set, and give the same bits
// with three threads and with a runner that goes backwards. Tensors are heap blocks of their exact size, so that the
// address sanitizer sees every step outside them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/fuzz_support.h"
#include "harness/catalogue.h"
#include "harness/compare.h"
#include "harness/placed_call.h"
#include "support/runner.h"
#include "support/status.h"

namespace detops_fuzz {
namespace {

using detops_harness::Access;
using detops_harness::Answer;
using detops_harness::Call;
using detops_harness::Contract;
using detops_harness::Fault;
using detops_harness::Faults;
using detops_harness::Function;
using detops_harness::MemoryKind;
using detops_harness::PlacedCall;
using detops_harness::Shape;
using detops_harness::ShapeKey;
using detops_harness::Tensor;

// ---- handles, runners and targets ----

// Forgets the first task. With an even count it claims to have run it.
int RunAndFail(void* /*opaque*/, detopsTask_t task, void* context, int count) {
  for (int index = 1; index < count; ++index) task(context, index);
  return count % 2;
}

mluOpHandle_t NewHandle(int threads, detopsRunner_t runner) {
  using detops_test::Must;
  mluOpHandle_t handle = nullptr;
  Must(mluOpCreate(&handle), "mluOpCreate");
  Must(detopsSetNumThreads(handle, threads), "detopsSetNumThreads");
  Must(detopsSetParallelRunner(handle, runner, nullptr), "detopsSetParallelRunner");
  return handle;
}

// They live as long as the process: starting threads for every input would be most of the time.
struct Handles {
  mluOpHandle_t alone = NewHandle(1, nullptr);
  mluOpHandle_t three = NewHandle(3, nullptr);
  mluOpHandle_t backwards = NewHandle(3, &detops_test::RunBackwards);
  mluOpHandle_t failing = NewHandle(3, &RunAndFail);
};

Handles& AllHandles() {
  static Handles handles;
  return handles;
}

// The SIMD targets of this machine, best first.
const std::vector<std::string>& Targets() {
  static const std::vector<std::string> targets = [] {
    std::vector<std::string> names;
    std::istringstream list(detopsGetSupportedTargets());
    for (std::string name; std::getline(list, name, ',');) names.push_back(name);
    return names;
  }();
  return targets;
}

// ---- calls ----

// Everything that an input may ask of a function, made once.
struct Subject {
  explicit Subject(const Function* fuzzed) : function(fuzzed), good(fuzzed->Good()) {
    for (const auto& rule : fuzzed->contract().rules()) {
      for (Fault& fault : fuzzed->contract().FaultsOf(&rule, good)) faults.push_back(std::move(fault));
    }
  }
  const Function* function;
  Call good;
  Faults faults;
};

const std::vector<Subject>& Subjects() {
  static const std::vector<Subject> subjects = [] {
    std::vector<Subject> made;
    for (const auto& function : detops_harness::WholeCatalogue().functions()) {
      if (function->room() == DETOPS_FUZZED_ROOM) made.emplace_back(function.get());
    }
    return made;
  }();
  return subjects;
}

template <class T>
const T& OneOfList(FuzzedBytes& bytes, const std::vector<T>& list) {
  return list[bytes.Between<size_t>(0, list.size() - 1)];
}

// A good call of a shape that the bytes choose. A shape that cannot be is replaced by that of the contract's good call.
Call MakeGood(FuzzedBytes& bytes, const Function& function) {
  Shape shape(OneOfList(bytes, function.samples()).shape);
  if (bytes.Bool()) shape = Shape(function.samples()[0].shape);
  for (const ShapeKey& key : function.keys()) {
    if (!key.choices.empty() && bytes.Bool()) shape.Set(key.name, OneOfList(bytes, key.choices));
  }
  const bool full = function.profile() == DETOPS_PROFILE_FULL || bytes.Bool();
  const mluOpDataType_t type = OneOfList(bytes, full ? function.full_types() : function.contract_types());
  const detopsProfile_t profile = full ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT;
  const auto seed = bytes.Any<uint16_t>();
  try {
    return function.MakeSample(shape.text(), type, profile, seed);
  } catch (const detops_harness::ShapeError&) {
    return function.MakeSample(function.samples()[0].shape, type, profile, seed);
  }
}

double PokedNumber(FuzzedBytes& bytes, double before, bool integer) {
  if (integer) {
    constexpr double kIntegers[] = {-1, 0, 1, 2, INT32_MAX, INT32_MIN};
    return bytes.Bool() ? OneOf(bytes, kIntegers)
                        : std::clamp<double>(before + Number(bytes, -2, 2), INT32_MIN, INT32_MAX);
  }
  const double specials[] = {0.0,     -0.0, std::nan(""), HUGE_VAL, -HUGE_VAL,         6e4, 3e38, -3e38, 1e308, 1e-45,
                             -1e-310, 6e-8, -1,           0.5,      1.5707963267948966};
  return bytes.Bool() ? OneOf(bytes, specials) : static_cast<double>(bytes.AnyFloat());
}

// A few elements of the inputs become others: special numbers, neighbours of what they were, any bits.
void Poke(FuzzedBytes& bytes, Call& call) {
  for (int pokes = call.tensors.empty() ? 0 : Number(bytes, 0, 7) - 3; pokes > 0; --pokes) {
    Tensor& tensor = call.tensors[bytes.Between<size_t>(0, call.tensors.size() - 1)];
    if (tensor.contents.empty()) continue;
    const auto index = bytes.Between<int64_t>(0, tensor.elements() - 1);
    const bool integer = tensor.type == MLUOP_DTYPE_INT32 || tensor.type == MLUOP_DTYPE_INT64;
    tensor.Set(index, PokedNumber(bytes, tensor.Get(index), integer));
  }
}

// An extent or an argument becomes an extreme number.
void Exaggerate(FuzzedBytes& bytes, Call& call) {
  const bool argument = !call.integers.empty() && (call.tensors.empty() || OneIn(bytes, 3));
  if (argument) {
    auto at = call.integers.begin();
    std::advance(at, bytes.Between<size_t>(0, call.integers.size() - 1));
    const int64_t number = ExtremeNumber(bytes);
    // Most are of type int, where the number may become negative; a size is never that.
    at->second = at->first == "workspace_size" ? number : static_cast<int>(number);
  } else if (!call.tensors.empty()) {
    Tensor& tensor = call.tensors[bytes.Between<size_t>(0, call.tensors.size() - 1)];
    // A place for a number has no shape in the contract, and no descriptor that could say another.
    if (!tensor.extents.empty() && call.function->contract().shapes().count(tensor.name) != 0) {
      tensor.extents[bytes.Between<size_t>(0, tensor.extents.size() - 1)] = ExtremeNumber(bytes);
    }
  }
}

void RequireGood(const Subject& subject, mluOpHandle_t handle) {
  PlacedCall good(subject.good, {MemoryKind::kHeap});
  if (good.Run(handle) != MLUOP_STATUS_SUCCESS) Broken("handle unusable after a failure: %s", good.text().c_str());
  if (!good.text().empty() || detopsGetLastError(handle)[0] != '\0') Broken("text not empty after a good call");
}

void RequireRefusal(const Subject& subject, PlacedCall& placed, const Answer& expected) {
  const mluOpHandle_t handle = AllHandles().alone;
  const std::string before = placed.State();
  const mluOpStatus_t status = placed.Run(handle);
  if (status != expected.status || placed.text() != expected.text) {
    Broken("%s gave %s: \"%s\", expected %s: \"%s\"", subject.function->name().c_str(), mluOpGetErrorString(status),
           placed.text().c_str(), mluOpGetErrorString(expected.status), expected.text.c_str());
  }
  if (placed.call().with_handle && placed.text() != detopsGetLastError(handle))
    Broken("texts of handle and thread differ");
  if (placed.State() != before) Broken("%s failed and wrote", subject.function->name().c_str());
  RequireGood(subject, handle);
}

void RunWell(PlacedCall& placed, mluOpHandle_t handle) {
  placed.Reset(0xFF);
  const mluOpStatus_t status = placed.Run(handle);
  if (status != MLUOP_STATUS_SUCCESS)
    Broken("a good call gave %s: %s", mluOpGetErrorString(status), placed.text().c_str());
  if (!placed.text().empty()) Broken("text not empty after a success");
  if (!placed.InputsIntact()) Broken("an input was changed");
  if (!placed.SurroundingsIntact()) Broken("a part of an output that stays as it was has changed");
}

// A call that ends well without work may leave out the data of any tensor, or describe more than any memory holds.
bool HasAllData(const Call& call) {
  return std::all_of(call.tensors.begin(), call.tensors.end(), [](const Tensor& tensor) {
    return !tensor.described || tensor.address != nullptr || tensor.elements() == 0;
  });
}

void RequireSuccess(const Subject& subject, PlacedCall& placed, bool works, size_t target_for_threads) {
  Call checked = placed.call();
  checked.value_checks = true;
  // What nobody looked at has no defined result; it must only do no harm.
  const bool specified = subject.function->contract().Judge(checked).status == MLUOP_STATUS_SUCCESS &&
                         (works || HasAllData(placed.call()));
  detops_harness::Expected expected;
  if (specified) expected = subject.function->Reference(placed.call());
  const std::vector<std::string>& targets = Targets();
  for (size_t i = 0; i < targets.size(); ++i) {
    detops_test::Must(detopsSetTarget(targets[i].c_str()), "detopsSetTarget");
    RunWell(placed, AllHandles().alone);
    const std::string alone = placed.Outputs();
    const std::string reason = specified ? ElementDisagreement(placed.call(), expected) : "";
    if (!reason.empty()) Broken("%s on %s: %s", subject.function->name().c_str(), targets[i].c_str(), reason.c_str());
    if (i != target_for_threads % targets.size()) continue;
    for (const mluOpHandle_t handle : {AllHandles().three, AllHandles().backwards}) {
      RunWell(placed, handle);
      if (placed.Outputs() != alone) Broken("%s: the bits depend on the threads", subject.function->name().c_str());
    }
  }
}

// A runner that fails: the call says so, or there was nothing to run.
void RequireReport(PlacedCall& placed) {
  const mluOpStatus_t status = placed.Run(AllHandles().failing);
  if (status != MLUOP_STATUS_SUCCESS && status != MLUOP_STATUS_EXECUTION_FAILED) {
    Broken("a runner that fails gave %s: %s", mluOpGetErrorString(status), placed.text().c_str());
  }
  if (!placed.InputsIntact()) Broken("an input was changed");
}

}  // namespace
}  // namespace detops_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detops_fuzz;  // the entry point
  FuzzedBytes bytes(data, size);
  const Subject& subject = OneOfList(bytes, Subjects());
  detops_harness::Call call = MakeGood(bytes, *subject.function);
  call.value_checks = !OneIn(bytes, 4);
  if (call.value_checks) Poke(bytes, call);
  for (int faults = std::max(0, Number(bytes, 0, 5) - 3); faults > 0; --faults) {
    if (OneIn(bytes, 6)) {
      Exaggerate(bytes, call);
    } else {
      OneOfList(bytes, subject.faults).apply(call);
    }
  }
  constexpr size_t kOffsets[] = {0, 0, 0, 1, 2, 4, 8, 12};
  PlacedCall placed(std::move(call), {MemoryKind::kHeap, OneOf(bytes, kOffsets)});
  const detops_harness::Answer expected = subject.function->contract().Judge(placed.call());
  if (expected.undefined) return 0;
  if (expected.status != MLUOP_STATUS_SUCCESS) {
    RequireRefusal(subject, placed, expected);
  } else if (!placed.MemorySuffices()) {
    return 0;
  } else if (OneIn(bytes, 16)) {
    RequireReport(placed);
  } else {
    RequireSuccess(subject, placed, expected.rule == nullptr, static_cast<size_t>(Number(bytes, 0, 15)));
  }
  return 0;
}
