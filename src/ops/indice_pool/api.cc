// The C entry points: check table, then problem, then run.
#include "core/context.h"
#include "ops/indice_pool/problem.h"
#include "sparse/pair_check.h"

namespace detops::indice_pool {
namespace {

// The pairs of a call, or none if it works on a rulebook.
struct PairsArguments {
  TensorArg tensor = {"indice_pairs", nullptr, nullptr};
  const int64_t* indice_num = nullptr;
  detopsRulebook_t rulebook = nullptr;

  bool on_rulebook() const { return rulebook != nullptr; }
};

struct ForwardArguments {
  detopsPoolMethod_t method;
  detopsMaximumStart_t start;
  TensorArg features, out;
};

struct BackwardArguments {
  detopsPoolMethod_t method;
  TensorArg features, out, output_grad, input_grad;  // the first two are empty with an average

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

// Tensors without elements need no data.
void CheckDataOf(ArgCheck& check, std::initializer_list<TensorArg> tensors) {
  if (check.failed()) return;
  for (const TensorArg& tensor : tensors) {
    if (tensor.desc != nullptr && tensor.desc->element_count() > 0) check.Data(tensor);
  }
}

// The output shares no byte with the pairs.
void CheckSeparateFromPairs(ArgCheck& check, const TensorArg& output, const PairsArguments& pairs) {
  if (check.failed() || pairs.on_rulebook()) return;
  const int64_t offsets = pairs.tensor.desc->extent(0);
  const BufferArg counts("indice_num", pairs.indice_num, static_cast<size_t>(offsets) * sizeof(int64_t));
  check.Separate(output, {pairs.tensor, counts});
}

mluOpStatus_t RunAndFinish(const Call& call, const PoolProblem& problem, const PairsArguments& pairs,
                           int64_t input_rows, int64_t output_rows) {
  if (pairs.on_rulebook()) {
    return call.Finish(Pool(call, problem, pairs.rulebook->by_side, pairs.rulebook->rows));
  }
  const IndicePairs given = MakeIndicePairs(pairs.tensor, pairs.indice_num, input_rows, output_rows);
  BadIndex bad;
  const RunResult result = Pool(call, problem, given, &bad);
  if (result == RunResult::kDone && bad.position >= 0) return FailBadIndex(call, given, bad);
  return call.Finish(result);
}

// `output_rows` is what the rows of features_out must be.
mluOpStatus_t Forward(const Call& call, ArgCheck& check, const ForwardArguments& args, const PairsArguments& pairs,
                      Dim& input_rows, Dim& output_rows) {
  const auto with_pairs = [&](auto&& rule) {
    if (!pairs.on_rulebook()) rule(pairs.tensor);
  };
  Dim K("K"), L("L"), C("C");
  check.FullProfile();
  CheckMethod(check, args.method);
  CheckStart(check, args);
  check.Rank(args.features, 2);
  with_pairs([&](const TensorArg& tensor) { check.Rank(tensor, 3); });
  check.Rank(args.out, 2).FloatingType(args.features);
  with_pairs([&](const TensorArg& tensor) { check.Int32(tensor); });
  check.SameType(args.out, args.features);
  check.Dense(args.features).CountLimit(args.features);
  with_pairs([&](const TensorArg& tensor) { check.Dense(tensor).CountLimit(tensor); });
  check.Dense(args.out).CountLimit(args.out);
  with_pairs([&](const TensorArg& tensor) { check.Shape(tensor, {K, 2, L}); });
  check.Shape(args.features, {input_rows, C}).Shape(args.out, {output_rows, C});
  with_pairs([&](const TensorArg&) { CheckCounts(check, pairs.indice_num, K.value(), L.value()); });
  CheckDataOf(check, {args.features, pairs.tensor, args.out});
  check.Separate(args.out, {args.features});
  CheckSeparateFromPairs(check, args.out, pairs);
  if (check.failed()) return check.status();
  if (args.out.desc->element_count() == 0) return call.Succeed();
  const PoolKind kind = args.method == DETOPS_POOL_AVERAGE         ? PoolKind::kAverage
                        : args.start == DETOPS_MAXIMUM_FROM_LOWEST ? PoolKind::kMaximumFromLowest
                                                                   : PoolKind::kMaximumFromZero;
  const PoolProblem problem = {.kind = kind,
                               .type = args.features.desc->type,
                               .channels = C.value(),
                               .source = args.features.data,
                               .target = const_cast<void*>(args.out.data)};
  return RunAndFinish(call, problem, pairs, input_rows.value(), output_rows.value());
}

mluOpStatus_t Backward(const Call& call, ArgCheck& check, const BackwardArguments& args, const PairsArguments& pairs,
                       Dim& input_rows, Dim& output_rows) {
  const auto with_pairs = [&](auto&& rule) {
    if (!pairs.on_rulebook()) rule(pairs.tensor);
  };
  const auto with_features = [&](auto&& rule) {
    if (!args.maximum()) return;
    rule(args.features);
    rule(args.out);
  };
  Dim K("K"), L("L"), C("C");
  check.FullProfile();
  CheckMethod(check, args.method);
  with_features([&](const TensorArg& tensor) { check.Rank(tensor, 2); });
  check.Rank(args.output_grad, 2);
  with_pairs([&](const TensorArg& tensor) { check.Rank(tensor, 3); });
  check.Rank(args.input_grad, 2).FloatingType(args.output_grad);
  with_features([&](const TensorArg& tensor) { check.SameType(tensor, args.output_grad); });
  with_pairs([&](const TensorArg& tensor) { check.Int32(tensor); });
  check.SameType(args.input_grad, args.output_grad);
  with_features([&](const TensorArg& tensor) { check.Dense(tensor).CountLimit(tensor); });
  check.Dense(args.output_grad).CountLimit(args.output_grad);
  with_pairs([&](const TensorArg& tensor) { check.Dense(tensor).CountLimit(tensor); });
  check.Dense(args.input_grad).CountLimit(args.input_grad);
  with_pairs([&](const TensorArg& tensor) { check.Shape(tensor, {K, 2, L}); });
  check.Shape(args.output_grad, {output_rows, C}).Shape(args.input_grad, {input_rows, C});
  if (args.maximum()) check.Shape(args.features, {input_rows, C}).Shape(args.out, {output_rows, C});
  with_pairs([&](const TensorArg&) { CheckCounts(check, pairs.indice_num, K.value(), L.value()); });
  CheckDataOf(check, {args.features, args.out, args.output_grad, pairs.tensor, args.input_grad});
  check.Separate(args.input_grad, {args.features, args.out, args.output_grad});
  CheckSeparateFromPairs(check, args.input_grad, pairs);
  if (check.failed()) return check.status();
  if (args.input_grad.desc->element_count() == 0) return call.Succeed();
  const PoolProblem problem = {.kind = args.maximum() ? PoolKind::kMaximumGradient : PoolKind::kAverageGradient,
                               .type = args.output_grad.desc->type,
                               .channels = C.value(),
                               .source = args.output_grad.data,
                               .target = const_cast<void*>(args.input_grad.data),
                               .features = args.features.data,
                               .features_out = args.out.data};
  return RunAndFinish(call, problem, pairs, input_rows.value(), output_rows.value());
}

// What an average does not look at counts as left out.
BackwardArguments MakeBackwardArguments(detopsPoolMethod_t method, const TensorArg& features, const TensorArg& out,
                                        const TensorArg& output_grad, const TensorArg& input_grad) {
  const bool maximum = method == DETOPS_POOL_MAXIMUM;
  return {method, maximum ? features : TensorArg{"features", nullptr, nullptr},
          maximum ? out : TensorArg{"features_out", nullptr, nullptr}, output_grad, input_grad};
}

}  // namespace
}  // namespace detops::indice_pool

// NOLINTBEGIN(google-build-using-namespace): entry points are glue
using namespace detops;
using namespace detops::indice_pool;
// NOLINTEND(google-build-using-namespace)

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
  check.Handle().Descriptor(args.features).Descriptor(pairs.tensor).Descriptor(args.out);
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
  check.Handle();
  if (args.maximum()) check.Descriptor(args.features).Descriptor(args.out);
  check.Descriptor(args.output_grad).Descriptor(pairs.tensor).Descriptor(args.input_grad);
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
  check.Descriptor(args.features).Descriptor(args.out);
  if (check.failed()) return check.status();
  Dim input_rows("rows of the rulebook", rulebook->rows[0]), output_rows("rows of the rulebook", rulebook->rows[1]);
  return Forward(call, check, args, {.rulebook = rulebook}, input_rows, output_rows);
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
  if (args.maximum()) check.Descriptor(args.features).Descriptor(args.out);
  check.Descriptor(args.output_grad).Descriptor(args.input_grad);
  if (check.failed()) return check.status();
  Dim input_rows("rows of the rulebook", rulebook->rows[0]), output_rows("rows of the rulebook", rulebook->rows[1]);
  return Backward(call, check, args, {.rulebook = rulebook}, input_rows, output_rows);
}
