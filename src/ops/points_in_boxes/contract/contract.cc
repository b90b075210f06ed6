// What points_in_boxes promises, and how to call it.
#include <cmath>
#include <memory>
#include <utility>

#include "boxes/contract/scene.h"
#include "harness/catalogue.h"
#include "harness/fill.h"
#include "harness/rules.h"
#include "ops/points_in_boxes/reference/reference.h"

namespace detops_harness::points_in_boxes {
namespace {

constexpr int64_t kMostBoxesOfContract = 14042;

// Boxes are numbered by int32. Tensors as large as this have no data.
Rules NumberOfBoxes() {
  const auto boxes = [](int64_t count, int64_t batch) {
    return [=](Call& call) {
      call.profile = DETOPS_PROFILE_FULL;
      WithDim("B", batch)(call);
      WithDim("T", count)(call);
    };
  };
  return Own({"boxes of a batch",
              MLUOP_STATUS_NOT_SUPPORTED,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t count = j.call["boxes"].extents[1];
                if (count <= INT32_MAX) return {};
                return Format("boxes has %lld boxes, expected fewer than 2147483648.", static_cast<long long>(count));
              },
              {{BadClass::kOverflow, "2^31 boxes", boxes(int64_t{1} << 31, 2)},
               {BadClass::kOverflow, "2^31 boxes, no batch", boxes(int64_t{1} << 31, 0), false},
               {BadClass::kOverflow, "2^31 - 1 boxes", boxes(INT32_MAX, 2), false}}});
}

Rules BoxesOfContract() {
  // No data pointer may be NULL before this rule, so the boxes are there.
  const auto boxes = [](int64_t count, bool full) {
    return [=](Call& call) {
      WithDim("T", count)(call);
      Tensor& tensor = call["boxes"];
      // Unless another fault has made something enormous.
      if (tensor.elements() < 1 << 20) tensor.contents.resize(static_cast<size_t>(tensor.byte_count()));
      if (full) call.profile = DETOPS_PROFILE_FULL;
    };
  };
  return Own({"boxes of the contract",
              MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t count = j.call["boxes"].extents[1];
                if (j.call.full() || count <= kMostBoxesOfContract) return {};
                return Format("boxes has %lld boxes, expected at most 14042%s.", static_cast<long long>(count),
                              kFullProfileLifts);
              },
              {{BadClass::kOverflow, "14043 boxes", boxes(kMostBoxesOfContract + 1, false)},
               {BadClass::kOverflow, "14042 boxes", boxes(kMostBoxesOfContract, false), false},
               {BadClass::kOverflow, "14043 boxes, full profile", boxes(kMostBoxesOfContract + 1, true), false}}});
}

Faults EmptyFaults() {
  const BadClass kEmpty = BadClass::kEmpty;
  const auto no_boxes = [](const char* null) {
    return [=](Call& call) {
      WithDim("T", 0)(call);
      call[null].has_data = false;
    };
  };
  return {{kEmpty, "no boxes", WithDim("T", 0)},
          {kEmpty, "no points", WithDim("M", 0)},
          {kEmpty, "no batch", WithDim("B", 0)},
          {kEmpty, "no boxes, int64",
           [](Call& call) {
             call.profile = DETOPS_PROFILE_FULL;
             Tensor& out = call["points_indices"];
             out.type = MLUOP_DTYPE_INT64;
             if (out.elements() < 1 << 20) out.bytes = static_cast<size_t>(out.byte_count());
             WithDim("T", 0)(call);
           },
           false},
          {kEmpty, "no boxes, no data of points", no_boxes("points"), false},
          {kEmpty, "no boxes, no place for the result", no_boxes("points_indices"), false}};
}

std::string NotOutside(const Call& call) {
  for (const double index : call["points_indices"].Values()) {
    if (index != -1) return "a point lies in a box";
  }
  return "";
}

Contract MakeContract() {
  const std::string out = "points_indices";
  const Names inputs = {"points", "boxes"}, all = {"points", "boxes", out};
  Contract contract("mluOpPointsInBoxes");
  contract.Shape("points", {"B", "M", 3}).Shape("boxes", {"B", "T", 7}).Shape(out, {"B", "M"});
  const auto box = [](std::initializer_list<std::pair<int, double>> numbers) {
    return [=, changes = std::vector<std::pair<int, double>>(numbers)](Call& call) {
      for (int64_t i = 0; i < call["boxes"].elements(); ++i) {
        for (const auto& [number, value] : changes) {
          if (i % 7 == number) call["boxes"].Set(i, value);
        }
      }
    };
  };
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check("rank of points or boxes is not 3, of points_indices not 2", {Ranks(all)})
      .Check(
          "type of points is not float (full profile: nor half, double or bfloat16), of boxes not that of points, "
          "of points_indices not int32 (full profile: nor int64)",
          {FloatUnlessFull({"points"}), SameType({"boxes"}, "points"), Int32UnlessFull({out})})
      .Check("layout is not ARRAY", {Layouts(all, MLUOP_LAYOUT_ARRAY)})
      .Check("batches are not the same", {Implied(Axis("points", 0, "B")), Axis("boxes", 0, "B"), Axis(out, 0, "B")})
      .Check("points_indices has another number of points", {Implied(Axis("points", 1, "M")), Axis(out, 1, "M")})
      .Check("points has not 3 numbers, or boxes not 7", {Axis("points", 2, 3), Axis("boxes", 2, 7)})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("points or boxes has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {Counts(inputs)})
      .Check("points_indices has more than int64 bytes can count",
             {WithFaults(Counts({out}), {{BadClass::kOverflow, "2^60 points, int64",
                                          [](Call& call) {
                                            call.profile = DETOPS_PROFILE_FULL;
                                            for (const char* half : {"points", "boxes"}) {
                                              call[half].type = MLUOP_DTYPE_HALF;
                                            }
                                            call["points_indices"].type = MLUOP_DTYPE_INT64;
                                            WithDim("B", 1)(call);
                                            WithDim("M", int64_t{1} << 60)(call);
                                          }}})})
      .Check("T is 2^31 or more", {NumberOfBoxes()})
      .Check("a tensor has no elements: points_indices becomes -1 if it has elements and a data pointer",
             {Done(
                 "no elements", [](const Call& call) { return AnyEmpty(call, {"points", "boxes", "points_indices"}); },
                 EmptyFaults())})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("contract profile: T is above 14042", {BoxesOfContract()})
      .Check("points_indices overlaps points or boxes", {Separate(out, inputs)})
      .Check("a number in boxes is NaN or Inf", {Finite("boxes", "a box")})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  contract.Try(BadClass::kForm, "half in the contract profile", [](Call& call) {
    for (const char* half : {"points", "boxes"}) call[half].type = MLUOP_DTYPE_HALF;
  });
  contract.Defines(BadClass::kEmpty, "no boxes: no point lies in one", WithDim("T", 0), NotOutside)
      .Defines(BadClass::kSizes, "boxes with dx = 0 contain nothing", box({{3, 0}}), NotOutside)
      .Defines(BadClass::kSizes, "boxes with dy below 0 contain nothing", box({{4, -2}}), NotOutside)
      .Defines(BadClass::kSizes, "boxes with dz below 0 contain nothing", box({{5, -1e-30}}), NotOutside)
      .Defines(BadClass::kNotFinite, "sizes whose sum with the margin overflows contain all that is finite",
               box({{0, 0}, {1, 0}, {2, 0}, {3, 3e38}, {4, 3e38}, {5, 3e38}, {6, 0}}), [](const Call& call) {
                 for (const double index : call["points_indices"].Values()) {
                   if (index != 0) return "a point lies not in the first box";
                 }
                 return "";
               });
  contract.CannotOccur({BadClass::kWorkspace, BadClass::kIndices, BadClass::kEnumerator})
      .CannotOccur({BadClass::kCoordinates}, "points may lie anywhere: those in no box, NaN and Inf too, get -1")
      .CannotOccur({BadClass::kDuplicates}, "points and boxes may be equal: the first box wins")
      .CannotOccur({BadClass::kBatchId}, "the batch is an axis of the tensors");
  return contract;
}

class PointsInBoxes : public Function {
 public:
  PointsInBoxes() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }

  std::vector<ShapeKey> keys() const override {
    return {{"batch", "1", "B", {"1", "2", "3"}},
            {"points", "16384", "of a batch", {"1", "7", "16", "33", "255", "256", "257", "300"}},
            {"boxes", "128", "of a batch", {"1", "2", "8", "9", "63", "64", "65", "130"}},
            boxes::SceneKey(),
            {"long", "0", "1: int64 indices; full profile only", {"0", "1"}, false}};
  }

  std::vector<Sample> samples() const override {
    // The first has different extents, none of them 3 or 7.
    std::vector<Sample> samples = {{"batch=2,points=4,boxes=5"}};
    for (const std::string& scene : boxes::SceneKey().choices) {
      samples.push_back({"batch=2,points=300,boxes=6,scene=" + scene});
      samples.push_back({"batch=2,points=517,boxes=70,scene=" + scene});
    }
    for (const char* boxes : {"1", "8", "9", "64", "65"}) {
      samples.push_back({"batch=1,points=257,scene=faces,boxes=" + std::string(boxes)});
    }
    samples.push_back({"batch=3,points=33,boxes=12,scene=scattered,long=1"});
    samples.push_back({"batch=1,points=60,boxes=4200,scene=traffic"});  // two words of summary
    samples.push_back({"batch=2,points=20000,boxes=40", true});
    samples.push_back({"batch=1,points=40000,boxes=3,scene=crowd", true});
    return samples;
  }

  // The document's case; one scan of KITTI, sampled, and a Waymo scan with all boxes of a scene; training with the most
  // boxes the contract knows.
  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"16384x128", "points=16384,boxes=128"},
            {"4x16384x32", "batch=4,points=16384,boxes=32", "", BenchmarkCase::kFew},
            {"160000x200", "points=160000,boxes=200"},
            {"16384x14042", "points=16384,boxes=14042", "", BenchmarkCase::kFew},
            {"16384x128_crowd", "points=16384,boxes=128,scene=crowd", "", BenchmarkCase::kOne},
            {"16384x5", "points=16384,boxes=5", "", BenchmarkCase::kFew}};
  }

  Theory TheoryOf(const Call& call) const override {
    const auto points = static_cast<double>(call["points_indices"].elements());
    return {8 * points + 21 * points * static_cast<double>(call["boxes"].extents[1]), AllBytes(call)};
  }

  std::string Summary(const Shape& shape) const override {
    return shape.Word("batch") + "x" + shape.Word("points") + " points, " + shape.Word("boxes") + " boxes";
  }

  void Validate(const Shape& shape) const override {
    for (const char* key : {"batch", "points", "boxes"}) (void)shape.Int(key, 1);
    boxes::SceneOf(shape);
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t batch = shape.Int("batch", 1), points = shape.Int("points", 1), boxes = shape.Int("boxes", 1);
    const mluOpDataType_t index_type = shape.Int("long") != 0 ? MLUOP_DTYPE_INT64 : MLUOP_DTYPE_INT32;
    const mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
    Call call;
    call.tensors = {Input("points", layout, type, {batch, points, 3}), Input("boxes", layout, type, {batch, boxes, 7}),
                    Output("points_indices", layout, index_type, {batch, points})};
    Random random(seed);
    const auto append = [](Tensor& to, int64_t first, const Tensor& from) {
      for (int64_t i = 0; i < from.elements(); ++i) to.Set(first + i, from.Get(i));
    };
    for (int64_t b = 0; b < batch; ++b) {
      Tensor own_points = Input("points", layout, type, {points, 3}),
             own_boxes = Input("boxes", layout, type, {boxes, 7});
      boxes::FillScene(shape, {.z_center = true, .xy_margin = 1e-5}, own_boxes, own_points, random);
      append(call.tensors[0], b * points * 3, own_points);
      append(call.tensors[1], b * boxes * 7, own_boxes);
    }
    return call;
  }

  Call MakeIn(detopsProfile_t profile, const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    Shape known = shape;
    if (profile == DETOPS_PROFILE_CONTRACT) known.Set("long", "0");
    return Function::MakeIn(profile, known, type, seed);
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.mluOpPointsInBoxes(handle, a.desc("points"), a.data("points"), a.desc("boxes"), a.data("boxes"),
                                      a.desc("points_indices"), a.data("points_indices"));
  }

  Expected Reference(const Call& call) const override {
    const Tensor &points = call["points"], &boxes = call["boxes"];
    Expected expected;
    expected.tensors["points_indices"] =
        detops_reference::PointsInBoxes(points.type, points.extents[0], points.extents[1], boxes.extents[1],
                                        points.contents.data(), boxes.contents.data());
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) { catalogue.Add(std::make_unique<PointsInBoxes>()); }

}  // namespace detops_harness::points_in_boxes
