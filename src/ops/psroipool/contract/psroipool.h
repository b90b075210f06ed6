// What the files of this folder share: which of the functions is meant, and the sizes of a call.
#ifndef DETOPS_OPS_PSROIPOOL_CONTRACT_PSROIPOOL_H_
#define DETOPS_OPS_PSROIPOOL_CONTRACT_PSROIPOOL_H_

#include <functional>
#include <string>
#include <vector>

#include "harness/contract.h"
#include "harness/fill.h"
#include "harness/function.h"
#include "harness/rules.h"

namespace detops_harness::psroipool {

struct Kind {
  const char* function;
  bool forward;
  bool extension = false;  // all conventions, both layouts, full profile
  bool workspace = false;

  std::string map() const { return forward ? "input" : "bottom_grad"; }
  std::string pooled() const { return forward ? "output" : "top_grad"; }
  std::string source() const { return forward ? map() : pooled(); }
  std::string target() const { return forward ? pooled() : map(); }
};

// Axes of the map and of the pooled tensors.
struct Axes {
  explicit Axes(mluOpTensorLayout_t layout)
      : height(layout == MLUOP_LAYOUT_NCHW ? 2 : 1), width(height + 1), channels(height == 2 ? 1 : 3) {}
  size_t height, width, channels;
};

struct Sizes {
  int64_t batch, height, width, rois, pooled_height, pooled_width, dim;
};
// A product that does not fit is INT64_MAX.
int64_t ChannelsOf(int64_t pooled_height, int64_t pooled_width, int64_t dim);
// Describes a call of other sizes; memory stays as it is.
void SetSizes(Call& call, const Kind& kind, const Sizes& sizes);
// The same with a change of layout, as far as the call is NHWC.
void MakeChannelsFirst(Call& call);

detopsPsRoiPoolConvention_t ConventionOf(const Call& call, const Kind& kind);

Contract MakeContract(const Kind& kind);
std::vector<Sample> SamplesOf(const Kind& kind);
std::vector<BenchmarkCase> BenchmarksOf(const Kind& kind);
Theory TheoryOf(const Call& call, const Kind& kind);
std::string SummaryOf(const Shape& shape);

// The corners of a roi in pixels of the image; `unit` of them are one of the map.
struct Roi {
  double x1, y1, x2, y2;
};
std::vector<std::string> KindsOfRois();
Roi MakeRoi(const std::string& kind, double height, double width, double unit, int64_t index, Random& random);

// ---- the rules of rois.cc and limits.cc ----

// The scale as the function has it: rounded to float if it takes a float.
double ScaleOf(const Call& call, const Kind& kind);
Rules Scale(const Kind& kind);
Rules RoisAreFinite();
Rules BatchIdsAndOverflow(const Kind& kind);
Rules MappingChannels(const Kind& kind);

Rules CountsOf(const Kind& kind);
Rules SeparateFrom(const Kind& kind, const std::string& output, const Names& others);
// C, or H and W, are at most so many. For calls with a map that has elements.
Rules ChannelLimit(const Kind& kind);
Rules PixelLimits(const Kind& kind);
// The rules of a forward call whose map has no elements, up to the one that ends it.
Rules OverlapWithoutPixels(const Kind& kind);
Rules ChannelLimitWithoutPixels(const Kind& kind);
Rules NoPixels(const Kind& kind);

// The workspace becomes so many bytes, from a place in another argument on.
std::function<void(Call&)> WorkspaceInside(const std::string& other, int64_t at, int64_t bytes);

}  // namespace detops_harness::psroipool

#endif  // DETOPS_OPS_PSROIPOOL_CONTRACT_PSROIPOOL_H_
