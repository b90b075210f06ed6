// Conventions, layouts, bins, both directions and all types; the contract's functions, also with channels that are not
// forward's.
#include "golden/golden.h"

namespace detops_golden {
namespace {

struct Problem {
  const char* convention_name;
  bool contract;  // mluOpPsRoiPool...
  detopsPsRoiPoolConvention_t convention;
  mluOpTensorLayout_t layout;
  mluOpDataType_t type;
  int pooled_height, pooled_width, output_dim;
  int64_t size, rois;
};

enum class Pass { kForward, kBackward, kBackwardOtherChannels };
constexpr const char* kPassNames[] = {"forward", "backward", "backward_other_channels"};
constexpr float kScale = 0.25f;
constexpr int64_t kBatch = 2;

std::vector<int64_t> Extents(const Problem& problem, int64_t first, int64_t height, int64_t width, int64_t channels) {
  if (problem.layout == MLUOP_LAYOUT_NCHW) return {first, channels, height, width};
  return {first, height, width, channels};
}

// On the map and a little beside it; whole quarters of an image pixel.
void FillRois(Run& run, const Problem& problem, Tensor& rois) {
  const auto pixels = [&](int64_t low, int64_t high) {
    return static_cast<double>(run.Between(4 * low, 4 * high)) / 4;
  };
  for (int64_t i = 0; i < rois.elements(); i += 5) {
    const double x = pixels(-8, 4 * problem.size), y = pixels(-8, 4 * problem.size);
    rois.Set(i, static_cast<double>(run.Below(kBatch)));
    rois.Set(i + 1, x);
    rois.Set(i + 2, y);
    rois.Set(i + 3, x + pixels(0, 2 * problem.size));
    rois.Set(i + 4, y + pixels(0, 2 * problem.size));
  }
}

void Forward(Run& run, const Problem& problem, const Tensor& rois, Tensor& mapping, bool result) {
  const int ph = problem.pooled_height, pw = problem.pooled_width, dim = problem.output_dim;
  const int64_t channels = int64_t{ph} * pw * dim;
  const Signed input(run, problem.type, Extents(problem, kBatch, problem.size, problem.size + 1, channels),
                     problem.layout);
  Tensor output(problem.layout, problem.type, mapping.extents());
  run.Must(problem.contract
               ? mluOpPsRoiPoolForward(run.handle(), ph, pw, kScale, ph, dim, input.desc(), input.data(), rois.desc(),
                                       rois.data(), output.desc(), output.data(), mapping.desc(), mapping.data())
               : detopsPsRoiPoolForward(run.handle(), problem.convention, ph, pw, double{kScale}, dim, input.desc(),
                                        input.data(), rois.desc(), rois.data(), output.desc(), output.data(),
                                        mapping.desc(), mapping.data()));
  if (!result) return;
  run.Result(output);
  run.Result(mapping);
}

void Pool(Run& run, const Problem& problem, Pass pass) {
  const int ph = problem.pooled_height, pw = problem.pooled_width, dim = problem.output_dim;
  const int64_t channels = int64_t{ph} * pw * dim;
  Tensor rois(MLUOP_LAYOUT_ARRAY, problem.type, {problem.rois, 5});
  FillRois(run, problem, rois);
  Tensor mapping(problem.layout, MLUOP_DTYPE_INT32, Extents(problem, problem.rois, ph, pw, dim));
  Forward(run, problem, rois, mapping, pass == Pass::kForward);
  if (pass == Pass::kForward) return;
  if (pass == Pass::kBackwardOtherChannels) {
    for (int64_t i = 0; i < mapping.elements(); ++i) mapping.Set(i, static_cast<double>(run.Below(channels)));
  }
  const Signed top(run, problem.type, mapping.extents(), problem.layout);
  Tensor bottom(problem.layout, problem.type, Extents(problem, kBatch, problem.size, problem.size + 1, channels));
  run.Must(problem.contract
               ? mluOpPsRoiPoolBackward(run.handle(), ph, pw, kScale, dim, top.desc(), top.data(), rois.desc(),
                                        rois.data(), mapping.desc(), mapping.data(), bottom.desc(), bottom.data())
               : detopsPsRoiPoolBackward(run.handle(), problem.convention, ph, pw, double{kScale}, dim, top.desc(),
                                         top.data(), rois.desc(), rois.data(), mapping.desc(), mapping.data(),
                                         bottom.desc(), bottom.data()));
  run.Result(bottom);
}

}  // namespace

void AddPsRoiPool(Cases& cases) {
  const auto add = [&](const Problem& problem, Pass pass, const char* end) {
    cases.push_back(
        {Name({"psroipool", problem.convention_name, kPassNames[static_cast<int>(pass)],
               detops_test::ElementName(problem.type), problem.layout == MLUOP_LAYOUT_NHWC ? "nhwc" : "nchw",
               std::to_string(problem.pooled_height) + "x" + std::to_string(problem.pooled_width) + "x" +
                   std::to_string(problem.output_dim),
               end}),
         [=](Run& run) { Pool(run, problem, pass); }});
  };
  const struct {
    const char* name;
    detopsPsRoiPoolConvention_t value;
  } conventions[] = {{"rfcn", DETOPS_PSROIPOOL_RFCN},
                     {"torchvision", DETOPS_PSROIPOOL_TORCHVISION},
                     {"consistent", DETOPS_PSROIPOOL_CONSISTENT}};
  const int bins[][3] = {{3, 3, 5}, {2, 4, 3}, {7, 7, 2}, {1, 1, 33}};
  for (const mluOpDataType_t type : kTypes) {
    for (const Pass pass : {Pass::kForward, Pass::kBackward, Pass::kBackwardOtherChannels}) {
      if (pass != Pass::kBackwardOtherChannels) {
        for (const auto& convention : conventions) {
          for (const mluOpTensorLayout_t layout : {MLUOP_LAYOUT_NHWC, MLUOP_LAYOUT_NCHW}) {
            for (const auto& bin : bins) {
              add({convention.name, false, convention.value, layout, type, bin[0], bin[1], bin[2], 11, 20}, pass, "");
            }
          }
        }
      }
      for (const auto& bin : bins) {
        if (bin[0] != bin[1]) continue;
        add({"contract", true, DETOPS_PSROIPOOL_RFCN, MLUOP_LAYOUT_NHWC, type, bin[0], bin[1], bin[2], 11, 20}, pass,
            "");
      }
      add({"contract", true, DETOPS_PSROIPOOL_RFCN, MLUOP_LAYOUT_NHWC, type, 3, 3, 21, 40, 300}, pass, "large");
    }
  }
}

}  // namespace detops_golden
