// The C entry points of backward data, with pairs and with a rulebook: check table, then problem, then run.
#include <algorithm>

#include "detops/indice_convolution.h"
#include "mlu_op/indice_convolution.h"
#include "ops/indice_convolution/api/arguments.h"
#include "recording/gen_case.h"

namespace detops::indice_convolution {
namespace {

struct Arguments {
  TensorArg output_grad, filters;
  OutputArg input_grad;
  ConvolutionArguments pairs;
};

// The rules of a submanifold convolution and between counts and rows. The counts have been checked.
void CheckSubmanifold(ArgCheck& check, const Arguments& args, int64_t offsets) {
  if (check.failed() || args.pairs.on_rulebook()) return;
  const int64_t* const counts = args.pairs.indice_num;
  const int64_t most = offsets == 0 ? 0 : *std::max_element(counts, counts + offsets);
  const int64_t output_rows = args.output_grad.desc->extent(0);
  const int64_t input_rows = args.input_grad.desc->extent(0);
  const int64_t middle = offsets == 0 ? 0 : counts[offsets / 2];
  if (args.pairs.sub_m == 1) {
    check
        .Rule(input_rows == output_rows, MLUOP_STATUS_BAD_PARAM,
              "input_grad has extent %lld on axis 0, expected %lld as in output_grad because sub_m is 1.",
              static_cast<long long>(input_rows), static_cast<long long>(output_rows))
        .Rule(middle == most, MLUOP_STATUS_BAD_PARAM,
              "indice_num[%lld] is %lld, expected the largest count, %lld, in the middle because sub_m is 1.",
              static_cast<long long>(offsets / 2), static_cast<long long>(middle), static_cast<long long>(most));
  }
  check.Rule(output_rows >= most || check.full(), MLUOP_STATUS_BAD_PARAM,
             "output_grad has extent %lld on axis 0, expected at least %lld, the largest count of indice_num%s.",
             static_cast<long long>(output_rows), static_cast<long long>(most), kFullProfileLifts);
  check.Rule(args.pairs.sub_m == 0 || offsets % 2 == 1, MLUOP_STATUS_BAD_PARAM,
             "filters has %lld offsets, expected an odd number because sub_m is 1.", static_cast<long long>(offsets));
}

// Everything between the descriptors and the data pointers. The dims are bound to what the rows must be, or to nothing.
void CheckShapes(ArgCheck& check, const Arguments& args, Dim& input_rows, Dim& output_rows) {
  const auto& [output_grad, filters, input_grad, pairs] = args;
  check.Rank(output_grad, 2);
  CheckFilterRank(check, filters);
  check.Rank(pairs.tensor, 3).Rank(input_grad, 2);
  Dim any_offsets("K"), any_length("L");
  check.Shape(pairs.tensor, {any_offsets, 2, any_length});
  check.FloatingType({output_grad, filters, input_grad}).Int32(pairs.tensor);
  CheckFilterLayout(check, filters);
  check.Dense({output_grad, filters, pairs.tensor, input_grad});
  CheckZeroOrOne(check, "inverse", pairs.inverse);
  CheckZeroOrOne(check, "sub_m", pairs.sub_m);
  if (check.failed()) return;
  const FilterMatrices filter = FilterMatricesOf(*filters.desc);
  CheckOffsets(check, filters, filter, pairs);
  // The counts are read only if there is one per offset; otherwise the shape is refused further down.
  if (!pairs.on_rulebook() && filter.offsets == any_offsets.value()) {
    CheckCountsNotNegative(check, pairs.indice_num, filter.offsets);
  }
  CheckInverse(check, pairs.inverse, MLUOP_STATUS_NOT_SUPPORTED);
  Dim K("K", filter.offsets), Ci("Ci", filter.rows), Co("Co", filter.columns), L("L", pairs.length());
  const bool free_input = pairs.on_rulebook() || pairs.inverted(),
             free_output = pairs.on_rulebook() || !pairs.inverted();
  check.Shape(pairs.tensor, {K, 2, L})
      .Shape(output_grad, {free_output ? output_rows : L, Co})
      .Shape(input_grad, {free_input ? input_rows : L, Ci});
  CheckCounts(check, pairs);
  CheckSubmanifold(check, args, filter.offsets);
  check.SameType(input_grad, output_grad).SameType(filters, output_grad);
  check.CountLimit({input_grad, output_grad, filters, pairs.tensor});
}

// The call as a case file.
void Describe(const Arguments& args, GenCase& record) {
  record.RandomInput(args.output_grad);
  record.RandomInput(args.filters);
  record.RealInput(args.pairs.tensor);
  record.Output(args.input_grad);
  record.Param("inverse", args.pairs.inverse);
  record.Param("sub_m", args.pairs.sub_m);
  record.Param("indice_num", args.pairs.indice_num, args.pairs.tensor.desc->extent(0));
}

// After the shapes. `case_name` is nullptr for calls that no case file can hold.
mluOpStatus_t CheckDataAndRun(const Call& call, ArgCheck& check, const Arguments& args, const char* case_name) {
  if (check.failed()) return check.status();
  const auto& [output_grad, filters, input_grad, pairs] = args;
  const auto describe = [&](GenCase& record) { Describe(args, record); };
  const bool empty = AnyEmpty({output_grad, filters, pairs.tensor, input_grad});
  if (empty && (input_grad.data == nullptr || input_grad.desc->element_count() == 0)) {
    return RunRecorded(call, case_name, describe, [&] { return call.Succeed(); });
  }
  if (!empty) {
    check.Data({output_grad, filters, pairs.tensor, input_grad});
    CheckBuffers(check, input_grad, output_grad, filters, pairs);
    if (check.failed()) return check.status();
  }
  const RowProductsProblem problem = {.type = output_grad.desc->type,
                                      .filter = FilterMatricesOf(*filters.desc).Transposed(),
                                      .source = output_grad.data,
                                      .source_rows = output_grad.desc->extent(0),
                                      .filters = filters.data,
                                      .target = input_grad.target,
                                      .target_rows = input_grad.desc->extent(0),
                                      .epilogue = {}};
  const ConvolutionPairs lists = MakePairs(pairs, empty, problem.target_rows, problem.source_rows);
  return RunRecorded(call, case_name, describe,
                     [&] { return RunConvolution(call, problem, lists, pairs.inverted() ? 1 : 0); });
}

// The descriptors, then everything up to the data pointers.
void CheckOnPairs(ArgCheck& check, const Arguments& args) {
  check.Handle().Descriptor({args.output_grad, args.filters, args.pairs.tensor, args.input_grad});
  CheckIndiceNumPointer(check, args.pairs.indice_num);
  Dim input_rows("rows"), output_rows("rows");
  CheckShapes(check, args, input_rows, output_rows);
}

}  // namespace
}  // namespace detops::indice_convolution

using namespace detops;
using namespace detops::indice_convolution;

mluOpStatus_t MLUOP_WIN_API mluOpGetIndiceConvolutionBackwardDataWorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t output_grad_desc, const mluOpTensorDescriptor_t filters_desc,
    const mluOpTensorDescriptor_t indice_pairs_desc, const mluOpTensorDescriptor_t input_grad_desc,
    const int64_t indice_num[], const int64_t inverse, size_t* workspace_size) {
  const Call call("mluOpGetIndiceConvolutionBackwardDataWorkspaceSize", handle);
  if (workspace_size == nullptr) return call.NullResult("workspace_size");
  ArgCheck check(call);
  CheckOnPairs(check, {{"output_grad", output_grad_desc, nullptr},
                       {"filters", filters_desc, nullptr},
                       {"input_grad", input_grad_desc, nullptr},
                       {{{"indice_pairs", indice_pairs_desc, nullptr}, indice_num}, inverse}});
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
  const Arguments args = {
      {"output_grad", output_grad_desc, output_grad},
      {"filters", filters_desc, filters},
      {"input_grad", input_grad_desc, input_grad},
      {{{"indice_pairs", indice_pairs_desc, indice_pairs}, indice_num}, inverse, sub_m, workspace, workspace_size}};
  ArgCheck check(call);
  CheckOnPairs(check, args);
  return CheckDataAndRun(call, check, args, "indice_convolution_backward_data");
}

mluOpStatus_t detopsRulebookConvolutionBackwardData(mluOpHandle_t handle, detopsRulebook_t rulebook, int64_t inverse,
                                                    const mluOpTensorDescriptor_t output_grad_desc,
                                                    const void* output_grad, const mluOpTensorDescriptor_t filters_desc,
                                                    const void* filters, const mluOpTensorDescriptor_t input_grad_desc,
                                                    void* input_grad) {
  const Call call("detopsRulebookConvolutionBackwardData", handle);
  const Arguments args = {{"output_grad", output_grad_desc, output_grad},
                          {"filters", filters_desc, filters},
                          {"input_grad", input_grad_desc, input_grad},
                          {{.rulebook = rulebook}, inverse}};
  ArgCheck check(call);
  CheckRulebook(check, rulebook);
  check.Descriptor({args.output_grad, args.filters, args.input_grad}).FullProfile();
  RulebookDims rows(rulebook, args.pairs.inverted());
  CheckShapes(check, args, rows.input, rows.output);
  return CheckDataAndRun(call, check, args, nullptr);
}
