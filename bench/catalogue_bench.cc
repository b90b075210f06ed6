// The functions of the catalogue on the shapes that they name: detops_bench --benchmark_filter=<room or function>
#include <memory>
#include <string>

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
  Report(state, setting.threads, work, [&] { Require(placed.RunAlone(handle), handle); });
  mluOpDestroy(handle);
}

void RegisterOne(const Function& function, const BenchmarkCase& shape, const Setting& setting) {
  const std::string name = function.room() + "/" + function.name() + "/" + shape.name + "/" +
                           detops_harness::TypeName(setting.type) + "/threads:" + std::to_string(setting.threads) +
                           (setting.value_checks ? "" : "/unchecked");
  Register(name, [&function, shape, setting](benchmark::State& state) { Run(state, function, shape, setting); });
}

const bool registered = [] {
  for (const auto& function : detops_harness::WholeCatalogue().functions()) {
    for (const BenchmarkCase& shape : function->benchmarks()) {
      for (const mluOpDataType_t type : function->full_types()) RegisterOne(*function, shape, {type, 2});
      RegisterOne(*function, shape, {function->full_types().at(0), 1});
      RegisterOne(*function, shape, {function->full_types().at(0), 2, false});
    }
  }
  return true;
}();

}  // namespace
}  // namespace detops_bench
