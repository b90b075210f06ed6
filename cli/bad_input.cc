#include "bad_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "operators/common.h"

namespace detops_cli {
namespace {

constexpr unsigned char kCanary = 0x5A;
constexpr size_t kReasonsShown = 3;

// Reaches a tensor of an invocation.
using Place = std::function<TensorArgument&(Invocation&)>;

class Calls {
 public:
  explicit Calls(Session& session) : session_(session), case_(session.the_case()) {
    for (const auto* tensors : {&case_.inputs, &case_.outputs}) {
      for (const HostTensor& tensor : *tensors) empty_ = empty_ || tensor.elements() == 0;
    }
    calls_ = case_.op->BadCalls(case_);
    // A call with an empty tensor is a success before anything is read.
    if (empty_) std::erase_if(calls_, [](const BadCall& call) { return call.input >= 0; });
    Add(Basis::kDocument, "handle is NULL", {kBadParam}, [](Invocation& i) { i.handle = nullptr; });
    for (size_t t = 0; t < case_.inputs.size(); ++t) {
      AddTensor(case_.inputs[t], [t](Invocation& i) -> TensorArgument& { return i.inputs[t]; });
    }
    for (size_t t = 0; t < case_.outputs.size(); ++t) {
      if (case_.op->OptionalOutput(case_, t)) continue;
      AddTensor(case_.outputs[t], [t](Invocation& i) -> TensorArgument& { return i.outputs[t]; });
      AddOverlaps(t);
    }
    AddWorkspace();
  }

  const std::vector<BadCall>& all() const { return calls_; }

 private:
  void Add(Basis basis, std::string what, std::vector<mluOpStatus_t> expected, std::function<void(Invocation&)> spoil) {
    calls_.push_back(
        {.what = std::move(what), .basis = basis, .expected = std::move(expected), .spoil = std::move(spoil)});
  }

  void AddTensor(const HostTensor& tensor, const Place& place) {
    Add(Basis::kDocument, tensor.name + "_desc is NULL", {kBadParam},
        [place](Invocation& i) { place(i).desc = nullptr; });
    if (!empty_) {
      Add(Basis::kDocument, tensor.name + " is NULL", {kBadParam}, [place](Invocation& i) { place(i).data = nullptr; });
    }
    HostTensor wrong = tensor;
    wrong.extents.insert(wrong.extents.end(), 7 - wrong.extents.size(), 1);
    AddDescriptor(wrong, "has rank 7", {kBadParam, kNotSupported}, place);
    wrong = tensor;
    wrong.type = MLUOP_DTYPE_INT8;
    AddDescriptor(wrong, "is of int8", {kBadParam}, place);
    wrong = tensor;
    wrong.extents.back() += 1;
    AddDescriptor(wrong, "has one more in its last extent", {kBadParam}, place);
    if (tensor.extents.front() > 1 && tensor.elements() > 0) {
      wrong = tensor;
      wrong.strides.assign(tensor.extents.size(), 1);
      for (size_t axis = tensor.extents.size() - 1; axis-- > 0;) {
        wrong.strides[axis] = wrong.strides[axis + 1] * tensor.extents[axis + 1];
      }
      wrong.strides.front() += 1;
      AddDescriptor(wrong, "is not dense", {kNotSupported}, place);
    }
  }

  void AddDescriptor(const HostTensor& wrong, const char* what, std::vector<mluOpStatus_t> expected,
                     const Place& place) {
    const mluOpTensorDescriptor_t desc =
        session_.MakeDescriptor(wrong.layout, wrong.type, wrong.extents, wrong.strides);
    if (desc == nullptr) return;  // refused already
    Add(Basis::kDocument, fmt::format("{} {}", wrong.name, what), std::move(expected),
        [place, desc](Invocation& i) { place(i).desc = desc; });
  }

  void AddOverlaps(size_t output) {
    if (empty_) return;
    for (size_t input = 0; input < case_.inputs.size(); ++input) {
      Add(Basis::kPromise, fmt::format("{} is {}", case_.outputs[output].name, case_.inputs[input].name), {kBadParam},
          [output, input](Invocation& i) { i.outputs[output].data = i.inputs[input].data; });
    }
    for (size_t other = 0; other < output; ++other) {
      if (case_.op->OptionalOutput(case_, other)) continue;
      Add(Basis::kPromise, fmt::format("{} is {}", case_.outputs[output].name, case_.outputs[other].name), {kBadParam},
          [output, other](Invocation& i) { i.outputs[output].data = i.outputs[other].data; });
    }
  }

  void AddWorkspace() {
    if (empty_ || session_.workspace_bytes() == 0) return;
    Add(Basis::kDocument, "workspace is NULL", {kBadParam}, [](Invocation& i) { i.workspace = nullptr; });
    Add(Basis::kPromise, "workspace is one byte too small", {kBadParam}, [](Invocation& i) { --i.workspace_size; });
    Add(Basis::kPromise, "workspace is " + case_.inputs[0].name, {kBadParam},
        [](Invocation& i) { i.workspace = i.inputs[0].data; });
  }

  Session& session_;
  const Case& case_;
  std::vector<BadCall> calls_;
  bool empty_ = false;
};

std::string StatusName(const Library& library, mluOpStatus_t status) {
  if (library->mluOpGetErrorString != nullptr) return library->mluOpGetErrorString(status);
  return std::to_string(static_cast<int>(status));
}

// "" if the call was refused as it must be. `look`: also at the outputs, which takes longer than the call.
std::string TryCall(Session& session, const BadCall& bad, bool look) {
  Invocation invocation = session.invocation();
  if (bad.spoil) bad.spoil(invocation);
  const Case& c = session.the_case();
  std::vector<std::byte> old, spoilt;
  size_t offset = 0;
  const auto input = static_cast<size_t>(std::max(bad.input, 0));
  if (bad.input >= 0) {
    const size_t size = c.inputs[input].element_bytes();
    offset = static_cast<size_t>(bad.element) * size;
    HostTensor one = c.inputs[input];
    one.data.assign(size, std::byte{});
    one.Set(0, bad.value);
    spoilt = one.data;
    session.input(input).Write(offset, spoilt.data(), size);
  }
  const mluOpStatus_t status = session.CallWith(invocation);
  if (bad.input >= 0) session.input(input).Write(offset, c.inputs[input].data.data() + offset, spoilt.size());
  std::string reason;
  if (std::find(bad.expected.begin(), bad.expected.end(), status) == bad.expected.end()) {
    reason = fmt::format("{} gave {}", bad.what, StatusName(session.library(), status));
  }
  if (look && !session.OutputsAre(kCanary)) {
    reason += fmt::format("{} touched the outputs", reason.empty() ? bad.what : " and");
    session.FillOutputs(kCanary);
  }
  return reason;
}

}  // namespace

CheckResult CheckBadInput(Session& session, const std::vector<std::vector<std::byte>>& good, bool documented_only,
                          const std::function<void(const std::string&)>& before) {
  const Calls calls(session);
  session.FillOutputs(kCanary);
  size_t tried = 0;
  std::vector<std::string> reasons;
  const auto try_all = [&](bool look) {
    tried = 0;
    reasons.clear();
    for (const BadCall& bad : calls.all()) {
      if (documented_only && bad.basis == Basis::kPromise) continue;
      before(bad.what);
      ++tried;
      std::string reason = TryCall(session, bad, look);
      if (!reason.empty()) reasons.push_back(std::move(reason));
    }
  };
  try_all(false);
  if (!session.OutputsAre(kCanary)) {
    // Once more, to find out which call it was.
    session.FillOutputs(kCanary);
    try_all(true);
  }
  const std::string guard = session.DamagedGuard();
  if (!guard.empty()) reasons.push_back("bytes beside " + guard + " were written");
  const std::string input = session.ChangedInput();
  if (!input.empty()) reasons.push_back(input + " was changed");
  const int outputs_before = session.invocation().num_act_out;
  if (session.NumActOut() != outputs_before) reasons.emplace_back("num_act_out was changed");
  const mluOpStatus_t after = session.Call();
  if (after != MLUOP_STATUS_SUCCESS) {
    reasons.push_back("afterwards a good call fails: " + session.Explain(after));
  } else if (session.Outputs() != good) {
    reasons.emplace_back("afterwards a good call gives other bits in its outputs");
  }
  if (reasons.empty()) return {"bad input", "pass", fmt::format("{} calls refused", tried)};
  std::string detail = fmt::format("{} of {} bad calls: ", reasons.size(), tried);
  for (size_t i = 0; i < std::min(reasons.size(), kReasonsShown); ++i) detail += (i == 0 ? "" : "; ") + reasons[i];
  if (reasons.size() > kReasonsShown) detail += "; ...";
  return {"bad input", "fail", detail};
}

}  // namespace detops_cli
