// What the document's formulas count, and shapes worth timing.
#include <algorithm>
#include <cmath>

#include "ops/psroipool/contract/psroipool.h"

namespace detops_harness::psroipool {
namespace {

// Along one axis, over all bins of a roi: pixels, and bins that hold any.
struct Covered {
  Covered(float start, float size, int64_t bins, int64_t extent) {
    const float step = std::max(size, 0.1f) / static_cast<float>(bins);
    const auto cut = [&](float place) { return std::clamp(place, 0.0f, static_cast<float>(extent)); };
    for (int64_t bin = 0; bin < bins; ++bin) {
      const float begin = cut(std::floor(static_cast<float>(bin) * step + start));
      const float end = cut(std::ceil(static_cast<float>(bin + 1) * step + start));
      pixels += static_cast<double>(std::max(end - begin, 0.0f));
      held += end > begin ? 1 : 0;
    }
  }
  double pixels = 0, held = 0;
};

}  // namespace

Theory TheoryOf(const Call& call, const Kind& kind) {
  const Tensor &map = call[kind.map()], &rois = call["rois"];
  const Axes axes(map.layout);
  const auto scale = static_cast<float>(ScaleOf(call, kind));
  double pixels = 0, bins = 0;
  for (int64_t roi = 0; roi < rois.extents[0]; ++roi) {
    const auto corner = [&](int column, float grow) {
      return (std::round(static_cast<float>(rois.Get(roi * 5 + column))) + grow) * scale;
    };
    const float x = corner(1, 0), y = corner(2, 0);
    const Covered across(x, corner(3, 1) - x, call.integer("pooled_width"), map.extents[axes.width]);
    const Covered down(y, corner(4, 1) - y, call.integer("pooled_height"), map.extents[axes.height]);
    pixels += across.pixels * down.pixels;
    bins += across.held * down.held;
  }
  const double operations = 7 * pixels + (kind.forward ? bins : 0);
  return {operations * static_cast<double>(call.integer("output_dim")), AllBytes(call)};
}

std::string SummaryOf(const Shape& shape) {
  const int64_t pooled = shape.Int("pooled");
  const auto bins = std::to_string(pooled);
  return shape.Word("batch") + "x" + shape.Word("height") + "x" + shape.Word("width") + "x" +
         std::to_string(pooled * pooled * shape.Int("dim")) + ", " + shape.Word("rois") + " rois, " + bins + "x" +
         bins + " bins";
}

std::vector<BenchmarkCase> BenchmarksOf(const Kind& kind) {
  if (kind.workspace) return {};  // does the same as the one without
  const std::string pass = kind.forward ? "forward/" : "backward/";
  std::vector<BenchmarkCase> cases;
  for (const auto& [name, shape] :
       {std::pair<std::string, std::string>{"14x14x392_320x7x7x8",
                                            "batch=1,height=14,width=14,rois=320,pooled=7,dim=8,scale=1"},
        // The document says 198 channels, which 3 x 3 x 21 are not.
        {"2x14x14x189_493x3x3x21", "batch=2,height=14,width=14,rois=493,pooled=3,dim=21,scale=0.0625"},
        {"64x64x1029_2000x7x7x21", "batch=1,height=64,width=64,rois=2000,pooled=7,dim=21,scale=0.0625"},
        {"64x64x1029_20000x7x7x21", "batch=1,height=64,width=64,rois=20000,pooled=7,dim=21,scale=0.0625"},
        {"7x7x9_1x3x3x1", "batch=1,height=7,width=7,rois=1,pooled=3,dim=1,scale=1"}}) {
    if (kind.extension) {
      cases.push_back(
          {pass + name, shape + ",convention=torchvision,layout=NCHW", "torchvision_nchw", BenchmarkCase::kOne});
    } else {
      cases.push_back({pass + name, shape});
    }
  }
  return cases;
}

}  // namespace detops_harness::psroipool
