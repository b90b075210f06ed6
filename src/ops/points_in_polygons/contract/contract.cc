// What points_in_polygons promises, and how to call it.
#include <array>
#include <cmath>
#include <memory>

#include "boxes/contract/quads.h"
#include "harness/catalogue.h"
#include "harness/fill.h"
#include "harness/rules.h"
#include "ops/points_in_polygons/reference/reference.h"

namespace detops_harness::points_in_polygons {
namespace {

Contract MakeContract() {
  const Names inputs = {"points", "quads"}, all = {"points", "quads", "inside"};
  Contract contract("detopsPointsInPolygons");
  contract.Shape("points", {"b", 2}).Shape("quads", {"m", 8}).Shape("inside", {"b", "m"});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check("type is not allowed, or not the same", {AnyFloating({"points"}), SameType({"quads", "inside"}, "points")})
      .Check("rank is not 2", {Ranks(all)})
      .Check("a shape is not as above", {Shapes(all)})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("points or quads has no rows",
             {Done("no rows", [](const Call& call) { return AnyEmpty(call, {"points", "quads"}); },
                   {{BadClass::kEmpty, "no points", WithDim("b", 0)},
                    {BadClass::kEmpty, "no quadrilaterals", WithDim("m", 0)}})})
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)", {Counts(all)})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("inside overlaps points or quads", {Separate("inside", inputs)})
      .Check("a number in points or quads is NaN or Inf",
             {Finite("points", "a point"), Finite("quads", "a quadrilateral")})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  contract
      .Try(BadClass::kOverflow, "2^31 points",
           [](Call& call) {
             WithDim("b", int64_t{1} << 31)(call);
             call.profile = DETOPS_PROFILE_CONTRACT;
           })
      .Try(BadClass::kOverflow, "2^61 points",
           [](Call& call) {
             WithDim("b", int64_t{1} << 61)(call);
             call.profile = DETOPS_PROFILE_FULL;
           })
      .Defines(BadClass::kEmpty, "no points", WithDim("b", 0),
               [](const Call& call) { return call["inside"].elements() == 0 ? "" : "there are results of no rows"; })
      .Defines(BadClass::kEmpty, "no quadrilaterals", WithDim("m", 0),
               [](const Call& call) { return call["inside"].elements() == 0 ? "" : "there are results of no rows"; })
      .CannotOccur({BadClass::kSizes, BadClass::kWorkspace, BadClass::kIndices, BadClass::kEnumerator})
      .CannotOccur({BadClass::kCoordinates}, "points and corners may lie anywhere")
      .CannotOccur({BadClass::kDuplicates}, "points and quadrilaterals are independent of each other and may be equal")
      .CannotOccur({BadClass::kBatchId}, "points and quadrilaterals have no batch id");
  return contract;
}

class PointsInPolygons : public Function {
 public:
  PointsInPolygons() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return full_types(); }

  std::vector<ShapeKey> keys() const override {
    return {{"points", "1000", "b", {"0", "1", "2", "3", "33"}},
            {"count", "100", "quadrilaterals", {"0", "1", "2", "5", "64", "65", "130"}},
            boxes::QuadsKey()};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"points=3,count=5"}};
    for (const char* kind : {"turned", "star", "crossed", "grid", "degenerate", "far"}) {
      samples.push_back({std::string("points=130,count=67,quads=") + kind});
      samples.push_back({std::string("points=300,count=3,quads=") + kind});
    }
    samples.push_back({"points=1,count=1"});
    samples.push_back({"points=3000,count=64,quads=star", true});
    return samples;
  }

  // The centres of a map of 128 x 128 and of a pyramid's levels, against the objects of a picture.
  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"16384x64", "points=16384,count=64"},
            {"21824x300", "points=21824,count=300", "", BenchmarkCase::kFew},
            {"16384x4", "points=16384,count=4", "", BenchmarkCase::kOne}};
  }

  // Four comparisons with the upright bounds; within them 4 sides of 6 operations.
  Work WorkOf(const Call& call) const override {
    Work work = Function::WorkOf(call);
    work.flops = 4 * static_cast<double>(call["inside"].elements());
    work.in_double = true;
    return work;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t points = shape.Int("points"), quads = shape.Int("count");
    const size_t kind = boxes::QuadsOf(shape);
    Call call;
    call.tensors = {Input("points", MLUOP_LAYOUT_ARRAY, type, {points, 2}),
                    Input("quads", MLUOP_LAYOUT_ARRAY, type, {quads, 8}),
                    Output("inside", MLUOP_LAYOUT_ARRAY, type, {points, quads})};
    Random random(seed);
    const double field = boxes::FieldFor(quads);
    boxes::FillQuads(call.tensors[1], kind, field, random);
    for (int64_t i = 0; i < points; ++i) {
      for (const auto& [axis, number] : NewPoint(call.tensors[1], field, kind, random)) {
        call.tensors[0].Set(2 * i + axis, number);
      }
    }
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.detopsPointsInPolygons(handle, a.desc("points"), a.data("points"), a.desc("quads"), a.data("quads"),
                                          a.desc("inside"), a.data("inside"));
  }

  Expected Reference(const Call& call) const override {
    const Tensor &points = call["points"], &quads = call["quads"];
    Expected expected;
    expected.tensors["inside"] = detops_reference::PointsInPolygons(points.type, points.extents[0], quads.extents[0],
                                                                    points.contents.data(), quads.contents.data());
    expected.exact = {"inside"};
    return expected;
  }

 private:
  using Numbers = std::array<std::pair<int64_t, double>, 2>;

  // Anywhere, on a corner, in the middle of a side or of a diagonal, or very near to one.
  static Numbers NewPoint(const Tensor& quads, double field, size_t kind, Random& random) {
    const double shift = kind == 5 ? 3000 : 0;  // of the quadrilaterals that are far
    const Numbers anywhere = {
        {{0, random.Uniform(-10, field + 10) + shift}, {1, random.Uniform(-10, field + 10) - shift}}};
    const int64_t choice = random.Below(4);
    if (choice == 0 || quads.extents[0] == 0) return anywhere;
    const int64_t row = 8 * random.Below(quads.extents[0]);
    const int64_t a = row + 2 * random.Below(4), b = choice == 1 ? a : row + 2 * random.Below(4);
    const double share = random.OneOf({0.5, 0.25, 1, 0.5000001});
    const auto along = [&](int64_t axis) {
      return quads.Get(a + axis) + share * (quads.Get(b + axis) - quads.Get(a + axis));
    };
    return {{{0, along(0)}, {1, along(1)}}};
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) { catalogue.Add(std::make_unique<PointsInPolygons>()); }

}  // namespace detops_harness::points_in_polygons
