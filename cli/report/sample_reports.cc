// detops_sample_reports FOLDER: writes NAME.html for each made-up run and, in NAME.marks, how many marks each of its
// charts must have, as "chart-accuracy=12" in lines. The numbers are counted here, independently of the page.
#include <fmt/format.h>

#include <cfloat>
#include <cstdio>
#include <filesystem>
#include <map>

#include "report/replace_file.h"
#include "report/report.h"
#include "report/sample_run.h"
#include "text/errors.h"

namespace detops_cli {
namespace {

bool Positive(double value) { return value > 0 && value < DBL_MAX; }

bool Scales(const TimingResult& timing) {
  bool alone = false;
  int points = 0;
  for (const ScalingPoint& point : timing.scaling) {
    if (!Positive(point.microseconds)) continue;
    ++points;
    alone |= point.threads == 1;
  }
  return alone && points > 1;
}

std::string Marks(const RunResultFile& run) {
  int accuracy = 0, bound = 0, roofline = 0, bandwidth = 0, scaling = 0;
  for (const CaseResult& result : run.cases) {
    for (const OutputResult& output : result.outputs) {
      for (const CriterionResult& criterion : output.criteria) {
        accuracy += criterion.formula != "diff4" && criterion.error >= 0;
      }
    }
    if (!result.timed) continue;
    const TimingResult& timing = result.timing;
    bound += Positive(timing.ratio);
    roofline += Positive(timing.intensity) && Positive(timing.gflops);
    bandwidth += !Positive(timing.intensity) && Positive(timing.gbytes);
    scaling += Scales(timing);
  }
  return fmt::format("chart-accuracy={}\nchart-bound={}\nchart-roofline={}\nchart-bandwidth={}\nchart-scaling={}\n",
                     accuracy, bound, roofline, bandwidth, scaling);
}

void WriteAll(const std::string& folder) {
  std::filesystem::create_directories(folder);
  const std::map<std::string, RunResultFile> runs = {
      {"passed", PassedSample(60)}, {"failed", FailedSample(60)}, {"many", FailedSample(500)},
      {"untimed", UntimedSample()}, {"empty", EmptySample()},     {"hostile", HostileSample()},
  };
  for (const auto& [name, run] : runs) {
    WriteHtmlReport(run, fmt::format("{}/{}.html", folder, name));
    ReplaceFile(fmt::format("{}/{}.marks", folder, name), Marks(run));
  }
}

}  // namespace
}  // namespace detops_cli

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: detops_sample_reports FOLDER\n", stderr);
    return detops_cli::kExitUsage;
  }
  try {
    detops_cli::WriteAll(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return detops_cli::kExitUsage;
  }
  return detops_cli::kExitPass;
}
