// What nms_rotated promises, and how to call it.
#include <cmath>
#include <memory>

#include "boxes/contract/detections.h"
#include "boxes/contract/ranked_rows.h"
#include "harness/catalogue.h"
#include "harness/rules.h"
#include "ops/nms_rotated/reference/reference.h"

namespace detops_harness::nms_rotated {
namespace {

Rules Columns() {
  const auto with = [](int64_t columns) { return WithDim("D", columns); };
  return Own({"columns of boxes",
              MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t columns = j.call["boxes"].extents[1];
                if (columns == 5 || columns == 6) return {};
                return Format("boxes has %lld columns, expected 5 or 6.", static_cast<long long>(columns));
              },
              {{BadClass::kShapes, "4 columns", with(4)},
               {BadClass::kShapes, "7 columns", with(7)},
               {BadClass::kShapes, "no columns", with(0), false},
               {BadClass::kShapes, "5 columns", with(5), false}}});
}

int64_t NeededBytes(const Call& call) {
  const Tensor& boxes = call["boxes"];
  int64_t numbers = 0, bytes = 0;
  const auto size = static_cast<int64_t>(SizeOfType(boxes.type));
  // 5 or 6 columns.
  if (__builtin_mul_overflow(boxes.extents[0], boxes.extents[1] + 1, &numbers)) return INT64_MAX;
  return __builtin_mul_overflow(numbers, size, &bytes) ? INT64_MAX : bytes;
}

// ---- mluOpGetNmsRotatedWorkspaceSize ----

Contract MakeSizeContract() {
  Contract contract("mluOpGetNmsRotatedWorkspaceSize");
  contract.Shape("boxes", {"N", "D"});
  contract.Check("workspace_size is NULL", {PlaceForResult({"workspace_size"})})
      .Check("handle or boxes_desc is NULL", {Handle(), Descriptors({"boxes"})})
      .Check("rank of boxes is not 2", {Ranks({"boxes"})})
      .Check("boxes has neither 5 nor 6 columns", {Columns()})
      .Check("the workspace has more bytes than int64 can count",
             {WorkspaceCounted("boxes", NeededBytes,
                               {{BadClass::kOverflow, "2^61 boxes", WithDim("N", int64_t{1} << 61)},
                                {BadClass::kOverflow, "2^62 boxes", WithDim("N", int64_t{1} << 62), false},
                                {BadClass::kOverflow, "2^58 boxes", WithDim("N", int64_t{1} << 58), false}})});
  contract
      .Defines(BadClass::kEmpty, "no boxes need no bytes", WithDim("N", 0),
               [](const Call& call) {
                 return call.results.at("workspace_size") == 0 ? std::string() : std::string("there are some");
               })
      .CannotOccur({BadClass::kSizes, BadClass::kWorkspace, BadClass::kOverlap, BadClass::kNotFinite,
                    BadClass::kBatchId, BadClass::kIndices, BadClass::kEnumerator})
      .CannotOccur({BadClass::kCoordinates, BadClass::kDuplicates}, "it looks at a descriptor only, at no values");
  return contract;
}

class WorkspaceSizeOfNms : public Function {
 public:
  WorkspaceSizeOfNms() : Function(MakeSizeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }
  bool computes() const override { return false; }
  std::vector<ShapeKey> keys() const override {
    return {{"count", "2000", "N", {"0", "1", "7"}}, {"columns", "5", "D", {"5", "6"}}};
  }
  std::vector<Sample> samples() const override { return {{"count=11,columns=6"}, {"count=7"}, {"count=0"}}; }
  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t) const override {
    Call call;
    call.tensors = {Input("boxes", MLUOP_LAYOUT_ARRAY, type, {shape.Int("count"), shape.Int("columns", 5)})};
    call.results["workspace_size"] = -1;
    return call;
  }
  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    ResultPlace<size_t> size(a, "workspace_size");
    return library.mluOpGetNmsRotatedWorkspaceSize(handle, a.desc("boxes"), size.get());
  }
  Expected Reference(const Call& call) const override {
    Expected expected;
    expected.results["workspace_size"] = NeededBytes(call);
    return expected;
  }
};

// ---- mluOpNmsRotated ----

Rules RowLimit() {
  return Own({"rows of boxes",
              MLUOP_STATUS_NOT_SUPPORTED,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t rows = j.call["boxes"].extents[0];
                if (rows < int64_t{1} << 31) return {};
                return Format("boxes has %lld rows, expected fewer than 2147483648.", static_cast<long long>(rows));
              },
              {{BadClass::kOverflow, "2^31 boxes",
                [](Call& call) {
                  WithDim("N", int64_t{1} << 31)(call);
                  call.profile = DETOPS_PROFILE_FULL;
                }},
               {BadClass::kOverflow, "2^31 - 1 boxes",
                [](Call& call) {
                  WithDim("N", (int64_t{1} << 31) - 1)(call);
                  call.profile = DETOPS_PROFILE_FULL;
                },
                false}}});
}

void NoData(Call& call) {
  WithDim("N", 0)(call);
  for (Tensor& tensor : call.tensors) tensor.has_data = false;
}

Contract MakeContract() {
  const Names all = {"boxes", "scores", "output"};
  Contract contract("mluOpNmsRotated");
  contract.Shape("boxes", {"N", "D"}).Shape("scores", {"N"}).Shape("output", {"N"});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check("a type is not allowed", {FloatUnlessFull({"boxes", "scores"}), Int32UnlessFull({"output"})})
      .Check("ranks are not 2, 1, 1", {Ranks(all)})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("scores or output has not N elements", {Implied(Axis("boxes", 0, "N")), Shapes({"scores", "output"})})
      .Check("boxes has neither 5 nor 6 columns", {Columns()})
      .Check("boxes has 2^31 elements or more (full profile: 2^31 rows)", {Counts({"boxes"}), RowLimit()})
      .Check("N is 0: result_num becomes 0, if it is not NULL",
             {Done("no boxes", [](const Call& call) { return call["boxes"].extents[0] == 0; },
                   {{BadClass::kEmpty, "no boxes", WithDim("N", 0)}, {BadClass::kEmpty, "no boxes, no data", NoData}})})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("result_num is NULL", {OutputPlace({"result_num"})})
      .Check("workspace is NULL but workspace_size is not 0", {WorkspacePointer()})
      .Check("workspace_size is below mluOpGetNmsRotatedWorkspaceSize", {WorkspaceSize(NeededBytes)})
      .Check("output, result_num or the workspace overlaps another buffer",
             {Separate("output", {"boxes", "scores", "workspace", "result_num"}),
              Separate("result_num", {"boxes", "scores", "workspace"}), Separate("workspace", {"boxes", "scores"})})
      .Check("a number in boxes or scores is NaN or Inf", {Finite("boxes", "a box"), Finite("scores", "a score")})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  contract.CannotOccur({BadClass::kSizes, BadClass::kBatchId, BadClass::kIndices, BadClass::kEnumerator})
      .CannotOccur({BadClass::kCoordinates}, "boxes may lie anywhere")
      .CannotOccur({BadClass::kDuplicates}, "boxes and scores may be equal: the lower index wins");
  return contract;
}

class NmsRotated : public Function {
 public:
  NmsRotated() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }

  std::vector<ShapeKey> keys() const override {
    return {{"count", "2000", "N", {"0", "1", "2", "15", "16", "17", "200", "300"}},
            {"columns", "5", "5, or 6 with a label that is not used", {"5", "6"}},
            {"threshold", "0.5", "iou_threshold", {"0.5", "0", "-1", "0.3", "1", "0.8"}},
            boxes::DetectionsKey(),
            boxes::TurnedKey(),
            boxes::ScoresKey(),
            boxes::IndexKey()};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"count=11,threshold=0.25,columns=6"}};
    for (const char* count : {"0", "1", "2", "15", "16", "17", "255", "256", "257", "700"}) {
      samples.push_back({std::string("count=") + count + ",threshold=0.3"});
    }
    for (const char* kind : {"clusters", "scattered", "grid", "equal", "degenerate", "far"}) {
      for (const char* threshold : {"0", "-1", "0.1", "0.5", "1", "1.5"}) {
        samples.push_back({std::string("count=120,boxes=") + kind + ",threshold=" + threshold});
      }
      samples.push_back({std::string("count=150,turned=0,boxes=") + kind});
    }
    for (const char* type : {"float", "half", "double", "bfloat16"}) {
      samples.push_back({std::string("count=90,columns=6,index=int64,scores=") + type, false});
    }
    samples.push_back({"count=6000,boxes=scattered,threshold=0.2", true});
    return samples;
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"2000", "count=2000,threshold=0.1"},
            {"4096", "count=4096,threshold=0.1"},
            {"scattered", "count=20000,boxes=scattered,threshold=0.1", "", BenchmarkCase::kFew}};
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t count = shape.Int("count"), columns = shape.Int("columns", 5);
    Call call;
    call.numbers["iou_threshold"] = shape.Real("threshold");
    call.tensors = {Input("boxes", MLUOP_LAYOUT_ARRAY, type, {count, columns}),
                    Input("scores", MLUOP_LAYOUT_ARRAY, boxes::ScoresType(shape, type), {count}),
                    Output("output", MLUOP_LAYOUT_ARRAY, boxes::IndexType(shape), {count}),
                    Output("result_num", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1})};
    boxes::FillRankedRows(shape, DETOPS_BOX_FORMAT_CXCYWHA, call.tensors[0], call.tensors[1], seed);
    call.integers["workspace_size"] = NeededBytes(call);
    call.workspace.bytes = static_cast<size_t>(NeededBytes(call));
    call.workspace.has_data = count > 0;
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.mluOpNmsRotated(handle, a.number("iou_threshold"), a.desc("boxes"), a.data("boxes"),
                                   a.desc("scores"), a.data("scores"), a.workspace(), a.workspace_size(),
                                   a.desc("output"), a.data("output"), static_cast<int32_t*>(a.data("result_num")));
  }

  int64_t Written(const Call& call, const Tensor& output) const override {
    return output.name == "output" ? WrittenByCount(call["result_num"], output) : output.elements();
  }

  Expected Reference(const Call& call) const override {
    const auto threshold = static_cast<double>(static_cast<float>(call.number("iou_threshold")));
    const auto boxes = boxes::PolygonBoxes(DETOPS_BOX_FORMAT_CXCYWHA, call["boxes"], 0);
    const std::vector<double> scores = call["scores"].Values();
    const std::vector<double> kept = detops_reference::NmsRotated(boxes, scores, threshold);
    Expected expected;
    expected.may_be = [=](const Call& done) {
      return detops_reference::MayBeNmsRotated(boxes, scores, threshold, IndicesIn(done["result_num"], done["output"]));
    };
    expected.tensors["result_num"] = {static_cast<double>(kept.size())};
    expected.tensors["output"] = kept;
    return expected;
  }

  mluOpStatus_t WorkspaceBytes(const Functions& library, mluOpHandle_t handle, const Arguments& a,
                               size_t* bytes) const override {
    return library.mluOpGetNmsRotatedWorkspaceSize(handle, a.desc("boxes"), bytes);
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) {
  catalogue.Add(std::make_unique<NmsRotated>());
  catalogue.Add(std::make_unique<WorkspaceSizeOfNms>());
}

}  // namespace detops_harness::nms_rotated
