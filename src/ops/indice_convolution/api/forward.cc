// The C entry points of the forward convolution, plain and fused: check table, then problem, then run.
#include "ops/indice_convolution/api/forward.h"

#include <cmath>

#include "core/context.h"
#include "core/data_type.h"
#include "ops/indice_convolution/api/check.h"
#include "recording/gen_case.h"

namespace detops::indice_convolution {

void CheckForwardTypes(ArgCheck& check, const ForwardArguments& args) {
  check.FloatingType(args.features).FloatingType(args.filters);
  if (args.pairs.desc != nullptr) check.Int32(args.pairs);
  check.FloatingType(args.out).SameType(args.filters, args.features).SameType(args.out, args.features);
  if (args.bias.desc != nullptr) check.SameType(args.bias, args.features);
  if (args.residual.desc != nullptr) check.SameType(args.residual, args.features);
}

void CheckActivation(ArgCheck& check, const ForwardArguments& args) {
  check
      .Integer("activation", static_cast<int>(args.activation),
               args.activation >= DETOPS_ACTIVATION_NONE && args.activation <= DETOPS_ACTIVATION_LEAKY_RELU,
               "a value of detopsActivation_t")
      .Number("negative_slope", args.negative_slope,
              args.activation != DETOPS_ACTIVATION_LEAKY_RELU || std::isfinite(args.negative_slope), "a finite number");
}

void CheckForwardFilter(ArgCheck& check, const Call& call, const TensorArg& filters) {
  if (check.failed()) return;
  const mluOpTensorLayout_t layout = filters.desc->layout;
  const bool known = IsFilterLayout(layout);
  const bool lifted = known && FilterLayoutFits(layout, filters.desc->rank());
  const bool contract = layout == MLUOP_LAYOUT_NDHWC || layout == MLUOP_LAYOUT_NCDHW || layout == MLUOP_LAYOUT_ARRAY;
  check.Rule(contract || (IsFull(call) && known), MLUOP_STATUS_NOT_SUPPORTED,
             "filters has layout %s, expected NDHWC, NCDHW or ARRAY%s%s.", LayoutName(layout),
             IsFull(call) ? ", or NHWC, NCHW or HWCN with rank 4" : "", lifted ? kFullProfileLifts : "");
}

void CheckForwardFilterRank(ArgCheck& check, const Call& call, const TensorArg& filters) {
  if (check.failed()) return;
  const int rank = filters.desc->rank();
  check.Rule(rank == 5 || (rank == 4 && IsFull(call)), MLUOP_STATUS_NOT_SUPPORTED,
             "filters has rank %d, expected %s%s.", rank, IsFull(call) ? "4 or 5" : "5",
             rank == 4 && FilterLayoutFits(filters.desc->layout, rank) ? kFullProfileLifts : "");
  CheckFilterLayout(check, filters);
}

void CheckFinishRanks(ArgCheck& check, const ForwardArguments& args) {
  if (args.bias.desc != nullptr) check.Rank(args.bias, 1);
  if (args.residual.desc != nullptr) check.Rank(args.residual, 2);
}

void CheckFinishDense(ArgCheck& check, const ForwardArguments& args) {
  if (args.bias.desc != nullptr) check.Dense(args.bias);
  if (args.residual.desc != nullptr) check.Dense(args.residual);
}

void CheckFinishCounts(ArgCheck& check, const ForwardArguments& args) {
  if (args.bias.desc != nullptr) check.CountLimit(args.bias);
  if (args.residual.desc != nullptr) check.CountLimit(args.residual);
}

void CheckFinishData(ArgCheck& check, const ForwardArguments& args) {
  if (args.bias.desc != nullptr) check.Data(args.bias);
  if (args.residual.desc != nullptr) check.Data(args.residual);
}

void CheckFinishSeparate(ArgCheck& check, const ForwardArguments& args) {
  if (args.bias.desc != nullptr) check.Separate(args.out, {args.bias});
  if (args.residual.desc != nullptr) check.Separate(args.out, {args.residual});
}

void CheckFinishShapes(ArgCheck& check, const ForwardArguments& args, Dim& rows, Dim& columns) {
  if (args.bias.desc != nullptr) check.Shape(args.bias, {columns});
  if (args.residual.desc != nullptr) check.Shape(args.residual, {rows, columns});
}

RowProductsProblem MakeForwardProblem(const ForwardArguments& args) {
  const Finish finish = {args.bias.data, args.residual.data, args.activation, args.negative_slope};
  return {args.features.desc->type, FilterMatricesOf(*args.filters.desc),
          args.features.data,       args.features.desc->extent(0),
          args.filters.data,        const_cast<void*>(args.out.data),
          args.out.desc->extent(0), finish};
}

namespace {

struct PairArguments {
  const int64_t* indice_num;
  int64_t num_act_out;
  int64_t inverse;
  int64_t sub_m;
};

// Everything before the data pointers.
void CheckShapes(ArgCheck& check, const Call& call, const ForwardArguments& args, const PairArguments& pairs,
                 bool fused) {
  check.Handle().Descriptor(args.features).Descriptor(args.filters).Descriptor(args.pairs);
  CheckIndiceNumPointer(check, pairs.indice_num);
  check.Descriptor(args.out);
  if (fused) check.FullProfile();
  CheckForwardTypes(check, args);
  CheckZeroOrOne(check, "sub_m", pairs.sub_m);
  CheckZeroOrOne(check, "inverse", pairs.inverse);
  if (fused) CheckActivation(check, args);
  CheckInverse(check, call, pairs.inverse, MLUOP_STATUS_NOT_SUPPORTED);
  CheckForwardFilter(check, call, args.filters);
  check.Rank(args.features, 2).Rank(args.pairs, 3).Rank(args.out, 2);
  CheckFinishRanks(check, args);
  CheckForwardFilterRank(check, call, args.filters);
  check.Dense(args.features).Dense(args.filters).Dense(args.pairs).Dense(args.out);
  CheckFinishDense(check, args);
  check.CountLimit(args.features).CountLimit(args.filters).CountLimit(args.pairs).CountLimit(args.out);
  CheckFinishCounts(check, args);
  if (check.failed()) return;
  const FilterMatrices filter = FilterMatricesOf(*args.filters.desc);
  CheckOffsets(check, args.filters, filter);
  const int64_t length = args.pairs.desc->extent(2);
  Dim L("L", length), Ci("Ci", filter.rows), Co("Co", filter.columns), K("K", filter.offsets);
  Dim feature_rows("rows"), out_rows("num_act_out", pairs.num_act_out);
  check.Shape(args.features, {pairs.inverse == 1 ? feature_rows : L, Ci})
      .Shape(args.pairs, {K, 2, L})
      .Shape(args.out, {out_rows, Co});
  if (pairs.inverse == 1) check.Shape(args.out, {L, Co});
  CheckFinishShapes(check, args, out_rows, Co);
  CheckCounts(check, pairs.indice_num, filter.offsets, length);
}

// The call as a case file.
void Describe(const ForwardArguments& args, const PairArguments& pairs, GenCase& record) {
  record.RandomInput(args.features);
  record.RandomInput(args.filters);
  record.RealInput(args.pairs);
  record.Output(args.out);
  record.Param("num_active_out", pairs.num_act_out);
  record.Param("inverse", pairs.inverse);
  record.Param("sub_m", pairs.sub_m);
  record.Param("indice_num", pairs.indice_num, args.pairs.desc->extent(0));
}

mluOpStatus_t RunForward(const char* name, mluOpHandle_t handle, const ForwardArguments& args,
                         const PairArguments& pairs, void* workspace, size_t workspace_size, bool fused) {
  const Call call(name, handle);
  ArgCheck check(call);
  CheckShapes(check, call, args, pairs, fused);
  if (check.failed()) return check.status();
  const char* const case_name = fused ? nullptr : "indice_convolution_forward";
  const auto describe = [&](GenCase& record) { Describe(args, pairs, record); };
  const bool empty = AnyEmpty({args.features, args.filters, args.pairs, args.out});
  if (empty && (args.out.desc->element_count() == 0 || args.out.data == nullptr)) {
    return RunRecorded(call, case_name, describe, [&] { return call.Succeed(); });
  }
  if (!empty) check.Data(args.features).Data(args.filters).Data(args.pairs).Data(args.out);
  CheckFinishData(check, args);
  const bool inverse = pairs.inverse == 1;
  const int64_t features_rows = args.features.desc->extent(0);
  const int64_t out_rows = args.out.desc->extent(0);
  const RowProductsProblem problem = MakeForwardProblem(args);
  IndicePairs lists = NoPairs(inverse ? out_rows : features_rows, inverse ? features_rows : out_rows);
  if (!empty) {
    lists = MakeIndicePairs(args.pairs, pairs.indice_num, lists.rows[0], lists.rows[1]);
    const BufferArg counts("indice_num", pairs.indice_num, static_cast<size_t>(lists.offsets) * sizeof(int64_t));
    CheckBuffers(check, args.out, {args.features, args.filters, args.pairs, counts}, workspace, workspace_size);
  }
  CheckFinishSeparate(check, args);
  if (check.failed()) return check.status();
  return RunRecorded(call, case_name, describe, [&] { return RunAndFinish(call, problem, lists, inverse ? 0 : 1); });
}

}  // namespace
}  // namespace detops::indice_convolution

// NOLINTBEGIN(google-build-using-namespace): entry points are glue
using namespace detops;
using namespace detops::indice_convolution;
// NOLINTEND(google-build-using-namespace)

mluOpStatus_t MLUOP_WIN_API mluOpGetIndiceConvolutionForwardWorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc, const mluOpTensorDescriptor_t filters_desc,
    const mluOpTensorDescriptor_t indice_pairs_desc, const mluOpTensorDescriptor_t features_out_desc,
    const int64_t indice_num[], const int64_t num_act_out, const int64_t inverse, const int64_t sub_m,
    size_t* workspace_size) {
  const Call call("mluOpGetIndiceConvolutionForwardWorkspaceSize", handle);
  if (workspace_size == nullptr) return call.NullResult("workspace_size");
  ArgCheck check(call);
  const ForwardArguments args = {.features = {"features", features_desc, nullptr},
                                 .filters = {"filters", filters_desc, nullptr},
                                 .pairs = {"indice_pairs", indice_pairs_desc, nullptr},
                                 .out = {"features_out", features_out_desc, nullptr}};
  CheckShapes(check, call, args, {indice_num, num_act_out, inverse, sub_m}, false);
  if (check.failed()) return check.status();
  *workspace_size = 0;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpIndiceConvolutionForward(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc, const void* features,
    const mluOpTensorDescriptor_t filters_desc, const void* filters, const mluOpTensorDescriptor_t indice_pairs_desc,
    const void* indice_pairs, const int64_t indice_num[], const int64_t num_act_out, const int64_t inverse,
    const int64_t sub_m, void* workspace, size_t workspace_size, const mluOpTensorDescriptor_t features_out_desc,
    void* features_out) {
  const ForwardArguments args = {.features = {"features", features_desc, features},
                                 .filters = {"filters", filters_desc, filters},
                                 .pairs = {"indice_pairs", indice_pairs_desc, indice_pairs},
                                 .out = {"features_out", features_out_desc, features_out}};
  return RunForward("mluOpIndiceConvolutionForward", handle, args, {indice_num, num_act_out, inverse, sub_m}, workspace,
                    workspace_size, false);
}

mluOpStatus_t detopsIndiceConvolutionForwardFused(mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc,
                                                  const void* features, const mluOpTensorDescriptor_t filters_desc,
                                                  const void* filters, const mluOpTensorDescriptor_t indice_pairs_desc,
                                                  const void* indice_pairs, const int64_t indice_num[],
                                                  int64_t num_act_out, int64_t inverse, int64_t sub_m,
                                                  const mluOpTensorDescriptor_t bias_desc, const void* bias,
                                                  const mluOpTensorDescriptor_t residual_desc, const void* residual,
                                                  detopsActivation_t activation, float negative_slope,
                                                  const mluOpTensorDescriptor_t features_out_desc, void* features_out) {
  const ForwardArguments args = {.features = {"features", features_desc, features},
                                 .filters = {"filters", filters_desc, filters},
                                 .pairs = {"indice_pairs", indice_pairs_desc, indice_pairs},
                                 .out = {"features_out", features_out_desc, features_out},
                                 .bias = {"bias", bias_desc, bias_desc == nullptr ? nullptr : bias},
                                 .residual = {"residual", residual_desc, residual_desc == nullptr ? nullptr : residual},
                                 .activation = activation,
                                 .negative_slope = negative_slope};
  return RunForward("detopsIndiceConvolutionForwardFused", handle, args, {indice_num, num_act_out, inverse, sub_m},
                    nullptr, 0, true);
}
