// What box_iou_rotated promises, and how to call it.
#include <memory>

#include "boxes/contract/pair_function.h"
#include "boxes/contract/pairs.h"
#include "harness/catalogue.h"
#include "harness/rules.h"
#include "ops/box_iou_rotated/contract/backward.h"
#include "ops/box_iou_rotated/reference/reference.h"

namespace detops_harness::box_iou_rotated {
namespace {

const boxes::PairNames kNames = {"bbox1", "bbox2", "ious"};

Contract MakeContract() {
  Contract contract("mluOpBoxIouRotated");
  contract.Shape("bbox1", {"N", 5}).Shape("bbox2", {"M", 5}).Shape("ious", {"N", "M"});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(kNames.all())})
      .Check("type is not allowed, or not the same", {FloatUnlessFull({"bbox1"}), SameType({"bbox2", "ious"}, "bbox1")})
      .Check("mode is not 0 or 1", {Enumerator("mode", 0, 1, "0 (over union) or 1 (over the first box)")})
      .Check("rank of bbox1 or bbox2 is not 2", {Ranks({"bbox1", "bbox2"})})
      .Check("bbox1 or bbox2 has rows of another length than 5", {boxes::RowLength("bbox1"), boxes::RowLength("bbox2")})
      .Check("rank of ious is not 2, or with aligned 1", {boxes::OutputRank(kNames)})
      .Check("ious has not the shape that bbox1 and bbox2 give it", {boxes::OutputShape(kNames)})
      .Check("a tensor is not dense", {Dense(kNames.all())})
      .Check("there is no pair of boxes", {boxes::NoPairs(kNames)});
  boxes::CheckData(contract, kNames);
  boxes::Finish(contract);
  return contract;
}

class BoxIouRotated : public boxes::PairFunction {
 public:
  BoxIouRotated()
      : PairFunction(MakeContract(),
                     {.names = kNames,
                      .flops = 110,
                      .more_keys = {{"mode", "0", "0: over the union, 1: over the first box", {"0", "1"}}},
                      .variants = {",mode=1", ",mode=0"}}) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"1000x1000_near", "first=1000,second=1000"},
            {"1000x1000_scattered", "first=1000,second=1000,boxes=scattered", "", BenchmarkCase::kFew},
            {"20000x100_scattered", "first=20000,second=100,boxes=scattered", "", BenchmarkCase::kFew},
            {"20000x1_near", "first=20000,second=1", "", BenchmarkCase::kFew},
            {"100000_aligned", "first=100000,aligned=1", "", BenchmarkCase::kFew}};
  }

  // What MLU-OPS counts.
  Theory TheoryOf(const Call& call) const override {
    const double pairs = static_cast<double>(call["ious"].elements());
    return {pairs * (boxes::IsAligned(call) ? 60000 : 66000), AllBytes(call)};
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.mluOpBoxIouRotated(handle, a.integer("mode"), a.integer("aligned") != 0, a.desc("bbox1"),
                                      a.data("bbox1"), a.desc("bbox2"), a.data("bbox2"), a.desc("ious"),
                                      a.data("ious"));
  }

  Expected Reference(const Call& call) const override {
    const Tensor &first = call["bbox1"], &second = call["bbox2"];
    Expected expected;
    detops_reference::RotatedIous ious = detops_reference::BoxIouRotated(
        first.type, static_cast<int>(call.integer("mode")), boxes::IsAligned(call), first.extents[0],
        first.contents.data(), second.extents[0], second.contents.data());
    expected.tensors["ious"] = std::move(ious.values);
    expected.magnitudes["ious"] = std::move(ious.magnitudes);
    return expected;
  }

 protected:
  boxes::PairForm FormOf(int64_t /*numbers*/) const override { return boxes::PairForm::kRotated; }
};

}  // namespace

void AddTo(Catalogue& catalogue) {
  catalogue.Add(std::make_unique<BoxIouRotated>());
  catalogue.Add(MakeBackward());
}

}  // namespace detops_harness::box_iou_rotated
