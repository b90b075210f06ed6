// The C entry points of backward data: check table, then problem, then run.
#include <algorithm>

#include "core/context.h"
#include "ops/indice_convolution/api/check.h"
#include "recording/gen_case.h"

namespace detops::indice_convolution {
namespace {

constexpr char kCaseName[] = "indice_convolution_backward_data";

struct Arguments {
  TensorArg output_grad, filters, pairs, input_grad;
  const int64_t* indice_num;
  int64_t inverse;
  int64_t sub_m;
};

// The rules of a submanifold convolution and between counts and rows. The counts have been checked.
void CheckSubmanifold(ArgCheck& check, const Call& call, const Arguments& args, int64_t offsets) {
  if (check.failed()) return;
  const int64_t most = offsets == 0 ? 0 : *std::max_element(args.indice_num, args.indice_num + offsets);
  const int64_t output_rows = args.output_grad.desc->extent(0);
  const int64_t input_rows = args.input_grad.desc->extent(0);
  const int64_t middle = offsets == 0 ? 0 : args.indice_num[offsets / 2];
  if (args.sub_m == 1) {
    check
        .Rule(input_rows == output_rows, MLUOP_STATUS_BAD_PARAM,
              "input_grad has extent %lld on axis 0, expected %lld as in output_grad because sub_m is 1.",
              static_cast<long long>(input_rows), static_cast<long long>(output_rows))
        .Rule(middle == most, MLUOP_STATUS_BAD_PARAM,
              "indice_num[%lld] is %lld, expected the largest count, %lld, in the middle because sub_m is 1.",
              static_cast<long long>(offsets / 2), static_cast<long long>(middle), static_cast<long long>(most));
  }
  check.Rule(output_rows >= most || IsFull(call), MLUOP_STATUS_BAD_PARAM,
             "output_grad has extent %lld on axis 0, expected at least %lld, the largest count of indice_num%s.",
             static_cast<long long>(output_rows), static_cast<long long>(most), kFullProfileLifts);
  check.Rule(args.sub_m == 0 || offsets % 2 == 1, MLUOP_STATUS_BAD_PARAM,
             "filters has %lld offsets, expected an odd number because sub_m is 1.", static_cast<long long>(offsets));
}

// Everything before the data pointers.
void CheckShapes(ArgCheck& check, const Call& call, const Arguments& args) {
  check.Handle().Descriptor(args.output_grad).Descriptor(args.filters).Descriptor(args.pairs);
  check.Descriptor(args.input_grad);
  CheckIndiceNumPointer(check, args.indice_num);
  check.Rank(args.output_grad, 2);
  CheckFilterRank(check, args.filters);
  check.Rank(args.pairs, 3).Rank(args.input_grad, 2);
  Dim any_offsets("K"), any_length("L");
  check.Shape(args.pairs, {any_offsets, 2, any_length});
  check.FloatingType(args.output_grad).FloatingType(args.filters).FloatingType(args.input_grad).Int32(args.pairs);
  CheckFilterLayout(check, args.filters);
  check.Dense(args.output_grad).Dense(args.filters).Dense(args.pairs).Dense(args.input_grad);
  CheckZeroOrOne(check, "inverse", args.inverse);
  CheckZeroOrOne(check, "sub_m", args.sub_m);
  if (check.failed()) return;
  const FilterMatrices filter = FilterMatricesOf(*args.filters.desc);
  CheckOffsets(check, args.filters, filter);
  const int64_t length = any_length.value();
  // The counts are read only if there is one per offset; otherwise the shape is refused further down.
  if (filter.offsets == any_offsets.value()) CheckCountsNotNegative(check, args.indice_num, filter.offsets);
  CheckInverse(check, call, args.inverse, MLUOP_STATUS_NOT_SUPPORTED);
  Dim K("K", filter.offsets), Ci("Ci", filter.rows), Co("Co", filter.columns), L("L", length), rows("rows");
  const bool inverse = args.inverse == 1;
  check.Shape(args.pairs, {K, 2, L})
      .Shape(args.output_grad, {inverse ? L : rows, Co})
      .Shape(args.input_grad, {inverse ? rows : L, Ci});
  CheckCounts(check, args.indice_num, filter.offsets, length);
  CheckSubmanifold(check, call, args, filter.offsets);
  check.SameType(args.input_grad, args.output_grad).SameType(args.filters, args.output_grad);
  check.CountLimit(args.input_grad).CountLimit(args.output_grad).CountLimit(args.filters).CountLimit(args.pairs);
}

// The call as a case file.
void Describe(const Arguments& args, GenCase& record) {
  record.RandomInput(args.output_grad);
  record.RandomInput(args.filters);
  record.RealInput(args.pairs);
  record.Output(args.input_grad);
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

mluOpStatus_t MLUOP_WIN_API mluOpGetIndiceConvolutionBackwardDataWorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t output_grad_desc, const mluOpTensorDescriptor_t filters_desc,
    const mluOpTensorDescriptor_t indice_pairs_desc, const mluOpTensorDescriptor_t input_grad_desc,
    const int64_t indice_num[], const int64_t inverse, size_t* workspace_size) {
  const Call call("mluOpGetIndiceConvolutionBackwardDataWorkspaceSize", handle);
  if (workspace_size == nullptr) return call.NullResult("workspace_size");
  ArgCheck check(call);
  CheckShapes(check, call,
              {{"output_grad", output_grad_desc, nullptr},
               {"filters", filters_desc, nullptr},
               {"indice_pairs", indice_pairs_desc, nullptr},
               {"input_grad", input_grad_desc, nullptr},
               indice_num,
               inverse,
               0});
  if (check.failed()) return check.status();
  *workspace_size = 0;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpIndiceConvolutionBackwardData(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t output_grad_desc, const void* output_grad,
    const mluOpTensorDescriptor_t filters_desc, const void* filters, const mluOpTensorDescriptor_t indice_pairs_desc,
    const void* indice_pairs, const int64_t indice_num[], const int64_t inverse, const int64_t sub_m, void* workspace,
    const size_t workspace_size, const mluOpTensorDescriptor_t input_grad_desc, void* input_grad) {
  const Call call("mluOpIndiceConvolutionBackwardData", handle);
  const Arguments args = {{"output_grad", output_grad_desc, output_grad},
                          {"filters", filters_desc, filters},
                          {"indice_pairs", indice_pairs_desc, indice_pairs},
                          {"input_grad", input_grad_desc, input_grad},
                          indice_num,
                          inverse,
                          sub_m};
  ArgCheck check(call);
  CheckShapes(check, call, args);
  if (check.failed()) return check.status();
  const bool empty = AnyEmpty({args.output_grad, args.filters, args.pairs, args.input_grad});
  const auto describe = [&](GenCase& record) { Describe(args, record); };
  if (empty && (input_grad == nullptr || input_grad_desc->element_count() == 0)) {
    return RunRecorded(call, kCaseName, describe, [&] { return call.Succeed(); });
  }
  const bool swapped = inverse == 1;
  const int64_t input_rows = input_grad_desc->extent(0);
  const int64_t output_rows = output_grad_desc->extent(0);
  IndicePairs pairs = NoPairs(swapped ? output_rows : input_rows, swapped ? input_rows : output_rows);
  if (!empty) {
    pairs = MakeIndicePairs(args.pairs, indice_num, pairs.rows[0], pairs.rows[1]);
    check.Data(args.output_grad).Data(args.filters).Data(args.pairs).Data(args.input_grad);
    const BufferArg counts("indice_num", indice_num, static_cast<size_t>(pairs.offsets) * sizeof(int64_t));
    CheckBuffers(check, args.input_grad, {args.output_grad, args.filters, args.pairs, counts}, workspace,
                 workspace_size);
    if (check.failed()) return check.status();
  }
  const RowProductsProblem problem = {output_grad_desc->type,
                                      FilterMatricesOf(*filters_desc).Transposed(),
                                      output_grad,
                                      output_rows,
                                      filters,
                                      input_grad,
                                      input_rows,
                                      {}};
  return RunRecorded(call, kCaseName, describe, [&] { return RunAndFinish(call, problem, pairs, swapped ? 1 : 0); });
}
