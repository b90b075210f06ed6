// The C entry points of the forward convolution, plain, fused and with a rulebook: check table, then problem, then run.
#include <cmath>

#include "core/data_type.h"
#include "detops/indice_convolution.h"
#include "mlu_op/indice_convolution.h"
#include "ops/indice_convolution/api/arguments.h"
#include "recording/gen_case.h"

namespace detops::indice_convolution {
namespace {

struct Arguments {
  TensorArg features, filters;
  OutputArg out;
  ConvolutionArguments pairs;
  TensorArg bias = Optional("bias", nullptr, nullptr);
  TensorArg residual = Optional("residual", nullptr, nullptr);
  detopsActivation_t activation = DETOPS_ACTIVATION_NONE;
  float negative_slope = 0;
};

void CheckActivation(ArgCheck& check, const Arguments& args) {
  check
      .Integer("activation", static_cast<int>(args.activation),
               args.activation >= DETOPS_ACTIVATION_NONE && args.activation <= DETOPS_ACTIVATION_LEAKY_RELU,
               "a value of detopsActivation_t")
      .Number("negative_slope", args.negative_slope,
              args.activation != DETOPS_ACTIVATION_LEAKY_RELU || std::isfinite(args.negative_slope), "a finite number");
}

// The layout alone.
void CheckLayout(ArgCheck& check, const TensorArg& filters) {
  if (check.failed()) return;
  const mluOpTensorLayout_t layout = filters.desc->layout;
  const bool known = IsFilterLayout(layout);
  const bool lifted = known && FilterLayoutFits(layout, filters.desc->rank());
  const bool contract = layout == MLUOP_LAYOUT_NDHWC || layout == MLUOP_LAYOUT_NCDHW || layout == MLUOP_LAYOUT_ARRAY;
  check.Rule(contract || (check.full() && known), MLUOP_STATUS_NOT_SUPPORTED,
             "filters has layout %s, expected NDHWC, NCDHW or ARRAY%s%s.", LayoutName(layout),
             check.full() ? ", or NHWC, NCHW or HWCN with rank 4" : "", lifted ? kFullProfileLifts : "");
}

// The rank, and whether the layout fits it.
void CheckRank(ArgCheck& check, const TensorArg& filters) {
  if (check.failed()) return;
  const int rank = filters.desc->rank();
  check.Rule(rank == 5 || (rank == 4 && check.full()), MLUOP_STATUS_NOT_SUPPORTED,
             "filters has rank %d, expected %s%s.", rank, check.full() ? "4 or 5" : "5",
             rank == 4 && FilterLayoutFits(filters.desc->layout, rank) ? kFullProfileLifts : "");
  CheckFilterLayout(check, filters);
}

// Everything between the descriptors and the data pointers. `out_rows` is bound to what the rows of features_out must
// be, `feature_rows` to those of features or to nothing.
void CheckShapes(ArgCheck& check, const Arguments& args, Dim& feature_rows, Dim& out_rows) {
  const auto& [features, filters, out, pairs, bias, residual, activation, negative_slope] = args;
  check.FloatingType({features, filters}).Int32(pairs.tensor).FloatingType(out);
  check.SameType(filters, features).SameType(out, features).SameType(bias, features).SameType(residual, features);
  CheckZeroOrOne(check, "sub_m", pairs.sub_m);
  CheckZeroOrOne(check, "inverse", pairs.inverse);
  CheckActivation(check, args);
  CheckInverse(check, pairs.inverse, MLUOP_STATUS_NOT_SUPPORTED);
  CheckLayout(check, filters);
  check.Rank(features, 2).Rank(pairs.tensor, 3).Rank(out, 2).Rank(bias, 1).Rank(residual, 2);
  CheckRank(check, filters);
  check.Dense({features, filters, pairs.tensor, out, bias, residual});
  check.CountLimit({features, filters, pairs.tensor, out, bias, residual});
  if (check.failed()) return;
  const FilterMatrices filter = FilterMatricesOf(*filters.desc);
  CheckOffsets(check, filters, filter, pairs);
  Dim L("L", pairs.length()), Ci("Ci", filter.rows), Co("Co", filter.columns), K("K", filter.offsets);
  check.Shape(features, {pairs.inverted() || pairs.on_rulebook() ? feature_rows : L, Ci})
      .Shape(pairs.tensor, {K, 2, L})
      .Shape(out, {out_rows, Co});
  if (pairs.inverted() && !pairs.on_rulebook()) check.Shape(out, {L, Co});
  check.Shape(bias, {Co}).Shape(residual, {out_rows, Co});
  CheckCounts(check, pairs);
}

// The call as a case file.
void Describe(const Arguments& args, GenCase& record) {
  record.RandomInput(args.features);
  record.RandomInput(args.filters);
  record.RealInput(args.pairs.tensor);
  record.Output(args.out);
  record.Param("num_active_out", args.out.desc->extent(0));
  record.Param("inverse", args.pairs.inverse);
  record.Param("sub_m", args.pairs.sub_m);
  record.Param("indice_num", args.pairs.indice_num, args.pairs.tensor.desc->extent(0));
}

// After the shapes. `case_name` is nullptr for calls that no case file can hold.
mluOpStatus_t CheckDataAndRun(const Call& call, ArgCheck& check, const Arguments& args, const char* case_name) {
  if (check.failed()) return check.status();
  const auto& [features, filters, out, pairs, bias, residual, activation, negative_slope] = args;
  const auto describe = [&](GenCase& record) { Describe(args, record); };
  const bool empty = AnyEmpty({features, filters, pairs.tensor, out});
  if (empty && (out.data == nullptr || out.desc->element_count() == 0)) {
    return RunRecorded(call, case_name, describe, [&] { return call.Succeed(); });
  }
  if (!empty) check.Data({features, filters, pairs.tensor, out});
  check.Data({bias, residual});
  if (!empty) CheckBuffers(check, out, features, filters, pairs);
  check.Separate(out, {bias, residual});
  if (check.failed()) return check.status();
  const RowProductsProblem problem = {.type = features.desc->type,
                                      .filter = FilterMatricesOf(*filters.desc),
                                      .source = features.data,
                                      .source_rows = features.desc->extent(0),
                                      .filters = filters.data,
                                      .target = out.target,
                                      .target_rows = out.desc->extent(0),
                                      .epilogue = {bias.data, residual.data, activation, negative_slope}};
  const ConvolutionPairs lists = MakePairs(pairs, empty, problem.source_rows, problem.target_rows);
  return RunRecorded(call, case_name, describe,
                     [&] { return RunConvolution(call, problem, lists, pairs.inverted() ? 0 : 1); });
}

// The descriptors, then everything up to the data pointers.
void CheckOnPairs(ArgCheck& check, const Arguments& args, int64_t num_act_out, bool fused) {
  check.Handle().Descriptor({args.features, args.filters, args.pairs.tensor});
  CheckIndiceNumPointer(check, args.pairs.indice_num);
  check.Descriptor(args.out);
  if (fused) check.FullProfile();
  Dim feature_rows("rows"), out_rows("num_act_out", num_act_out);
  CheckShapes(check, args, feature_rows, out_rows);
}

}  // namespace
}  // namespace detops::indice_convolution

using namespace detops;
using namespace detops::indice_convolution;

mluOpStatus_t MLUOP_WIN_API mluOpGetIndiceConvolutionForwardWorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc, const mluOpTensorDescriptor_t filters_desc,
    const mluOpTensorDescriptor_t indice_pairs_desc, const mluOpTensorDescriptor_t features_out_desc,
    const int64_t indice_num[], const int64_t num_act_out, const int64_t inverse, const int64_t sub_m,
    size_t* workspace_size) {
  const Call call("mluOpGetIndiceConvolutionForwardWorkspaceSize", handle);
  if (workspace_size == nullptr) return call.NullResult("workspace_size");
  ArgCheck check(call);
  const Arguments args = {.features = {"features", features_desc, nullptr},
                          .filters = {"filters", filters_desc, nullptr},
                          .out = {"features_out", features_out_desc, nullptr},
                          .pairs = {{{"indice_pairs", indice_pairs_desc, nullptr}, indice_num}, inverse, sub_m}};
  CheckOnPairs(check, args, num_act_out, false);
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
  const Call call("mluOpIndiceConvolutionForward", handle);
  const Arguments args = {
      .features = {"features", features_desc, features},
      .filters = {"filters", filters_desc, filters},
      .out = {"features_out", features_out_desc, features_out},
      .pairs = {
          {{"indice_pairs", indice_pairs_desc, indice_pairs}, indice_num}, inverse, sub_m, workspace, workspace_size}};
  ArgCheck check(call);
  CheckOnPairs(check, args, num_act_out, false);
  return CheckDataAndRun(call, check, args, "indice_convolution_forward");
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
  const Call call("detopsIndiceConvolutionForwardFused", handle);
  const Arguments args = {.features = {"features", features_desc, features},
                          .filters = {"filters", filters_desc, filters},
                          .out = {"features_out", features_out_desc, features_out},
                          .pairs = {{{"indice_pairs", indice_pairs_desc, indice_pairs}, indice_num}, inverse, sub_m},
                          .bias = Optional("bias", bias_desc, bias),
                          .residual = Optional("residual", residual_desc, residual),
                          .activation = activation,
                          .negative_slope = negative_slope};
  ArgCheck check(call);
  CheckOnPairs(check, args, num_act_out, true);
  return CheckDataAndRun(call, check, args, nullptr);
}

mluOpStatus_t detopsRulebookConvolutionForward(mluOpHandle_t handle, detopsRulebook_t rulebook, int64_t inverse,
                                               const mluOpTensorDescriptor_t features_desc, const void* features,
                                               const mluOpTensorDescriptor_t filters_desc, const void* filters,
                                               const mluOpTensorDescriptor_t bias_desc, const void* bias,
                                               const mluOpTensorDescriptor_t residual_desc, const void* residual,
                                               detopsActivation_t activation, float negative_slope,
                                               const mluOpTensorDescriptor_t features_out_desc, void* features_out) {
  const Call call("detopsRulebookConvolutionForward", handle);
  const Arguments args = {.features = {"features", features_desc, features},
                          .filters = {"filters", filters_desc, filters},
                          .out = {"features_out", features_out_desc, features_out},
                          .pairs = {{.rulebook = rulebook}, inverse},
                          .bias = Optional("bias", bias_desc, bias),
                          .residual = Optional("residual", residual_desc, residual),
                          .activation = activation,
                          .negative_slope = negative_slope};
  ArgCheck check(call);
  CheckRulebook(check, rulebook);
  check.Descriptor({args.features, args.filters, args.out}).FullProfile();
  RulebookDims rows(rulebook, args.pairs.inverted());
  CheckShapes(check, args, rows.input, rows.output);
  return CheckDataAndRun(call, check, args, nullptr);
}
