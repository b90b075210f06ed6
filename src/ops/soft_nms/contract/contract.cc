// What soft_nms promises, and how to call it.
#include <cmath>
#include <limits>
#include <memory>

#include "boxes/contract/detections.h"
#include "harness/catalogue.h"
#include "harness/rules.h"
#include "ops/soft_nms/reference/reference.h"

namespace detops_harness::soft_nms {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

bool IsGaussian(const Call& call) { return call.integer("method") == DETOPS_SOFT_NMS_GAUSSIAN; }

Contract MakeContract() {
  const Names all = {"boxes", "scores", "new_scores", "output"}, others = {"scores", "new_scores", "output"};
  const auto gaussian = [](Call& call) { call.integers.at("method") = DETOPS_SOFT_NMS_GAUSSIAN; };
  Contract contract("detopsSoftNms");
  contract.Shape("boxes", {"N", 4}).Shape("scores", {"N"}).Shape("new_scores", {"N"}).Shape("output", {"N"});
  contract.Check("handle, a descriptor or count is NULL", {Handle(), Descriptors(all), OutputPlace({"count"})})
      .Check(
          "boxes or scores has none of the types above, new_scores has not the type of scores, or output is neither "
          "int32 nor int64",
          {AnyFloating({"boxes", "scores"}), SameType({"new_scores"}, "scores"), IndexTypes({"output"})})
      .Check("ranks are not 2, 1, 1, 1", {Ranks(all)})
      .Check("boxes has not 4 columns, or another tensor not as many elements as boxes has rows", {Shapes(all)})
      .Check("method is none of its values", {Enumerator("method", 0, 2, "a value of detopsSoftNmsMethod_t")})
      .Check("iou_threshold is NaN", {NotNan("iou_threshold")})
      .Check("with GAUSSIAN: sigma is not finite and above 0",
             {When(IsGaussian, FiniteAboveZero("sigma", Precision::kFloat), gaussian)})
      .Check("min_score is not finite",
             {Number("min_score", {[](float value, const Call&) { return std::isfinite(value); },
                                   "a finite number",
                                   {kNan, kInf, -kInf}})})
      .Check(
          "offset is not 0 or 1",
          {Number("offset",
                  {[](float value, const Call&) { return value == 0 || value == 1; }, "0 or 1", {kNan, -1, 0.5, 2}})})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {Counts({"boxes"}), Implied(Counts(others))})
      .Check("output is int32 and cannot number the boxes", {CanNumber("output", "boxes")})
      .Check("there are no boxes: count is 0",
             {Done("no boxes", [](const Call& call) { return call["boxes"].extents[0] == 0; },
                   {{BadClass::kEmpty, "no boxes", WithDim("N", 0)},
                    {BadClass::kEmpty, "no boxes, no data",
                     [](Call& call) {
                       WithDim("N", 0)(call);
                       for (const char* name : {"boxes", "scores", "new_scores", "output"}) call[name].has_data = false;
                     }}})})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("an output or count overlaps another tensor or count",
             {Separate("new_scores", {"boxes", "scores", "output", "count"}),
              Separate("output", {"boxes", "scores", "count"}), Separate("count", {"boxes", "scores"})})
      .Check("a number in boxes or scores is NaN or Inf", {Finite("boxes", "a box"), Finite("scores", "a score")})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  return contract;
}

class SoftNms : public Function {
 public:
  SoftNms() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return full_types(); }

  std::vector<ShapeKey> keys() const override {
    return {{"count", "2000", "N", {"0", "1", "2", "63", "64", "65", "200"}},
            {"method", "linear", "naive, linear or gaussian", {"naive", "linear", "gaussian"}},
            {"threshold", "0.3", "iou_threshold", {"0.3", "0", "-1", "0.5", "1", "0.8"}},
            {"sigma", "0.5", "of the Gaussian", {"0.5", "0.05", "10"}},
            {"least", "0.001", "min_score", {"0.001", "0", "0.3", "-1", "2"}},
            {"offset", "0", "0 or 1", {"0", "1"}},
            boxes::DetectionsKey(),
            boxes::ScoresKey(),
            boxes::IndexKey()};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"count=11,threshold=0.25,least=0.125"}};
    for (const char* method : {"naive", "linear", "gaussian"}) {
      const std::string way = std::string("method=") + method;
      // Around the vectors and the blocks of 64; more than two blocks are put in order first.
      for (const char* count : {"1", "2", "5", "63", "64", "65", "128", "129", "200", "700"}) {
        samples.push_back({way + ",count=" + count});
      }
      for (const char* kind : {"scattered", "grid", "equal", "degenerate", "far"}) {
        for (const char* rest : {",offset=1", ",threshold=0.5,least=0", ",threshold=0", ",threshold=-1,least=-1",
                                 ",threshold=1,sigma=0.05,least=0.3", ",least=2,sigma=10"}) {
          samples.push_back({way + ",count=150,boxes=" + kind + rest});
        }
      }
      samples.push_back({way + ",count=90,scores=half,index=int64"});
      samples.push_back({way + ",count=90,scores=double"});
      samples.push_back({way + ",count=90,scores=bfloat16"});
      samples.push_back({way + ",count=90,scores=float"});
    }
    samples.push_back({"count=0"});
    samples.push_back({"count=20000,method=linear,least=0.95,boxes=scattered", true});
    samples.push_back({"count=20000,method=gaussian,least=0.98,boxes=far,index=int64", true});
    return samples;
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"linear", "count=2000"},
            {"gaussian", "count=2000,method=gaussian"},
            {"many", "count=10000", "", BenchmarkCase::kFew},
            {"many_gaussian", "count=10000,method=gaussian", "", BenchmarkCase::kFew},
            {"many_scattered", "count=10000,boxes=scattered", "", BenchmarkCase::kFew}};
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t count = shape.Int("count");
    Call call;
    call.integers["method"] = static_cast<int64_t>(shape.Choice("method", {"naive", "linear", "gaussian"}));
    call.numbers = {{"iou_threshold", shape.Real("threshold")},
                    {"sigma", shape.Real("sigma")},
                    {"min_score", shape.Real("least")},
                    {"offset", shape.Real("offset")}};
    const mluOpDataType_t scores_type = boxes::ScoresType(shape, type);
    call.tensors = {Input("boxes", MLUOP_LAYOUT_ARRAY, type, {count, 4}),
                    Input("scores", MLUOP_LAYOUT_ARRAY, scores_type, {count}),
                    Output("new_scores", MLUOP_LAYOUT_ARRAY, scores_type, {count}),
                    Output("output", MLUOP_LAYOUT_ARRAY, boxes::IndexType(shape), {count}),
                    Output("count", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT64, {1})};
    boxes::FillDetections(shape, call.tensors[0], call.tensors[1], seed);
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.detopsSoftNms(handle, a.integer("method"), a.number("iou_threshold"), a.number("sigma"),
                                 a.number("min_score"), a.number("offset"), a.desc("boxes"), a.data("boxes"),
                                 a.desc("scores"), a.data("scores"), a.desc("new_scores"), a.data("new_scores"),
                                 a.desc("output"), a.data("output"), static_cast<int64_t*>(a.data("count")));
  }

  int64_t Written(const Call& call, const Tensor& output) const override {
    return output.name == "count" ? 1 : WrittenByCount(call["count"], output);
  }

  Expected Reference(const Call& call) const override {
    Expected expected;
    const auto float_of = [&](const char* name) { return static_cast<double>(static_cast<float>(call.number(name))); };
    std::vector<double>& scores = expected.tensors["new_scores"];
    std::vector<double>& output = expected.tensors["output"];
    const detops_reference::SoftNmsRules rules = {static_cast<int>(call.integer("method")), float_of("iou_threshold"),
                                                  float_of("sigma"), float_of("min_score")};
    for (const detops_reference::SoftNmsPick& pick : detops_reference::SoftNms(
             boxes::UprightBoxes(call["boxes"], float_of("offset")), call["scores"].Values(), rules)) {
      scores.push_back(pick.score);
      output.push_back(static_cast<double>(pick.box));
    }
    expected.tensors["count"] = {static_cast<double>(output.size())};
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) { catalogue.Add(std::make_unique<SoftNms>()); }

}  // namespace detops_harness::soft_nms
