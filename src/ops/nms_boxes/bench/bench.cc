// Suppression with its pairs, next to the plain loop over upright boxes: detops_bench
// --benchmark_filter=nms_boxes/pairs
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "bench/report.h"
#include "bench/suppression.h"
#include "harness/catalogue.h"

namespace {

// The usual algorithm: each box that stays is compared with all after it, one at a time, with a division.
int64_t PlainLoop(const std::vector<float>& boxes, const std::vector<float>& scores, float threshold,
                  std::vector<int64_t>& kept) {
  const size_t count = scores.size();
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  std::vector<float> areas(count);
  for (size_t i = 0; i < count; ++i) {
    areas[i] = (boxes[4 * i + 2] - boxes[4 * i]) * (boxes[4 * i + 3] - boxes[4 * i + 1]);
  }
  std::vector<uint8_t> falls(count);
  int64_t stay = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t a = order[i];
    if (falls[a] != 0) continue;
    kept[static_cast<size_t>(stay++)] = static_cast<int64_t>(a);
    for (size_t j = i + 1; j < count; ++j) {
      const size_t b = order[j];
      if (falls[b] != 0) continue;
      const float* p = boxes.data() + 4 * a;
      const float* q = boxes.data() + 4 * b;
      const float width = std::max(0.0f, std::min(p[2], q[2]) - std::max(p[0], q[0]));
      const float height = std::max(0.0f, std::min(p[3], q[3]) - std::max(p[1], q[1]));
      const float overlap = width * height;
      if (overlap / (areas[a] + areas[b] - overlap) > threshold) falls[b] = 1;
    }
  }
  return stay;
}

// Nothing falls, so that all there is to do is to find the best boxes.
constexpr char kSelection[] = "count=321408,threshold=1,pre=4096";

// What selecting them saves: the order of all of them.
void RunSort(benchmark::State& state) {
  const detops_harness::Function& function = *detops_harness::WholeCatalogue().Find("detopsNmsBoxes");
  const std::vector<double> values =
      function.MakeSample(kSelection, MLUOP_DTYPE_FLOAT, DETOPS_PROFILE_FULL, 1)["scores"].Values();
  const std::vector<float> scores(values.begin(), values.end());
  std::vector<uint32_t> order(scores.size());
  detops_bench::Report(state, 1, {.bytes = 8.0 * static_cast<double>(scores.size())}, [&] {
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return scores[a] > scores[b]; });
  });
}

void RunPlain(benchmark::State& state, const std::string& shape) {
  const detops_harness::Function& function = *detops_harness::WholeCatalogue().Find("detopsNmsBoxes");
  const detops_harness::Call call = function.MakeSample(shape, MLUOP_DTYPE_FLOAT, DETOPS_PROFILE_FULL, 1);
  const auto numbers = [&](const char* tensor) {
    const std::vector<double> values = call[tensor].Values();
    return std::vector<float>(values.begin(), values.end());
  };
  const std::vector<float> boxes = numbers("boxes"), scores = numbers("scores");
  std::vector<int64_t> kept(scores.size());
  const auto threshold = static_cast<float>(call.number("iou_threshold"));
  int64_t stay = 0;
  detops_bench::Report(state, 1, {.bytes = 20.0 * static_cast<double>(scores.size())},
                       [&] { stay = PlainLoop(boxes, scores, threshold, kept); });
  state.counters["kept"] = static_cast<double>(stay);
}

const bool registered = [] {
  struct Case {
    const char *name, *shape;
    bool rotated;
  };
  for (const Case& one :
       {Case{"xyxy_6000", "count=6000,threshold=0.7", false}, Case{"xyxy_12000", "count=12000,threshold=0.7", false},
        Case{"xyxy_100000", "count=100000,threshold=0.5,boxes=scattered", false},
        Case{"bev_4096", "count=4096,threshold=0.01,post=500,format=bev", true},
        Case{"bev_top_4096_of_321408", "count=321408,threshold=0.01,pre=4096,post=500,format=bev", true},
        Case{"select_4096_of_321408", kSelection, false}}) {
    for (const int threads : {1, 2}) {
      detops_bench::Register(std::string("nms_boxes/pairs/") + one.name + "/threads:" + std::to_string(threads),
                             [=](benchmark::State& state) {
                               detops_bench::ReportSuppression(state, "detopsNmsBoxes", one.shape, threads,
                                                               one.rotated);
                             });
    }
  }
  for (const char* count : {"6000", "12000"}) {
    detops_bench::Register(std::string("nms_boxes/pairs/plain_loop_") + count, [=](benchmark::State& state) {
      RunPlain(state, std::string("threshold=0.7,count=") + count);
    });
  }
  detops_bench::Register("nms_boxes/pairs/full_sort_321408", [](benchmark::State& state) { RunSort(state); });
  return true;
}();

}  // namespace
