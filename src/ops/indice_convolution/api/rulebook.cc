// The C entry points around rulebooks.
#include "sparse/rulebook.h"

#include <new>

#include "core/context.h"
#include "ops/indice_convolution/api/backward_filter.h"
#include "ops/indice_convolution/api/check.h"
#include "ops/indice_convolution/api/forward.h"

namespace detops::indice_convolution {
namespace {

constexpr int64_t kMaxRows = int64_t{1} << 31;

// The lists of both sides, in the handle's scratch memory, then their copies.
RunResult MakeRulebook(const Call& call, const IndicePairs& pairs, detopsRulebookStruct* rulebook, BadIndex* bad) {
  const Parallel& parallel = call.handle()->parallel;
  Arena count;
  [[maybe_unused]] const PairListsMemory counted[2] = {{pairs, 0, parallel, count}, {pairs, 1, parallel, count}};
  if (count.NeededBytes() == kMaxInt64) return RunResult::kNoMemory;
  void* const block = call.handle()->scratch.Reserve(static_cast<size_t>(count.NeededBytes()));
  if (block == nullptr) return RunResult::kNoMemory;
  Arena arena(block);
  const PairListsMemory memory[2] = {{pairs, 0, parallel, arena}, {pairs, 1, parallel, arena}};
  PairLists lists[2];
  for (int side = 0; side < 2; ++side) {
    const RunResult made = MakePairLists(pairs, side, parallel, memory[side], &lists[side], bad);
    if (made != RunResult::kDone || bad->position >= 0) return made;
  }
  return FillRulebook(lists, rulebook) ? RunResult::kDone : RunResult::kNoMemory;
}

}  // namespace
}  // namespace detops::indice_convolution

// NOLINTBEGIN(google-build-using-namespace): entry points are glue
using namespace detops;
using namespace detops::indice_convolution;
// NOLINTEND(google-build-using-namespace)

mluOpStatus_t detopsCreateRulebook(mluOpHandle_t handle, const mluOpTensorDescriptor_t indice_pairs_desc,
                                   const void* indice_pairs, const int64_t indice_num[], int64_t num_act_in,
                                   int64_t num_act_out, detopsRulebook_t* rulebook) {
  const Call call("detopsCreateRulebook", handle);
  if (rulebook == nullptr) return call.NullResult("rulebook");
  const TensorArg pairs_arg = {"indice_pairs", indice_pairs_desc, indice_pairs};
  ArgCheck check(call);
  check.Handle().Descriptor(pairs_arg);
  CheckIndiceNumPointer(check, indice_num);
  check.FullProfile();
  Dim K("K"), L("L");
  check.Int32(pairs_arg).Rank(pairs_arg, 3).Shape(pairs_arg, {K, 2, L}).Dense(pairs_arg).CountLimit(pairs_arg);
  check.Integer("num_act_in", num_act_in, num_act_in >= 0 && num_act_in < kMaxRows, "a number of rows in [0, 2^31)")
      .Integer("num_act_out", num_act_out, num_act_out >= 0 && num_act_out < kMaxRows, "a number of rows in [0, 2^31)");
  CheckCounts(check, indice_num, K.value(), L.value());
  if (!check.failed() && indice_pairs_desc->element_count() > 0) check.Data(pairs_arg);
  if (check.failed()) return check.status();
  auto* const made = new (std::nothrow) detopsRulebookStruct;
  if (made == nullptr) return call.Finish(RunResult::kNoMemory);
  made->offsets = K.value();
  made->rows[0] = num_act_in;
  made->rows[1] = num_act_out;
  const IndicePairs pairs = MakeIndicePairs(pairs_arg, indice_num, num_act_in, num_act_out);
  BadIndex bad;
  bad.position = -1;
  const RunResult result = MakeRulebook(call, pairs, made, &bad);
  if (result == RunResult::kDone && bad.position < 0) {
    *rulebook = made;
    return call.Succeed();
  }
  delete made;
  return result == RunResult::kDone ? FailBadIndex(call, pairs, bad) : call.Finish(result);
}

mluOpStatus_t detopsDestroyRulebook(detopsRulebook_t rulebook) {
  const Call call("detopsDestroyRulebook", nullptr);
  if (rulebook == nullptr) return call.NullArgument("rulebook", "a rulebook of detopsCreateRulebook");
  delete rulebook;
  return call.Succeed();
}

mluOpStatus_t detopsGetRulebookSize(detopsRulebook_t rulebook, size_t* bytes) {
  const Call call("detopsGetRulebookSize", nullptr);
  if (rulebook == nullptr) return call.NullArgument("rulebook", "a rulebook of detopsCreateRulebook");
  if (bytes == nullptr) return call.NullResult("bytes");
  *bytes = sizeof(*rulebook) + rulebook->memory.capacity();
  return call.Succeed();
}

mluOpStatus_t detopsRulebookConvolutionForward(mluOpHandle_t handle, detopsRulebook_t rulebook, int64_t inverse,
                                               const mluOpTensorDescriptor_t features_desc, const void* features,
                                               const mluOpTensorDescriptor_t filters_desc, const void* filters,
                                               const mluOpTensorDescriptor_t bias_desc, const void* bias,
                                               const mluOpTensorDescriptor_t residual_desc, const void* residual,
                                               detopsActivation_t activation, float negative_slope,
                                               const mluOpTensorDescriptor_t features_out_desc, void* features_out) {
  const Call call("detopsRulebookConvolutionForward", handle);
  const ForwardArguments args = {.features = {"features", features_desc, features},
                                 .filters = {"filters", filters_desc, filters},
                                 .out = {"features_out", features_out_desc, features_out},
                                 .bias = {"bias", bias_desc, bias_desc == nullptr ? nullptr : bias},
                                 .residual = {"residual", residual_desc, residual_desc == nullptr ? nullptr : residual},
                                 .activation = activation,
                                 .negative_slope = negative_slope};
  ArgCheck check(call);
  CheckRulebook(check, rulebook);
  check.Descriptor(args.features).Descriptor(args.filters).Descriptor(args.out);
  check.FullProfile();
  CheckForwardTypes(check, args);
  CheckZeroOrOne(check, "inverse", inverse);
  CheckActivation(check, args);
  CheckForwardFilter(check, call, args.filters);
  check.Rank(args.features, 2).Rank(args.out, 2);
  CheckFinishRanks(check, args);
  CheckForwardFilterRank(check, call, args.filters);
  check.Dense(args.features).Dense(args.filters).Dense(args.out);
  CheckFinishDense(check, args);
  check.CountLimit(args.features).CountLimit(args.filters).CountLimit(args.out);
  CheckFinishCounts(check, args);
  if (check.failed()) return check.status();
  const int from = inverse == 1 ? 1 : 0;
  const FilterMatrices filter = FilterMatricesOf(*filters_desc);
  Dim Ci("Ci", filter.rows), Co("Co", filter.columns);
  Dim feature_rows("rows of the rulebook", rulebook->rows[from]);
  Dim out_rows("rows of the rulebook", rulebook->rows[1 - from]);
  CheckRulebookOffsets(check, args.filters, filter, rulebook->offsets);
  check.Shape(args.features, {feature_rows, Ci}).Shape(args.out, {out_rows, Co});
  CheckFinishShapes(check, args, out_rows, Co);
  if (check.failed()) return check.status();
  const bool empty = AnyEmpty({args.features, args.filters, args.out});
  if (empty && (features_out == nullptr || features_out_desc->element_count() == 0)) return call.Succeed();
  if (!empty) check.Data(args.features).Data(args.filters).Data(args.out);
  CheckFinishData(check, args);
  if (!empty) check.Separate(args.out, {args.features, args.filters});
  CheckFinishSeparate(check, args);
  if (check.failed()) return check.status();
  return call.Finish(Convolve(call, MakeForwardProblem(args), ListsOf(*rulebook, 1 - from, empty)));
}

mluOpStatus_t detopsRulebookConvolutionBackwardData(mluOpHandle_t handle, detopsRulebook_t rulebook, int64_t inverse,
                                                    const mluOpTensorDescriptor_t output_grad_desc,
                                                    const void* output_grad, const mluOpTensorDescriptor_t filters_desc,
                                                    const void* filters, const mluOpTensorDescriptor_t input_grad_desc,
                                                    void* input_grad) {
  const Call call("detopsRulebookConvolutionBackwardData", handle);
  const TensorArg output_arg = {"output_grad", output_grad_desc, output_grad};
  const TensorArg filters_arg = {"filters", filters_desc, filters};
  const TensorArg input_arg = {"input_grad", input_grad_desc, input_grad};
  ArgCheck check(call);
  CheckRulebook(check, rulebook);
  check.Descriptor(output_arg).Descriptor(filters_arg).Descriptor(input_arg);
  check.FullProfile();
  check.Rank(output_arg, 2);
  CheckFilterRank(check, filters_arg);
  check.Rank(input_arg, 2).FloatingType(output_arg).FloatingType(filters_arg).FloatingType(input_arg);
  CheckFilterLayout(check, filters_arg);
  check.Dense(output_arg).Dense(filters_arg).Dense(input_arg);
  CheckZeroOrOne(check, "inverse", inverse);
  if (check.failed()) return check.status();
  const int to = inverse == 1 ? 1 : 0;
  const FilterMatrices filter = FilterMatricesOf(*filters_desc);
  Dim Ci("Ci", filter.rows), Co("Co", filter.columns);
  Dim input_rows("rows of the rulebook", rulebook->rows[to]);
  Dim output_rows("rows of the rulebook", rulebook->rows[1 - to]);
  CheckRulebookOffsets(check, filters_arg, filter, rulebook->offsets);
  check.Shape(output_arg, {output_rows, Co}).Shape(input_arg, {input_rows, Ci});
  check.SameType(input_arg, output_arg).SameType(filters_arg, output_arg);
  check.CountLimit(input_arg).CountLimit(output_arg).CountLimit(filters_arg);
  if (check.failed()) return check.status();
  const bool empty = AnyEmpty({output_arg, filters_arg, input_arg});
  if (empty && (input_grad == nullptr || input_grad_desc->element_count() == 0)) return call.Succeed();
  if (!empty) check.Data(output_arg).Data(filters_arg).Data(input_arg).Separate(input_arg, {output_arg, filters_arg});
  if (check.failed()) return check.status();
  const RowProductsProblem problem = {output_grad_desc->type,
                                      filter.Transposed(),
                                      output_grad,
                                      output_grad_desc->extent(0),
                                      filters,
                                      input_grad,
                                      input_grad_desc->extent(0),
                                      {}};
  return call.Finish(Convolve(call, problem, ListsOf(*rulebook, to, empty)));
}

mluOpStatus_t detopsRulebookConvolutionBackwardFilter(mluOpHandle_t handle, detopsRulebook_t rulebook, int64_t inverse,
                                                      const mluOpTensorDescriptor_t features_desc, const void* features,
                                                      const mluOpTensorDescriptor_t output_grad_desc,
                                                      const void* output_grad,
                                                      const mluOpTensorDescriptor_t filters_grad_desc,
                                                      void* filters_grad) {
  const Call call("detopsRulebookConvolutionBackwardFilter", handle);
  const TensorArg features_arg = {"features", features_desc, features};
  const TensorArg output_arg = {"output_grad", output_grad_desc, output_grad};
  const TensorArg filters_arg = {"filters_grad", filters_grad_desc, filters_grad};
  ArgCheck check(call);
  CheckRulebook(check, rulebook);
  check.Descriptor(features_arg).Descriptor(output_arg).Descriptor(filters_arg);
  check.FullProfile();
  CheckZeroOrOne(check, "inverse", inverse);
  check.Dense(features_arg).Dense(output_arg).Dense(filters_arg).FloatingType(features_arg);
  check.SameType(output_arg, features_arg).SameType(filters_arg, features_arg);
  CheckOnchipTypes(check, call, features_arg, output_arg, filters_arg);
  check.CountLimit(features_arg).CountLimit(output_arg).CountLimit(filters_arg);
  check.Rank(features_arg, 2).Rank(output_arg, 2);
  CheckFilterRank(check, filters_arg);
  CheckFilterLayout(check, filters_arg);
  if (check.failed()) return check.status();
  const int from = inverse == 1 ? 1 : 0;
  const FilterMatrices filter = FilterMatricesOf(*filters_grad_desc);
  Dim Ci("Ci", filter.rows), Co("Co", filter.columns);
  Dim feature_rows("rows of the rulebook", rulebook->rows[from]);
  Dim output_rows("rows of the rulebook", rulebook->rows[1 - from]);
  CheckRulebookOffsets(check, filters_arg, filter, rulebook->offsets);
  check.Shape(features_arg, {feature_rows, Ci}).Shape(output_arg, {output_rows, Co});
  if (check.failed()) return check.status();
  const bool empty = AnyEmpty({features_arg, output_arg, filters_arg});
  if (empty && (filters_grad == nullptr || filters_grad_desc->element_count() == 0)) return call.Succeed();
  if (!empty) {
    check.Data(features_arg).Data(output_arg).Data(filters_arg).Separate(filters_arg, {features_arg, output_arg});
  }
  if (check.failed()) return check.status();
  return call.Finish(Convolve(call, MakeFilterProblem(features_arg, output_arg, filters_arg, filter, from == 1),
                              ListsOf(*rulebook, 0, empty)));
}
