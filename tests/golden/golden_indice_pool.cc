// Maximum and average, forward and backward, with pairs and on a rulebook, for all types.
#include "golden/golden.h"

namespace detops_golden {
namespace {

struct Way {
  const char* name;
  detopsPoolMethod_t method;
  detopsMaximumStart_t start;
  bool backward;
};
constexpr Way kWays[] = {{"from_zero", DETOPS_POOL_MAXIMUM, DETOPS_MAXIMUM_FROM_ZERO, false},
                         {"from_lowest", DETOPS_POOL_MAXIMUM, DETOPS_MAXIMUM_FROM_LOWEST, false},
                         {"average", DETOPS_POOL_AVERAGE, DETOPS_MAXIMUM_FROM_ZERO, false},
                         {"maximum_backward", DETOPS_POOL_MAXIMUM, DETOPS_MAXIMUM_FROM_LOWEST, true},
                         {"average_backward", DETOPS_POOL_AVERAGE, DETOPS_MAXIMUM_FROM_ZERO, true}};

struct Problem {
  Way way;
  mluOpDataType_t type;
  Order order;
  int64_t rows, channels;
  bool on_rulebook;
};

void Pool(Run& run, const Problem& problem) {
  const int64_t in_rows = problem.rows, out_rows = problem.rows - 3;
  const Pairs pairs(run, problem.order, 9, in_rows, out_rows, problem.rows);
  const Rulebook rulebook(run, pairs, in_rows, out_rows);
  const Signed features(run, problem.type, {in_rows, problem.channels});
  Tensor out(MLUOP_LAYOUT_ARRAY, problem.type, {out_rows, problem.channels});
  const Way& way = problem.way;
  run.Must(problem.on_rulebook ? detopsRulebookPoolForward(run.handle(), rulebook.get(), way.method, way.start,
                                                           features.desc(), features.data(), out.desc(), out.data())
                               : detopsIndicePoolForward(run.handle(), way.method, way.start, features.desc(),
                                                         features.data(), pairs.indices.desc(), pairs.indices.data(),
                                                         pairs.counts.data(), out_rows, out.desc(), out.data()));
  run.Result(out);
  if (!way.backward) return;
  const Signed grad(run, problem.type, {out_rows, problem.channels});
  Tensor input_grad(MLUOP_LAYOUT_ARRAY, problem.type, {in_rows, problem.channels});
  run.Must(problem.on_rulebook ? detopsRulebookPoolBackward(run.handle(), rulebook.get(), way.method, features.desc(),
                                                            features.data(), out.desc(), out.data(), grad.desc(),
                                                            grad.data(), input_grad.desc(), input_grad.data())
                               : detopsIndicePoolBackward(run.handle(), way.method, features.desc(), features.data(),
                                                          out.desc(), out.data(), grad.desc(), grad.data(),
                                                          pairs.indices.desc(), pairs.indices.data(),
                                                          pairs.counts.data(), input_grad.desc(), input_grad.data()));
  run.Result(input_grad);
}

}  // namespace

void AddIndicePool(Cases& cases) {
  const auto add = [&](const Problem& problem, const char* end) {
    cases.push_back({Name({"indice_pool", problem.way.name, detops_test::ElementName(problem.type),
                           problem.order == Order::kAscending ? "ascending" : "any", Label("c", problem.channels),
                           problem.on_rulebook ? "rulebook" : "", end}),
                     [=](Run& run) { Pool(run, problem); }});
  };
  for (const Way& way : kWays) {
    for (const mluOpDataType_t type : kTypes) {
      for (const Order order : {Order::kAscending, Order::kAny}) {
        for (const int64_t channels : {1, 7, 16, 33}) add({way, type, order, 70, channels, false}, "");
      }
      add({way, type, Order::kAny, 70, 16, true}, "");
      add({way, type, Order::kAscending, 3000, 16, false}, "large");
    }
  }
}

}  // namespace detops_golden
