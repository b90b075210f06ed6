// Runs the encoder of a SECOND detector that was trained in Python, with nothing but the C interface of detops.
//   run_encoder FOLDER
// Ends with 0 if everything is as in Python, 1 if not, 2 if it could not be run.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "api.h"
#include "encoder.h"
#include "network.h"

namespace {

constexpr int kRuns = 3;
// Of the largest number. One instruction set gives the same bits everywhere; another may round otherwise.
constexpr float kTolerance = 1e-5f;

std::string Text(const Space& sizes) {
  return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) + "x" + std::to_string(sizes[2]);
}

// Of several runs the fastest time of each layer: the first also allocates.
void KeepFastest(std::vector<LayerReport>& best, const std::vector<LayerReport>& reports) {
  if (best.empty()) best = reports;
  for (std::size_t i = 0; i < best.size(); ++i) {
    best[i].pairs_ms = std::min(best[i].pairs_ms, reports[i].pairs_ms);
    best[i].convolution_ms = std::min(best[i].convolution_ms, reports[i].convolution_ms);
  }
}

void PrintLayers(const Network& network, const std::vector<LayerReport>& reports) {
  std::puts("layer                             sites in       out      pairs  pairs ms   conv ms");
  double total = 0;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Layer& layer = network.layers[i];
    const LayerReport& report = reports[i];
    std::printf("%2zu %-11s %s %4d ->%4d %9lld %9lld %10lld ", i + 1, layer.is_submanifold ? "submanifold" : "regular",
                Text(layer.kernel).c_str(), layer.in_channels, layer.out_channels,
                static_cast<long long>(report.sites_in), static_cast<long long>(report.sites_out),
                static_cast<long long>(report.pairs));
    if (report.has_own_pairs) {
      std::printf("%9.2f", report.pairs_ms);
      total += report.pairs_ms;
    } else {
      std::printf("%9s", "shared");
    }
    std::printf(" %9.2f\n", report.convolution_ms);
    total += report.convolution_ms;
  }
  std::printf("all layers: %.1f ms (the fastest of %d runs of each)\n", total, kRuns);
}

// Whether the result is Python's.
bool Compare(const Encoded& encoded, const Sample& sample) {
  const bool has_same_sites = encoded.sites->indices == sample.out_indices;
  std::printf("sites: %lld, %s\n", static_cast<long long>(encoded.sites->count()),
              has_same_sites ? "the same as in Python" : "NOT those of Python");
  const ViewShape shape = ShapeFromAbove(encoded, sample.batch);
  std::printf("bird's-eye view:");
  for (std::int64_t extent : shape) std::printf(" %lld", static_cast<long long>(extent));
  if (shape != sample.view_shape) {
    std::puts(", NOT the shape of Python's\nWRONG");
    return false;
  }
  const std::vector<float> view = SeeFromAbove(encoded, sample.batch);
  float worst = 0, largest = 0;
  for (std::size_t i = 0; i < view.size(); ++i) {
    const float difference = std::abs(view[i] - sample.view[i]);
    // The comparison is written so that a NaN counts as the worst there is.
    if (!(difference <= worst)) worst = std::isnan(difference) ? INFINITY : difference;
    largest = std::max(largest, std::abs(sample.view[i]));
  }
  std::printf(", numbers up to %.3g, worst difference %.2g\n", largest, worst);
  const bool is_same = has_same_sites && worst <= kTolerance * largest;
  std::puts(is_same ? "as in Python" : "WRONG");
  return is_same;
}

bool Run(const std::string& folder) {
  const Network network = ReadNetwork(folder + "/encoder.bin");
  const Sample sample = ReadSample(folder + "/sample.bin");
  const Handle handle = MakeHandle();
  int threads = 0;
  Check(detopsGetNumThreads(handle.get(), &threads));
  std::printf("detops %s, %s, %d thread%s; %d scenes, %zu voxels of %s\n", detopsGetVersion(), detopsGetTarget(),
              threads, threads == 1 ? "" : "s", sample.batch, sample.indices.size() / 4, Text(network.space).c_str());
  Encoded encoded;
  std::vector<LayerReport> best;
  for (int run = 0; run < kRuns; ++run) {
    encoded = Encode(handle.get(), network, sample);
    KeepFastest(best, encoded.reports);
  }
  PrintLayers(network, best);
  return Compare(encoded, sample);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER, as export_encoder.py has written it\n", argv[0]);
    return 2;
  }
  try {
    return Run(argv[1]) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
