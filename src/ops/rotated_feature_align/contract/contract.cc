// What rotated_feature_align promises, and how to call it.
#include <memory>
#include <utility>

#include "harness/catalogue.h"
#include "harness/fill.h"
#include "harness/pass.h"
#include "harness/rules.h"
#include "ops/rotated_feature_align/reference/reference.h"

namespace detops_harness::rotated_feature_align {
namespace {

// Pixels of one image, in 32 bits; backward counts the four taps of each point. The tensors are as large as the
// machine's addresses allow, so nothing may read them.
Rules PixelLimit(const std::string& source, bool forward) {
  const auto pixels = [](int64_t height, int64_t width, int64_t points) {
    return [=](Call& call) {
      call.profile = DETOPS_PROFILE_FULL;
      call.value_checks = false;
      call.integers.at("points") = points;
      for (const auto& [dim, value] :
           {std::pair<const char*, int64_t>{"N", 1}, {"H", height}, {"W", width}, {"C", 1}}) {
        WithDim(dim, value)(call);
      }
      for (Tensor& tensor : call.tensors) {
        tensor.type = MLUOP_DTYPE_HALF;
        tensor.reserved = true;
      }
    };
  };
  const BadClass kOverflow = BadClass::kOverflow;
  const Faults of_forward = {{kOverflow, "2^32 pixels", pixels(65536, 65536, 1)},
                             {kOverflow, "2^32 - 1 pixels", pixels(65537, 65535, 5), false}};
  const Faults of_backward = {{kOverflow, "2^30 pixels, 1 point", pixels(32768, 32768, 1)},
                              {kOverflow, "2^32 / 20 pixels, 5 points", pixels(5, 42949673, 5)},
                              {kOverflow, "fewer pixels, 1 point", pixels(32768, 32767, 1), false},
                              {kOverflow, "fewer pixels, 5 points", pixels(4, 53687091, 5), false}};
  return Own({"pixels of an image", MLUOP_STATUS_NOT_SUPPORTED,
              [=](Judgement& j) -> std::optional<std::string> {
                const int64_t taps = forward ? 1 : 4 * j.call.integer("points");
                const int64_t image = j.call[source].extents[1] * j.call[source].extents[2];
                if (image * taps < int64_t{1} << 32) return {};
                return source + " has too many pixels in one image, expected fewer than 2^32" +
                       (forward ? "." : " / (4 * points).");
              },
              forward ? of_forward : of_backward});
}

Rules Points() {
  return Integer(
      "points",
      {[](int64_t points, const Call&) { return points == 1 || points == 5; }, "1 or 5", {0, -1, 4}, BadClass::kSizes});
}

Contract MakeContract(bool forward) {
  const std::string source = forward ? "input" : "top_output", target = forward ? "output" : "bottom_input";
  const Names all = {source, "bboxes", target}, in_order = {source, target, "bboxes"};
  Contract contract(forward ? "mluOpRotatedFeatureAlignForward" : "mluOpRotatedFeatureAlignBackward");
  contract.Shape(source, {"N", "H", "W", "C"}).Shape("bboxes", {"N", "H", "W", 5}).Shape(target, {"N", "H", "W", "C"});
  const auto numbers = [&] {
    contract.Check("points is not 1 or 5", {Points()})
        .Check("spatial_scale is not finite and above 0", {FiniteAboveZero("spatial_scale", Precision::kFloat)});
  };
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check("rank is not 4", {Ranks(all)})
      .Check("type is not allowed, or not the same", {Floating({source}), SameType({"bboxes", target}, source)})
      .Check("layout of " + source + " or " + target + " is not NHWC", {Layouts({source, target}, MLUOP_LAYOUT_NHWC)})
      .Check("a tensor is not dense", {Dense(all)})
      .Check(target + " has not the shape of " + source, {Implied(Shapes({source})), Shapes({target})})
      .Check("bboxes is not [N, H, W, 5]", {Shapes({"bboxes"})});
  if (!forward) numbers();
  contract
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {Counts({source}), Implied(Counts({target})), Counts({"bboxes"})})
      .Check("a tensor has no elements", {NotEmpty({source}), Implied(NotEmpty({target, "bboxes"}))});
  if (forward) numbers();
  contract.Check("a data pointer is NULL", {Data(all)})
      .Check(target + " overlaps " + source + " or bboxes", {Separate(target, {source, "bboxes"})})
      .Check("a number in bboxes is NaN or Inf", {Finite("bboxes", "a box")})
      .Check(forward ? "one image has 2^32 pixels or more" : "one image has 2^32 / (4 * points) pixels or more",
             {PixelLimit(source, forward)});
  if (!forward) contract.Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch");
  contract.Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  const auto with_shape = [](std::initializer_list<int64_t> extents, detopsProfile_t profile) {
    return [=, sizes = std::vector<int64_t>(extents)](Call& call) {
      for (size_t axis = 0; axis < 4; ++axis) WithDim(std::string(1, "NHWC"[axis]), sizes[axis])(call);
      call.profile = profile;
    };
  };
  contract.Try(BadClass::kForm, "half among floats", [](Call& call) { call["bboxes"].type = MLUOP_DTYPE_HALF; })
      .Try(BadClass::kOverflow, "2^31 elements", with_shape({2, 1 << 15, 1 << 15, 1}, DETOPS_PROFILE_CONTRACT))
      .Try(BadClass::kOverflow, "2^66 elements",
           with_shape({int64_t{1} << 33, 1, int64_t{1} << 33, 1}, DETOPS_PROFILE_FULL))
      // Finite boxes never fail for their size: a sample that overflows adds nothing.
      .Defines(
          BadClass::kNotFinite, "the centre of a box overflows when it is scaled",
          [](Call& call) {
            Tensor& boxes = call["bboxes"];
            for (int64_t i = 0; i < boxes.elements(); ++i) boxes.Set(i, i % 5 == 0 ? 3e38 : 0);
            call.numbers.at("spatial_scale") = 16;
          },
          [=](const Call& call) {
            return call[target].Values() == call[source].Values() ? "" : "more than the pixel itself was added";
          })
      .CannotOccur({BadClass::kWorkspace, BadClass::kIndices, BadClass::kEnumerator})
      .CannotOccur({BadClass::kCoordinates}, "boxes may lie anywhere: what is beside the map adds nothing")
      .CannotOccur({BadClass::kDuplicates}, "boxes are independent of each other and may be equal")
      .CannotOccur({BadClass::kBatchId}, "its boxes have no batch id: there is one per pixel");
  return contract;
}

// One box, in feature pixels.
struct Box {
  double y, x, w, h, angle;
};

Box MakeBox(size_t kind, double row, double column, double height, double width, Random& random) {
  Box box = {random.Uniform(-2, height + 1), random.Uniform(-2, width + 1), random.Uniform(0, 7), random.Uniform(0, 4),
             random.Angle()};
  switch (kind) {
    case 0:  // near: around its own pixel, as a detector's refinement stage makes them
      box.y = row + random.Uniform(-1.5, 1.5);
      box.x = column + random.Uniform(-1.5, 1.5);
      break;
    case 2:  // borders
      box = {random.OneOf({-1, 0, height - 1, height, height + 1}), random.OneOf({-1, 0, width - 1, width, width + 1}),
             random.OneOf({0, 2, 4}), random.OneOf({0, 2, 4}), 0};
      break;
    case 3:  // odd: far outside, without size, of negative size
      if (random.Below(3) == 0) box.y = random.OneOf({-100, 1000});
      box.w = random.OneOf({0, -3, 0.5});
      box.h = random.OneOf({0, -2, 0.25});
      break;
    default:  // anywhere on the map and a little beyond
      break;
  }
  return box;
}

struct Sizes {
  explicit Sizes(const Shape& shape)
      : extents{shape.Int("batch", 1), shape.Int("height", 1), shape.Int("width", 1), shape.Int("channels", 1)},
        scale(shape.Real("scale")),
        points(shape.Int("points")),
        boxes(shape.Choice("boxes", {"near", "anywhere", "borders", "odd"})),
        specials(shape.Int("specials") != 0) {
    if (scale < 1e-4 || scale > 1e4) throw ShapeError("--shape: scale must be between 0.0001 and 10000");
  }
  std::vector<int64_t> extents;
  double scale;
  int64_t points;
  size_t boxes;
  bool specials;
};

class Align : public Function {
 public:
  explicit Align(bool forward)
      : Function(MakeContract(forward)),
        forward_(forward),
        source_(forward ? "input" : "top_output"),
        target_(forward ? "output" : "bottom_input") {}

  std::vector<ShapeKey> keys() const override {
    return {{"batch", "2", "images", {"1", "2"}},
            {"height", "100", "of the map", {"1", "2", "3", "5", "6", "30"}},
            {"width", "50", "of the map", {"1", "2", "4", "6", "31"}},
            {"channels", "200", "of the map", {"1", "2", "3", "4", "5", "7", "8", "9", "16", "17", "31", "33", "72"}},
            {"scale", "0.125", "spatial_scale", {"1", "0.125", "0.3", "7"}},
            {"points", "1", "1 or 5 sample points", {"1", "5"}},
            {"boxes",
             "near",
             "near: around their pixels, anywhere: all over the map, borders, odd",
             {"near", "anywhere", "borders", "odd"}},
            {"specials", "0", "1: NaN and infinities among the features", {"0", "1"}}};
  }

  std::vector<Sample> samples() const override {
    // The extents of the first are all different, and none is 5, so that a confused axis is noticed.
    std::vector<Sample> samples = {{"batch=2,height=3,width=4,channels=6,scale=0.5,points=5"}};
    for (const char* channels : {"1", "3", "8", "17", "33", "64"}) {
      for (const char* rest :
           {"scale=1,points=1", "scale=0.125,points=5,boxes=anywhere", "scale=0.3,points=5,boxes=odd"}) {
        samples.push_back({std::string("batch=2,height=7,width=6,channels=") + channels + "," + rest});
      }
    }
    for (const char* size : {"height=1,width=1", "height=1,width=9", "height=9,width=1", "height=2,width=2"}) {
      samples.push_back({std::string("batch=3,channels=5,scale=1,points=5,boxes=borders,") + size});
    }
    samples.push_back({"batch=2,height=6,width=7,channels=17,scale=0.25,points=5,boxes=anywhere,specials=1"});
    samples.push_back({"batch=1,height=60,width=60,channels=96,scale=1,points=1", true});
    samples.push_back({"batch=1,height=60,width=60,channels=32,scale=1,points=5,boxes=anywhere", true});
    return samples;
  }

  // Section 3.7 of the design document, and the largest level of an R3Det feature pyramid.
  std::vector<BenchmarkCase> benchmarks() const override {
    const std::string pass = forward_ ? "forward/" : "backward/";
    std::vector<BenchmarkCase> cases;
    for (const auto& [name, shape] :
         {std::pair<std::string, std::string>{"case1", "batch=2,height=4,width=4,channels=30,scale=0.25,points=5"},
          {"case2", "batch=2,height=50,width=50,channels=600,scale=0.125,points=5"},
          {"case3", "batch=2,height=4,width=40,channels=30,scale=0.25,points=1"},
          {"case4", "batch=2,height=100,width=50,channels=200,scale=0.125,points=1"},
          {"r3det_p3", "batch=1,height=128,width=128,channels=256,scale=0.125,points=1"}}) {
      cases.push_back({pass + name, shape, "near"});
      cases.push_back({pass + name, shape + ",boxes=anywhere", "anywhere", BenchmarkCase::kOne});
    }
    return cases;
  }

  // Four multiply-adds per element and point.
  Work WorkOf(const Call& call) const override {
    Work work = Function::WorkOf(call);
    work.flops = static_cast<double>(call[source_].elements() * 8 * call.integer("points"));
    return work;
  }

  std::string Summary(const Shape& shape) const override {
    std::string text;
    for (const char* key : {"batch", "height", "width", "channels"})
      text += (text.empty() ? "" : "x") + shape.Word(key);
    return text + ", " + shape.Word("points") + (shape.Int("points") == 1 ? " point" : " points");
  }

  void Validate(const Shape& shape) const override { Numbers(Sizes(shape)); }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const Sizes sizes(shape);
    const auto& [extents, scale, points, kind, specials] = sizes;
    Call call = Numbers(sizes);
    call.tensors = {Input(source_, MLUOP_LAYOUT_NHWC, type, extents),
                    Input("bboxes", MLUOP_LAYOUT_ARRAY, type, {extents[0], extents[1], extents[2], 5}),
                    Output(target_, MLUOP_LAYOUT_NHWC, type, extents)};
    Random random(seed);
    FillSigned(call.tensors[0], random);
    if (specials) FillSpecials(call.tensors[0]);
    const auto height = static_cast<double>(extents[1]), width = static_cast<double>(extents[2]);
    for (int64_t pixel = 0; pixel < extents[0] * extents[1] * extents[2]; ++pixel) {
      const Box box = MakeBox(kind, static_cast<double>(pixel / extents[2] % extents[1]),
                              static_cast<double>(pixel % extents[2]), height, width, random);
      const double numbers[] = {box.y / scale, box.x / scale, box.w / scale, box.h / scale, box.angle};
      for (int64_t i = 0; i < 5; ++i) call.tensors[1].Set(pixel * 5 + i, numbers[i]);
    }
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    const auto align = forward_ ? library.mluOpRotatedFeatureAlignForward : library.mluOpRotatedFeatureAlignBackward;
    return Pass(align, handle, a, T{source_}, T{"bboxes"}, a.number("spatial_scale"), a.integer("points"), T{target_});
  }

  Expected Reference(const Call& call) const override {
    const auto align =
        forward_ ? detops_reference::RotatedFeatureAlignForward : detops_reference::RotatedFeatureAlignBackward;
    const auto compute = [&](const Tensor& map) {
      return align(map.type, map.extents[0], map.extents[1], map.extents[2], map.extents[3], map.contents.data(),
                   call["bboxes"].contents.data(), static_cast<float>(call.number("spatial_scale")),
                   static_cast<int>(call.integer("points")));
    };
    Expected expected;
    expected.tensors[target_] = compute(call[source_]);
    // Weights are not negative, so this is the sum of the terms' magnitudes. Gradients that cancel each other leave a
    // result to which rounding errors are not relative.
    Tensor magnitudes = call[source_];
    for (int64_t i = 0; i < magnitudes.elements(); ++i) magnitudes.Set(i, std::abs(magnitudes.Get(i)));
    expected.magnitudes[target_] = compute(magnitudes);
    return expected;
  }

 private:
  // A call without tensors.
  Call Numbers(const Sizes& sizes) const {
    Call call;
    call.numbers["spatial_scale"] = sizes.scale;
    call.integers["points"] = sizes.points;
    Obey(call, {"points"});
    return call;
  }

  bool forward_;
  const char *source_, *target_;
};

}  // namespace

void AddTo(Catalogue& catalogue) {
  for (const bool forward : {true, false}) catalogue.Add(std::make_unique<Align>(forward));
}

}  // namespace detops_harness::rotated_feature_align
