#include "boxes/contract/pairs.h"

#include "harness/function.h"

namespace detops_harness::boxes {
namespace {

using Sentence = std::optional<std::string>;
using Apply = std::function<void(Call&)>;

// The rule for calls of both forms: its faults are tried on both.
Rules ForBoth(const PairNames& names, Rules rules) {
  for (Rule& rule : rules) {
    rule.faults = [names, faults = rule.faults](const Contract& contract, const Call& good) {
      Faults both = faults(contract, good);
      Call aligned = good;
      Aligned(names)(aligned);
      for (const Fault& fault : faults(contract, aligned)) {
        both.push_back({fault.bad_class, fault.text + ", aligned",
                        [arrange = Aligned(names), apply = fault.apply](Call& call) {
                          arrange(call);
                          apply(call);
                        },
                        false});
      }
      return both;
    };
  }
  return rules;
}

Rules OnlyAligned(const PairNames& names, const Rules& rules) { return When(IsAligned, rules, Aligned(names)); }
Rules OnlyMatrix(const Rules& rules) {
  return When([](const Call& call) { return !IsAligned(call); }, rules);
}

Rules Joined(const std::vector<Rules>& parts) {
  Rules rules;
  for (const Rules& part : parts) rules.insert(rules.end(), part.begin(), part.end());
  return rules;
}

}  // namespace

bool IsAligned(const Call& call) { return call.integer("aligned") != 0; }

Apply Aligned(const PairNames& names) {
  return [=](Call& call) {
    if (IsAligned(call)) return;
    call.integers.at("aligned") = 1;
    Tensor& second = call[names.second];
    const int64_t rows = call[names.first].extents.empty() ? 0 : call[names.first].extents[0];
    if (!second.extents.empty()) second.extents[0] = rows;
    call[names.output].extents = {rows};
  };
}

Rules OutputRank(const PairNames& names) {
  Rules rules = Ranks({names.output});
  rules[0].judge = [name = names.output](Judgement& j) -> Sentence {
    const size_t rank = j.call[name].extents.size(), expected = IsAligned(j.call) ? 1 : 2;
    if (rank == expected) return {};
    return Format("%s has rank %zu, expected %zu.", name.c_str(), rank, expected);
  };
  return ForBoth(names, rules);
}

Rules OutputRows(const PairNames& names) {
  return Joined({Implied(Axis(names.first, 0, "N")), ForBoth(names, Axis(names.output, 0, "N")),
                 OnlyAligned(names, Axis(names.second, 0, "N"))});
}

Rules OutputColumns(const PairNames& names) {
  return Joined({OnlyMatrix(Implied(Axis(names.second, 0, "M"))), OnlyMatrix(Axis(names.output, 1, "M"))});
}

Rules OutputShape(const PairNames& names) { return Joined({OutputRows(names), OutputColumns(names)}); }

Rules RowLength(const std::string& tensor) {
  // The table's own number, which is not a name.
  Rules rules = Axis(tensor, 1, "");
  rules[0].judge = [tensor](Judgement& j) -> Sentence {
    const Tensor& boxes = j.call[tensor];
    if (boxes.extents[0] == 0) return {};
    return Axis(tensor, 1, j.contract.shape(tensor)[1])[0].judge(j);
  };
  return WithFaults(rules, {{BadClass::kEmpty, "no rows, of another length",
                             [tensor](Call& call) {
                               const Contract& contract = call.function->contract();
                               WithDim(contract.shape(tensor)[0].name, 0)(call);
                               call[tensor].extents.back() += 2;
                             },
                             false}});
}

Rules NoPairs(const PairNames& names) {
  const auto nothing = [](const std::string& dim, int64_t other) {
    return [=](Call& call) {
      WithDim(dim == "N" ? "M" : "N", other)(call);
      WithDim(dim, 0)(call);
    };
  };
  return Done("pairs of boxes", [=](const Call& call) { return call[names.output].elements() == 0; },
              {{BadClass::kEmpty, "no first boxes", WithDim("N", 0)},
               {BadClass::kEmpty, "no second boxes", WithDim("M", 0)},
               {BadClass::kEmpty, "no first boxes, 2^62 second ones", nothing("N", int64_t{1} << 62), false},
               {BadClass::kEmpty, "no boxes, aligned", [=](Call& call) {
                  Aligned(names)(call);
                  for (const std::string& name : names.all()) call[name].extents[0] = 0;
                }}});
}

void CheckData(Contract& contract, const PairNames& names) {
  contract
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {ForBoth(names, Counts(names.all()))})
      .Check("a data pointer is NULL", {ForBoth(names, Data(names.all()))})
      .Check(names.output + " overlaps " + names.first + " or " + names.second,
             {ForBoth(names, Separate(names.output, {names.first, names.second}))})
      .Check("a number in " + names.first + " or " + names.second + " is NaN or Inf",
             {ForBoth(names, Finite(names.first, "a box")), ForBoth(names, Finite(names.second, "a box"))});
}

void Finish(Contract& contract) {
  contract.Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed")
      .Try(BadClass::kOverflow, "2^32 pairs",
           [](Call& call) {
             WithDim("N", 1 << 16)(call);
             WithDim("M", 1 << 16)(call);
             call.profile = DETOPS_PROFILE_CONTRACT;
           })
      .Try(BadClass::kOverflow, "2^66 pairs",
           [](Call& call) {
             WithDim("N", int64_t{1} << 33)(call);
             WithDim("M", int64_t{1} << 33)(call);
             call.profile = DETOPS_PROFILE_FULL;
           })
      .CannotOccur({BadClass::kSizes, BadClass::kWorkspace, BadClass::kIndices})
      .CannotOccur({BadClass::kCoordinates}, "boxes may lie anywhere")
      .CannotOccur({BadClass::kDuplicates}, "boxes may be equal: their IoU is 1")
      .CannotOccur({BadClass::kBatchId}, "its boxes have no batch id");
}

}  // namespace detops_harness::boxes
