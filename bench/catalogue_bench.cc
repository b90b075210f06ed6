// The functions of the catalogue on the shapes that they name: detops_bench --benchmark_filter=<room>
#include <memory>
#include <string>
#include <vector>

#include "bench/report.h"
#include "harness/catalogue.h"
#include "harness/placed_call.h"

namespace detops_bench {
namespace {

using detops_harness::BenchmarkCase;
using detops_harness::Function;
using detops_harness::MemoryKind;
using detops_harness::PlacedCall;

struct Setting {
  mluOpDataType_t type;
  int threads;
  bool value_checks = true;
};

void Run(benchmark::State& state, const Function& function, const BenchmarkCase& shape, const Setting& setting) {
  detops_harness::Call call = function.MakeSample(shape.shape, setting.type, DETOPS_PROFILE_FULL, 1);
  call.value_checks = setting.value_checks;
  const detops_harness::Work work = function.WorkOf(call);
  PlacedCall placed(std::move(call), {MemoryKind::kAligned});
  const mluOpHandle_t handle = MakeHandle(setting.threads, setting.value_checks);
  Report(state, setting.threads, work, [&] { Require(placed.RunAlone(handle), handle); }, shape.arithmetic);
  mluOpDestroy(handle);
}

void RegisterOne(const Function& function, const BenchmarkCase& shape, const Setting& setting) {
  std::string name = function.room() + "/" + shape.name;
  if (function.full_types().size() > 1) name += std::string("/") + detops_harness::TypeName(setting.type);
  if (!shape.variant.empty()) name += "/" + shape.variant;
  name += "/threads:" + std::to_string(setting.threads) + (setting.value_checks ? "" : "/unchecked");
  Register(name, [&function, shape, setting](benchmark::State& state) { Run(state, function, shape, setting); });
}

const bool registered = [] {
  for (const auto& function : detops_harness::WholeCatalogue().functions()) {
    const std::vector<mluOpDataType_t> types = function->full_types();
    for (const BenchmarkCase& shape : function->benchmarks()) {
      for (const mluOpDataType_t type : types) {
        const bool few = type == types[0] || type == MLUOP_DTYPE_HALF;
        if (shape.settings == BenchmarkCase::kAll || type == types[0] ||
            (few && shape.settings == BenchmarkCase::kFew)) {
          RegisterOne(*function, shape, {type, 2});
        }
      }
      if (shape.settings != BenchmarkCase::kOne) RegisterOne(*function, shape, {types[0], 1});
      if (shape.settings == BenchmarkCase::kAll) RegisterOne(*function, shape, {types[0], 2, false});
    }
  }
  return true;
}();

}  // namespace
}  // namespace detops_bench
