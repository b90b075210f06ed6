// What bbox_overlaps promises, and how to call it.
#include <memory>
#include <utility>

#include "boxes/contract/pair_function.h"
#include "boxes/contract/pairs.h"
#include "harness/catalogue.h"
#include "harness/rules.h"
#include "ops/bbox_overlaps/reference/reference.h"

namespace detops_harness::bbox_overlaps {
namespace {

using Sentence = std::optional<std::string>;

const boxes::PairNames kNames = {"bbox1", "bbox2", "ious"};

bool AlignedWithoutBoxes(const Call& call) {
  return boxes::IsAligned(call) && !call["bbox1"].extents.empty() && call["bbox1"].extents[0] == 0;
}

// [0, 1], as the contract's empty output is; bbox2 may have rows.
std::function<void(Call&)> Empty(std::vector<int64_t> output, int64_t second, detopsProfile_t profile) {
  return [=](Call& call) {
    boxes::Aligned(kNames)(call);
    call["bbox1"].extents[0] = 0;
    call["bbox2"].extents[0] = second;
    call["ious"].extents = output;
    call.profile = profile;
  };
}

Rules NoRank() {
  return Own({"axes of ious",
              MLUOP_STATUS_BAD_PARAM,
              [judge = boxes::OutputRank(kNames)[0].judge](Judgement& j) -> Sentence {
                return j.call["ious"].extents.empty() ? judge(j) : Sentence();
              },
              {{BadClass::kForm, "ious has no axes", [](Call& call) { call["ious"].extents.clear(); }},
               {BadClass::kEmpty, "no boxes, ious has no axes", Empty({}, 0, DETOPS_PROFILE_FULL), false}}});
}

// Without boxes an aligned output may have any rank but 0.
Rules OutputRank() {
  Rules rules = boxes::OutputRank(kNames);
  rules[0].judge = [judge = rules[0].judge](Judgement& j) -> Sentence {
    return AlignedWithoutBoxes(j.call) ? Sentence() : judge(j);
  };
  return WithFaults(rules, {{BadClass::kEmpty, "[0, 2, 1]", Empty({0, 2, 1}, 0, DETOPS_PROFILE_CONTRACT), false}});
}

Rules EmptyOutput() {
  const auto contract = DETOPS_PROFILE_CONTRACT, full = DETOPS_PROFILE_FULL;
  return Own({"last extent of ious",
              MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> Sentence {
                const Tensor& ious = j.call["ious"];
                if (!AlignedWithoutBoxes(j.call)) return {};
                if (ious.extents.size() != 1) return Axis("ious", ious.extents.size() - 1, 1)[0].judge(j);
                if (j.call.full()) return {};
                return std::string("ious has extent 0 on axis 0, expected 1") + kFullProfileLifts + ".";
              },
              {{BadClass::kEmpty, "aligned, no boxes, ious is [0]", Empty({0}, 0, contract)},
               {BadClass::kEmpty, "aligned, no boxes, ious is [0]", Empty({0}, 0, full), false},
               {BadClass::kEmpty, "aligned, no boxes, ious is [0, 2]", Empty({0, 2}, 0, contract)},
               {BadClass::kEmpty, "aligned, no boxes, ious is [0, 2]", Empty({0, 2}, 0, full), false},
               {BadClass::kEmpty, "aligned, no boxes, ious is [0, 0]", Empty({0, 0}, 0, contract), false},
               {BadClass::kEmpty, "aligned, no first boxes, ious is [0, 2]", Empty({0, 2}, 2, contract), false}}});
}

Contract MakeContract() {
  Contract contract("mluOpBboxOverlaps");
  contract.Shape("bbox1", {"N", 4}).Shape("bbox2", {"M", 4}).Shape("ious", {"N", "M"});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(kNames.all())})
      .Check("type is not allowed, or not the same", {Floating({"bbox1"}), SameType({"bbox2", "ious"}, "bbox1")})
      .Check("rank of bbox1 or bbox2 is not 2", {Ranks({"bbox1", "bbox2"})})
      .Check("a tensor is not dense", {Dense(kNames.all())})
      .Check("mode is not 0 or 1", {Enumerator("mode", 0, 1, "0 (over union) or 1 (over the first box)")})
      .Check("bbox1 or bbox2 has rows of another length than 4", {boxes::RowLength("bbox1"), boxes::RowLength("bbox2")})
      .Check("offset is not 0 or 1", {Enumerator("offset", 0, 1, "0 or 1")})
      .Check("ious has rank 0", {NoRank()})
      .Check("ious, or with aligned bbox2, has not N rows", {boxes::OutputRows(kNames)})
      .Check("rank of ious is not 2, or with aligned 1 (with aligned and without boxes it may be any)", {OutputRank()})
      .Check("not aligned: ious has not M columns", {boxes::OutputColumns(kNames)})
      .Check("aligned and no boxes: the last extent of ious is not 1 (full profile: ious may have rank 1)",
             {EmptyOutput()})
      .Check("there is no pair of boxes",
             {WithFaults(boxes::NoPairs(kNames), {{BadClass::kEmpty, "no boxes, aligned, ious is [0, 1]",
                                                   Empty({0, 1}, 0, DETOPS_PROFILE_CONTRACT)}})});
  boxes::CheckData(contract, kNames);
  boxes::Finish(contract);
  return contract;
}

class BboxOverlaps : public boxes::PairFunction {
 public:
  BboxOverlaps()
      : PairFunction(MakeContract(),
                     {.names = kNames,
                      .flops = 12,
                      .more_keys = {{"mode", "0", "0: over the union, 1: over the first box", {"0", "1"}},
                                    {"offset", "0", "1: corners are pixels of the box", {"0", "1"}}},
                      .variants = {",mode=1,offset=1", ",offset=1", ",mode=1"}}) {}

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"200000x100_scattered", "first=200000,second=100,boxes=scattered", "", BenchmarkCase::kFew},
            {"1000x1000_near", "first=1000,second=1000", "", BenchmarkCase::kFew}};
  }

  // All pairs are compared, whether they meet or not.
  Work WorkOf(const Call& call) const override {
    Work work = Function::WorkOf(call);
    work.flops = 12 * static_cast<double>(call["ious"].elements());
    work.in_double = true;
    return work;
  }

  // What MLU-OPS counts.
  Theory TheoryOf(const Call& call) const override {
    const double pairs = static_cast<double>(call["ious"].elements());
    return {pairs * (call.integer("mode") == 0 ? 25 : 23), AllBytes(call)};
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.mluOpBboxOverlaps(handle, a.integer("mode"), a.integer("aligned") != 0, a.integer("offset"),
                                     a.desc("bbox1"), a.data("bbox1"), a.desc("bbox2"), a.data("bbox2"), a.desc("ious"),
                                     a.data("ious"));
  }

  Expected Reference(const Call& call) const override {
    const Tensor &first = call["bbox1"], &second = call["bbox2"];
    detops_reference::BoxRatios ious =
        detops_reference::BboxOverlaps(first.type, static_cast<int>(call.integer("mode")), boxes::IsAligned(call),
                                       static_cast<int>(call.integer("offset")), first.extents[0],
                                       first.contents.data(), second.extents[0], second.contents.data());
    Expected expected;
    expected.tensors["ious"] = std::move(ious.values);
    expected.magnitudes["ious"] = std::move(ious.magnitudes);
    return expected;
  }

 protected:
  boxes::PairForm FormOf(int64_t /*numbers*/) const override { return boxes::PairForm::kUpright; }
};

}  // namespace

void AddTo(Catalogue& catalogue) { catalogue.Add(std::make_unique<BboxOverlaps>()); }

}  // namespace detops_harness::bbox_overlaps
