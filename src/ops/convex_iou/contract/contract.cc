// What convex_iou promises, and how to call it.
#include <algorithm>
#include <memory>

#include "boxes/contract/point_sets.h"
#include "boxes/contract/quads.h"
#include "harness/catalogue.h"
#include "harness/fill.h"
#include "harness/rules.h"
#include "ops/convex_iou/reference/reference.h"

namespace detops_harness::convex_iou {
namespace {

constexpr char kTypes[] = "type is not allowed, or not the same", kShapes[] = "a shape is not as above",
               kDense[] = "a tensor is not dense",
               kCounts[] = "a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
               kFinite[] = "a number in points or quads is NaN or Inf";

Rules FiniteInputs() {
  Rules rules = Finite("points", "a point");
  const Rules more = Finite("quads", "a quadrilateral");
  rules.insert(rules.end(), more.begin(), more.end());
  return rules;
}

Contract WithAbsences(Contract contract) {
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
      .CannotOccur({BadClass::kSizes, BadClass::kWorkspace, BadClass::kIndices, BadClass::kEnumerator})
      .CannotOccur({BadClass::kCoordinates}, "points and corners may lie anywhere")
      .CannotOccur({BadClass::kDuplicates}, "points and quadrilaterals may be equal")
      .CannotOccur({BadClass::kBatchId}, "points and quadrilaterals have no batch id");
  return contract;
}

Contract IouContract() {
  const Names inputs = {"points", "quads"}, all = {"points", "quads", "ious"};
  Contract contract("detopsConvexIou");
  contract.Shape("points", {"n", 18}).Shape("quads", {"k", 8}).Shape("ious", {"n", "k"});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check(kTypes, {AnyFloating({"points"}), SameType({"quads", "ious"}, "points")})
      .Check("rank is not 2", {Ranks(all)})
      .Check(kShapes, {Shapes(all)})
      .Check(kDense, {Dense(all)})
      .Check("points or quads has no rows",
             {Done("no rows", [](const Call& call) { return AnyEmpty(call, {"points", "quads"}); },
                   {{BadClass::kEmpty, "no point sets", WithDim("n", 0)},
                    {BadClass::kEmpty, "no quadrilaterals", WithDim("k", 0)}})})
      .Check(kCounts, {Counts(all)})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("ious overlaps points or quads", {Separate("ious", inputs)})
      .Check(kFinite, {FiniteInputs()})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed")
      .Defines(BadClass::kEmpty, "no point sets", WithDim("n", 0),
               [](const Call& call) { return call["ious"].elements() == 0 ? "" : "there are results of no rows"; })
      .Defines(BadClass::kEmpty, "no quadrilaterals", WithDim("k", 0),
               [](const Call& call) { return call["ious"].elements() == 0 ? "" : "there are results of no rows"; });
  return WithAbsences(std::move(contract));
}

Contract GiouContract() {
  const Names inputs = {"points", "quads"}, all = {"points", "quads", "gious", "grad"};
  Contract contract("detopsConvexGiou");
  contract.Shape("points", {"n", 18}).Shape("quads", {"n", 8}).Shape("gious", {"n"}).Shape("grad", {"n", 18});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check(kTypes, {AnyFloating({"points"}), SameType({"quads", "gious", "grad"}, "points")})
      .Check("rank of gious is not 1, or that of another tensor not 2", {Ranks(all)})
      .Check(kShapes, {Shapes(all)})
      .Check(kDense, {Dense(all)})
      .Check("there are no rows", {Done("no rows", [](const Call& call) { return AnyEmpty(call, {"points"}); },
                                        {{BadClass::kEmpty, "no rows", WithDim("n", 0)}})})
      .Check(kCounts,
             {Counts({"points"}), Implied(Counts({"quads"})), Implied(Counts({"gious"})), Implied(Counts({"grad"}))})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("gious overlaps points or quads", {Separate("gious", inputs)})
      .Check("grad overlaps points, quads or gious", {Separate("grad", {"points", "quads", "gious"})})
      .Check(kFinite, {FiniteInputs()})
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed")
      .Defines(BadClass::kEmpty, "no rows", WithDim("n", 0),
               [](const Call& call) { return call["grad"].elements() == 0 ? "" : "there are results of no rows"; });
  return WithAbsences(std::move(contract));
}

// Four sides of a quadrilateral against nine corners at most: 36 distances of 5 operations, some 8 crossings of 6, an
// area of 7 triangles of 7; and a hull of nine points, 20 turns of 7.
constexpr double kPairFlops = 280, kHullFlops = 140;

class ConvexOverlap : public Function {
 public:
  using Function::Function;
  std::vector<mluOpDataType_t> contract_types() const override { return full_types(); }

 protected:
  // The first quadrilaterals are some sets' own: their hull, or a part of it.
  static void FillBoth(Call& call, const Shape& shape, bool by_rows, uint64_t seed) {
    Tensor &points = call.tensors[0], &quads = call.tensors[1];
    Random random(seed);
    const double field = by_rows ? 25 : boxes::FieldFor(std::max(points.extents[0], quads.extents[0]));
    boxes::FillPointSets(points, boxes::PointSetsOf(shape), field, random);
    boxes::FillQuads(quads, boxes::QuadsOf(shape), field, random);
    for (int64_t row = 1; row < std::min(points.extents[0], quads.extents[0]); row += 7) {
      for (int64_t i = 0; i < 8; ++i) quads.Set(row * 8 + i, points.Get(row * 18 + i));
    }
  }
};

class Iou : public ConvexOverlap {
 public:
  Iou() : ConvexOverlap(IouContract()) {}

  std::vector<ShapeKey> keys() const override {
    return {{"rows", "1000", "point sets", {"0", "1", "2", "3", "33"}},
            {"count", "100", "quadrilaterals", {"0", "1", "2", "5", "64", "65", "130"}},
            boxes::PointSetsKey(),
            boxes::QuadsKey()};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"rows=3,count=5"}};
    for (const char* kinds : {"sets=scattered,quads=turned", "sets=scattered,quads=star", "sets=grid,quads=grid",
                              "sets=triangle,quads=crossed", "sets=line,quads=degenerate", "sets=far,quads=far"}) {
      samples.push_back({std::string("rows=33,count=67,") + kinds});
    }
    samples.push_back({"rows=1,count=1"});
    samples.push_back({"rows=600,count=130", true});
    return samples;
  }

  // The points of an image's places that are kept, against its objects.
  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"iou/2000x64", "rows=2000,count=64"}, {"iou/20000x300", "rows=20000,count=300", "", BenchmarkCase::kOne}};
  }

  // The hulls alone: how many pairs meet depends on the numbers.
  Work WorkOf(const Call& call) const override {
    Work work = Function::WorkOf(call);
    work.flops =
        kHullFlops * static_cast<double>(call["points"].extents[0]) + 4 * static_cast<double>(call["ious"].elements());
    work.in_double = true;
    return work;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t rows = shape.Int("rows"), count = shape.Int("count");
    Call call;
    call.tensors = {Input("points", MLUOP_LAYOUT_ARRAY, type, {rows, 18}),
                    Input("quads", MLUOP_LAYOUT_ARRAY, type, {count, 8}),
                    Output("ious", MLUOP_LAYOUT_ARRAY, type, {rows, count})};
    FillBoth(call, shape, false, seed);
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.detopsConvexIou(handle, a.desc("points"), a.data("points"), a.desc("quads"), a.data("quads"),
                                   a.desc("ious"), a.data("ious"));
  }

  Expected Reference(const Call& call) const override {
    const Tensor &points = call["points"], &quads = call["quads"];
    detops_reference::ConvexIouResult result = detops_reference::ConvexIou(
        points.type, points.extents[0], quads.extents[0], points.contents.data(), quads.contents.data());
    Expected expected;
    expected.tensors["ious"] = std::move(result.values);
    expected.magnitudes["ious"] = std::move(result.magnitudes);
    return expected;
  }
};

class Giou : public ConvexOverlap {
 public:
  Giou() : ConvexOverlap(GiouContract()) {}

  std::vector<ShapeKey> keys() const override {
    return {{"rows", "1000", "pairs", {"0", "1", "2", "3", "33"}}, boxes::PointSetsKey(), boxes::QuadsKey()};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"rows=3"}};
    for (const char* kinds : {"sets=scattered,quads=turned", "sets=scattered,quads=star", "sets=grid,quads=grid",
                              "sets=triangle,quads=star", "sets=line,quads=degenerate", "sets=far,quads=far"}) {
      samples.push_back({std::string("rows=100,") + kinds});
    }
    samples.push_back({"rows=1"});
    samples.push_back({"rows=8000", true});
    return samples;
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"giou/2000", "rows=2000"}, {"giou/20000", "rows=20000", "", BenchmarkCase::kFew}};
  }

  // A hull, an overlap, the common hull of up to 13 points, and nine sides against four for the gradient.
  Work WorkOf(const Call& call) const override {
    Work work = Function::WorkOf(call);
    work.flops = (2 * kHullFlops + 2 * kPairFlops) * static_cast<double>(call["points"].extents[0]);
    work.in_double = true;
    return work;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t rows = shape.Int("rows");
    Call call;
    call.tensors = {
        Input("points", MLUOP_LAYOUT_ARRAY, type, {rows, 18}), Input("quads", MLUOP_LAYOUT_ARRAY, type, {rows, 8}),
        Output("gious", MLUOP_LAYOUT_ARRAY, type, {rows}), Output("grad", MLUOP_LAYOUT_ARRAY, type, {rows, 18})};
    FillBoth(call, shape, true, seed);
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.detopsConvexGiou(handle, a.desc("points"), a.data("points"), a.desc("quads"), a.data("quads"),
                                    a.desc("gious"), a.data("gious"), a.desc("grad"), a.data("grad"));
  }

  Expected Reference(const Call& call) const override {
    const Tensor &points = call["points"], &quads = call["quads"];
    detops_reference::GiouResult result =
        detops_reference::ConvexGiou(points.type, points.extents[0], points.contents.data(), quads.contents.data());
    Expected expected;
    expected.tensors["gious"] = std::move(result.values);
    expected.tensors["grad"] = std::move(result.gradient);
    expected.magnitudes["gious"] = std::move(result.value_magnitudes);
    expected.magnitudes["grad"] = std::move(result.magnitudes);
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) {
  catalogue.Add(std::make_unique<Iou>());
  catalogue.Add(std::make_unique<Giou>());
}

}  // namespace detops_harness::convex_iou
