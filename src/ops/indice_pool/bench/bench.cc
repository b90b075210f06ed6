// Benchmarks: detops_bench --benchmark_filter=indice_pool
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "bench/report.h"
#include "bench/tensors.h"
#include "detops.h"
#include "ops/indice_pool/bench/cases.h"
#include "support/element.h"

namespace {

using detops_bench::Require;
using detops_bench::Tensor;
using detops_cases::PoolCase;
using detops_cases::PoolCasePairs;

struct Options {
  detopsPoolMethod_t method;
  bool backward;
  mluOpDataType_t type = MLUOP_DTYPE_FLOAT;
  int threads = 2;
  bool on_rulebook = false;
};

// Making sites takes longer than most measurements.
const PoolCasePairs& PairsOf(mluOpHandle_t handle, const PoolCase& shape) {
  static std::map<std::string, PoolCasePairs> known;
  const auto found = known.find(shape.name);
  if (found != known.end()) return found->second;
  return known[shape.name] = detops_cases::MakePoolPairs(handle, shape);
}

void Run(benchmark::State& state, const PoolCase& shape, const Options& options) {
  const mluOpHandle_t handle = detops_bench::MakeHandle(options.threads, true);
  const PoolCasePairs& pairs = PairsOf(handle, shape);
  const int64_t* const counts = pairs.counts.data();
  {
    const Tensor list(MLUOP_DTYPE_INT32, {shape.offsets(), 2, pairs.length});
    std::memcpy(list.data, pairs.pairs.data(), pairs.pairs.size() * sizeof(int32_t));
    const Tensor in(options.type, {pairs.rows[0], shape.channels}), out(options.type, {pairs.rows[1], shape.channels});
    const Tensor in_grad(options.type, {pairs.rows[0], shape.channels});
    const Tensor out_grad(options.type, {pairs.rows[1], shape.channels});
    detopsRulebook_t rulebook = nullptr;
    Require(detopsCreateRulebook(handle, list.desc, list.data, counts, pairs.rows[0], pairs.rows[1], &rulebook),
            handle);
    const auto forward = [&] {
      return options.on_rulebook
                 ? detopsRulebookPoolForward(handle, rulebook, options.method, DETOPS_MAXIMUM_FROM_ZERO, in.desc,
                                             in.data, out.desc, out.data)
                 : detopsIndicePoolForward(handle, options.method, DETOPS_MAXIMUM_FROM_ZERO, in.desc, in.data,
                                           list.desc, list.data, counts, pairs.rows[1], out.desc, out.data);
    };
    const auto backward = [&] {
      return options.on_rulebook
                 ? detopsRulebookPoolBackward(handle, rulebook, options.method, in.desc, in.data, out.desc, out.data,
                                              out_grad.desc, out_grad.data, in_grad.desc, in_grad.data)
                 : detopsIndicePoolBackward(handle, options.method, in.desc, in.data, out.desc, out.data, out_grad.desc,
                                            out_grad.data, list.desc, list.data, counts, in_grad.desc, in_grad.data);
    };
    const auto size = static_cast<int64_t>(detops_test::ElementSize(options.type));
    detops_bench::Report(
        state, options.threads,
        detops_cases::PoolWork(shape, pairs, size, options.backward && options.method == DETOPS_POOL_MAXIMUM),
        [&] { Require(options.backward ? backward() : forward(), handle); });
    state.counters["pairs/site"] = static_cast<double>(pairs.total()) / static_cast<double>(shape.sites);
    detopsDestroyRulebook(rulebook);
  }
  mluOpDestroy(handle);
}

void Register(const PoolCase& shape, const Options& options) {
  const std::string name = std::string("indice_pool/") + shape.name +
                           (options.method == DETOPS_POOL_MAXIMUM ? "/maximum" : "/average") +
                           (options.backward ? "_backward" : "_forward") + (options.on_rulebook ? "/rulebook" : "") +
                           "/" + detops_test::ElementName(options.type) + "/threads:" + std::to_string(options.threads);
  detops_bench::Register(name, [=](benchmark::State& state) { Run(state, shape, options); });
}

const bool registered = [] {
  for (const PoolCase& shape : detops_cases::kPoolCases) {
    for (const detopsPoolMethod_t method : {DETOPS_POOL_MAXIMUM, DETOPS_POOL_AVERAGE}) {
      for (const bool backward : {false, true}) {
        Register(shape, {.method = method, .backward = backward});
        Register(shape, {.method = method, .backward = backward, .on_rulebook = true});
        Register(shape, {.method = method, .backward = backward, .threads = 1});
        Register(shape, {.method = method, .backward = backward, .type = MLUOP_DTYPE_HALF});
      }
    }
  }
  return true;
}();

}  // namespace
