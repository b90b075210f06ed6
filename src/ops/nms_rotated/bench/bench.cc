// Suppression with its pairs, next to the plain loop with the usual algorithm for two boxes:
// detops_bench --benchmark_filter=nms_rotated/pairs
#include <chrono>
#include <string>
#include <vector>

#include "bench/hull_and_sort.h"
#include "bench/report.h"
#include "bench/suppression.h"
#include "harness/catalogue.h"
#include "support/greedy_suppression.h"

namespace {

// Seconds a call: it is timed once, without a measurement of the machine.
void RunPlain(benchmark::State& state, const std::string& shape) {
  const detops_harness::Function& function = *detops_harness::WholeCatalogue().Find("mluOpNmsRotated");
  const detops_harness::Call call = function.MakeSample(shape, MLUOP_DTYPE_FLOAT, DETOPS_PROFILE_FULL, 1);
  const std::vector<double> values = call["boxes"].Values();
  const std::vector<float> boxes(values.begin(), values.end());
  const std::vector<size_t> order = detops_test::Ranking(call["scores"].Values());
  const auto threshold = static_cast<float>(call.number("iou_threshold"));
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<double> kept = detops_test::GreedySuppression(order, order.size(), [&](size_t stays, size_t box) {
      return detops_bench::HullAndSortIou(boxes.data() + 5 * stays, boxes.data() + 5 * box) > threshold;
    });
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(time.count());
    state.counters["kept"] = static_cast<double>(kept.size());
  }
}

const bool registered = [] {
  for (const char* count : {"2000", "4096"}) {
    const std::string shape = std::string("threshold=0.1,count=") + count;
    for (const int threads : {1, 2}) {
      detops_bench::Register(std::string("nms_rotated/pairs/") + count + "/threads:" + std::to_string(threads),
                             [=](benchmark::State& state) {
                               detops_bench::ReportSuppression(state, "mluOpNmsRotated", shape, threads, true);
                             });
    }
    detops_bench::Register(std::string("nms_rotated/pairs/hull_and_sort_") + count,
                           [=](benchmark::State& state) { RunPlain(state, shape); });
  }
  return true;
}();

}  // namespace
