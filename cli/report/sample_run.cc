#include "report/sample_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <random>

namespace detops_cli {
namespace {

constexpr double kBandwidth = 31.2, kPeak = 335, kPeakDouble = 168;  // GB/s, GFLOP/s

struct SampleOperator {
  const char* op;
  const char* output;
  std::vector<const char*> shapes;
  double least_us, most_us;  // bound of the smallest and the largest shape
  double intensity;          // 0: no arithmetic
  const char* algorithm;
};

const std::vector<SampleOperator>& SampleOperators() {
  static const std::vector<SampleOperator> operators = {
      {"roiaware_pool3d_forward",
       "pooled_features",
       {"16 boxes, 2000 pts, max", "128 boxes, 16000 pts, average"},
       90,
       5200,
       0.02,
       "grid of points"},
      {"roiaware_pool3d_backward",
       "grad_in",
       {"16 boxes, 2000 pts, max", "128 boxes, 16000 pts, average"},
       30,
       1080,
       0.08,
       "lists per point"},
      {"psroipool_forward",
       "output",
       {"7x7x9, 1 roi", "14x14x392, 320 rois", "64x64x1029, 2000 rois"},
       0.1,
       1090,
       0.9,
       "direct"},
      {"psroipool_backward",
       "bottom_grad",
       {"7x7x9, 1 roi", "14x14x392, 320 rois", "64x64x1029, 2000 rois"},
       0.1,
       1071,
       0.8,
       "lists per pixel"},
      {"get_indice_pairs",
       "indice_pairs",
       {"100, 3x3x3 subm", "149100, 3x3x3 stride 2", "248636, 3x3x3 subm"},
       0.8,
       1931,
       0,
       "sorted table"},
      {"indice_convolution_forward",
       "features_out",
       {"100, 16->16, 3x3x3", "248636, 5->16, 3x3x3", "149100, 64->128, 3x3x3"},
       1.4,
       35023,
       42,
       "gather, tiles of 6x16"},
      {"indice_convolution_backward_data",
       "input_grad",
       {"100, 16->16, 3x3x3", "248636, 5->16, 3x3x3", "149100, 64->128, 3x3x3"},
       1.3,
       31299,
       40,
       "gather, tiles of 6x16"},
      {"indice_convolution_backward_filter",
       "filters_grad",
       {"100, 16->16, 3x3x3", "248636, 5->16, 3x3x3", "149100, 64->128, 3x3x3"},
       1.3,
       30518,
       44,
       "outer products"},
      {"rotated_feature_align_forward",
       "output",
       {"2x4x4x30, 5 points", "2x100x50x200, 1 point", "2x50x50x600, 5 points"},
       0.2,
       769,
       3.1,
       "rows of pixels"},
      {"rotated_feature_align_backward",
       "bottom_input",
       {"2x4x4x30, 5 points", "2x100x50x200, 1 point", "2x50x50x600, 5 points"},
       0.3,
       736,
       2.6,
       "lists per pixel"},
  };
  return operators;
}

double Threshold(const std::string& type, bool convolution) {
  if (type == "double") return 1e-12;
  if (type == "float") return 1e-5;
  return convolution ? 3e-3 : 1e-3;
}

class Maker {
 public:
  CaseResult Make(const SampleOperator& sample, size_t variant, const std::string& type, size_t number) {
    CaseResult result;
    result.op = sample.op;
    result.shape = sample.shapes[variant % sample.shapes.size()];
    const bool integers = result.op == "get_indice_pairs";
    result.type = integers ? "int32" : type;
    result.id = fmt::format("{}-{}-{}", result.op, result.type, number);
    result.layout = integers ? "ARRAY" : "NHWC";
    result.profile = type == "double" ? "full" : "contract";
    result.suite = "documents";
    result.source = fmt::format("document {:03}, section 3.7, case{}", number % 5, variant + 1);
    result.verdict = "pass";
    result.reproduce =
        fmt::format("detops check {} --shape \"{}\" --type {} --seed 1", result.op, result.shape, result.type);
    result.seconds = Between(0.3, 1.2);
    for (const char* name : {"call", "accuracy", "repeat", "threads", "guards", "inputs", "bad input"}) {
      result.checks.push_back({name, "pass", ""});
    }
    OutputResult output{sample.output, result.type, 12800 * static_cast<int64_t>(variant + 1)};
    if (integers) {
      output.criteria.push_back({"diff3", 0, 0, true});
    } else {
      const double threshold = Threshold(type, result.op.starts_with("indice_convolution"));
      const double error = threshold * (type == "float" ? Spread(0.001, 0.03) : Spread(0.05, 0.25));
      output.criteria.push_back({"diff1", error, threshold, true});
      output.criteria.push_back({"diff2", error * Between(1.05, 1.3), threshold, true});
      output.criteria.push_back({"diff4", variant == 0 ? -1 : Between(0.45, 0.55), 0, true});
    }
    result.outputs.push_back(output);
    if (result.op == "psroipool_forward") {
      result.outputs.push_back({"mapping_channel", "int32", output.elements, {{"diff3_2", 0, 0, true}}});
    }
    Time(sample, static_cast<double>(variant) / static_cast<double>(sample.shapes.size() - 1), result);
    return result;
  }

 private:
  double Between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double Spread(double low, double high) { return low * std::pow(high / low, Between(0, 1)); }

  void Time(const SampleOperator& sample, double size, CaseResult& result) {
    result.timed = true;
    TimingResult& timing = result.timing;
    timing.threads = 2;
    timing.calls = 400;
    timing.peak_gflops = kPeak * Between(0.95, 1.05);
    timing.bandwidth_gbytes = kBandwidth * Between(0.9, 1.1);
    const double share = std::clamp(size, 0.0, 1.0);
    timing.bound_us = sample.least_us * std::pow(sample.most_us / sample.least_us, share) * Between(0.8, 1.2);
    timing.ratio = share == 0 ? Between(3, 25) : Spread(0.85, result.type == "half" ? 7 : 4);
    timing.best_us = timing.bound_us * timing.ratio;
    timing.median_us = timing.best_us * Between(1.02, 1.1);
    timing.mean_us = timing.median_us * Between(1, 1.05);
    timing.p99_us = timing.mean_us * Between(1, 1.2);
    timing.spread = Between(0.01, 0.12);
    timing.intensity = sample.intensity * Between(0.6, 1.4) * (result.type == "half" ? 2 : 1);
    const double at_bound = std::min(kPeak, timing.intensity * kBandwidth);
    timing.gflops = at_bound / timing.ratio;
    timing.gbytes = timing.intensity > 0 ? timing.gflops / timing.intensity : kBandwidth / timing.ratio;
    timing.theory_io_bytes = timing.gbytes * timing.best_us * 1e3;
    timing.theory_ops = std::max(timing.gflops, 0.4) * timing.best_us * 1e3;
    timing.compute_efficiency = std::max(timing.gflops, 0.4) / kPeak;
    timing.io_efficiency = timing.gbytes / kBandwidth;
    timing.bottleneck = timing.io_efficiency > timing.compute_efficiency ? "io" : "compute";
    timing.target = "avx2";
    timing.algorithm = sample.algorithm;
    timing.workspace_bytes = share == 0 ? 0 : 4 * 149100;
    const double two = share == 0 ? Between(0.95, 1.1) : Between(0.5, 0.75);
    timing.scaling = {{1, timing.best_us / two}, {2, timing.best_us}, {4, timing.best_us * Between(0.55, 1.0)}};
  }

  std::mt19937 random_{7};
};

CaseResult Untimed(CaseResult result) {
  result.timed = false;
  result.timing = {};
  return result;
}

// A case that did not get as far as results.
void Spoil(CaseResult& result, const char* verdict, const char* detail) {
  result = Untimed(result);
  result.verdict = verdict;
  result.detail = detail;
  result.outputs.clear();
  result.checks.clear();
}

// The operator's first case.
CaseResult& Find(RunResultFile& run, std::string_view op) {
  return *std::find_if(run.cases.begin(), run.cases.end(), [&](const CaseResult& one) { return one.op == op; });
}

}  // namespace

RunResultFile EmptySample() {
  RunResultFile run;
  run.command = "detops bench --suite documents --report report.html";
  run.suite = "documents";
  run.started = "2026-11-16T13:44:46Z";
  run.seconds = 154.2;
  run.threads = 2;
  run.complete = false;
  run.machine = {"Intel Xeon at 2.80 GHz",
                 "Linux 6.1.0, x86_64",
                 "gcc 12.2",
                 2,
                 32768,
                 1048576,
                 34603008,
                 25274793984,
                 kBandwidth,
                 kPeak,
                 kPeakDouble};
  run.library = {"build/release/lib/libdetops.so", "libdetops.so", "0.1.0", "1.11.1", "avx2", "avx2,sse4,ssse3,scalar"};
  return run;
}

RunResultFile PassedSample(size_t cases) {
  RunResultFile run = EmptySample();
  run.complete = true;
  Maker maker;
  const std::vector<SampleOperator>& operators = SampleOperators();
  const std::vector<std::string> types = {"float", "half", "float", "half", "double"};
  for (size_t first = 0; first < operators.size(); ++first) {
    for (size_t number = first; number < cases; number += operators.size()) {
      const size_t round = number / operators.size();
      run.cases.push_back(maker.Make(operators[first], round % 3, types[round % types.size()], number));
    }
  }
  return run;
}

RunResultFile UntimedSample() {
  RunResultFile run = PassedSample(1);
  run.cases[0] = Untimed(run.cases[0]);
  return run;
}

RunResultFile FailedSample(size_t cases) {
  RunResultFile run = PassedSample(cases);
  run.library = {"/opt/other/libmluops.so", "libmluops.so", "", "1.11.1", "", "", {"mluOpPsRoiPoolBackward"}};
  for (CaseResult& result : run.cases) {
    if (result.op == "psroipool_backward") Spoil(result, "missing", "the library lacks mluOpPsRoiPoolBackward");
  }
  CaseResult& inexact = Find(run, "get_indice_pairs");
  inexact.verdict = "fail";
  inexact.detail = "indice_pairs: diff3 is 1, expected exact";
  inexact.outputs[0].criteria = {{"diff3", 1, 0, false}};
  inexact.checks[1] = {"accuracy", "fail", inexact.detail};

  CaseResult& inaccurate = Find(run, "indice_convolution_forward");
  inaccurate.verdict = "fail";
  inaccurate.detail = "diff1 is 2.7e-5, threshold 1e-5";
  inaccurate.outputs[0].criteria[0] = {"diff1", 2.7e-5, 1e-5, false};
  inaccurate.checks[1] = {"accuracy", "fail", inaccurate.detail};
  inaccurate.checks[6] = {"bad input", "none", "the library has no detopsSetValueChecks"};

  CaseResult& no_number = Find(run, "rotated_feature_align_backward");
  no_number.verdict = "fail";
  no_number.detail = "element 17 is nan, expected 0.25";
  no_number.outputs[0].criteria[0] = {"diff1", DBL_MAX, 1e-5, false};

  Spoil(Find(run, "roiaware_pool3d_forward"), "crashed", "signal 11 (Segmentation fault) in the call");
  Spoil(Find(run, "roiaware_pool3d_backward"), "timeout", "no answer after 600 s");
  Spoil(Find(run, "indice_convolution_backward_data"), "error", "cases/broken.prototxt:12: expected a number");
  Spoil(Find(run, "indice_convolution_backward_filter"), "skipped", "needs 48 GiB of memory");
  return run;
}

RunResultFile HostileSample() {
  RunResultFile run = PassedSample(3);
  const std::string markup =
      "</script><script>document.body.dataset.broken = 1</script><!-- <img src=x> & \"quoted\" 'too'";
  const std::string characters = "\x01\x1f\t\n\xE2\x80\xA8 \xC3\xA4 \xF0\x9F\x98\x80 \xFF\xC3";
  run.command = markup;
  run.suite = markup + characters;
  run.library.name = std::string(400, 'n');
  run.machine.cpu = markup;
  CaseResult& strange = run.cases[0];
  strange.id = markup + characters;
  strange.op = markup;
  strange.shape = std::string(700, 'x');
  strange.type = markup;
  strange.verdict = "fail";
  strange.detail = markup + "\n" + std::string(900, 'd');
  strange.reproduce = "detops check '" + markup + "' " + std::string(600, 'r');
  strange.checks = {{markup, markup, markup}};
  strange.outputs[0].name = markup;

  CaseResult& endless = run.cases[1];
  endless.verdict = "a verdict of the future";
  for (double* number : {&endless.timing.best_us, &endless.timing.ratio, &endless.timing.gflops, &endless.timing.gbytes,
                         &endless.timing.intensity, &endless.timing.spread, &endless.timing.io_efficiency}) {
    *number = DBL_MAX;
  }
  CaseResult& negative = run.cases[2];
  for (double* number : {&negative.timing.best_us, &negative.timing.ratio, &negative.timing.gflops,
                         &negative.timing.gbytes, &negative.timing.intensity, &negative.timing.bound_us}) {
    *number = -1;
  }
  endless.timing.scaling = {{1, DBL_MAX}, {2, 1}};
  negative.timing.scaling = {{2, 5.0}, {4, 3.0}};
  return run;
}

}  // namespace detops_cli
