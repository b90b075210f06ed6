#include "operators/old_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "harness/rules.h"
#include "operators/common.h"
#include "operators/registry.h"

namespace detops_cli {
namespace {

using detops_harness::Access;
using detops_harness::Arguments;
using detops_harness::Call;
using detops_harness::Functions;
using detops_harness::Tensor;

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;
constexpr char kSparse[] = "sparse_conv_desc";

// ---- arguments by name, and as the old classes have them ----

// Calls visit(name, number) for each; the same for writing and for reading.
template <class Params, class Visit>
void ForEachNumber(Params& params, Visit visit) {
  using P = std::remove_const_t<Params>;
  if constexpr (std::is_same_v<P, old::GetIndicePairsParams>) {
    visit("dimnb", params.dimnb);
    visit("batch", params.batch);
    visit("pad", params.pad);
    visit("stride", params.stride);
    visit("dilation", params.dilation);
    visit("input_space", params.input_space);
    visit("filter_space", params.filter_space);
    visit("output_space", params.output_space);
    visit("sub_m", params.sub_m);
    visit("transpose", params.transpose);
    visit("inverse", params.inverse);
  } else {
    visit("num_act_out", params.num_active_out);
    visit("inverse", params.inverse);
    visit("sub_m", params.sub_m);
    visit("indice_num", params.indice_num);
  }
}

template <class T>
void Put(Call& call, const char* name, const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    call.numbers[name] = static_cast<double>(value);
  } else if constexpr (std::is_integral_v<T>) {
    call.integers[name] = value;
  } else {
    call.integer_lists[name] = {value.begin(), value.end()};
  }
}

// What a call does not have keeps its default.
template <class T>
void Take(const Call& call, const char* name, T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (call.numbers.count(name) != 0) value = static_cast<T>(call.numbers.at(name));
  } else if constexpr (std::is_integral_v<T>) {
    if (call.integers.count(name) != 0) value = static_cast<T>(call.integers.at(name));
  } else {
    if (call.integer_lists.count(name) == 0) return;
    const std::vector<int64_t>& list = call.integer_lists.at(name);
    value = {list.begin(), list.end()};
  }
}

void PutAll(Call& call, const old::Params& params) {
  std::visit([&](const auto& p) { ForEachNumber(p, [&](const char* name, const auto& v) { Put(call, name, v); }); },
             params);
}

old::Params ParamsFor(std::string_view op) {
  if (op == "get_indice_pairs") return old::GetIndicePairsParams{};
  return old::IndiceConvolutionParams{};
}

old::Params TakeAll(const Call& call, std::string_view op) {
  old::Params params = ParamsFor(op);
  std::visit([&](auto& p) { ForEachNumber(p, [&](const char* name, auto& v) { Take(call, name, v); }); }, params);
  return params;
}

HostTensor ToHost(const Tensor& tensor) {
  return {.name = tensor.name,
          .layout = tensor.layout,
          .type = tensor.type,
          .extents = tensor.extents,
          .strides = tensor.strides,
          .data = tensor.contents};
}

// ---- the sparse convolution descriptor ----

struct SparseDescriptor {
  const Functions& library;
  mluOpSparseConvolutionDescriptor_t desc = nullptr;
  ~SparseDescriptor() {
    if (desc != nullptr) library.mluOpDestroySparseConvolutionDescriptor(desc);
  }
};

std::shared_ptr<void> MakeSparseDescriptor(const Functions& library, old::GetIndicePairsParams p) {
  const size_t axes = p.pad.size();
  for (auto* list : {&p.stride, &p.dilation, &p.input_space, &p.filter_space, &p.output_space}) list->resize(axes, 1);
  auto made = std::make_shared<SparseDescriptor>(SparseDescriptor{library});
  library.mluOpCreateSparseConvolutionDescriptor(&made->desc);
  mluOpStatus_t status = kLimit;
  if (axes == 3 && p.transpose == 0 && p.inverse == 0) {
    status = library.mluOpSetSparseConvolutionDescriptor(made->desc, 5, p.batch, p.pad.data(), p.stride.data(),
                                                         p.dilation.data(), p.input_space.data(), p.filter_space.data(),
                                                         p.output_space.data(), p.sub_m, p.transpose, p.inverse);
  } else if (library.detopsSetSparseConvolutionDescriptor != nullptr) {
    const std::vector<int> no_padding(axes, 0);
    status = library.detopsSetSparseConvolutionDescriptor(made->desc, static_cast<int>(axes), p.batch, p.pad.data(),
                                                          p.stride.data(), p.dilation.data(), no_padding.data(),
                                                          p.input_space.data(), p.filter_space.data(),
                                                          p.output_space.data(), p.sub_m, p.transpose, p.inverse);
  }
  if (status != MLUOP_STATUS_SUCCESS) throw std::runtime_error("the sparse convolution descriptor is refused");
  return made;
}

// ---- an old class as a function ----

class OldFunction : public detops_harness::Function {
 public:
  OldFunction(const old::Operator& op, std::vector<std::string> inputs, std::vector<std::string> outputs)
      : Function(detops_harness::Contract(std::string(op.function()))),
        op_(op),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  std::vector<mluOpDataType_t> contract_types() const override { return op_.contract_types(); }
  std::vector<mluOpDataType_t> full_types() const override { return op_.full_types(); }
  std::vector<detops_harness::ShapeKey> keys() const override { return op_.keys(); }
  std::vector<detops_harness::Sample> samples() const override { return {}; }
  void Validate(const Shape& shape) const override { op_.Validate(shape); }
  std::string Summary(const Shape& shape) const override { return op_.Summary(shape); }
  bool IsIn(const Functions& library) const override { return op_.Available({library}); }
  detops_test::Tolerance tolerance(mluOpDataType_t type) const override {
    const bool wide = op_.name().find("indice_convolution") == 0 && type == MLUOP_DTYPE_HALF;
    return wide ? detops_test::Tolerance{3e-3, 3e-3} : detops_test::ToleranceFor(type);
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    return MakeIn(DETOPS_PROFILE_CONTRACT, shape, type, seed);
  }
  Call MakeIn(detopsProfile_t profile, const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const old::Case made = op_.Make(shape, type, profile == DETOPS_PROFILE_FULL, seed);
    Call call;
    call.function = this;
    call.profile = profile;
    PutAll(call, made.params);
    for (const HostTensor& input : made.inputs) {
      call.tensors.push_back({input.name, Access::kRead, input.layout, input.type, input.extents});
      call.tensors.back().contents = input.data;
    }
    for (const HostTensor& output : made.outputs) {
      call.tensors.push_back(detops_harness::Output(output.name, output.layout, output.type, output.extents));
    }
    return call;
  }

  std::shared_ptr<void> MakeObjects(const Functions& library, const Arguments& arguments) const override {
    if (op_.name() != "get_indice_pairs" || arguments.IsNull(kSparse)) return nullptr;
    return MakeSparseDescriptor(
        library, std::get<old::GetIndicePairsParams>(TakeAll(const_cast<Arguments&>(arguments).call(), op_.name())));
  }

  mluOpStatus_t WorkspaceBytes(const Functions& library, mluOpHandle_t handle, const Arguments& arguments,
                               size_t* bytes) const override {
    return op_.WorkspaceSize({library}, InvocationOf(handle, const_cast<Arguments&>(arguments)), bytes);
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& arguments) const override {
    old::Invocation invocation = InvocationOf(handle, arguments);
    const mluOpStatus_t status = op_.Call({library}, invocation);
    const auto place = arguments.call().results.find("num_act_out");
    if (place == arguments.call().results.end() || invocation.sparse == nullptr) return status;
    // As the descriptor has it, also after a failure: a refused call must not change it.
    if (status != MLUOP_STATUS_SUCCESS) {
      library.mluOpGetSparseConvolutionNumActOut(invocation.sparse, &invocation.num_act_out);
    }
    place->second = invocation.num_act_out;
    return status;
  }

  detops_harness::Expected Reference(const Call& call) const override {
    old::Baseline baseline = op_.Reference(CaseOf(call));
    detops_harness::Expected expected;
    for (size_t i = 0; i < outputs_.size(); ++i) expected.tensors[outputs_[i]] = std::move(baseline.outputs[i]);
    if (baseline.num_act_out.has_value()) expected.results["num_act_out"] = *baseline.num_act_out;
    return expected;
  }

  detops_harness::Work WorkOf(const Call& call) const override {
    const detops_bench::Work work = op_.TheoryOf(CaseOf(call)).work;
    return {work.bytes, work.flops, work.in_double};
  }
  detops_harness::Theory TheoryOf(const Call& call) const override {
    const old::Theory theory = op_.TheoryOf(CaseOf(call));
    return {theory.operations, theory.io_bytes};
  }

  std::vector<BadCall> BadCalls(const Call& good) const;

 private:
  old::Case CaseOf(const Call& call) const {
    old::Case made{&op_, call.full(), TakeAll(call, op_.name()), {}, {}};
    for (const std::string& name : inputs_) made.inputs.push_back(ToHost(call[name]));
    for (const std::string& name : outputs_) made.outputs.push_back(ToHost(OutputOf(call, name)));
    return made;
  }

  // A name may stand on both sides.
  static const Tensor& OutputOf(const Call& call, const std::string& name) { return call[name]; }

  old::Invocation InvocationOf(mluOpHandle_t handle, Arguments& a) const {
    old::Invocation invocation;
    invocation.handle = handle;
    invocation.params = TakeAll(a.call(), op_.name());
    for (const std::string& name : inputs_) invocation.inputs.push_back({a.desc(name), a.data(name)});
    for (const std::string& name : outputs_) invocation.outputs.push_back({a.desc(name), a.data(name)});
    if (a.call().integer_lists.count("indice_num") != 0) invocation.indice_num = a.integers("indice_num");
    if (const auto* sparse = a.object<SparseDescriptor>()) invocation.sparse = sparse->desc;
    invocation.workspace = a.workspace();
    invocation.workspace_size = a.workspace_size();
    return invocation;
  }

  const old::Operator& op_;
  const std::vector<std::string> inputs_, outputs_;
};

// ---- bad calls ----

std::function<void(Call&)> Spoil(const std::string& name, std::function<void(Tensor&)> spoil) {
  return [name, spoil = std::move(spoil)](Call& call) { spoil(call[name]); };
}

void AddTensor(const Tensor& tensor, bool empty, std::vector<BadCall>& calls) {
  const auto add = [&](const std::string& what, std::vector<mluOpStatus_t> expected,
                       std::function<void(Tensor&)> spoil) {
    calls.push_back({what, Basis::kDocument, std::move(expected), Spoil(tensor.name, std::move(spoil))});
  };
  add(tensor.name + "_desc is NULL", {kBad}, [](Tensor& t) { t.described = false; });
  if (!empty) add(tensor.name + " is NULL", {kBad}, [](Tensor& t) { t.has_data = false; });
  add(tensor.name + " has rank 7", {kBad, kLimit}, [](Tensor& t) { t.extents.resize(7, 1); });
  add(tensor.name + " is of int8", {kBad}, [](Tensor& t) { t.type = MLUOP_DTYPE_INT8; });
  add(tensor.name + " has one more in its last extent", {kBad}, [](Tensor& t) { t.extents.back() += 1; });
  if (tensor.extents.front() > 1 && tensor.elements() > 0) {
    add(tensor.name + " is not dense", {kLimit}, [](Tensor& t) {
      for (size_t axis = 0; axis < t.extents.size(); ++axis) t.strides.push_back(t.DenseStride(axis));
      t.strides.front() += 1;
    });
  }
}

std::vector<BadCall> OldFunction::BadCalls(const Call& good) const {
  const old::Case the_case = CaseOf(good);
  std::vector<BadCall> calls;
  const bool empty =
      std::any_of(good.tensors.begin(), good.tensors.end(), [](const Tensor& t) { return t.elements() == 0; });
  for (const old::BadCall& bad : op_.BadCalls(the_case)) {
    // A call with an empty tensor is a success before anything is read.
    if (bad.input >= 0 && empty) continue;
    BadCall call{bad.what, bad.basis, bad.expected, {}};
    if (bad.input >= 0) {
      call.spoil = detops_harness::WithElement(inputs_[static_cast<size_t>(bad.input)], bad.element, bad.value);
    } else {
      call.spoil = [op = &op_, spoil = bad.spoil](Call& spoilt) {
        old::Invocation invocation;
        invocation.params = TakeAll(spoilt, op->name());
        static int64_t count = 0;
        invocation.indice_num = &count;
        invocation.sparse = reinterpret_cast<mluOpSparseConvolutionDescriptor_t>(&count);  // only asked whether it is
        spoil(invocation);
        PutAll(spoilt, invocation.params);
        if (invocation.indice_num == nullptr) spoilt.nulls.insert("indice_num");
        if (invocation.sparse == nullptr) spoilt.nulls.insert(kSparse);
      };
    }
    calls.push_back(std::move(call));
  }
  calls.push_back({"handle is NULL", Basis::kDocument, {kBad}, [](Call& call) { call.with_handle = false; }});
  const auto inside = [](const std::string& other) { return [other](Tensor& tensor) { tensor.inside = other; }; };
  for (const std::string& name : inputs_) AddTensor(good[name], empty, calls);
  for (size_t output = 0; output < outputs_.size(); ++output) {
    if (op_.OptionalOutput(the_case, output)) continue;
    const std::string& name = outputs_[output];
    AddTensor(good[name], empty, calls);
    if (empty) continue;
    std::vector<std::string> others = inputs_;
    for (size_t other = 0; other < output; ++other) {
      if (!op_.OptionalOutput(the_case, other)) others.push_back(outputs_[other]);
    }
    for (const std::string& other : others) {
      calls.push_back({name + " is " + other, Basis::kPromise, {kBad}, Spoil(name, inside(other))});
    }
  }
  if (empty || good.integer("workspace_size") == 0) return calls;
  calls.push_back({"workspace is NULL", Basis::kDocument, {kBad}, [](Call& call) { call.workspace.has_data = false; }});
  calls.push_back({"workspace is one byte too small", Basis::kPromise, {kBad}, [](Call& call) {
                     --call.integers.at("workspace_size");
                   }});
  calls.push_back({"workspace is " + inputs_[0], Basis::kPromise, {kBad}, [inside, first = inputs_[0]](Call& call) {
                     inside(first)(call.workspace);
                   }});
  return calls;
}

}  // namespace

const detops_harness::Function* FindOldFunction(std::string_view name, const std::vector<std::string>& inputs,
                                                const std::vector<std::string>& outputs) {
  static std::vector<std::unique_ptr<OldFunction>> made;
  for (const old::Operator* op : {old::GetIndicePairs(), old::IndiceConvolutionForward(),
                                  old::IndiceConvolutionBackwardData(), old::IndiceConvolutionBackwardFilter()}) {
    if (op->function() != name) continue;
    return made.emplace_back(std::make_unique<OldFunction>(*op, inputs, outputs)).get();
  }
  return nullptr;
}

std::vector<BadCall> OldBadCalls(const Call& good) {
  const auto* const function = dynamic_cast<const OldFunction*>(good.function);
  return function == nullptr ? std::vector<BadCall>{} : function->BadCalls(good);
}

}  // namespace detops_cli
