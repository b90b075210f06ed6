// What the gradients of the convolutions promise.
#include <algorithm>

#include "ops/indice_convolution/contract/filters.h"
#include "ops/indice_convolution/contract/rules.h"
#include "sparse/contract/pairs.h"

namespace detops_harness::indice_convolution {
namespace {

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM;

// The numbers of indice_num, if there is one for each offset of the filters.
const std::vector<int64_t>& CountsOf(const Call& call) { return call.integer_lists.at("indice_num"); }

// Looked at before the shapes, if these will turn out right.
Rules CountsNotNegative() {
  Rules rules = Own({"negative numbers in indice_num", kBad, [](Judgement& j) -> std::optional<std::string> {
                       const std::vector<int64_t>& counts = CountsOf(j.call);
                       const int64_t offsets = SizesOf(j.call).offsets;
                       if (offsets != j.call["indice_pairs"].extents[0]) return {};
                       for (size_t k = 0; k < counts.size(); ++k) {
                         if (counts[k] >= 0) continue;
                         return Format("indice_num[%zu] is %lld, expected a count of 0 or more.", k,
                                       static_cast<long long>(counts[k]));
                       }
                       return {};
                     }});
  rules[0].faults = [](const Contract&, const Call& good) {
    Faults faults;
    for (size_t k = 0; k < CountsOf(good).size(); ++k) {
      faults.push_back({BadClass::kIndices, "indice_num -1",
                        [k](Call& call) {
                          std::vector<int64_t>& counts = call.integer_lists.at("indice_num");
                          if (k < counts.size()) counts[k] = -1;
                        },
                        k == 2});
    }
    return faults;
  };
  const auto one_each = [](const Call& call) {
    const int64_t offsets = SizesOf(call).offsets;
    return offsets != call["indice_pairs"].extents[0] || offsets == static_cast<int64_t>(CountsOf(call).size());
  };
  rules.insert(rules.begin(), Vouched("length of indice_num", one_each)[0]);
  return rules;
}

int64_t Most(const Call& call) {
  const std::vector<int64_t>& counts = CountsOf(call);
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}
int64_t Rows(const Call& call, const char* tensor) { return call[tensor].extents[0]; }

Rules RowsOfSubmanifold() {
  return Own({"rows of a submanifold convolution",
              kBad,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t inputs = Rows(j.call, "input_grad"), outputs = Rows(j.call, "output_grad");
                if (j.call.integer("sub_m") == 0 || inputs == outputs) return {};
                return Format(
                    "input_grad has extent %lld on axis 0, expected %lld as in output_grad because sub_m is 1.",
                    static_cast<long long>(inputs), static_cast<long long>(outputs));
              },
              {{BadClass::kShapes, "sub_m with other rows", WithInteger("sub_m", 1)}}});
}

// A submanifold call with a number of pairs at the middle offset.
void MakeSubmanifold(Call& call, int64_t middle) {
  call.integers.at("sub_m") = 1;
  if (call["output_grad"].extents.empty() || call["input_grad"].extents.empty()) return;
  call["output_grad"].extents[0] = call["input_grad"].extents[0];
  std::vector<int64_t>& counts = call.integer_lists.at("indice_num");
  if (!counts.empty()) counts[counts.size() / 2] = middle;
}

Rules MiddleOfSubmanifold() {
  return Own({"middle of a submanifold convolution",
              kBad,
              [](Judgement& j) -> std::optional<std::string> {
                const std::vector<int64_t>& counts = CountsOf(j.call);
                const size_t place = counts.size() / 2;
                const int64_t middle = counts.empty() ? 0 : counts[place], most = Most(j.call);
                if (j.call.integer("sub_m") == 0 || middle == most) return {};
                return Format(
                    "indice_num[%zu] is %lld, expected the largest count, %lld, in the middle because sub_m is 1.",
                    place, static_cast<long long>(middle), static_cast<long long>(most));
              },
              {{BadClass::kIndices, "sub_m, another count in the middle", [](Call& call) { MakeSubmanifold(call, 2); }},
               {BadClass::kIndices, "sub_m", [](Call& call) { MakeSubmanifold(call, 5); }, false}}});
}

Rules RowsForCounts() {
  const auto shorten = [](int64_t rows, bool full) {
    return [=](Call& call) {
      call["output_grad"].extents.at(0) = rows;
      if (full) call.profile = DETOPS_PROFILE_FULL;
    };
  };
  const BadClass kShapes = BadClass::kShapes;
  return Own({"rows for the largest count",
              kBad,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t rows = Rows(j.call, "output_grad"), most = Most(j.call);
                if (rows >= most || j.call.full()) return {};
                return Format(
                    "output_grad has extent %lld on axis 0, expected at least %lld, the largest count of indice_num%s.",
                    static_cast<long long>(rows), static_cast<long long>(most), kFullProfileLifts);
              },
              {{kShapes, "fewer rows than pairs", shorten(10, false)},
               {kShapes, "as many rows as pairs", shorten(11, false), false},
               {kShapes, "fewer rows than pairs, full profile", shorten(10, true), false}}});
}

Rules OddOffsets() {
  return Own({"odd number of offsets",
              kBad,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t offsets = SizesOf(j.call).offsets;
                if (j.call.integer("sub_m") == 0 || offsets % 2 == 1) return {};
                return Format("filters has %lld offsets, expected an odd number because sub_m is 1.",
                              static_cast<long long>(offsets));
              },
              {{BadClass::kShapes, "sub_m with an even number of offsets", [](Call& call) {
                  if (call["filters"].extents.size() < 4 || call["indice_pairs"].extents.empty()) return;
                  call["filters"].extents[2] = 2;
                  const int64_t offsets = SizesOf(call).offsets;
                  if (offsets > 1000) return;  // another fault made it so
                  call["indice_pairs"].extents[0] = offsets;
                  call.integer_lists.at("indice_num").resize(static_cast<size_t>(offsets));
                  MakeSubmanifold(call, call["input_grad"].extents[0]);
                }}}});
}

Rules FilterInverse() {
  return Own({"inverse",
              kBad,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t inverse = j.call.integer("inverse");
                if (inverse == 0 || inverse == 1) return {};
                return Format("inverse is %lld, expected 0%s.", static_cast<long long>(inverse),
                              j.call.full() ? " or 1" : "");
              },
              {{BadClass::kEnumerator, "inverse 2", WithInteger("inverse", 2), false},
               {BadClass::kEnumerator, "inverse 2", WithInteger("inverse", INT64_MIN), false},
               {BadClass::kEnumerator, "inverse 2, full profile",
                [](Call& call) {
                  call.integers.at("inverse") = 2;
                  call.profile = DETOPS_PROFILE_FULL;
                },
                false}}});
}

constexpr mluOpDataType_t kSomeTypes[] = {MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_HALF,         MLUOP_DTYPE_FLOAT,
                                          MLUOP_DTYPE_INT8,   MLUOP_DTYPE_INT32,        MLUOP_DTYPE_BFLOAT16,
                                          MLUOP_DTYPE_INT64,  MLUOP_DTYPE_COMPLEX_FLOAT};

Faults OnchipFaults(const std::string& tensor) {
  Faults faults;
  for (const mluOpDataType_t onchip : kSomeTypes) {
    for (const bool full : {false, true}) {
      for (const bool half : {false, true}) {
        faults.push_back({BadClass::kForm, "on-chip type of " + tensor,
                          [=](Call& call) {
                            call[tensor].onchip_type = onchip;
                            if (full) call.profile = DETOPS_PROFILE_FULL;
                            if (!half) return;
                            for (Tensor& other : call.tensors) {
                              if (other.type == MLUOP_DTYPE_FLOAT) other.type = MLUOP_DTYPE_HALF;
                            }
                          },
                          // The first is wrong in one profile alone, the second of them in both.
                          onchip == MLUOP_DTYPE_INT8 && !full && !half});
      }
    }
  }
  return faults;
}

// What the accelerator would compute with: never fewer digits than the tensor has.
Rules OnchipTypes() {
  Rules rules;
  for (const std::string name : {"features", "output_grad"}) {
    rules.push_back(Own({"on-chip type of " + name, kBad,
                         [=](Judgement& j) -> std::optional<std::string> {
                           const Tensor& tensor = j.call[name];
                           if (tensor.onchip_type == MLUOP_DTYPE_INVALID || tensor.onchip_type == tensor.type)
                             return {};
                           return name + " has on-chip type " + TypeName(tensor.onchip_type) + ", expected " +
                                  TypeName(tensor.type) + ", its type.";
                         },
                         OnchipFaults(name)})[0]);
  }
  rules.push_back(Own({"on-chip type of filters_grad", kBad,
                       [](Judgement& j) -> std::optional<std::string> {
                         const Tensor& tensor = j.call["filters_grad"];
                         const mluOpDataType_t onchip = tensor.onchip_type;
                         const bool in_contract = onchip == MLUOP_DTYPE_HALF || onchip == MLUOP_DTYPE_FLOAT;
                         const bool in_full =
                             in_contract || onchip == MLUOP_DTYPE_BFLOAT16 || onchip == MLUOP_DTYPE_DOUBLE;
                         const bool wide = SizeOfType(onchip) >= SizeOfType(tensor.type);
                         if (onchip == MLUOP_DTYPE_INVALID || (wide && (j.call.full() ? in_full : in_contract)))
                           return {};
                         return std::string("filters_grad has on-chip type ") + TypeName(onchip) +
                                ", expected a floating type not narrower than " + TypeName(tensor.type) +
                                (in_full && wide ? kFullProfileLifts : "") + ".";
                       },
                       OnchipFaults("filters_grad")})[0]);
  return rules;
}

bool Straight(const Call& call) { return !IsInverse(call); }

// The one that is not free.
Faults InverseRows() {
  return {{BadClass::kShapes, "inverse, but other rows", [](Call& call) {
             call.profile = DETOPS_PROFILE_FULL;
             call.integers.at("inverse") = 1;
           }}};
}

constexpr char kLimit[] = "a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)";
constexpr char kBytes[] = "int64 cannot count the bytes of a tensor";

}  // namespace

void CheckBackwardData(Contract& contract, const Kind& kind) {
  const Names all = kind.all();
  const bool rulebook = kind.on_rulebook();
  const std::string in = "input_grad", out = "output_grad";
  if (rulebook) {
    contract.Check("handle, rulebook or a descriptor is NULL", {Handle(), sparse::RulebookPointer(), Descriptors(all)})
        .Check("contract profile", {FullProfile()});
  } else {
    contract.Check("handle, a descriptor or indice_num is NULL", {Handle(), Descriptors(all), sparse::CountsPointer()});
  }
  contract.Check(rulebook ? "ranks of output_grad, filters, input_grad are not 2, 4 or 5, 2"
                          : "ranks of output_grad, filters, indice_pairs, input_grad are not 2, 4 or 5, 3, 2",
                 {Ranks({out}), BackwardRank("filters"), rulebook ? Rules{} : Ranks({"indice_pairs"}), Ranks({in})});
  if (!rulebook) contract.Check("indice_pairs has not 2 rows", {Axis("indice_pairs", 1, 2)});
  contract
      .Check("a type is not one of those above",
             {Floating({out, "filters", in}), rulebook ? Rules{} : Int32({"indice_pairs"})})
      .Check("the layout of filters is none of the above or does not fit its rank", {LayoutFitsRank("filters", false)})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("inverse is neither 0 nor 1", {ZeroOrOne("inverse")});
  const bool has_sub_m = kind.entry == Entry::kCall;
  if (has_sub_m) contract.Check("sub_m is neither 0 nor 1", {ZeroOrOne("sub_m")});
  contract.Check("filters has 2^63 - 1 offsets or more", {OffsetsCountable("filters")});
  if (rulebook) {
    contract.Check("filters has another number of offsets than the rulebook", {OffsetsOfRulebook("filters")})
        .Check("a shape is not as above", {Shapes({out, in})});
  } else {
    contract.Check("a number in indice_num is negative", {CountsNotNegative()})
        .Check("contract profile: inverse is 1", {NoInverse(MLUOP_STATUS_NOT_SUPPORTED)})
        .Check("a shape is not as above",
               {Axis("indice_pairs", 0, "K"), WithFaults(When(IsInverse, Axis(out, 0, "L")), InverseRows()),
                Axis(out, 1, "Co"), When(Straight, Axis(in, 0, "L")), Axis(in, 1, "Ci")})
        .Check("a number in indice_num is above L", {sparse::CountsInRange()});
    if (has_sub_m) {
      contract.Check("sub_m is 1 and output_grad has not as many rows as input_grad", {RowsOfSubmanifold()})
          .Check("sub_m is 1 and the middle number of indice_num is not the largest", {MiddleOfSubmanifold()});
    }
    contract.Check("contract profile: output_grad has fewer rows than the largest number of indice_num",
                   {RowsForCounts()});
    if (has_sub_m) contract.Check("sub_m is 1 and K is even", {OddOffsets()});
  }
  contract.Check("types differ", {SameType({in, "filters"}, out)});
  Names counted = {in, out, "filters"};
  if (!rulebook) counted.emplace_back("indice_pairs");
  contract.Check(rulebook ? kBytes : kLimit, {Counts(counted)});
}

void CheckBackwardFilter(Contract& contract, const Kind& kind) {
  const Names all = kind.all();
  const bool rulebook = kind.on_rulebook();
  const std::string filters = "filters_grad";
  if (rulebook) {
    contract.Check("handle, rulebook or a descriptor is NULL", {Handle(), sparse::RulebookPointer(), Descriptors(all)})
        .Check("contract profile", {FullProfile()})
        .Check("inverse is neither 0 nor 1", {ZeroOrOne("inverse")});
  } else {
    contract.Check("handle, a descriptor or indice_num is NULL", {Handle(), Descriptors(all), sparse::CountsPointer()})
        .Check("inverse is not 0 (full profile: nor 1)", {FilterInverse(), NoInverse(kBad)})
        .Check("sub_m is neither 0 nor 1", {ZeroOrOne("sub_m")});
  }
  contract.Check("a tensor is not dense", {Dense(all)});
  if (!rulebook) contract.Check("indice_pairs is not int32", {Int32({"indice_pairs"})});
  contract.Check("a type is not one of those above", {Floating({"features"})})
      .Check("types differ", {SameType({"output_grad", filters}, "features")})
      .Check(std::string("the on-chip type of features or output_grad is set but is not its type; that of filters_grad "
                         "is set but is ") +
                 (rulebook ? "no floating type" : "neither float nor half (full profile: no floating type)") +
                 " or is narrower than its type",
             {OnchipTypes()})
      .Check(rulebook ? kBytes : kLimit, {Counts(all)})
      .Check(rulebook ? "ranks of features, output_grad, filters_grad are not 2, 2, 4 or 5"
                      : "ranks of features, output_grad, indice_pairs, filters_grad are not 2, 2, 3, 4 or 5",
             {Ranks({"features", "output_grad"}), rulebook ? Rules{} : Ranks({"indice_pairs"}), BackwardRank(filters)})
      .Check(std::string(rulebook ? "" : "full profile: ") +
                 "the layout of filters_grad is none of the above or does not fit its rank",
             {LayoutFitsRank(filters, true)})
      .Check("filters_grad has 2^63 - 1 offsets or more", {OffsetsCountable(filters)});
  if (rulebook) {
    contract.Check("filters_grad has another number of offsets than the rulebook", {OffsetsOfRulebook(filters)})
        .Check("a shape is not as above", {Shapes({"features", "output_grad"})});
    return;
  }
  contract.Check("a shape is not as above",
                 {When(Straight, Axis("features", 0, "L")), Axis("features", 1, "Ci"),
                  WithFaults(When(IsInverse, Axis("output_grad", 0, "L")), InverseRows()), Axis("output_grad", 1, "Co"),
                  Axis("indice_pairs", 0, "K"), Axis("indice_pairs", 1, 2)});
}

Contract MakeRulebookContract() {
  const auto rows = [](const std::string& argument) {
    const auto with = [=](int64_t value) { return WithInteger(argument, value); };
    const BadClass kSizes = BadClass::kSizes;
    return Own({argument,
                kBad,
                [=](Judgement& j) -> std::optional<std::string> {
                  const int64_t value = j.call.integer(argument);
                  if (value >= 0 && value < int64_t{1} << 31) return {};
                  return Format("%s is %lld, expected a number of rows in [0, 2^31).", argument.c_str(),
                                static_cast<long long>(value));
                },
                {{kSizes, argument + " -1", with(-1)},
                 {BadClass::kOverflow, argument + " 2^31", with(int64_t{1} << 31)},
                 {kSizes, argument + " 0", with(0), false},
                 {kSizes, argument + " 12", with(12), false},
                 {kSizes, argument + " 300", with(300), false},
                 {kSizes, argument + " INT64_MIN", with(INT64_MIN), false},
                 {kSizes, argument + " INT64_MAX", with(INT64_MAX), false}}});
  };
  Rules indices = sparse::IndicesAreRows(
      [](const Call& call, int side) { return call.integer(side == 0 ? "num_act_in" : "num_act_out"); }, 4);
  // For 2^31 rows a rulebook takes gigabytes; tests ask for none.
  const auto few_rows = [](const Call& call) {
    return std::max(call.integer("num_act_in"), call.integer("num_act_out")) <= 1 << 24;
  };
  indices.push_back(Vouched("rows that a test can afford", few_rows)[0]);
  const Names pairs = {"indice_pairs"};
  Contract contract("detopsCreateRulebook");
  contract.Shape("indice_pairs", {"K", 2, "L"})
      .Check("rulebook, handle, the descriptor of indice_pairs or indice_num is NULL",
             {PlaceForResult({"rulebook"}), Handle(), Descriptors(pairs), sparse::CountsPointer()})
      .Check("contract profile", {FullProfile()})
      .Check("indice_pairs is not int32, has not rank 3, or has not 2 rows",
             {Int32(pairs), Ranks(pairs), Shapes(pairs)})
      .Check("indice_pairs is not dense, or int64 cannot count its bytes", {Dense(pairs), Counts(pairs)})
      .Check("num_act_in or num_act_out is not in [0, 2^31)", {rows("num_act_in"), rows("num_act_out")})
      .Check("a number in indice_num is not in [0, L]", {sparse::CountsInRange()})
      .Check("indice_pairs has elements, but its data pointer is NULL", {DataOfElements(pairs)})
      .Check("a counted index is not a row of its side, also if value checks are off", {indices})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch or the rulebook")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  sparse::TryContractProfile(contract);
  contract.Try(BadClass::kOverflow, "bytes that int64 cannot count", WithDim("L", int64_t{1} << 60))
      .Defines(
          BadClass::kEmpty, "no offsets",
          [](Call& call) {
            WithDim("K", 0)(call);
            call.integer_lists.at("indice_num").clear();
          },
          [](const Call& call) { return call.results.at("rulebook") == 1 ? "" : "there is no rulebook"; })
      .CannotOccur({BadClass::kWorkspace, BadClass::kCoordinates, BadClass::kDuplicates, BadClass::kNotFinite,
                    BadClass::kBatchId})
      .CannotOccur({BadClass::kOverlap}, "it writes to memory of its own");
  return contract;
}

}  // namespace detops_harness::indice_convolution
