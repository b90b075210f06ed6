// The C entry points of backward filter, with pairs and with a rulebook: check table, then problem, then run.
#include "core/data_type.h"
#include "detops/indice_convolution.h"
#include "mlu_op/indice_convolution.h"
#include "ops/indice_convolution/api/arguments.h"
#include "recording/gen_case.h"

namespace detops::indice_convolution {
namespace {

struct Arguments {
  TensorArg features, output_grad;
  OutputArg filters_grad;
  ConvolutionArguments pairs;
};

// The types a caller has asked the accelerator to compute in must not be narrower than the tensors'.
void CheckOnchipTypes(ArgCheck& check, const TensorArg& features, const TensorArg& output_grad,
                      const TensorArg& filters_grad) {
  if (check.failed()) return;
  for (const TensorArg* tensor : {&features, &output_grad}) {
    const mluOpDataType_t onchip = tensor->desc->onchip_type;
    check.Rule(onchip == MLUOP_DTYPE_INVALID || onchip == tensor->desc->type, MLUOP_STATUS_BAD_PARAM,
               "%s has on-chip type %s, expected %s, its type.", tensor->name, TypeName(onchip),
               TypeName(tensor->desc->type));
  }
  const mluOpDataType_t onchip = filters_grad.desc->onchip_type;
  const bool contract = onchip == MLUOP_DTYPE_HALF || onchip == MLUOP_DTYPE_FLOAT;
  const bool full = contract || onchip == MLUOP_DTYPE_BFLOAT16 || onchip == MLUOP_DTYPE_DOUBLE;
  const bool wide = SizeOfType(onchip) >= SizeOfType(filters_grad.desc->type);
  check.Rule(onchip == MLUOP_DTYPE_INVALID || ((check.full() ? full : contract) && wide), MLUOP_STATUS_BAD_PARAM,
             "%s has on-chip type %s, expected a floating type not narrower than %s%s.", filters_grad.name,
             TypeName(onchip), TypeName(filters_grad.desc->type), full && wide ? kFullProfileLifts : "");
}

// The contract reads filters_grad as [kd,] kh, kw, Ci, Co whatever its layout says, as every release did: programs pass
// that shape under any label. Call after the checks of rank and layout.
FilterMatrices MatricesOf(const ArgCheck& check, const mluOpTensorStruct& filters_grad) {
  return FilterMatricesOf(filters_grad, check.full() ? filters_grad.layout : MLUOP_LAYOUT_ARRAY);
}

// Everything between the descriptors and the data pointers. The dims are bound to what the rows must be, or to nothing.
void CheckShapes(ArgCheck& check, const Arguments& args, Dim& input_rows, Dim& output_rows) {
  if (check.failed()) return;
  const auto& [features, output_grad, filters_grad, pairs] = args;
  check.Rule(pairs.inverse == 0 || pairs.inverse == 1, MLUOP_STATUS_BAD_PARAM, "inverse is %lld, expected 0%s.",
             static_cast<long long>(pairs.inverse), check.full() ? " or 1" : "");
  CheckInverse(check, pairs.inverse, MLUOP_STATUS_BAD_PARAM);
  CheckZeroOrOne(check, "sub_m", pairs.sub_m);
  check.Dense({features, output_grad, pairs.tensor, filters_grad}).Int32(pairs.tensor).FloatingType(features);
  check.SameType(output_grad, features).SameType(filters_grad, features);
  CheckOnchipTypes(check, features, output_grad, filters_grad);
  check.CountLimit({features, output_grad, pairs.tensor, filters_grad});
  check.Rank(features, 2).Rank(output_grad, 2).Rank(pairs.tensor, 3);
  CheckFilterRank(check, filters_grad);
  if (check.full()) CheckFilterLayout(check, filters_grad);
  if (check.failed()) return;
  const FilterMatrices filter = MatricesOf(check, *filters_grad.desc);
  CheckOffsets(check, filters_grad, filter, pairs);
  Dim K("K", filter.offsets), Ci("Ci", filter.rows), Co("Co", filter.columns), L("L", pairs.length());
  const bool free_input = pairs.on_rulebook() || pairs.inverted(),
             free_output = pairs.on_rulebook() || !pairs.inverted();
  check.Shape(features, {free_input ? input_rows : L, Ci})
      .Shape(output_grad, {free_output ? output_rows : L, Co})
      .Shape(pairs.tensor, {K, 2, L});
}

// The call as a case file, whose message of parameters has another name than the operator.
void Describe(const Arguments& args, GenCase& record) {
  record.RandomInput(args.features);
  record.RandomInput(args.output_grad);
  record.RealInput(args.pairs.tensor);
  record.Output(args.filters_grad);
  record.ParamMessage("indice_convolution_backward_param");
  record.Param("inverse", args.pairs.inverse);
  record.Param("sub_m", args.pairs.sub_m);
  record.Param("indice_num", args.pairs.indice_num, args.pairs.tensor.desc->extent(0));
}

// After the shapes. `case_name` is nullptr for calls that no case file can hold.
mluOpStatus_t CheckDataAndRun(const Call& call, ArgCheck& check, const Arguments& args, const char* case_name) {
  if (check.failed()) return check.status();
  const auto& [features, output_grad, filters_grad, pairs] = args;
  const auto describe = [&](GenCase& record) { Describe(args, record); };
  const bool empty = AnyEmpty({features, output_grad, pairs.tensor, filters_grad});
  if (empty && (filters_grad.data == nullptr || filters_grad.desc->element_count() == 0)) {
    return RunRecorded(call, case_name, describe, [&] { return call.Succeed(); });
  }
  if (!empty) {
    check.Data({features, output_grad, pairs.tensor, filters_grad});
    CheckBuffers(check, filters_grad, features, output_grad, pairs);
    CheckCounts(check, pairs);
    if (check.failed()) return check.status();
  }
  // Blocks are made of the input side, on which lists of mluOpGetIndicePairs are always in order. That is the features'
  // side, or the gradient's if the convolution was inverse.
  const FilterGradientProblem problem = {.type = features.desc->type,
                                         .filter = MatricesOf(check, *filters_grad.desc),
                                         .left = features.data,
                                         .left_rows = features.desc->extent(0),
                                         .right = output_grad.data,
                                         .right_rows = output_grad.desc->extent(0),
                                         .left_is_other = pairs.inverted(),
                                         .filters = filters_grad.target};
  const ConvolutionPairs lists = MakePairs(pairs, empty, problem.left_rows, problem.right_rows);
  return RunRecorded(call, case_name, describe, [&] { return RunConvolution(call, problem, lists, 0); });
}

// The descriptors, then everything up to the data pointers.
void CheckOnPairs(ArgCheck& check, const Arguments& args) {
  check.Handle().Descriptor({args.features, args.output_grad, args.pairs.tensor, args.filters_grad});
  CheckIndiceNumPointer(check, args.pairs.indice_num);
  Dim input_rows("rows"), output_rows("rows");
  CheckShapes(check, args, input_rows, output_rows);
}

}  // namespace
}  // namespace detops::indice_convolution

using namespace detops;
using namespace detops::indice_convolution;

mluOpStatus_t MLUOP_WIN_API mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc, const mluOpTensorDescriptor_t output_grad_desc,
    const mluOpTensorDescriptor_t indice_pairs_desc, const mluOpTensorDescriptor_t filters_grad_desc,
    const int64_t indice_num[], const int64_t inverse, const int64_t sub_m, size_t* workspace_size) {
  const Call call("mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize", handle);
  if (workspace_size == nullptr) return call.NullResult("workspace_size");
  ArgCheck check(call);
  CheckOnPairs(check, {{"features", features_desc, nullptr},
                       {"output_grad", output_grad_desc, nullptr},
                       {"filters_grad", filters_grad_desc, nullptr},
                       {{{"indice_pairs", indice_pairs_desc, nullptr}, indice_num}, inverse, sub_m}});
  if (check.failed()) return check.status();
  *workspace_size = 0;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpIndiceConvolutionBackwardFilter(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc, const void* features,
    const mluOpTensorDescriptor_t output_grad_desc, const void* output_grad,
    const mluOpTensorDescriptor_t indice_pairs_desc, const void* indice_pairs, const int64_t indice_num[],
    const int64_t inverse, const int64_t sub_m, void* workspace, const size_t workspace_size,
    const mluOpTensorDescriptor_t filters_grad_desc, void* filters_grad) {
  const Call call("mluOpIndiceConvolutionBackwardFilter", handle);
  const Arguments args = {
      {"features", features_desc, features},
      {"output_grad", output_grad_desc, output_grad},
      {"filters_grad", filters_grad_desc, filters_grad},
      {{{"indice_pairs", indice_pairs_desc, indice_pairs}, indice_num}, inverse, sub_m, workspace, workspace_size}};
  ArgCheck check(call);
  CheckOnPairs(check, args);
  return CheckDataAndRun(call, check, args, "indice_convolution_backward_filter");
}

mluOpStatus_t detopsRulebookConvolutionBackwardFilter(mluOpHandle_t handle, detopsRulebook_t rulebook, int64_t inverse,
                                                      const mluOpTensorDescriptor_t features_desc, const void* features,
                                                      const mluOpTensorDescriptor_t output_grad_desc,
                                                      const void* output_grad,
                                                      const mluOpTensorDescriptor_t filters_grad_desc,
                                                      void* filters_grad) {
  const Call call("detopsRulebookConvolutionBackwardFilter", handle);
  const Arguments args = {{"features", features_desc, features},
                          {"output_grad", output_grad_desc, output_grad},
                          {"filters_grad", filters_grad_desc, filters_grad},
                          {{.rulebook = rulebook}, inverse}};
  ArgCheck check(call);
  CheckRulebook(check, rulebook);
  check.Descriptor({args.features, args.output_grad, args.filters_grad}).FullProfile();
  RulebookDims rows(rulebook, args.pairs.inverted());
  CheckShapes(check, args, rows.input, rows.output);
  return CheckDataAndRun(call, check, args, nullptr);
}
