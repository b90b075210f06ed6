#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "operators/common.h"
#include "operators/registry.h"
#include "ops/psroipool/bench/cases.h"
#include "ops/psroipool/reference/reference.h"

namespace detops_cli::old {
namespace {

using detops_cases::PsRoiPoolCase;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// What the standard's formula multiplies, over all rois and channels: pixels in bins, and bins that hold any.
struct Pooled {
  double pixels = 0, bins = 0;
};

Pooled CountPooled(const HostTensor& rois, const PsRoiPoolParams& params, int64_t height, int64_t width) {
  const auto covered = [](float start, float size, int bins, int64_t extent, int bin) {
    const float step = std::max(size, 0.1f) / static_cast<float>(bins);
    const auto cut = [extent](float x) { return std::clamp(x, 0.0f, static_cast<float>(extent)); };
    const float begin = cut(std::floor(static_cast<float>(bin) * step + start));
    const float end = cut(std::ceil(static_cast<float>(bin + 1) * step + start));
    return static_cast<double>(std::max(end - begin, 0.0f));
  };
  Pooled pooled;
  for (int64_t roi = 0; roi < rois.extents[0]; ++roi) {
    const auto corner = [&](int column, float grow) {
      return (std::round(static_cast<float>(rois.Get(roi * 5 + column))) + grow) * params.spatial_scale;
    };
    const float x = corner(1, 0), y = corner(2, 0), w = corner(3, 1) - x, h = corner(4, 1) - y;
    double across = 0, down = 0, columns = 0, rows = 0;
    for (int bin = 0; bin < params.pooled_width; ++bin) {
      const double extent = covered(x, w, params.pooled_width, width, bin);
      across += extent;
      columns += extent > 0 ? 1 : 0;
    }
    for (int bin = 0; bin < params.pooled_height; ++bin) {
      const double extent = covered(y, h, params.pooled_height, height, bin);
      down += extent;
      rows += extent > 0 ? 1 : 0;
    }
    pooled.pixels += across * down * params.output_dim;
    pooled.bins += columns * rows * params.output_dim;
  }
  return pooled;
}

class PsRoiPool : public Operator {
 public:
  explicit PsRoiPool(bool backward) : backward_(backward) {}

  std::string_view name() const override { return backward_ ? "psroipool_backward" : "psroipool_forward"; }
  std::string_view function() const override { return backward_ ? "mluOpPsRoiPoolBackward" : "mluOpPsRoiPoolForward"; }
  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }
  std::vector<mluOpDataType_t> full_types() const override {
    return {MLUOP_DTYPE_HALF, MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16};
  }
  std::vector<ShapeKey> keys() const override {
    return {{"batch", "1", "images"},
            {"height", "14", "of the map"},
            {"width", "14", "of the map"},
            {"rois", "320", "regions"},
            {"pooled", "7", "bins per side"},
            {"dim", "8", "output_dim; the map has pooled x pooled x dim channels"},
            {"scale", "1", "spatial_scale"},
            {"corners", "inside", "of the rois; anywhere: also outside the map, reversed, and far too small"},
            {"mapping", "forward", "backward: channels as forward gives them, or shuffled"},
            SpecialsKey()};
  }

  bool Available(const Library& library) const override {
    return backward_ ? library->mluOpPsRoiPoolBackward != nullptr : library->mluOpPsRoiPoolForward != nullptr;
  }

  void Validate(const Shape& shape) const override {
    Sizes(shape);
    shape.Int("specials");
    shape.Choice("corners", {"inside", "anywhere"});
    shape.Choice("mapping", {"forward", "shuffled"});
  }

  Case Make(const Shape& shape, mluOpDataType_t type, bool full_profile, uint64_t seed) const override {
    const PsRoiPoolCase sizes = Sizes(shape);
    Case c;
    c.op = this;
    c.full_profile = full_profile;
    c.params = PsRoiPoolParams{sizes.pooled, sizes.pooled, sizes.spatial_scale, sizes.pooled, sizes.output_dim};
    const std::vector<int64_t> map = {sizes.batch, sizes.height, sizes.width, sizes.channels()};
    const std::vector<int64_t> pooled = {sizes.rois, sizes.pooled, sizes.pooled, sizes.output_dim};
    HostTensor rois = InputTensor("rois", MLUOP_LAYOUT_ARRAY, type, {sizes.rois, 5});
    Fill(rois, shape.Choice("corners", {"inside", "anywhere"}) == 0
                   ? detops_cases::MakeRois(sizes, static_cast<unsigned>(seed + 1))
                   : RoisAnywhere(sizes, seed + 1));
    if (backward_) {
      c.inputs.push_back(InputTensor("top_grad", MLUOP_LAYOUT_NHWC, type, pooled));
      c.inputs.push_back(InputTensor("mapping_channel", MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, pooled));
      FillMapping(c.inputs[1], sizes, shape.Choice("mapping", {"forward", "shuffled"}) == 1, seed);
      c.outputs.push_back(OutputTensor("bottom_grad", MLUOP_LAYOUT_NHWC, type, map));
    } else {
      c.inputs.push_back(InputTensor("input", MLUOP_LAYOUT_NHWC, type, map));
      c.outputs.push_back(OutputTensor("output", MLUOP_LAYOUT_NHWC, type, pooled));
      c.outputs.push_back(OutputTensor("mapping_channel", MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, pooled));
    }
    FillUniform(c.inputs[0], seed);
    FillSpecials(c.inputs[0], shape);
    c.inputs.push_back(std::move(rois));
    return c;
  }

  std::string Summary(const Shape& shape) const override {
    const PsRoiPoolCase sizes = Sizes(shape);
    return fmt::format("{}x{}x{}x{}, {} rois, {}x{} bins", sizes.batch, sizes.height, sizes.width, sizes.channels(),
                       sizes.rois, sizes.pooled, sizes.pooled);
  }

  mluOpStatus_t WorkspaceSize(const Library&, const Invocation&, size_t* bytes) const override {
    *bytes = 0;
    return MLUOP_STATUS_SUCCESS;
  }

  mluOpStatus_t Call(const Library& library, Invocation& i) const override {
    const auto& p = ParamsAs<PsRoiPoolParams>(i);
    const auto& in = i.inputs;
    if (backward_) {
      return library->mluOpPsRoiPoolBackward(i.handle, p.pooled_height, p.pooled_width, p.spatial_scale, p.output_dim,
                                             in[0].desc, in[0].data, in[2].desc, in[2].data, in[1].desc, in[1].data,
                                             i.outputs[0].desc, i.outputs[0].data);
    }
    return library->mluOpPsRoiPoolForward(i.handle, p.pooled_height, p.pooled_width, p.spatial_scale, p.group_size,
                                          p.output_dim, in[0].desc, in[0].data, in[1].desc, in[1].data,
                                          i.outputs[0].desc, i.outputs[0].data, i.outputs[1].desc, i.outputs[1].data);
  }

  Baseline Reference(const Case& c) const override {
    const auto& p = std::get<PsRoiPoolParams>(c.params);
    const HostTensor& map = Map(c);
    const detops_reference::PsRoiPoolShape shape = {map.extents[0],  map.extents[1], map.extents[2], Rois(c).extents[0],
                                                    p.pooled_height, p.pooled_width, p.output_dim};
    const auto scale = static_cast<double>(p.spatial_scale);
    if (backward_) {
      return {
          {detops_reference::PsRoiPoolBackward(map.type, DETOPS_PSROIPOOL_RFCN, MLUOP_LAYOUT_NHWC, shape, scale,
                                               c.inputs[0].data.data(), Rois(c).data.data(), c.inputs[1].data.data())}};
    }
    auto result = detops_reference::PsRoiPoolForward(map.type, DETOPS_PSROIPOOL_RFCN, MLUOP_LAYOUT_NHWC, shape, scale,
                                                     map.data.data(), Rois(c).data.data());
    return {{std::move(result.output), ToDouble(result.mapping_channel)}};
  }

  Theory TheoryOf(const Case& c) const override {
    const HostTensor& map = Map(c);
    const Pooled pooled = CountPooled(Rois(c), std::get<PsRoiPoolParams>(c.params), map.extents[1], map.extents[2]);
    const double operations = 7 * pooled.pixels + (backward_ ? 0 : pooled.bins);
    // The bound counts bytes only: sums over windows need far fewer additions than one per pixel.
    return {operations, AllBytes(c), {AllBytes(c), 0, map.type == MLUOP_DTYPE_DOUBLE}};
  }

  std::vector<BadCall> BadCalls(const Case& c) const override {
    using P = PsRoiPoolParams;
    const int rois = backward_ ? 2 : 1;
    std::vector<BadCall> calls = {
        Refused("pooled_height is off by 1", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).pooled_height += 1; }),
        Refused("pooled_width is off by 1", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).pooled_width += 1; }),
        Refused("output_dim is off by 1", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).output_dim += 1; }),
        Refused("spatial_scale is 0", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).spatial_scale = 0; }),
        RefusedValue(c, rois, 0, -1),
        RefusedValue(c, rois, 0, static_cast<double>(Map(c).extents[0])),
        RefusedValue(c, rois, 0, 0.5),
        RefusedValue(c, rois, c.inputs[static_cast<size_t>(rois)].elements() - 1, kNaN)};
    if (backward_) {
      calls.push_back(RefusedValue(c, 1, 0, -1));
      calls.push_back(RefusedValue(c, 1, c.inputs[1].elements() - 1, static_cast<double>(Map(c).extents[3])));
    } else {
      calls.push_back(
          Refused("group_size is off by 1", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).group_size += 1; }));
    }
    return calls;
  }

 private:
  static PsRoiPoolCase Sizes(const Shape& shape) {
    const auto number = [&](const char* key) { return static_cast<int>(shape.Int(key, 1)); };
    return {"",
            number("batch"),
            number("height"),
            number("width"),
            number("rois"),
            number("pooled"),
            number("dim"),
            ScaleOf(shape)};
  }

  // Rois that a detector should not send, but does: reaching out of the map, outside it, reversed, without size.
  static std::vector<float> RoisAnywhere(const PsRoiPoolCase& sizes, uint64_t seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    const float width = static_cast<float>(sizes.width) / sizes.spatial_scale;
    const float height = static_cast<float>(sizes.height) / sizes.spatial_scale;
    std::uniform_real_distribution<float> share(-0.5f, 1.5f);
    std::vector<float> rois;
    for (int roi = 0; roi < sizes.rois; ++roi) {
      const float x1 = share(random) * width, y1 = share(random) * height;
      const float x2 = share(random) * width, y2 = share(random) * height;
      const bool point = roi % 5 == 0;
      rois.insert(rois.end(),
                  {static_cast<float>(roi % sizes.batch), x1, y1, point ? x1 - 1 : x2, point ? y1 - 1 : y2});
    }
    return rois;
  }

  static void FillMapping(HostTensor& mapping, const PsRoiPoolCase& sizes, bool shuffled, uint64_t seed) {
    if (shuffled) {
      std::mt19937 random(static_cast<unsigned>(seed + 3));
      for (int64_t i = 0; i < mapping.elements(); ++i) {
        mapping.Set(i, static_cast<double>(random() % static_cast<unsigned>(sizes.channels())));
      }
      return;
    }
    int64_t position = 0;
    for (int roi = 0; roi < sizes.rois; ++roi) {
      for (int bin = 0; bin < sizes.pooled * sizes.pooled; ++bin) {
        for (int d = 0; d < sizes.output_dim; ++d) mapping.Set(position++, d * sizes.pooled * sizes.pooled + bin);
      }
    }
  }

  const HostTensor& Map(const Case& c) const { return backward_ ? c.outputs[0] : c.inputs[0]; }
  const HostTensor& Rois(const Case& c) const { return c.inputs[backward_ ? 2 : 1]; }

  const bool backward_;
};

}  // namespace

const Operator* PsRoiPoolForward() {
  static const PsRoiPool op(false);
  return &op;
}
const Operator* PsRoiPoolBackward() {
  static const PsRoiPool op(true);
  return &op;
}

}  // namespace detops_cli::old
