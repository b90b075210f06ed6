// What min_area_polygons promises, and how to call it.
#include <memory>
#include <utility>

#include "boxes/contract/point_sets.h"
#include "boxes/contract/quads.h"
#include "harness/catalogue.h"
#include "harness/fill.h"
#include "harness/rules.h"
#include "ops/min_area_polygons/reference/reference.h"

namespace detops_harness::min_area_polygons {
namespace {

Contract MakeContract() {
  const Names all = {"points", "quads"};
  Contract contract("detopsMinAreaPolygons");
  contract.Shape("points", {"n", 18}).Shape("quads", {"n", 8});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check("type is not allowed, or not the same", {AnyFloating({"points"}), SameType({"quads"}, "points")})
      .Check("rank is not 2", {Ranks(all)})
      .Check("a shape is not as above", {Shapes(all)})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("there are no rows", {Done("no rows", [](const Call& call) { return AnyEmpty(call, {"points"}); },
                                        {{BadClass::kEmpty, "no rows", WithDim("n", 0)}})})
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {Counts({"points"}), Implied(Counts({"quads"}))})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("quads overlaps points", {Separate("quads", {"points"})})
      .Check("a number in points is NaN or Inf", {Finite("points", "a point")})
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  contract
      .Try(BadClass::kOverflow, "2^31 point sets",
           [](Call& call) {
             WithDim("n", int64_t{1} << 31)(call);
             call.profile = DETOPS_PROFILE_CONTRACT;
           })
      .Try(BadClass::kOverflow, "2^61 point sets",
           [](Call& call) {
             WithDim("n", int64_t{1} << 61)(call);
             call.profile = DETOPS_PROFILE_FULL;
           })
      .Defines(BadClass::kEmpty, "no rows", WithDim("n", 0),
               [](const Call& call) { return call["quads"].elements() == 0 ? "" : "there are results of no rows"; })
      .CannotOccur({BadClass::kSizes, BadClass::kWorkspace, BadClass::kIndices, BadClass::kEnumerator})
      .CannotOccur({BadClass::kCoordinates}, "points may lie anywhere")
      .CannotOccur({BadClass::kDuplicates}, "points may be equal")
      .CannotOccur({BadClass::kBatchId}, "points have no batch id");
  return contract;
}

class MinAreaPolygons : public Function {
 public:
  MinAreaPolygons() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return full_types(); }

  std::vector<ShapeKey> keys() const override {
    return {{"rows", "1000", "point sets", {"0", "1", "2", "3", "33"}}, boxes::PointSetsKey()};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"rows=3"}};
    for (const char* kind : {"scattered", "grid", "triangle", "line", "far"}) {
      samples.push_back({std::string("rows=200,sets=") + kind});
    }
    samples.push_back({"rows=1"});
    samples.push_back({"rows=8000", true});
    return samples;
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"2000", "rows=2000"}, {"21824", "rows=21824", "", BenchmarkCase::kFew}};
  }

  // A hull of nine points, 20 turns of 7 operations; some 6 sides, each with 6 corners of 8.
  Work WorkOf(const Call& call) const override {
    Work work = Function::WorkOf(call);
    work.flops = (20 * 7 + 6 * 6 * 8) * static_cast<double>(call["points"].extents[0]);
    work.in_double = true;
    return work;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t rows = shape.Int("rows");
    Call call;
    call.tensors = {Input("points", MLUOP_LAYOUT_ARRAY, type, {rows, 18}),
                    Output("quads", MLUOP_LAYOUT_ARRAY, type, {rows, 8})};
    Random random(seed);
    boxes::FillPointSets(call.tensors[0], boxes::PointSetsOf(shape), boxes::FieldFor(rows), random);
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.detopsMinAreaPolygons(handle, a.desc("points"), a.data("points"), a.desc("quads"), a.data("quads"));
  }

  Expected Reference(const Call& call) const override {
    const Tensor& points = call["points"];
    detops_reference::RectangleResult result =
        detops_reference::MinAreaPolygons(points.type, points.extents[0], points.contents.data());
    Expected expected;
    expected.tensors["quads"] = std::move(result.corners);
    expected.magnitudes["quads"] = std::move(result.magnitudes);
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) { catalogue.Add(std::make_unique<MinAreaPolygons>()); }

}  // namespace detops_harness::min_area_polygons
