#include <fmt/format.h>

#include <limits>

#include "common.h"
#include "errors.h"
#include "ops/rotated_feature_align/bench/cases.h"
#include "ops/rotated_feature_align/reference/reference.h"
#include "registry.h"

namespace detops_cli {
namespace {

using detops_cases::Boxes;
using detops_cases::RotatedFeatureAlignCase;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Both passes have the same tensors: a map and boxes in, a map out.
class RotatedFeatureAlign : public Operator {
 public:
  explicit RotatedFeatureAlign(bool backward) : backward_(backward) {}

  std::string_view name() const override {
    return backward_ ? "rotated_feature_align_backward" : "rotated_feature_align_forward";
  }
  std::string_view function() const override {
    return backward_ ? "mluOpRotatedFeatureAlignBackward" : "mluOpRotatedFeatureAlignForward";
  }
  std::string_view document() const override { return "003"; }
  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}; }
  std::vector<mluOpDataType_t> full_types() const override { return {MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16}; }
  std::string layouts() const override { return "maps NHWC, bboxes any"; }
  std::string profile_notes() const override { return "2^31 elements and more"; }
  std::vector<ShapeKey> keys() const override {
    return {{"batch", "2", "images"},
            {"height", "100", "of the map"},
            {"width", "50", "of the map"},
            {"channels", "200", "of the map"},
            {"scale", "0.125", "spatial_scale"},
            {"points", "1", "1 or 5 sample points"},
            {"boxes", "near", "near: around their pixels, anywhere: all over the map"},
            SpecialsKey()};
  }

  bool Available(const Library& library) const override {
    return backward_ ? library->mluOpRotatedFeatureAlignBackward != nullptr
                     : library->mluOpRotatedFeatureAlignForward != nullptr;
  }

  void Validate(const Shape& shape) const override {
    Sizes(shape);
    shape.Int("specials");
    shape.Choice("boxes", {"near", "anywhere"});
  }

  Case Make(const Shape& shape, mluOpDataType_t type, bool full_profile, uint64_t seed) const override {
    const RotatedFeatureAlignCase sizes = Sizes(shape);
    Case c;
    c.op = this;
    c.full_profile = full_profile;
    c.params = RotatedFeatureAlignParams{sizes.spatial_scale, sizes.points};
    const std::vector<int64_t> extents = {sizes.batch, sizes.height, sizes.width, sizes.channels};
    c.inputs.push_back(InputTensor(backward_ ? "top_output" : "input", MLUOP_LAYOUT_NHWC, type, extents));
    c.inputs.push_back(InputTensor("bboxes", MLUOP_LAYOUT_ARRAY, type, {sizes.batch, sizes.height, sizes.width, 5}));
    FillUniform(c.inputs[0], seed);
    FillSpecials(c.inputs[0], shape);
    const Boxes kind = shape.Choice("boxes", {"near", "anywhere"}) == 1 ? Boxes::kAnywhere : Boxes::kNear;
    Fill(c.inputs[1], detops_cases::MakeBoxes(sizes, kind, static_cast<unsigned>(seed + 1)));
    c.outputs.push_back(OutputTensor(backward_ ? "bottom_input" : "output", MLUOP_LAYOUT_NHWC, type, extents));
    PromiseAll(c, false);
    return c;
  }

  std::string Summary(const Shape& shape) const override {
    return fmt::format("{}x{}x{}x{}, {} point{}", shape.Int("batch"), shape.Int("height"), shape.Int("width"),
                       shape.Int("channels"), shape.Int("points"), shape.Int("points") == 1 ? "" : "s");
  }

  mluOpStatus_t WorkspaceSize(const Library&, const Invocation&, size_t* bytes) const override {
    *bytes = 0;
    return MLUOP_STATUS_SUCCESS;
  }

  mluOpStatus_t Call(const Library& library, Invocation& i) const override {
    const auto& params = ParamsAs<RotatedFeatureAlignParams>(i);
    const auto call = backward_ ? library->mluOpRotatedFeatureAlignBackward : library->mluOpRotatedFeatureAlignForward;
    return call(i.handle, i.inputs[0].desc, i.inputs[0].data, i.inputs[1].desc, i.inputs[1].data, params.spatial_scale,
                params.points, i.outputs[0].desc, i.outputs[0].data);
  }

  Baseline Reference(const Case& c) const override {
    const auto& params = std::get<RotatedFeatureAlignParams>(c.params);
    const HostTensor& map = c.inputs[0];
    const auto compute =
        backward_ ? detops_reference::RotatedFeatureAlignBackward : detops_reference::RotatedFeatureAlignForward;
    return {{compute(map.type, map.extents[0], map.extents[1], map.extents[2], map.extents[3], map.data.data(),
                     c.inputs[1].data.data(), params.spatial_scale, params.points)}};
  }

  Theory TheoryOf(const Case& c) const override {
    const auto& params = std::get<RotatedFeatureAlignParams>(c.params);
    const auto elements = static_cast<double>(c.inputs[0].elements());
    // Four multiplications and four additions a point.
    const double operations = elements * 8 * params.points;
    return {operations, AllBytes(c), {AllBytes(c), operations, c.inputs[0].type == MLUOP_DTYPE_DOUBLE}};
  }

  std::vector<BadCall> BadCalls(const Case& c) const override {
    using P = RotatedFeatureAlignParams;
    const int64_t last = c.inputs[1].elements() - 1;
    return {Refused("points is 3", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).points = 3; }),
            Refused("points is 0", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).points = 0; }),
            Refused("spatial_scale is 0", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).spatial_scale = 0; }),
            Refused("spatial_scale is -1", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).spatial_scale = -1; }),
            RefusedValue(c, 1, 0, kNaN),
            RefusedValue(c, 1, last, kInfinity)};
  }

 private:
  static RotatedFeatureAlignCase Sizes(const Shape& shape) {
    const auto number = [&](const char* key) { return static_cast<int>(shape.Int(key, 1)); };
    const int points = number("points");
    if (points != 1 && points != 5) throw UsageError("--shape: points must be 1 or 5");
    return {"", number("batch"), number("height"), number("width"), number("channels"), ScaleOf(shape), points};
  }

  const bool backward_;
};

}  // namespace

const Operator* RotatedFeatureAlignForward() {
  static const RotatedFeatureAlign op(false);
  return &op;
}
const Operator* RotatedFeatureAlignBackward() {
  static const RotatedFeatureAlign op(true);
  return &op;
}

}  // namespace detops_cli
