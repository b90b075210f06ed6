// The usual algorithm on the matrices of box_iou_rotated, one thread: detops_bench --benchmark_filter=box_iou_rotated
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/hull_and_sort.h"
#include "bench/report.h"
#include "harness/catalogue.h"

namespace {

void Run(benchmark::State& state, const std::string& shape) {
  const detops_harness::Function& function = *detops_harness::WholeCatalogue().Find("mluOpBoxIouRotated");
  const detops_harness::Call call = function.MakeSample(shape, MLUOP_DTYPE_FLOAT, DETOPS_PROFILE_FULL, 1);
  const auto numbers = [&](const char* tensor) {
    std::vector<float> values(static_cast<size_t>(call[tensor].elements()));
    std::memcpy(values.data(), call[tensor].contents.data(), values.size() * sizeof(float));
    return values;
  };
  const std::vector<float> first = numbers("bbox1"), second = numbers("bbox2");
  std::vector<float> ious(static_cast<size_t>(call["ious"].elements()));
  detops_bench::Report(state, 1, function.WorkOf(call), [&] {
    float* next = ious.data();
    for (size_t i = 0; i < first.size(); i += 5) {
      for (size_t j = 0; j < second.size(); j += 5) {
        *next++ = detops_bench::HullAndSortIou(first.data() + i, second.data() + j);
      }
    }
  });
}

const bool registered = [] {
  for (const char* boxes : {"near", "scattered"}) {
    detops_bench::Register(
        std::string("box_iou_rotated/hull_and_sort/1000x1000_") + boxes + "/float/threads:1",
        [=](benchmark::State& state) { Run(state, std::string("first=1000,second=1000,boxes=") + boxes); });
  }
  return true;
}();

}  // namespace
