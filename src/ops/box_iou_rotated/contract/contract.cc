// What box_iou_rotated promises, and how to call it.
#include <memory>

#include "boxes/contract/pairs.h"
#include "harness/catalogue.h"
#include "harness/fill.h"
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

class BoxIouRotated : public Function {
 public:
  BoxIouRotated() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }

  std::vector<ShapeKey> keys() const override {
    return {{"first", "100", "boxes of bbox1", {"1", "2", "7", "20"}},
            {"second", "100", "boxes of bbox2; with aligned as many as the first", {"1", "3", "17", "70"}},
            {"mode", "0", "0: over the union, 1: over the first box", {"0", "1"}},
            {"aligned", "0", "1: boxes of the same number instead of all pairs", {"0", "1"}},
            boxes::PairsKey()};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"first=3,second=4"}};
    for (const char* kind : {"near", "scattered", "equal", "slim", "far", "touching", "odd"}) {
      for (const char* rest : {"first=19,second=37,mode=0", "first=40,second=5,mode=1", "first=70,mode=0,aligned=1",
                               "first=9,mode=1,aligned=1"}) {
        samples.push_back({std::string(rest) + ",boxes=" + kind});
      }
    }
    for (const char* size : {"first=1,second=1", "first=1,second=130", "first=130,second=1", "first=2,second=2100",
                             "first=70,second=64", "first=1,aligned=1", "first=65,second=16,mode=1"}) {
      samples.push_back({size});
    }
    samples.push_back({"first=300,second=500,boxes=scattered", true});
    samples.push_back({"first=20000,aligned=1", true});
    return samples;
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"1000x1000_near", "first=1000,second=1000"},
            {"1000x1000_scattered", "first=1000,second=1000,boxes=scattered", "", BenchmarkCase::kFew},
            {"20000x100_scattered", "first=20000,second=100,boxes=scattered", "", BenchmarkCase::kFew},
            {"20000x1_near", "first=20000,second=1", "", BenchmarkCase::kFew},
            {"100000_aligned", "first=100000,aligned=1", "", BenchmarkCase::kFew}};
  }

  Work WorkOf(const Call& call) const override {
    Work work = Function::WorkOf(call);
    work.flops = 110 * boxes::MeetingPairs(call, boxes::PairForm::kRotated, kNames);
    work.in_double = true;
    return work;
  }

  // What MLU-OPS counts.
  Theory TheoryOf(const Call& call) const override {
    const double pairs = static_cast<double>(call["ious"].elements());
    return {pairs * (boxes::IsAligned(call) ? 60000 : 66000), AllBytes(call)};
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const bool aligned = shape.Choice("aligned", {"0", "1"}) == 1;
    const int64_t first = shape.Int("first", 0), second = aligned ? first : shape.Int("second", 0);
    Call call;
    call.integers["mode"] = shape.Int("mode");
    call.integers["aligned"] = aligned ? 1 : 0;
    Obey(call, {"mode"});
    call.tensors = {Input("bbox1", MLUOP_LAYOUT_ARRAY, type, {first, 5}),
                    Input("bbox2", MLUOP_LAYOUT_ARRAY, type, {second, 5}),
                    Output("ious", MLUOP_LAYOUT_ARRAY, type,
                           aligned ? std::vector<int64_t>{first} : std::vector<int64_t>{first, second})};
    Random random(seed);
    boxes::FillPairs(shape, boxes::PairForm::kRotated, call.tensors[0], call.tensors[1], random);
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.mluOpBoxIouRotated(handle, a.integer("mode"), a.integer("aligned") != 0, a.desc("bbox1"),
                                      a.data("bbox1"), a.desc("bbox2"), a.data("bbox2"), a.desc("ious"),
                                      a.data("ious"));
  }

  Expected Reference(const Call& call) const override {
    const Tensor &first = call["bbox1"], &second = call["bbox2"];
    Expected expected;
    expected.tensors["ious"] = detops_reference::BoxIouRotated(
        first.type, static_cast<int>(call.integer("mode")), boxes::IsAligned(call), first.extents[0],
        first.contents.data(), second.extents[0], second.contents.data());
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) {
  catalogue.Add(std::make_unique<BoxIouRotated>());
  catalogue.Add(MakeBackward());
}

}  // namespace detops_harness::box_iou_rotated
