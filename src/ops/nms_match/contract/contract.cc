// What nms_match promises, and how to call it.
#include <memory>

#include "boxes/contract/detections.h"
#include "harness/catalogue.h"
#include "harness/rules.h"
#include "ops/nms_match/reference/reference.h"

namespace detops_harness::nms_match {
namespace {

Contract MakeContract() {
  const Names all = {"boxes", "scores", "group"};
  Contract contract("detopsNmsMatch");
  contract.Shape("boxes", {"N", 4}).Shape("scores", {"N"}).Shape("group", {"N"});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check("boxes or scores has none of the types above, or group is neither int32 nor int64",
             {AnyFloating({"boxes", "scores"}), IndexTypes({"group"})})
      .Check("ranks are not 2, 1, 1", {Ranks(all)})
      .Check("boxes has not 4 columns, or another tensor not as many elements as boxes has rows", {Shapes(all)})
      .Check("iou_threshold is NaN", {NotNan("iou_threshold")})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {Counts({"boxes"}), Implied(Counts({"scores", "group"}))})
      .Check("group is int32 and cannot number the boxes", {CanNumber("group", "boxes")})
      .Check("there are no boxes", {Done("no boxes", [](const Call& call) { return call["boxes"].extents[0] == 0; },
                                         {{BadClass::kEmpty, "no boxes", WithDim("N", 0)},
                                          {BadClass::kEmpty, "no boxes, no data",
                                           [](Call& call) {
                                             WithDim("N", 0)(call);
                                             for (Tensor& tensor : call.tensors) tensor.has_data = false;
                                           }}})})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("group overlaps another tensor", {Separate("group", {"boxes", "scores"})})
      .Check("a number in boxes or scores is NaN or Inf", {Finite("boxes", "a box"), Finite("scores", "a score")})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  return contract;
}

class NmsMatch : public Function {
 public:
  NmsMatch() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return full_types(); }

  std::vector<ShapeKey> keys() const override {
    return {{"count", "2000", "N", {"0", "1", "2", "63", "64", "65", "200"}},
            {"threshold", "0.5", "iou_threshold", {"0.5", "0", "-1", "0.3", "1", "0.8"}},
            boxes::DetectionsKey(),
            boxes::ScoresKey(),
            boxes::IndexKey()};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"count=11,threshold=0.25"}};
    for (const char* count : {"0", "1", "2", "5", "63", "64", "65", "128", "129", "200", "700"}) {
      samples.push_back({std::string("count=") + count});
    }
    for (const char* kind : {"clusters", "scattered", "grid", "equal", "degenerate", "far"}) {
      for (const char* threshold : {"0", "-1", "0.3", "0.5", "1", "1.5"}) {
        samples.push_back({std::string("count=150,boxes=") + kind + ",threshold=" + threshold});
      }
    }
    for (const char* type : {"float", "half", "double", "bfloat16"}) {
      samples.push_back({std::string("count=90,index=int64,scores=") + type});
    }
    samples.push_back({"count=20000,threshold=0", true});
    samples.push_back({"count=12000,boxes=far,index=int64", true});
    return samples;
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"clusters", "count=2000"}, {"many", "count=20000"}, {"scattered", "count=20000,boxes=scattered"}};
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t count = shape.Int("count");
    Call call;
    call.numbers["iou_threshold"] = shape.Real("threshold");
    call.tensors = {Input("boxes", MLUOP_LAYOUT_ARRAY, type, {count, 4}),
                    Input("scores", MLUOP_LAYOUT_ARRAY, boxes::ScoresType(shape, type), {count}),
                    Output("group", MLUOP_LAYOUT_ARRAY, boxes::IndexType(shape), {count})};
    boxes::FillDetections(shape, call.tensors[0], call.tensors[1], seed);
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.detopsNmsMatch(handle, a.number("iou_threshold"), a.desc("boxes"), a.data("boxes"), a.desc("scores"),
                                  a.data("scores"), a.desc("group"), a.data("group"));
  }

  Expected Reference(const Call& call) const override {
    const double threshold = static_cast<double>(static_cast<float>(call.number("iou_threshold")));
    Expected expected;
    expected.tensors["group"] =
        detops_reference::NmsMatch(boxes::UprightBoxes(call["boxes"], 0), call["scores"].Values(), threshold);
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) { catalogue.Add(std::make_unique<NmsMatch>()); }

}  // namespace detops_harness::nms_match
