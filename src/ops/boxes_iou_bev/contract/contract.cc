// What the functions of boxes_iou_bev promise, and how to call them.
#include <memory>

#include "boxes/contract/pair_function.h"
#include "boxes/contract/pairs.h"
#include "harness/catalogue.h"
#include "harness/rules.h"
#include "ops/boxes_iou_bev/contract/backward.h"
#include "ops/boxes_iou_bev/reference/reference.h"

namespace detops_harness::boxes_iou_bev {
namespace {

enum class Question { kOverlap, kIou, kIou3d };

boxes::PairNames NamesOf(Question question) {
  return {"boxes_a", "boxes_b", question == Question::kOverlap ? "overlaps" : "ious"};
}

// 5 or 7 numbers, the same for both.
Rules EitherLength() {
  Rules rules = Axis("boxes_a", 1, 7);
  rules[0].judge = [](Judgement& j) -> std::optional<std::string> {
    const Tensor& boxes = j.call["boxes_a"];
    if (boxes.extents[1] == 5 || boxes.extents[1] == 7) return {};
    return Format("boxes_a has extent %lld on axis 1, expected 5 or 7.", static_cast<long long>(boxes.extents[1]));
  };
  return rules;
}

Contract MakeContract(Question question) {
  const boxes::PairNames names = NamesOf(question);
  const std::string& output = names.output;
  Contract contract(question == Question::kOverlap ? "detopsBoxesOverlapBev"
                    : question == Question::kIou   ? "detopsBoxesIouBev"
                                                   : "detopsBoxesIou3d");
  const Dim width("W", "the length of its rows");
  contract.Shape("boxes_a", {"N", 7}).Shape("boxes_b", {"M", 7}).Shape(output, {"N", "M"});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(names.all())})
      .Check("type is not allowed, or not the same",
             {AnyFloating({"boxes_a"}), SameType({"boxes_b", output}, "boxes_a")})
      .Check("rank of boxes_a or boxes_b is not 2", {Ranks({"boxes_a", "boxes_b"})})
      .Check("rank of " + output + " is not 2, or with aligned 1", {boxes::OutputRank(names)});
  if (question == Question::kIou) {
    contract.Check("boxes_a has rows of another length than 5 or 7", {EitherLength()})
        .Check("boxes_b has rows of another length than boxes_a",
               {Implied(Axis("boxes_a", 1, width)), Axis("boxes_b", 1, width)});
  } else {
    contract.Check("boxes_a or boxes_b has rows of another length than 7",
                   {Axis("boxes_a", 1, 7), Axis("boxes_b", 1, 7)});
  }
  contract.Check(output + " has not the shape that boxes_a and boxes_b give it", {boxes::OutputShape(names)});
  if (question == Question::kIou3d) {
    contract.Check("z has no such value", {Enumerator("z", 0, 1, "a value of detopsBoxZ_t")});
  } else {
    contract.CannotOccur({BadClass::kEnumerator});
  }
  contract.Check("a tensor is not dense", {Dense(names.all())})
      .Check("there is no pair of boxes", {boxes::NoPairs(names)});
  boxes::CheckData(contract, names);
  boxes::Finish(contract);
  return contract;
}

boxes::PairFunction::Pairs PairsOf(Question question) {
  switch (question) {
    case Question::kIou:
      return {NamesOf(question), 110, {{"numbers", "7", "5 or 7 numbers in a box", {"5", "7"}}}, {",numbers=5"}};
    case Question::kIou3d:
      return {NamesOf(question),
              110,
              {{"z", "0", "the third number is 0: the centre, 1: the bottom", {"0", "1"}}},
              {",z=1"}};
    default:
      return {NamesOf(question), 110, {}};
  }
}

class BoxesIouBev : public boxes::PairFunction {
 public:
  explicit BoxesIouBev(Question question)
      : PairFunction(MakeContract(question), PairsOf(question)), question_(question) {}

  std::vector<mluOpDataType_t> contract_types() const override { return full_types(); }

  std::vector<BenchmarkCase> benchmarks() const override {
    const std::string room = question_ == Question::kOverlap ? "overlap/"
                             : question_ == Question::kIou   ? "iou/"
                                                             : "3d/";
    return {{room + "512x50_near", "first=512,second=50", "", BenchmarkCase::kFew},
            {room + "1000x1000_scattered", "first=1000,second=1000,boxes=scattered", "", BenchmarkCase::kFew}};
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    const bool aligned = a.integer("aligned") != 0;
    if (question_ == Question::kIou3d) {
      return library.detopsBoxesIou3d(handle, aligned, a.integer<detopsBoxZ_t>("z"), a.desc("boxes_a"),
                                      a.data("boxes_a"), a.desc("boxes_b"), a.data("boxes_b"), a.desc("ious"),
                                      a.data("ious"));
    }
    const auto function = question_ == Question::kOverlap ? library.detopsBoxesOverlapBev : library.detopsBoxesIouBev;
    return function(handle, aligned, a.desc("boxes_a"), a.data("boxes_a"), a.desc("boxes_b"), a.data("boxes_b"),
                    a.desc(names().output), a.data(names().output));
  }

  Expected Reference(const Call& call) const override {
    using detops_reference::BevValue;
    const Tensor &first = call["boxes_a"], &second = call["boxes_b"];
    BevValue value = question_ == Question::kOverlap ? BevValue::kOverlap : BevValue::kIou;
    if (question_ == Question::kIou3d) {
      value = call.integer("z") == DETOPS_BOX_Z_CENTRE ? BevValue::kIou3dCentre : BevValue::kIou3dBottom;
    }
    Expected expected;
    detops_reference::BevValues values =
        detops_reference::BoxesIouBev(value, first.type, boxes::IsAligned(call), first.extents[1], first.extents[0],
                                      first.contents.data(), second.extents[0], second.contents.data());
    expected.tensors[names().output] = std::move(values.values);
    expected.magnitudes[names().output] = std::move(values.magnitudes);
    return expected;
  }

 protected:
  boxes::PairForm FormOf(int64_t numbers) const override {
    return numbers == 5 ? boxes::PairForm::kRotated : boxes::PairForm::kSevenNumbers;
  }

 private:
  Question question_;
};

}  // namespace

void AddTo(Catalogue& catalogue) {
  for (const Question question : {Question::kOverlap, Question::kIou, Question::kIou3d}) {
    catalogue.Add(std::make_unique<BoxesIouBev>(question));
  }
  catalogue.Add(MakeBackward());
}

}  // namespace detops_harness::boxes_iou_bev
