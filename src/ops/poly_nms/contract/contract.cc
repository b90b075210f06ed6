// What poly_nms promises, and how to call it.
#include <algorithm>
#include <memory>

#include "boxes/contract/quads.h"
#include "harness/catalogue.h"
#include "harness/fill.h"
#include "harness/rules.h"
#include "ops/poly_nms/reference/reference.h"

namespace detops_harness::poly_nms {
namespace {

constexpr int64_t kContractRows = 9770;

// Saturated.
int64_t BytesFor(int64_t rows) {
  const __int128 bytes = static_cast<__int128>(rows) * ((rows + 31) / 32) * 4 + static_cast<__int128>(rows) * 8;
  return rows > int64_t{1} << 40 || bytes > INT64_MAX ? INT64_MAX : static_cast<int64_t>(bytes);
}
int64_t NeededBytes(const Call& call) { return BytesFor(call["boxes"].extents[0]); }

// So many rows, on memory that nobody may read.
std::function<void(Call&)> Rows(int64_t rows, detopsProfile_t profile) {
  return [=](Call& call) {
    call.profile = profile;
    call.value_checks = false;
    WithDim("N", rows)(call);
    for (const char* tensor : {"boxes", "output"}) call[tensor].reserved = true;
    call.integers.at("workspace_size") = BytesFor(rows);
    call.workspace.bytes = 16;
    call.workspace.has_data = true;
  };
}

// The workspace is as large as its size says only where the call ends before anything looks.
Rules RowLimits() {
  Rules rules = Own({"rows",
                     MLUOP_STATUS_NOT_SUPPORTED,
                     [](Judgement& j) -> std::optional<std::string> {
                       const int64_t rows = j.call["boxes"].extents[0];
                       if (j.call.full() || rows < kContractRows) return {};
                       return Format("boxes has %lld rows, expected fewer than 9770%s.", static_cast<long long>(rows),
                                     kFullProfileLifts);
                     },
                     {{BadClass::kOverflow, "9770 rows", Rows(kContractRows, DETOPS_PROFILE_CONTRACT)},
                      {BadClass::kOverflow, "2^31 rows", Rows(int64_t{1} << 31, DETOPS_PROFILE_CONTRACT), false}}});
  const Rules of_both =
      Own({"rows in 32 bits",
           MLUOP_STATUS_NOT_SUPPORTED,
           [](Judgement& j) -> std::optional<std::string> {
             const int64_t rows = j.call["boxes"].extents[0];
             if (rows < int64_t{1} << 31) return {};
             return Format("boxes has %lld rows, expected fewer than 2147483648.", static_cast<long long>(rows));
           },
           {{BadClass::kOverflow, "2^31 rows", Rows(int64_t{1} << 31, DETOPS_PROFILE_FULL)},
            {BadClass::kOverflow, "2^61 rows", Rows(int64_t{1} << 61, DETOPS_PROFILE_FULL), false}}});
  rules.insert(rules.end(), of_both.begin(), of_both.end());
  return rules;
}

Contract NmsContract() {
  const Names all = {"boxes", "output"};
  Contract contract("mluOpPolyNms");
  contract.Shape("boxes", {"N", 9}).Shape("output", {"N"});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check("output_size is NULL", {OutputPlace({"output_size"})})
      .Check("a type is not allowed", {FloatUnlessFull({"boxes"}), Int32UnlessFull({"output"})})
      .Check("layout of boxes is not ARRAY", {Layouts({"boxes"}, MLUOP_LAYOUT_ARRAY)})
      .Check("rank of boxes is not 2", {Ranks({"boxes"})})
      .Check("boxes is not [N, 9]", {Shapes({"boxes"})})
      .Check("rank of output is not 1", {Ranks({"output"})})
      .Check("output is not [N]", {Shapes({"output"})})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("N is 0: output_size becomes 0",
             {Done("no rows", [](const Call& call) { return AnyEmpty(call, {"boxes"}); },
                   {{BadClass::kEmpty, "no rows", WithDim("N", 0)}})})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("workspace is NULL but workspace_size is not 0", {WorkspacePointer()})
      .Check("N is 9770 or more (full profile: 2^31 or more)", {RowLimits()})
      .Check("workspace_size is below mluOpGetPolyNmsWorkspaceSize", {WorkspaceSize(NeededBytes)})
      .Check("output, output_size or the workspace overlaps another buffer",
             {Separate("output", {"boxes", "workspace", "output_size"}),
              Separate("output_size", {"boxes", "workspace"}), Separate("workspace", {"boxes"})})
      .Check("a number in boxes is NaN or Inf", {Finite("boxes", "a box")})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  contract
      .Defines(BadClass::kEmpty, "no rows", WithDim("N", 0),
               [](const Call& call) { return NumberIn(call["output_size"]) == 0 ? "" : "some are kept of no rows"; })
      .CannotOccur({BadClass::kSizes, BadClass::kIndices, BadClass::kEnumerator})
      .CannotOccur({BadClass::kCoordinates}, "corners may lie anywhere")
      .CannotOccur({BadClass::kDuplicates}, "boxes may be equal: one of them is kept")
      .CannotOccur({BadClass::kBatchId}, "boxes have no batch id");
  return contract;
}

Contract SizeContract() {
  Contract contract("mluOpGetPolyNmsWorkspaceSize");
  contract.Shape("boxes", {"N", 9});
  contract.Check("workspace_size is NULL", {PlaceForResult({"workspace_size"})})
      .Check("handle or boxes_desc is NULL", {Handle(), Descriptors({"boxes"})})
      .Check("rank of boxes is not 2", {Ranks({"boxes"})})
      .Check("boxes is not [N, 9]", {Shapes({"boxes"})})
      .Check("the workspace has more bytes than int64 can count",
             {WorkspaceCounted("boxes", NeededBytes,
                               {{BadClass::kOverflow, "2^33 rows", WithDim("N", int64_t{1} << 33)},
                                {BadClass::kOverflow, "2^61 rows", WithDim("N", int64_t{1} << 61), false},
                                {BadClass::kOverflow, "2^32 rows", WithDim("N", int64_t{1} << 32), false}})});
  contract
      .Defines(BadClass::kEmpty, "no rows", WithDim("N", 0),
               [](const Call& call) { return call.results.at("workspace_size") == 0 ? "" : "no rows need bytes"; })
      .CannotOccur({BadClass::kSizes, BadClass::kWorkspace, BadClass::kIndices, BadClass::kEnumerator,
                    BadClass::kCoordinates, BadClass::kDuplicates, BadClass::kBatchId, BadClass::kOverlap,
                    BadClass::kNotFinite});
  return contract;
}

class PolyNms : public Function {
 public:
  PolyNms() : Function(NmsContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }

  std::vector<ShapeKey> keys() const override {
    return {{"count", "2000", "quadrilaterals", {"0", "1", "2", "5", "64", "65", "130"}},
            {"threshold", "0.1", "iou_threshold", {"-0.5", "0", "0.1", "0.3", "0.7", "1"}},
            {"scores", "any", "any, few: many equal ones", {"any", "few"}},
            {"wide", "0", "1: indices of 64 bits", {"0", "1"}, false},
            boxes::QuadsKey()};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"count=5,threshold=0.3"}};
    for (const char* kind : {"turned", "star", "crossed", "grid", "degenerate", "far"}) {
      samples.push_back({std::string("count=300,threshold=0.3,quads=") + kind});
      samples.push_back({std::string("count=130,threshold=0.1,scores=few,quads=") + kind});
    }
    for (const char* threshold : {"-0.5", "0", "0.7", "1"}) {
      samples.push_back({std::string("count=100,threshold=") + threshold});
    }
    samples.push_back({"count=1"});
    samples.push_back({"count=200,wide=1"});
    samples.push_back({"count=3000,quads=star", true});
    return samples;
  }

  // Ships and cars of a large picture; what a detector leaves of one.
  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"2000", "count=2000"}, {"9000", "count=9000", "", BenchmarkCase::kFew}};
  }

  // Each box once, and its area: which pairs are compared depends on the numbers.
  Work WorkOf(const Call& call) const override {
    Work work = Function::WorkOf(call);
    work.bytes = static_cast<double>(call["boxes"].byte_count() + call["output"].byte_count());
    work.flops = 30 * static_cast<double>(call["boxes"].extents[0]);
    work.in_double = true;
    return work;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t count = shape.Int("count");
    const mluOpDataType_t index_type = shape.Int("wide") != 0 ? MLUOP_DTYPE_INT64 : MLUOP_DTYPE_INT32;
    Call call;
    call.numbers["iou_threshold"] = shape.Real("threshold");
    call.tensors = {Input("boxes", MLUOP_LAYOUT_ARRAY, type, {count, 9}),
                    Output("output", MLUOP_LAYOUT_ARRAY, index_type, {count}),
                    Output("output_size", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1})};
    const int64_t bytes = BytesFor(count);
    call.integers["workspace_size"] = bytes;
    call.workspace.bytes = static_cast<size_t>(bytes);
    call.workspace.has_data = bytes > 0;
    Random random(seed);
    boxes::FillQuads(call.tensors[0], boxes::QuadsOf(shape), boxes::FieldFor(count), random);
    const bool few = shape.Choice("scores", {"any", "few"}) == 1;
    for (int64_t i = 0; i < count; ++i) {
      call.tensors[0].Set(i * 9 + 8, few ? random.OneOf({0.25, 0.5, 0.75}) : random.Uniform(0, 1));
      if (i % 7 != 3) continue;  // the same place again
      for (int64_t k = 0; k < 8; ++k) call.tensors[0].Set(i * 9 + k, call.tensors[0].Get((i - 2) * 9 + k));
    }
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.mluOpPolyNms(handle, a.desc("boxes"), a.data("boxes"), a.number("iou_threshold"), a.workspace(),
                                a.workspace_size(), a.desc("output"), a.data("output"), a.data("output_size"));
  }

  int64_t Written(const Call& call, const Tensor& output) const override {
    return output.name == "output" ? WrittenByCount(call["output_size"], output) : output.elements();
  }

  Expected Reference(const Call& call) const override {
    const Tensor& boxes = call["boxes"];
    const auto threshold = static_cast<float>(call.number("iou_threshold"));
    Expected expected;
    std::vector<double> kept =
        detops_reference::PolyNms(boxes.type, boxes.extents[0], boxes.contents.data(), threshold);
    expected.may_be = [threshold](const Call& done) {
      const Tensor& quads = done["boxes"];
      return detops_reference::MayBePolyNms(quads.type, quads.extents[0], quads.contents.data(), threshold,
                                            IndicesIn(done["output_size"], done["output"]));
    };
    expected.tensors["output_size"] = {static_cast<double>(kept.size())};
    expected.tensors["output"] = std::move(kept);
    return expected;
  }

  mluOpStatus_t WorkspaceBytes(const Functions& library, mluOpHandle_t handle, const Arguments& a,
                               size_t* bytes) const override {
    return library.mluOpGetPolyNmsWorkspaceSize(handle, a.desc("boxes"), bytes);
  }
  std::vector<std::string> Needs() const override { return {"mluOpGetPolyNmsWorkspaceSize"}; }
};

class PolyNmsSize : public Function {
 public:
  PolyNmsSize() : Function(SizeContract()) {}

  bool computes() const override { return false; }
  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }
  std::vector<ShapeKey> keys() const override {
    return {{"count", "2000", "quadrilaterals", {"0", "1", "2", "5", "64", "65", "9770", "100000"}}};
  }
  std::vector<Sample> samples() const override { return {{"count=5"}, {"count=0"}, {"count=33"}, {"count=9770"}}; }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t /*seed*/) const override {
    Call call;
    call.tensors = {Input("boxes", MLUOP_LAYOUT_ARRAY, type, {shape.Int("count"), 9})};
    call.results["workspace_size"] = -77;
    return call;
  }
  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    ResultPlace<size_t> size(a, "workspace_size");
    return library.mluOpGetPolyNmsWorkspaceSize(handle, a.desc("boxes"), size.get());
  }
  Expected Reference(const Call& call) const override {
    Expected expected;
    expected.results["workspace_size"] = NeededBytes(call);
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) {
  catalogue.Add(std::make_unique<PolyNms>());
  catalogue.Add(std::make_unique<PolyNmsSize>());
}

}  // namespace detops_harness::poly_nms
