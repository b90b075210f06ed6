// What nms_boxes promises, and how to call it.
#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>
#include <memory>

#include "boxes/contract/detections.h"
#include "boxes/contract/ranked_rows.h"
#include "harness/catalogue.h"
#include "harness/rules.h"
#include "ops/nms_boxes/reference/reference.h"

namespace detops_harness::nms_boxes {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr char kColumns[] = "columns of the format";
const Names kTensors = {"boxes", "scores", "labels", "output"};

// ---- rules ----

// As many as the format has; any number, if there is no such format.
int64_t FormatColumns(const Call& call) {
  const int64_t columns = boxes::ColumnsOf(call.integer("format"));
  const Tensor& tensor = call["boxes"];
  return columns != 0 || tensor.extents.size() < 2 ? columns : tensor.extents[1];
}

bool IsGiven(const Tensor& tensor) { return tensor.described && tensor.has_data; }

int64_t Most(const Call& call) {
  int64_t most = call["boxes"].extents[0];
  for (const char* limit : {"pre_max", "post_max"}) {
    if (call.integer(limit) > 0) most = std::min(most, call.integer(limit));
  }
  return most;
}

Rules OutputSize() {
  const auto output = [](int64_t elements) { return [=](Call& call) { call["output"].extents = {elements}; }; };
  const auto limited = [=](const char* limit, int64_t value, int64_t elements) {
    return [=](Call& call) {
      call.integers.at(limit) = value;
      output(elements)(call);
    };
  };
  return Own({"elements of output",
              MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t size = j.call["output"].extents[0], needed = Most(j.call);
                if (size >= needed) return {};
                return Format("output has %lld elements, expected at least %lld.", static_cast<long long>(size),
                              static_cast<long long>(needed));
              },
              {{BadClass::kShapes, "output too short", output(1)},
               {BadClass::kShapes, "output shorter than post_max", limited("post_max", 4, 3)},
               {BadClass::kShapes, "output shorter than pre_max", limited("pre_max", 4, 3)},
               {BadClass::kShapes, "output of post_max", limited("post_max", 4, 4), false},
               {BadClass::kShapes, "output of pre_max", limited("pre_max", 4, 4), false},
               {BadClass::kShapes, "output too short, no limit", limited("pre_max", -1, 3), false}}});
}

// The output is as long as post_max says, so that it is not too short first.
Rules BoxCounts() {
  const auto with = [](int64_t rows, detopsProfile_t profile) {
    return [=](Call& call) {
      call.integers.at("post_max") = 1;
      WithDim("N", rows)(call);
      call.profile = profile;
    };
  };
  Faults faults;
  for (const auto profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
    for (const int64_t rows : {int64_t{1} << 29, (int64_t{1} << 29) - 1, int64_t{1} << 61, int64_t{1} << 62}) {
      faults.push_back({BadClass::kOverflow, std::to_string(rows) + " boxes", with(rows, profile), faults.empty()});
    }
  }
  return WithFaults(Counts({"boxes"}), faults);
}

Rules RowLimit() {
  const auto with = [](int64_t rows) {
    return [=](Call& call) {
      call.integers.at("post_max") = 1;
      WithDim("N", rows)(call);
      call.profile = DETOPS_PROFILE_FULL;
    };
  };
  return Own({"rows of boxes",
              MLUOP_STATUS_NOT_SUPPORTED,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t rows = j.call["boxes"].extents[0];
                if (rows < int64_t{1} << 31) return {};
                return Format("boxes has %lld rows, expected fewer than 2147483648.", static_cast<long long>(rows));
              },
              {{BadClass::kOverflow, "2^31 boxes", with(int64_t{1} << 31)},
               {BadClass::kOverflow, "2^31 - 1 boxes", with((int64_t{1} << 31) - 1), false}}});
}

std::function<void(Call&)> LeftOut(const std::string& tensor) {
  return [=](Call& call) {
    call[tensor].described = false;
    call[tensor].has_data = false;
  };
}

Rules Formats() {
  const auto known = [](int64_t value, const Call&) { return boxes::ColumnsOf(value) != 0; };
  Rules rules = Integer("format", {known, "a value of detopsBoxFormat_t", {-1, 6, 99}, BadClass::kEnumerator});
  // Changes that no rule forbids.
  Faults allowed;
  for (const char* tensor : {"scores", "labels"}) {
    allowed.push_back({BadClass::kNull, std::string(tensor) + " left out", LeftOut(tensor), false});
    const auto no_data = [=](Call& call) { call[tensor].has_data = false; };
    allowed.push_back({BadClass::kNull, std::string(tensor) + " without data", no_data, false});
  }
  for (const char* limit : {"pre_max", "post_max"}) {
    for (const int64_t value : {INT64_MIN, int64_t{-1}, int64_t{1}, INT64_MAX}) {
      allowed.push_back({BadClass::kSizes, limit, WithInteger(limit, value), false});
    }
  }
  return WithFaults(rules, allowed);
}

void NoBoxes(Call& call) {
  WithDim("N", 0)(call);
  for (const std::string& name : kTensors) call[name].has_data = false;
}

Contract MakeContract() {
  const Names indices = {"labels", "output"}, floating = {"boxes", "scores"};
  Contract contract("detopsNmsBoxes");
  contract.Shape("boxes", {"N", kColumns}).Shape("scores", {"N"}).Shape("labels", {"N"}).Shape("output", {"M"});
  contract.Computed(kColumns, FormatColumns);
  contract.Check("handle, boxes_desc or output_desc is NULL", {Handle(), Descriptors({"boxes", "output"})})
      .Check("count is NULL", {OutputPlace({"count"})})
      .Check("boxes or scores has none of the types above, or labels or output is neither int32 nor int64",
             {AnyFloating(floating), IndexTypes(indices)})
      .Check("ranks are not 2, 1, 1, 1", {Ranks(kTensors)})
      .Check("scores or labels has not N elements", {Implied(Axis("boxes", 0, "N")), Shapes({"scores", "labels"})})
      .Check("boxes has not the columns of the format", {Axis("boxes", 1, kColumns)})
      .Check("output has fewer elements than can be kept", {OutputSize()})
      .Check("format is no value of detopsBoxFormat_t", {Formats()})
      .Check("iou_threshold is NaN", {NotNan("iou_threshold")})
      .Check("with XYXY offset is neither 0 nor 1",
             {Number("offset", {[](float value, const Call& call) {
                                  return value == 0 || value == 1 || call.integer("format") != DETOPS_BOX_FORMAT_XYXY;
                                },
                                "0 or 1",
                                {kNan, -1, 0.5, 2}})})
      .Check("a tensor is not dense", {Dense(kTensors)})
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {BoxCounts(), Implied(Counts({"scores", "labels"})), Counts({"output"})})
      .Check("N is 2^31 or more", {RowLimit()})
      .Check(
          "N is 0: count becomes 0",
          {Done("no boxes", [](const Call& call) { return call["boxes"].extents[0] == 0; },
                {{BadClass::kEmpty, "no boxes", WithDim("N", 0)}, {BadClass::kEmpty, "no boxes, no data", NoBoxes}})})
      .Check("boxes or output is NULL", {Data({"boxes", "output"})})
      .Check("output or count overlaps another buffer", {Separate("output", {"boxes", "scores", "labels", "count"}),
                                                         Separate("count", {"boxes", "scores", "labels"})})
      .Check("a number in boxes or scores is NaN or Inf", {Finite("boxes", "a box"), Finite("scores", "a score")})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  contract.CannotOccur({BadClass::kWorkspace, BadClass::kBatchId, BadClass::kIndices})
      .CannotOccur({BadClass::kCoordinates}, "boxes may lie anywhere")
      .CannotOccur({BadClass::kDuplicates}, "boxes and scores may be equal: the lower index wins");
  return contract;
}

// ---- calls ----

const std::initializer_list<const char*> kFormats = {"xyxy", "cxcywh", "cxcywha", "quad", "bev", "bev_upright"};

class NmsBoxes : public Function {
 public:
  NmsBoxes() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return full_types(); }

  std::vector<ShapeKey> keys() const override {
    return {{"count", "2000", "N", {"0", "1", "2", "15", "16", "17", "200", "300"}},
            {"format", "xyxy", "xyxy, cxcywh, cxcywha, quad, bev or bev_upright", {kFormats.begin(), kFormats.end()}},
            {"threshold", "0.5", "iou_threshold", {"0.5", "0", "-1", "0.3", "1", "0.8"}},
            {"offset", "0", "0 or 1", {"0", "1"}},
            {"pre", "0", "pre_max", {"0", "1", "20", "100"}},
            {"post", "0", "post_max", {"0", "1", "20", "100"}},
            {"labels", "0", "how many labels there are; 0: the tensor is left out", {"0", "1", "3", "50"}},
            {"wide", "int32", "type of the labels", {"int32", "int64"}},
            {"ranked", "0", "1: boxes stand in order, without scores", {"0", "1"}},
            boxes::DetectionsKey(),
            boxes::TurnedKey(),
            boxes::ScoresKey(),
            boxes::IndexKey()};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"count=11,threshold=0.25,labels=2"}};
    for (const char* name : kFormats) {
      const std::string format = std::string("format=") + name;
      for (const char* kind : {"clusters", "scattered", "grid", "equal", "degenerate", "far"}) {
        samples.push_back({format + ",count=120,threshold=0.3,turned=0,boxes=" + kind});
      }
      for (const char* rest :
           {",count=0", ",count=1", ",count=17,threshold=0", ",count=257,threshold=0.1",
            ",count=90,threshold=-1,labels=3,wide=int64", ",count=90,threshold=1", ",count=300,labels=3",
            ",count=200,labels=50,pre=120,post=40,index=int64", ",count=150,pre=20", ",count=150,post=20,ranked=1",
            ",count=90,scores=half", ",count=90,scores=float", ",count=90,scores=double", ",count=90,ranked=1"}) {
        samples.push_back({format + rest});
      }
    }
    samples.push_back({"count=150,offset=1,boxes=grid"});
    samples.push_back({"count=150,offset=1,boxes=degenerate,threshold=0"});
    samples.push_back({"count=6000,boxes=scattered,threshold=0.2", true});
    samples.push_back({"count=6000,boxes=scattered,threshold=0.2,labels=40,format=cxcywha", true});
    samples.push_back({"count=20500,boxes=scattered,threshold=0.6,post=700", true});
    return samples;
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"xyxy_6000", "count=6000,threshold=0.7"},
            {"xyxy_12000", "count=12000,threshold=0.7"},
            {"xyxy_100000", "count=100000,threshold=0.5,boxes=scattered", "", BenchmarkCase::kFew},
            {"xyxy_labels", "count=10000,threshold=0.5,labels=80", "", BenchmarkCase::kFew},
            {"bev_4096", "count=4096,threshold=0.01,post=500,format=bev", "", BenchmarkCase::kFew},
            {"bev_anchors", "count=321408,threshold=0.01,pre=4096,post=500,format=bev", "", BenchmarkCase::kFew},
            {"quad_2000", "count=2000,threshold=0.1,format=quad", "", BenchmarkCase::kFew}};
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t count = shape.Int("count"), labels = shape.Int("labels");
    const auto format = static_cast<detopsBoxFormat_t>(shape.Choice("format", kFormats));
    Call call;
    call.integers = {{"format", format}, {"pre_max", shape.Int("pre")}, {"post_max", shape.Int("post")}};
    call.numbers = {{"iou_threshold", shape.Real("threshold")}, {"offset", shape.Real("offset")}};
    const bool wide = shape.Choice("wide", {"int32", "int64"}) == 1;
    call.tensors = {Input("boxes", MLUOP_LAYOUT_ARRAY, type, {count, boxes::ColumnsOf(format)}),
                    Input("scores", MLUOP_LAYOUT_ARRAY, boxes::ScoresType(shape, type), {count}),
                    labels == 0
                        ? Absent("labels", Access::kRead)
                        : Input("labels", MLUOP_LAYOUT_ARRAY, wide ? MLUOP_DTYPE_INT64 : MLUOP_DTYPE_INT32, {count})};
    boxes::FillRankedRows(shape, format, call.tensors[0], call.tensors[1], seed);
    if (shape.Int("ranked") != 0) call.tensors[1] = Absent("scores", Access::kRead);
    Random random(seed + 1);
    // Negative ones too, and some that differ in the upper half of an int64 only.
    for (int64_t i = 0; labels != 0 && i < count; ++i) {
      const auto label = static_cast<double>(random.Below(labels) - 1);
      call.tensors[2].Set(i, wide ? label * 0x1p33 : label);
    }
    call.tensors.push_back(Output("output", MLUOP_LAYOUT_ARRAY, boxes::IndexType(shape), {count}));
    call.tensors.push_back(Output("count", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT64, {1}));
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.detopsNmsBoxes(handle, a.integer<detopsBoxFormat_t>("format"), a.number("iou_threshold"),
                                  a.number("offset"), a.integer<int64_t>("pre_max"), a.integer<int64_t>("post_max"),
                                  a.desc("boxes"), a.data("boxes"), a.desc("scores"), a.data("scores"),
                                  a.desc("labels"), a.data("labels"), a.desc("output"), a.data("output"),
                                  static_cast<int64_t*>(a.data("count")));
  }

  int64_t Written(const Call& call, const Tensor& output) const override {
    return output.name == "output" ? WrittenByCount(call["count"], output) : output.elements();
  }

  Expected Reference(const Call& call) const override {
    std::vector<int64_t> labels;
    if (IsGiven(call["labels"])) {
      for (const double label : call["labels"].Values()) labels.push_back(static_cast<int64_t>(label));
    }
    const auto format = static_cast<detopsBoxFormat_t>(call.integer("format"));
    const auto number = [&](const char* name) { return static_cast<double>(static_cast<float>(call.number(name))); };
    const auto boxes = boxes::PolygonBoxes(format, call["boxes"], number("offset"));
    const std::vector<double> scores = IsGiven(call["scores"]) ? call["scores"].Values() : std::vector<double>();
    const detops_reference::NmsRules rules = {number("iou_threshold"), call.integer("pre_max"),
                                              call.integer("post_max")};
    const std::vector<double> kept = detops_reference::NmsBoxes(boxes, scores, labels, rules);
    Expected expected;
    expected.may_be = [=](const Call& done) {
      return detops_reference::MayBeNmsBoxes(boxes, scores, labels, rules, IndicesIn(done["count"], done["output"]));
    };
    expected.tensors["count"] = {static_cast<double>(kept.size())};
    expected.tensors["output"] = kept;
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) { catalogue.Add(std::make_unique<NmsBoxes>()); }

}  // namespace detops_harness::nms_boxes
