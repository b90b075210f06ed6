// What the convolutions promise: what they share, the forward ones, and the making of a rulebook.
#include "ops/indice_convolution/contract/rules.h"

#include <cmath>
#include <limits>

#include "ops/indice_convolution/contract/filters.h"
#include "sparse/contract/pairs.h"

namespace detops_harness::indice_convolution {

TensorNames NamesOf(Way way) {
  if (way == Way::kForward) return {"features", "features_out", "filters", "features_out"};
  if (way == Way::kBackwardData) return {"input_grad", "output_grad", "filters", "input_grad"};
  return {"features", "output_grad", "filters_grad", "filters_grad"};
}

Names Kind::all() const {
  // In the order of the arguments.
  Names tensors = way == Way::kForward        ? Names{"features", "filters", "indice_pairs", "features_out"}
                  : way == Way::kBackwardData ? Names{"output_grad", "filters", "indice_pairs", "input_grad"}
                                              : Names{"features", "output_grad", "indice_pairs", "filters_grad"};
  if (on_rulebook()) tensors.erase(tensors.begin() + 2);
  return tensors;
}

bool IsInverse(const Call& call) { return call.integer("inverse") == 1; }

Rules ZeroOrOne(const std::string& argument) {
  return Integer(
      argument,
      {[](int64_t value, const Call&) { return value == 0 || value == 1; }, "0 or 1", {}, BadClass::kEnumerator});
}

Rules NoInverse(mluOpStatus_t status) {
  return Own({"inverse in the contract profile",
              status,
              [](Judgement& j) -> std::optional<std::string> {
                if (j.call.integer("inverse") == 0 || j.call.full()) return {};
                return std::string("inverse is 1, expected 0") + kFullProfileLifts + ".";
              },
              {{BadClass::kEnumerator, "inverse 1 in the contract profile", WithInteger("inverse", 1)}}});
}

Rules Optional(const std::string& tensor, Rules rules) {
  return When([=](const Call& call) { return call[tensor].described; }, std::move(rules));
}

void AddShapes(Contract& contract, const Kind& kind) {
  const TensorNames names = kind.names();
  const char* const shown = "rows of the rulebook";
  const bool rulebook = kind.on_rulebook(), forward = kind.way == Way::kForward;
  const Dim in = rulebook ? Dim("source rows", shown) : Dim("L");
  const Dim out = rulebook ? Dim("target rows", shown) : Dim(forward ? "num_act_out" : "Y");
  // As the good call has them: ARRAY of rank 5.
  contract.Shape(names.in, {in, "Ci"}).Shape(names.out, {out, "Co"}).Shape(names.filters, {3, 5, 3, "Ci", "Co"});
  contract.Computed("Ci", [](const Call& call) { return SizesOf(call).ci; }).Computed("Co", [](const Call& call) {
    return SizesOf(call).co;
  });
  if (kind.has_finish()) contract.Shape("bias", {"Co"}).Shape("residual", {out, "Co"});
  if (rulebook) {
    contract
        .Computed("source rows", [](const Call& call) { return sparse::RulebookRows(call, IsInverse(call) ? 1 : 0); })
        .Computed("target rows", [](const Call& call) { return sparse::RulebookRows(call, IsInverse(call) ? 0 : 1); });
    return;
  }
  contract.Shape("indice_pairs", {"K", 2, "L"})
      .Computed("K", [](const Call& call) { return SizesOf(call).offsets; })
      .Computed("L", [](const Call& call) { return call["indice_pairs"].extents[2]; });
}

void AddMemory(Contract& contract, const Kind& kind) {
  const TensorNames names = kind.names();
  const Names all = kind.all();
  const std::string target = names.target;
  const auto full = [all](const Call& call) { return !AnyEmpty(call, all); };
  const auto none = [=](const std::string& dim, bool with_target) {
    return [=](Call& call) {
      WithDim(dim, 0)(call);
      for (Tensor& tensor : call.tensors) tensor.has_data = with_target && tensor.name == target;
      if (kind.has_finish()) {
        for (const char* name : {"bias", "residual"}) call[name] = Absent(name, Access::kRead);
      }
    };
  };
  const BadClass kEmpty = BadClass::kEmpty;
  std::string nothing = "a tensor has no elements: " + target + " becomes 0 if it has elements and a data pointer";
  if (kind.has_finish()) {
    nothing = std::string("features, filters") + (kind.on_rulebook() ? "" : ", indice_pairs") +
              " or features_out has no elements: features_out, if it has elements and a data pointer, becomes what "
              "bias, residual and activation make of 0, after their data pointers and overlap were looked at";
  }
  contract.Check(nothing, {Done("no elements",
                                [=](const Call& call) {
                                  return !full(call) &&
                                         (call[target].elements() == 0 || call[target].address == nullptr);
                                },
                                {{kEmpty, "no input channels", none("Ci", false), false},
                                 {kEmpty, "no output channels", none("Co", false), false},
                                 {kEmpty, "no input channels, but a target", none("Ci", true), false},
                                 {kEmpty, "no output channels, but a target", none("Co", true), false}})});
  Rules data = When(full, Data(all));
  Rules separate;
  Names inputs = all;
  std::erase(inputs, target);
  if (!kind.on_rulebook()) inputs.emplace_back("indice_num");
  for (Rule& rule : When(full, Separate(target, inputs))) separate.push_back(std::move(rule));
  if (kind.has_finish()) {
    for (const char* name : {"bias", "residual"}) {
      for (Rule& rule : Optional(name, Data({name}))) data.push_back(std::move(rule));
      for (Rule& rule : Optional(name, Separate(target, {name}))) separate.push_back(std::move(rule));
    }
  }
  contract.Check("a data pointer is NULL", {data});
  if (kind.entry == Entry::kCall) {
    contract.Check("workspace is NULL but workspace_size is not 0", {When(full, WorkspacePointer())});
    const Faults inside = {
        {BadClass::kOverlap, "workspace in " + target, [target](Call& call) { call.workspace.inside = target; }}};
    for (Rule& rule : When(full, WithFaults(Separate(target, {"workspace"}), inside))) {
      separate.push_back(std::move(rule));
    }
    for (Rule& rule : When(full, Separate("workspace", inputs))) separate.push_back(std::move(rule));
    contract.Check(target + " or the workspace overlaps another buffer", {separate});
  } else {
    contract.Check(target + " overlaps another buffer", {separate});
  }
  if (!kind.on_rulebook()) {
    if (kind.way == Way::kBackwardFilter) {
      contract.Check("a number in indice_num is not in [0, L]", {When(full, sparse::CountsInRange())});
    }
    const auto rows = [names](const Call& call, int side) {
      return call[(side == 1) == IsInverse(call) ? names.in : names.out].extents[0];
    };
    contract.Check("a counted index is outside its tensor", {When(full, sparse::IndicesAreRows(rows, 4))});
  }
  contract.Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
}

namespace {

// The tensors of an epilogue that are there.
Rules OfFinish(const Kind& kind, const std::function<Rules(const std::string&)>& make) {
  Rules rules;
  if (!kind.has_finish()) return rules;
  for (const char* name : {"bias", "residual"}) {
    for (Rule& rule : Optional(name, make(name))) rules.push_back(std::move(rule));
  }
  return rules;
}

void CheckActivation(Contract& contract) {
  contract.Check("activation is none of its values", {Enumerator("activation", 0, 2, "a value of detopsActivation_t")});
  const auto with = [](int64_t activation, double slope) {
    return [=](Call& call) {
      call.integers.at("activation") = activation;
      call.numbers.at("negative_slope") = slope;
    };
  };
  constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  const std::string name = "negative_slope";
  const BadClass kNotFinite = BadClass::kNotFinite;
  contract.Check("with leaky relu: negative_slope is not finite",
                 {Own({name,
                       MLUOP_STATUS_BAD_PARAM,
                       [](Judgement& j) -> std::optional<std::string> {
                         const auto slope = static_cast<float>(j.call.number("negative_slope"));
                         if (j.call.integer("activation") != DETOPS_ACTIVATION_LEAKY_RELU || std::isfinite(slope)) {
                           return {};
                         }
                         return "negative_slope is " + NumberText(slope) + ", expected a finite number.";
                       },
                       {{kNotFinite, name, with(2, kNan)},
                        {kNotFinite, name, with(2, kInf)},
                        {kNotFinite, name, with(2, -kInf), false},
                        {kNotFinite, name, with(0, kNan), false},
                        {kNotFinite, name, with(1, kInf), false}}})});
}

}  // namespace

// Everything before the data pointers.
void CheckForward(Contract& contract, const Kind& kind) {
  const Names all = kind.all();
  const bool rulebook = kind.on_rulebook(), finish = kind.has_finish();
  if (rulebook) {
    contract.Check("handle, rulebook or the descriptor of features, filters or features_out is NULL",
                   {Handle(), sparse::RulebookPointer(), Descriptors(all)});
  } else {
    contract.Check(finish
                       ? "handle, indice_num or the descriptor of features, filters, indice_pairs or features_out is "
                         "NULL"
                       : "handle, a descriptor or indice_num is NULL",
                   {Handle(), Descriptors({"features", "filters", "indice_pairs"}), sparse::CountsPointer(),
                    Descriptors({"features_out"})});
  }
  if (kind.extension()) contract.Check("contract profile", {FullProfile()});
  contract
      .Check(
          "a type is not one of those above",
          {Floating({"features", "filters"}), rulebook ? Rules{} : Int32({"indice_pairs"}), Floating({"features_out"})})
      .Check("types differ", {SameType({"filters", "features_out"}, "features"),
                              OfFinish(kind, [](const std::string& name) { return SameType({name}, "features"); })});
  if (!rulebook) contract.Check("sub_m is neither 0 nor 1", {ZeroOrOne("sub_m")});
  contract.Check("inverse is neither 0 nor 1", {ZeroOrOne("inverse")});
  if (finish) CheckActivation(contract);
  if (!kind.extension()) contract.Check("contract profile: inverse is 1", {NoInverse(MLUOP_STATUS_NOT_SUPPORTED)});
  const std::string layouts = kind.extension() ? "the layout of filters is not NDHWC, NCDHW, ARRAY, NHWC, NCHW or HWCN"
                                               : "the layout of filters is not NDHWC, NCDHW or ARRAY (full profile: "
                                                 "nor NHWC, NCHW, HWCN)";
  std::string ranks = std::string("ranks of features") + (rulebook ? "" : ", indice_pairs") + ", features_out";
  ranks += std::string(finish ? ", bias, residual" : "") + " are not 2" + (rulebook ? "" : ", 3") + ", 2";
  contract.Check(layouts, {ForwardLayout()})
      .Check(ranks + (finish ? ", 1, 2" : ""),
             {Ranks({"features"}), rulebook ? Rules{} : Ranks({"indice_pairs"}), Ranks({"features_out"}),
              OfFinish(kind, [](const std::string& name) { return Ranks({name}); })})
      .Check(kind.extension() ? "the rank of filters is neither 4 nor 5"
                              : "the rank of filters is not 5 (full profile: nor 4)",
             {ForwardRank()})
      .Check("the layout of filters does not fit its rank", {LayoutFitsRank("filters", false)})
      .Check("a tensor is not dense",
             {Dense(all), OfFinish(kind, [](const std::string& name) { return Dense({name}); })})
      .Check(kind.extension() ? "int64 cannot count the bytes of a tensor"
                              : "a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {Counts(all), OfFinish(kind, [](const std::string& name) { return Counts({name}); })})
      .Check("filters has 2^63 - 1 offsets or more", {OffsetsCountable("filters")});
  const auto straight = [](const Call& call) { return !IsInverse(call); };
  const Faults inverse = {{BadClass::kShapes, "inverse, but other rows", [](Call& call) {
                             call.profile = DETOPS_PROFILE_FULL;
                             call.integers.at("inverse") = 1;
                           }}};
  const Rules of_finish = finish ? OfFinish(kind, [](const std::string& name) { return Shapes({name}); }) : Rules{};
  if (rulebook) {
    contract.Check("filters has another number of offsets than the rulebook", {OffsetsOfRulebook("filters")})
        .Check("a shape is not as above", {Shapes({"features", "features_out"}), of_finish});
    return;
  }
  contract
      .Check("a shape is not as above",
             {When(straight, Axis("features", 0, "L")), Axis("features", 1, "Ci"), Axis("indice_pairs", 0, "K"),
              Axis("indice_pairs", 1, 2), Shapes({"features_out"}),
              WithFaults(When(IsInverse, Axis("features_out", 0, "L")), inverse), of_finish})
      .Check("a number in indice_num is not in [0, L]", {sparse::CountsInRange()});
}

void AddTable(Contract& contract, const Kind& kind) {
  const TensorNames names = kind.names();
  const Names all = kind.all();
  if (!kind.has_data()) {
    contract.Try(BadClass::kNull, "the place for the result", [](Call& call) { call.nulls.insert("workspace_size"); });
  }
  sparse::TryExtent(contract, names.filters, 4);
  contract.Try(BadClass::kForm, "half among floats", [=](Call& call) { call[names.in].type = MLUOP_DTYPE_HALF; });
  if (kind.way != Way::kBackwardFilter) sparse::TryExtent(contract, names.in, 0);
  sparse::TryEnumerator(contract, "inverse", {-1, 2});
  const bool has_sub_m = !kind.on_rulebook() && !(kind.way == Way::kBackwardData && kind.entry == Entry::kSize);
  if (has_sub_m) sparse::TryEnumerator(contract, "sub_m", {-1, 2});
  if (kind.has_finish()) sparse::TryEnumerator(contract, "activation", {-1, 3});
  if (kind.extension()) {
    sparse::TryContractProfile(contract);
  } else {
    contract.Try(BadClass::kOverflow, "2^31 elements", WithDim("Ci", int64_t{1} << 28));
  }
  contract.Try(BadClass::kOverflow, "bytes that int64 cannot count", [](Call& call) {
    call.profile = DETOPS_PROFILE_FULL;
    WithDim("Ci", int64_t{1} << 60)(call);
  });
  const auto no_input = [finish = kind.has_finish()](Call& call) {
    WithDim("Ci", 0)(call);
    if (!finish) return;
    for (const char* name : {"bias", "residual"}) call[name] = Absent(name, Access::kRead);
  };
  contract.Defines(BadClass::kEmpty, "no input channels", no_input, [=](const Call& call) -> std::string {
    if (!kind.has_data()) return call.results.at("workspace_size") == 0 ? "" : "a workspace is needed";
    // Sums of nothing; backwards the target itself has no elements.
    return kind.way == Way::kForward ? sparse::AllZero(call[names.target]) : sparse::Untouched(call[names.target]);
  });
  contract.CannotOccur({BadClass::kCoordinates, BadClass::kDuplicates, BadClass::kBatchId})
      .CannotOccur(
          {BadClass::kSizes},
          "the kernel's extents are those of the filters' descriptor, which refuses negative ones; there is no "
          "stride, dilation or limit");
  if (!kind.has_finish()) {
    contract.CannotOccur({BadClass::kNotFinite},
                         "features, filters and gradients may hold any number: NaN and Inf propagate");
  }
  if (!kind.has_data()) {
    contract.CannotOccur({BadClass::kOverlap}, "its results are numbers, written when everything has been read");
    if (kind.way == Way::kBackwardFilter) {
      contract.CannotOccur({BadClass::kIndices}, "it looks at descriptors only, at no values");
    }
  }
  if (kind.on_rulebook()) {
    contract.CannotOccur({BadClass::kIndices},
                         "the pairs were checked when the rulebook was made, where these cases are counted");
  }
  if (kind.entry != Entry::kCall) {
    contract.CannotOccur({BadClass::kWorkspace});
    return;
  }
  contract.Try(BadClass::kWorkspace, "NULL with a size", [](Call& call) { call.workspace.has_data = false; })
      .Try(BadClass::kOverlap, "the workspace in " + names.target,
           [=](Call& call) { call.workspace.inside = names.target; });
}

Contract MakeContract(Way way, Entry entry) {
  const Kind kind = {way, entry};
  const char* const name = way == Way::kForward        ? "Forward"
                           : way == Way::kBackwardData ? "BackwardData"
                                                       : "BackwardFilter";
  const std::string function = entry == Entry::kCall ? std::string("mluOpIndiceConvolution") + name
                               : entry == Entry::kSize
                                   ? std::string("mluOpGetIndiceConvolution") + name + "WorkspaceSize"
                               : entry == Entry::kFused ? std::string("detopsIndiceConvolution") + name + "Fused"
                                                        : std::string("detopsRulebookConvolution") + name;
  Contract contract(function);
  AddShapes(contract, kind);
  if (!kind.has_data()) contract.Check("workspace_size is NULL", {PlaceForResult({"workspace_size"})});
  if (way == Way::kForward) CheckForward(contract, kind);
  if (way == Way::kBackwardData) CheckBackwardData(contract, kind);
  if (way == Way::kBackwardFilter) CheckBackwardFilter(contract, kind);
  if (kind.has_data()) AddMemory(contract, kind);
  AddTable(contract, kind);
  return contract;
}

}  // namespace detops_harness::indice_convolution
