// Fuzzes get_indice_pairs, its workspace size and detopsCountIndicePairOutputs with calls that are right, or wrong in
// one or two places.
//
// A refused call must give the status that the model foretells, say why, change nothing and leave the handle usable. A
// call that succeeds must equal the reference on every SIMD target, with three threads and with a runner that goes
// backwards, whatever the workspace held. Tensors and workspace are heap blocks of their exact size.
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/operator_call.h"
#include "ops/get_indice_pairs/fuzz/call.h"
#include "ops/get_indice_pairs/fuzz/make.h"
#include "ops/get_indice_pairs/reference/reference.h"
#include "support/status.h"

namespace detops_fuzz {
namespace {

using detops_test::Must;

// ---- handles and descriptors ----

bool g_runner_failed = false;

int FailAndTell(void* opaque, detopsTask_t task, void* context, int count) {
  g_runner_failed = true;
  return RunAndFail(opaque, task, context, count);
}

// The runner that fails comes for one call only.
mluOpHandle_t FailingHandle() {
  static const mluOpHandle_t handle = NewHandle(3, nullptr);
  return handle;
}

class Sparse {
 public:
  Sparse() { Must(mluOpCreateSparseConvolutionDescriptor(&desc_), "mluOpCreateSparseConvolutionDescriptor"); }
  ~Sparse() { mluOpDestroySparseConvolutionDescriptor(desc_); }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;

  mluOpSparseConvolutionDescriptor_t get() const { return desc_; }

  int NumActOut() const {
    int number = -1;
    Must(mluOpGetSparseConvolutionNumActOut(desc_, &number), "mluOpGetSparseConvolutionNumActOut");
    return number;
  }

  void Set(const Call& call) {
    const auto& conv = call.conv;
    const auto narrow = [](const std::vector<int64_t>& numbers) {
      return std::vector<int>(numbers.begin(), numbers.end());
    };
    std::vector<int> arrays[] = {narrow(conv.pad),         narrow(conv.stride),       narrow(conv.dilation),
                                 narrow(conv.input_space), narrow(conv.filter_space), narrow(conv.output_space)};
    const auto set = [&] {
      return detopsSetSparseConvolutionDescriptor(
          desc_, static_cast<int>(call.axes()), static_cast<int>(conv.batch), arrays[0].data(), arrays[1].data(),
          arrays[2].data(), nullptr, arrays[3].data(), arrays[4].data(), arrays[5].data(), conv.submanifold ? -1 : 0,
          conv.transposed ? 1 : 0, call.inverse ? 1 : 0);
    };
    Must(set(), "detopsSetSparseConvolutionDescriptor");
    if (!call.bad_set) return;
    // Refused at the last number, after all others have changed: the descriptor must stay as it was.
    for (std::vector<int>& array : arrays) {
      for (int& number : array) number = number == INT_MAX ? 1 : number + 1;
    }
    arrays[5].back() = 0;
    ExpectStatus(set(), false, "detopsSetSparseConvolutionDescriptor");
  }

 private:
  mluOpSparseConvolutionDescriptor_t desc_ = nullptr;
};

// A good call with numbers worked out by hand: sites 0 and 2 of a line of four, a kernel of two. Offset 0 takes them to
// 0 and 2, offset 1 to -1, which is outside, and 1. It leaves 3 as the number of outputs in the descriptor.
void RequireUsable(mluOpHandle_t handle, const Sparse& sparse) {
  const int none[] = {0, 0, 0}, one[] = {1, 1, 1}, input[] = {1, 1, 4}, filter[] = {1, 1, 2}, output[] = {1, 1, 3};
  Must(mluOpSetSparseConvolutionDescriptor(sparse.get(), 5, 1, none, one, one, input, filter, output, 0, 0, 0), "Set");
  Must(detopsSetProfile(handle, DETOPS_PROFILE_CONTRACT), "detopsSetProfile");
  TensorArgument tensors[kTensors];
  tensors[kIndices].extents = {2, 4};
  tensors[kPairs].extents = {2, 2, 2};
  tensors[kOut].extents = {3, 4};
  tensors[kNum].extents = {2};
  const Descriptor indices(tensors[0]), pairs(tensors[1]), out(tensors[2]), num(tensors[3]);
  const int32_t sites[] = {0, 0, 0, 0, 0, 0, 0, 2};
  int32_t result[8 + 12 + 2] = {};
  size_t size = 0;
  Must(mluOpGetIndicePairsWorkspaceSize(handle, sparse.get(), indices.get(), pairs.get(), out.get(), num.get(), &size),
       "mluOpGetIndicePairsWorkspaceSize");
  std::vector<unsigned char> workspace(size + 1);
  Must(mluOpGetIndicePairs(handle, sparse.get(), indices.get(), sites, workspace.data(), size, pairs.get(), result,
                           out.get(), result + 8, num.get(), result + 20),
       "the good call");
  const int32_t expected[] = {0, 1, 0, 2, 1, -1, 1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 2, 1};
  if (std::memcmp(result, expected, sizeof(expected)) != 0 || sparse.NumActOut() != 3) Broken("the good call is wrong");
  if (detopsGetLastError(handle)[0] != '\0') Broken("text not empty after a good call");
}

// ---- running a call ----

struct Answer {
  mluOpStatus_t status;
  std::string text;
};

// The descriptors of a call, on a handle that is set up for it.
class Arguments {
 public:
  Arguments(const Call& call, mluOpHandle_t handle) : call_(call), handle_(handle) {
    RequireUsable(handle, sparse);
    Must(detopsSetProfile(handle, call.profile), "detopsSetProfile");
    sparse.Set(call);
  }

  Answer Size(size_t* size) const {
    const auto get_size = call_.names_of_document ? mluopGetIndicePairsWorkspaceSize : mluOpGetIndicePairsWorkspaceSize;
    return Said(get_size(handle(), desc(), indices_.get(), pairs_.get(), out_.get(), num_.get(), size));
  }
  Answer Count(int64_t* count) const {
    return Said(detopsCountIndicePairOutputs(handle(), desc(), indices_.get(), call_.tensors[kIndices].data,
                                             call_.with_result ? count : nullptr));
  }
  Answer Pairs(const Buffers& memory, size_t size) const {
    const auto get_pairs = call_.names_of_document ? mluopGetIndicePairs : mluOpGetIndicePairs;
    return Said(get_pairs(handle(), desc(), indices_.get(), memory.data[kIndices], memory.data[kTensors], size,
                          pairs_.get(), memory.data[kPairs], out_.get(), memory.data[kOut], num_.get(),
                          memory.data[kNum]));
  }

  Sparse sparse;

 private:
  mluOpHandle_t handle() const { return call_.with_handle ? handle_ : nullptr; }
  mluOpSparseConvolutionDescriptor_t desc() const { return call_.with_descriptor ? sparse.get() : nullptr; }
  Answer Said(mluOpStatus_t status) const {
    const std::string text = detopsGetLastError(nullptr);
    if (call_.with_handle && text != detopsGetLastError(handle_)) Broken("texts of handle and thread differ");
    if (text.empty() != (status == kGood)) Broken("%s with the text \"%s\"", mluOpGetErrorString(status), text.c_str());
    if (!text.empty() && (text.find("IndicePair") == std::string::npos || text.back() != '.')) {
      Broken("not a sentence: \"%s\"", text.c_str());
    }
    return {status, text};
  }

  const Call& call_;
  mluOpHandle_t handle_;
  Descriptor indices_{call_.tensors[kIndices]}, pairs_{call_.tensors[kPairs]}, out_{call_.tensors[kOut]},
      num_{call_.tensors[kNum]};
};

void RequireStatus(const Call& call, const Answer& answer, mluOpStatus_t expected, const char* function) {
  if (answer.status == expected) return;
  if (EitherRefusal(call) && expected != kGood && (answer.status == kBad || answer.status == kLimit)) return;
  Broken("%s gave %s, expected %s; text: \"%s\"", function, mluOpGetErrorString(answer.status),
         mluOpGetErrorString(expected), answer.text.c_str());
}

// The needed size; 0 where the function refuses to tell it.
size_t CheckSize(const Call& call, const Arguments& arguments) {
  constexpr size_t kMark = 0x5A5A5A5A;
  size_t size = kMark;
  if (!call.with_result) RequireStatus(call, arguments.Size(nullptr), kBad, "the size function without a place");
  const mluOpStatus_t expected = ExpectedOfSize(call);
  RequireStatus(call, arguments.Size(&size), expected, "the size function");
  if (expected != kGood && size != kMark) Broken("a refused size was written");
  if (expected != kGood) return 0;
  if (HasEmptyTensor(call) && size != 0) Broken("size %zu for a tensor without elements", size);
  const Wide outputs = std::min<Wide>(call.tensors[kOut].elements(), Wide{call.tensors[kPairs].elements()} / 2);
  if (size > 64 * (call.tensors[kIndices].elements() + outputs) + (64 << 20)) Broken("size %zu is too large", size);
  return size;
}

void CheckCount(const Call& call, const Arguments& arguments) {
  if (Product(call.conv.filter_space) > 4096) return;  // takes its time
  int64_t count = -77;
  const mluOpStatus_t expected = ExpectedOfCount(call);
  RequireStatus(call, arguments.Count(&count), expected, "detopsCountIndicePairOutputs");
  int64_t right = -77;
  if (expected == kGood) {
    right = detops_reference::GetIndicePairs(call.conv, call.sites(), call.indices()).num_act_out;
  }
  if (count != right)
    Broken("%lld outputs, expected %lld", static_cast<long long>(count), static_cast<long long>(right));
  if (arguments.sparse.NumActOut() != 3) Broken("counting changed the descriptor");
}

// Heap memory of the exact size for the workspace, filled with the fuzzer's byte.
struct Workspace {
  Workspace(const Call& call, size_t needed)
      : memory(needed + call.workspace_offset, call.workspace_byte), data(memory.data() + call.workspace_offset) {}
  std::vector<unsigned char> memory;
  unsigned char* data;
};

// ---- checking the result ----

void RequireEqual(const unsigned char* data, const std::vector<int32_t>& expected, const char* name) {
  for (size_t i = 0; data != nullptr && i < expected.size(); ++i) {
    int32_t value;
    std::memcpy(&value, data + i * 4, 4);
    if (value != expected[i]) Broken("%s: element %zu is %d, expected %d", name, i, value, expected[i]);
  }
}

// What a success leaves: the reference's result, or the documented one for a call without work.
detops_reference::IndicePairs ExpectedResult(const Call& call) {
  if (!HasEmptyTensor(call)) {
    return detops_reference::GetIndicePairs(call.conv, call.sites(), call.indices(), call.rows());
  }
  detops_reference::IndicePairs nothing;
  const auto fits = [](const TensorArgument& tensor) { return tensor.data != nullptr ? tensor.elements() : 0; };
  nothing.pairs.assign(fits(call.tensors[kPairs]), -1);
  nothing.out_indices.assign(fits(call.tensors[kOut]), -1);
  nothing.indice_num.assign(fits(call.tensors[kNum]), 0);
  return nothing;
}

void RequireSuccess(const Call& call) {
  const std::vector<std::string>& targets = Targets();
  const detops_reference::IndicePairs expected = ExpectedResult(call);
  const auto run = [&](mluOpHandle_t handle) {
    Call fresh = call;  // outputs of their own, still as they were
    for (int i = 0; i < kTensors; ++i) {
      if (call.tensors[i].data == nullptr) continue;
      fresh.tensors[i].memory.shrink_to_fit();
      fresh.tensors[i].data = fresh.tensors[i].memory.data() + (call.tensors[i].data - call.tensors[i].memory.data());
    }
    const Arguments arguments(fresh, handle);
    const size_t needed = CheckSize(fresh, arguments);
    Workspace workspace(fresh, needed);
    const Buffers memory(fresh, workspace.data, needed);
    RequireStatus(fresh, arguments.Pairs(memory, fresh.WorkspaceSize(needed)), kGood, "a good call");
    RequireEqual(memory.data[kPairs], expected.pairs, "indice_pairs");
    RequireEqual(memory.data[kOut], expected.out_indices, "out_indices");
    RequireEqual(memory.data[kNum], expected.indice_num, "indice_num");
    if (arguments.sparse.NumActOut() != expected.num_act_out) Broken("%d outputs", arguments.sparse.NumActOut());
    if (fresh.tensors[kIndices].memory != call.tensors[kIndices].memory) Broken("the sites have changed");
  };
  for (size_t i = 0; i < targets.size(); ++i) {
    Must(detopsSetTarget(targets[i].c_str()), "detopsSetTarget");
    run(AllHandles().alone);
    if (i != static_cast<size_t>(call.target_for_threads) % targets.size()) continue;
    run(AllHandles().three);
    run(AllHandles().backwards);
  }
}

void RequireFailure(const Call& call, const Arguments& arguments, const Buffers& memory, size_t needed,
                    mluOpStatus_t expected) {
  std::vector<unsigned char> before[kTensors];
  for (int i = 0; i < kTensors; ++i) before[i] = call.tensors[i].memory;
  g_runner_failed = false;
  if (call.runner_fails) Must(detopsSetParallelRunner(FailingHandle(), &FailAndTell, nullptr), "SetParallelRunner");
  const Answer answer = arguments.Pairs(memory, call.WorkspaceSize(needed));
  Must(detopsSetParallelRunner(FailingHandle(), nullptr, nullptr), "SetParallelRunner");
  if (expected == kGood || g_runner_failed) {  // the runner may fail while values are still looked at, or too late
    const mluOpStatus_t of_runner = g_runner_failed ? MLUOP_STATUS_EXECUTION_FAILED : kGood;
    RequireStatus(call, answer, of_runner, "a call with a runner that fails");
    if (of_runner == kGood) return;
  } else {
    RequireStatus(call, answer, expected, "mluOpGetIndicePairs");
  }
  if (arguments.sparse.NumActOut() != 3) Broken("a failed call changed the number of outputs");
  for (int i = 0; i < (g_runner_failed ? 1 : kTensors); ++i) {  // outputs are undefined after a runner's failure
    if (call.tensors[i].memory != before[i]) Broken("a refused call changed tensor %d", i);
  }
}

}  // namespace
}  // namespace detops_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detops_fuzz;  // NOLINT(google-build-using-namespace): the fuzzer's own
  detops_fuzz::FuzzedBytes bytes(data, size);
  const Call call = MakeCall(bytes);
  mluOpStatus_t expected = kGood;
  {
    const Arguments arguments(call, AllHandles().alone);
    const size_t needed = CheckSize(call, arguments);
    CheckCount(call, arguments);
    Workspace workspace(call, needed);
    const Buffers memory(call, workspace.data, needed);
    expected = ExpectedOfPairs(call, memory, needed);
    if (expected != kGood) {
      RequireFailure(call, arguments, memory, needed, expected);
    } else if (call.runner_fails) {
      const Arguments failing(call, FailingHandle());
      RequireFailure(call, failing, memory, needed, expected);
      RequireUsable(FailingHandle(), failing.sparse);
    }
    RequireUsable(AllHandles().alone, arguments.sparse);
  }
  if (expected == kGood && !call.runner_fails) RequireSuccess(call);
  return 0;
}
