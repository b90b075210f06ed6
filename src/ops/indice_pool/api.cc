// The C entry points: check table, then problem, then run.
#include "core/context.h"
#include "detops/indice_pool.h"
#include "ops/indice_pool/problem.h"
#include "sparse/pair_check.h"

namespace detops::indice_pool {
namespace {

struct ForwardArguments {
  detopsPoolMethod_t method;
  detopsMaximumStart_t start;
  TensorArg features;
  OutputArg out;
};

struct BackwardArguments {
  detopsPoolMethod_t method;
  TensorArg features, out;  // left out with an average
  TensorArg output_grad;
  OutputArg input_grad;

  bool maximum() const { return method == DETOPS_POOL_MAXIMUM; }
};

void CheckMethod(ArgCheck& check, detopsPoolMethod_t method) {
  check.Integer("method", static_cast<int>(method), method == DETOPS_POOL_MAXIMUM || method == DETOPS_POOL_AVERAGE,
                "a value of detopsPoolMethod_t");
}

void CheckStart(ArgCheck& check, const ForwardArguments& args) {
  const bool known = args.start == DETOPS_MAXIMUM_FROM_ZERO || args.start == DETOPS_MAXIMUM_FROM_LOWEST;
  check.Integer("start", static_cast<int>(args.start), args.method == DETOPS_POOL_AVERAGE || known,
                "a value of detopsMaximumStart_t");
}

mluOpStatus_t RunPool(const Call& call, const PoolProblem& problem, const PairsArguments& pairs, int64_t input_rows,
                      int64_t output_rows) {
  if (pairs.on_rulebook()) {
    return call.Finish(Pool(call, problem, pairs.rulebook->by_side, pairs.rulebook->rows));
  }
  const IndicePairs given = MakeIndicePairs(pairs, input_rows, output_rows);
  BadIndex bad;
  const RunResult result = Pool(call, problem, given, &bad);
  if (result == RunResult::kDone && bad.position >= 0) return FailBadIndex(call, given, bad);
  return call.Finish(result);
}

// `output_rows` is what the rows of features_out must be.
mluOpStatus_t Forward(const Call& call, ArgCheck& check, const ForwardArguments& args, const PairsArguments& pairs,
                      Dim& input_rows, Dim& output_rows) {
  const auto& [method, start, features, out] = args;
  Dim K("K"), L("L"), C("C");
  check.FullProfile();
  CheckMethod(check, method);
  CheckStart(check, args);
  check.Rank(features, 2).Rank(pairs.tensor, 3).Rank(out, 2);
  check.FloatingType(features).Int32(pairs.tensor).SameType(out, features);
  for (const TensorRef& each : TensorList{features, pairs.tensor, out}) {
    check.Dense(*each.tensor).CountLimit(*each.tensor);
  }
  check.Shape(pairs.tensor, {K, 2, L}).Shape(features, {input_rows, C}).Shape(out, {output_rows, C});
  CheckCounts(check, pairs);
  check.DataUnlessEmpty({features, pairs.tensor, out});
  if (!check.failed()) check.Separate(out, {features, pairs.tensor, pairs.counts()});
  if (check.failed()) return check.status();
  if (args.out.desc->element_count() == 0) return call.Succeed();
  const PoolKind kind = args.method == DETOPS_POOL_AVERAGE         ? PoolKind::kAverage
                        : args.start == DETOPS_MAXIMUM_FROM_LOWEST ? PoolKind::kMaximumFromLowest
                                                                   : PoolKind::kMaximumFromZero;
  const PoolProblem problem = {.kind = kind,
                               .type = args.features.desc->type,
                               .channels = C.value(),
                               .source = args.features.data,
                               .target = args.out.target};
  return RunPool(call, problem, pairs, input_rows.value(), output_rows.value());
}

mluOpStatus_t Backward(const Call& call, ArgCheck& check, const BackwardArguments& args, const PairsArguments& pairs,
                       Dim& input_rows, Dim& output_rows) {
  const auto& [method, features, out, output_grad, input_grad] = args;
  Dim K("K"), L("L"), C("C");
  check.FullProfile();
  CheckMethod(check, method);
  check.Rank(features, 2).Rank(out, 2).Rank(output_grad, 2).Rank(pairs.tensor, 3).Rank(input_grad, 2);
  check.FloatingType(output_grad).SameType(features, output_grad).SameType(out, output_grad).Int32(pairs.tensor);
  check.SameType(input_grad, output_grad);
  for (const TensorRef& each : TensorList{features, out, output_grad, pairs.tensor, input_grad}) {
    check.Dense(*each.tensor).CountLimit(*each.tensor);
  }
  check.Shape(pairs.tensor, {K, 2, L}).Shape(output_grad, {output_rows, C}).Shape(input_grad, {input_rows, C});
  check.Shape(features, {input_rows, C}).Shape(out, {output_rows, C});
  CheckCounts(check, pairs);
  check.DataUnlessEmpty({features, out, output_grad, pairs.tensor, input_grad});
  if (!check.failed()) check.Separate(input_grad, {features, out, output_grad, pairs.tensor, pairs.counts()});
  if (check.failed()) return check.status();
  if (args.input_grad.desc->element_count() == 0) return call.Succeed();
  const PoolProblem problem = {.kind = args.maximum() ? PoolKind::kMaximumGradient : PoolKind::kAverageGradient,
                               .type = args.output_grad.desc->type,
                               .channels = C.value(),
                               .source = args.output_grad.data,
                               .target = args.input_grad.target,
                               .features = args.features.data,
                               .features_out = args.out.data};
  return RunPool(call, problem, pairs, input_rows.value(), output_rows.value());
}

// An average looks at neither features nor features_out.
BackwardArguments MakeBackwardArguments(detopsPoolMethod_t method, const TensorArg& features, const TensorArg& out,
                                        const TensorArg& output_grad, const OutputArg& input_grad) {
  const bool maximum = method == DETOPS_POOL_MAXIMUM;
  return {method, UsedIf(maximum, features), UsedIf(maximum, out), output_grad, input_grad};
}

}  // namespace
}  // namespace detops::indice_pool

using namespace detops;
using namespace detops::indice_pool;

mluOpStatus_t detopsIndicePoolForward(mluOpHandle_t handle, detopsPoolMethod_t method, detopsMaximumStart_t start,
                                      const mluOpTensorDescriptor_t features_desc, const void* features,
                                      const mluOpTensorDescriptor_t indice_pairs_desc, const void* indice_pairs,
                                      const int64_t indice_num[], int64_t num_act_out,
                                      const mluOpTensorDescriptor_t features_out_desc, void* features_out) {
  const Call call("detopsIndicePoolForward", handle);
  const ForwardArguments args = {
      method, start, {"features", features_desc, features}, {"features_out", features_out_desc, features_out}};
  const PairsArguments pairs = {{"indice_pairs", indice_pairs_desc, indice_pairs}, indice_num};
  ArgCheck check(call);
  check.Handle().Descriptor({args.features, pairs.tensor, args.out});
  CheckIndiceNumPointer(check, indice_num);
  Dim N("N"), Y("num_act_out", num_act_out);
  return Forward(call, check, args, pairs, N, Y);
}

mluOpStatus_t detopsIndicePoolBackward(mluOpHandle_t handle, detopsPoolMethod_t method,
                                       const mluOpTensorDescriptor_t features_desc, const void* features,
                                       const mluOpTensorDescriptor_t features_out_desc, const void* features_out,
                                       const mluOpTensorDescriptor_t output_grad_desc, const void* output_grad,
                                       const mluOpTensorDescriptor_t indice_pairs_desc, const void* indice_pairs,
                                       const int64_t indice_num[], const mluOpTensorDescriptor_t input_grad_desc,
                                       void* input_grad) {
  const Call call("detopsIndicePoolBackward", handle);
  const BackwardArguments args = MakeBackwardArguments(
      method, {"features", features_desc, features}, {"features_out", features_out_desc, features_out},
      {"output_grad", output_grad_desc, output_grad}, {"input_grad", input_grad_desc, input_grad});
  const PairsArguments pairs = {{"indice_pairs", indice_pairs_desc, indice_pairs}, indice_num};
  ArgCheck check(call);
  check.Handle().Descriptor({args.features, args.out, args.output_grad, pairs.tensor, args.input_grad});
  CheckIndiceNumPointer(check, indice_num);
  Dim N("N"), Y("Y");
  return Backward(call, check, args, pairs, N, Y);
}

mluOpStatus_t detopsRulebookPoolForward(mluOpHandle_t handle, detopsRulebook_t rulebook, detopsPoolMethod_t method,
                                        detopsMaximumStart_t start, const mluOpTensorDescriptor_t features_desc,
                                        const void* features, const mluOpTensorDescriptor_t features_out_desc,
                                        void* features_out) {
  const Call call("detopsRulebookPoolForward", handle);
  const ForwardArguments args = {
      method, start, {"features", features_desc, features}, {"features_out", features_out_desc, features_out}};
  ArgCheck check(call);
  CheckRulebook(check, rulebook);
  check.Descriptor({args.features, args.out});
  RulebookDims rows(rulebook);
  return Forward(call, check, args, {.rulebook = rulebook}, rows.input, rows.output);
}

mluOpStatus_t detopsRulebookPoolBackward(mluOpHandle_t handle, detopsRulebook_t rulebook, detopsPoolMethod_t method,
                                         const mluOpTensorDescriptor_t features_desc, const void* features,
                                         const mluOpTensorDescriptor_t features_out_desc, const void* features_out,
                                         const mluOpTensorDescriptor_t output_grad_desc, const void* output_grad,
                                         const mluOpTensorDescriptor_t input_grad_desc, void* input_grad) {
  const Call call("detopsRulebookPoolBackward", handle);
  const BackwardArguments args = MakeBackwardArguments(
      method, {"features", features_desc, features}, {"features_out", features_out_desc, features_out},
      {"output_grad", output_grad_desc, output_grad}, {"input_grad", input_grad_desc, input_grad});
  ArgCheck check(call);
  CheckRulebook(check, rulebook);
  check.Descriptor({args.features, args.out, args.output_grad, args.input_grad});
  RulebookDims rows(rulebook);
  return Backward(call, check, args, {.rulebook = rulebook}, rows.input, rows.output);
}
