// The C entry points of backward filter: check table, then problem, then run.
#include "ops/indice_convolution/api/backward_filter.h"

#include "core/context.h"
#include "core/data_type.h"
#include "ops/indice_convolution/api/check.h"
#include "recording/gen_case.h"

namespace detops::indice_convolution {

void CheckOnchipTypes(ArgCheck& check, const Call& call, const TensorArg& features, const TensorArg& output_grad,
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
  check.Rule(onchip == MLUOP_DTYPE_INVALID || ((IsFull(call) ? full : contract) && wide), MLUOP_STATUS_BAD_PARAM,
             "%s has on-chip type %s, expected a floating type not narrower than %s%s.", filters_grad.name,
             TypeName(onchip), TypeName(filters_grad.desc->type), full && wide ? kFullProfileLifts : "");
}

OuterProductsProblem MakeFilterProblem(const TensorArg& features, const TensorArg& output_grad,
                                       const TensorArg& filters_grad, const FilterMatrices& filter, bool inverse) {
  // Blocks are made of the input side, on which lists of mluOpGetIndicePairs are always in order. That is the features'
  // side, or the gradient's if the convolution was inverse.
  return {features.desc->type,
          filter,
          features.data,
          features.desc->extent(0),
          output_grad.data,
          output_grad.desc->extent(0),
          inverse,
          const_cast<void*>(filters_grad.data)};
}

namespace {

constexpr char kCaseName[] = "indice_convolution_backward_filter";

struct Arguments {
  TensorArg features, output_grad, pairs, filters_grad;
  const int64_t* indice_num;
  int64_t inverse;
  int64_t sub_m;
};

// The contract reads filters_grad as [kd,] kh, kw, Ci, Co whatever its layout says, as every release did: programs pass
// that shape under any label. Call after the checks of rank and layout.
FilterMatrices MatricesOf(const Call& call, const Arguments& args) {
  const mluOpTensorStruct& filters_grad = *args.filters_grad.desc;
  return FilterMatricesOf(filters_grad, IsFull(call) ? filters_grad.layout : MLUOP_LAYOUT_ARRAY);
}

// Everything before the data pointers.
void CheckShapes(ArgCheck& check, const Call& call, const Arguments& args) {
  check.Handle().Descriptor(args.features).Descriptor(args.output_grad).Descriptor(args.pairs);
  check.Descriptor(args.filters_grad);
  CheckIndiceNumPointer(check, args.indice_num);
  if (check.failed()) return;
  check.Rule(args.inverse == 0 || args.inverse == 1, MLUOP_STATUS_BAD_PARAM, "inverse is %lld, expected 0%s.",
             static_cast<long long>(args.inverse), IsFull(call) ? " or 1" : "");
  CheckInverse(check, call, args.inverse, MLUOP_STATUS_BAD_PARAM);
  CheckZeroOrOne(check, "sub_m", args.sub_m);
  check.Dense(args.features).Dense(args.output_grad).Dense(args.pairs).Dense(args.filters_grad);
  check.Int32(args.pairs).FloatingType(args.features);
  check.SameType(args.output_grad, args.features).SameType(args.filters_grad, args.features);
  CheckOnchipTypes(check, call, args.features, args.output_grad, args.filters_grad);
  check.CountLimit(args.features).CountLimit(args.output_grad).CountLimit(args.pairs).CountLimit(args.filters_grad);
  check.Rank(args.features, 2).Rank(args.output_grad, 2).Rank(args.pairs, 3);
  CheckFilterRank(check, args.filters_grad);
  if (check.failed()) return;
  if (IsFull(call)) CheckFilterLayout(check, args.filters_grad);
  if (check.failed()) return;
  const FilterMatrices filter = MatricesOf(call, args);
  CheckOffsets(check, args.filters_grad, filter);
  Dim K("K", filter.offsets), Ci("Ci", filter.rows), Co("Co", filter.columns), L("L", args.pairs.desc->extent(2));
  Dim rows("rows");
  const bool inverse = args.inverse == 1;
  check.Shape(args.features, {inverse ? rows : L, Ci})
      .Shape(args.output_grad, {inverse ? L : rows, Co})
      .Shape(args.pairs, {K, 2, L});
}

// The call as a case file, whose message of parameters has another name than the operator.
void Describe(const Arguments& args, GenCase& record) {
  record.RandomInput(args.features);
  record.RandomInput(args.output_grad);
  record.RealInput(args.pairs);
  record.Output(args.filters_grad);
  record.ParamMessage("indice_convolution_backward_param");
  record.Param("inverse", args.inverse);
  record.Param("sub_m", args.sub_m);
  record.Param("indice_num", args.indice_num, args.pairs.desc->extent(0));
}

}  // namespace
}  // namespace detops::indice_convolution

// NOLINTBEGIN(google-build-using-namespace): entry points are glue
using namespace detops;
using namespace detops::indice_convolution;
// NOLINTEND(google-build-using-namespace)

mluOpStatus_t MLUOP_WIN_API mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc, const mluOpTensorDescriptor_t output_grad_desc,
    const mluOpTensorDescriptor_t indice_pairs_desc, const mluOpTensorDescriptor_t filters_grad_desc,
    const int64_t indice_num[], const int64_t inverse, const int64_t sub_m, size_t* workspace_size) {
  const Call call("mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize", handle);
  if (workspace_size == nullptr) return call.NullResult("workspace_size");
  ArgCheck check(call);
  CheckShapes(check, call,
              {{"features", features_desc, nullptr},
               {"output_grad", output_grad_desc, nullptr},
               {"indice_pairs", indice_pairs_desc, nullptr},
               {"filters_grad", filters_grad_desc, nullptr},
               indice_num,
               inverse,
               sub_m});
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
  const Arguments args = {{"features", features_desc, features},
                          {"output_grad", output_grad_desc, output_grad},
                          {"indice_pairs", indice_pairs_desc, indice_pairs},
                          {"filters_grad", filters_grad_desc, filters_grad},
                          indice_num,
                          inverse,
                          sub_m};
  ArgCheck check(call);
  CheckShapes(check, call, args);
  if (check.failed()) return check.status();
  const bool empty = AnyEmpty({args.features, args.output_grad, args.pairs, args.filters_grad});
  const auto describe = [&](GenCase& record) { Describe(args, record); };
  if (empty && (filters_grad == nullptr || filters_grad_desc->element_count() == 0)) {
    return RunRecorded(call, kCaseName, describe, [&] { return call.Succeed(); });
  }
  const bool swapped = inverse == 1;
  const int64_t feature_rows = features_desc->extent(0);
  const int64_t grad_rows = output_grad_desc->extent(0);
  IndicePairs pairs = NoPairs(swapped ? grad_rows : feature_rows, swapped ? feature_rows : grad_rows);
  if (!empty) {
    pairs = MakeIndicePairs(args.pairs, indice_num, pairs.rows[0], pairs.rows[1]);
    check.Data(args.features).Data(args.output_grad).Data(args.pairs).Data(args.filters_grad);
    const BufferArg counts("indice_num", indice_num, static_cast<size_t>(pairs.offsets) * sizeof(int64_t));
    CheckBuffers(check, args.filters_grad, {args.features, args.output_grad, args.pairs, counts}, workspace,
                 workspace_size);
    CheckCounts(check, indice_num, pairs.offsets, pairs.length);
    if (check.failed()) return check.status();
  }
  const OuterProductsProblem problem =
      MakeFilterProblem(args.features, args.output_grad, args.filters_grad, MatricesOf(call, args), swapped);
  return RunRecorded(call, kCaseName, describe, [&] { return RunAndFinish(call, problem, pairs, 0); });
}
