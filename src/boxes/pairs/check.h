// Checks that functions on pairs of boxes share.
#ifndef DETOPS_BOXES_PAIRS_CHECK_H_
#define DETOPS_BOXES_PAIRS_CHECK_H_

#include "boxes/pairs/matrix.h"
#include "core/arg_check.h"

namespace detops::boxes {

// The tensors of a call.
struct PairArgs {
  TensorArg first, second;
  OutputArg output;
  bool aligned;
};

inline constexpr char kModeRule[] = "0 (over union) or 1 (over the first box)";

// Of so many numbers, unless there are no rows.
inline ArgCheck& RowLength(ArgCheck& check, const TensorArg& boxes, int64_t numbers) {
  return check.failed() || boxes.desc->extent(0) == 0 ? check : check.Axis(boxes, 1, numbers);
}

// The output has a number for each pair: rank 1 if aligned, otherwise 2.
inline ArgCheck& OutputRank(ArgCheck& check, const PairArgs& args) {
  return check.Rank(args.output, args.aligned ? 1 : 2);
}

// [N], and N second boxes, or [N, M]. N is the number of first boxes.
inline ArgCheck& OutputShape(ArgCheck& check, const PairArgs& args, Dim& N, Dim& M) {
  check.Axis(args.first, 0, N).Axis(args.output, 0, N);
  return args.aligned ? check.Axis(args.second, 0, N) : check.Axis(args.second, 0, M).Axis(args.output, 1, M);
}

// One side of a matrix: what a refusal calls the number of its rows, and how many numbers each has.
struct MatrixSide {
  const char* rows;
  int64_t numbers;
};

// From the handle to the strides, for a matrix of all pairs of rows, of the type of the rows.
inline ArgCheck& MatrixForm(ArgCheck& check, const PairArgs& args, const MatrixSide& of_first,
                            const MatrixSide& of_second) {
  const auto& [first, second, output, aligned] = args;
  Dim rows(of_first.rows), columns(of_second.rows);
  // clang-format off
  return check
      .Handle()
      .Descriptor({first, second, output})
      .AnyFloatingType(first).SameType(second, first).SameType(output, first)
      .Rank(first, 2).Rank(second, 2).Rank(output, 2)
      .Shape(first,  {rows, of_first.numbers})
      .Shape(second, {columns, of_second.numbers})
      .Shape(output, {rows, columns})
      .Dense({first, second, output});
  // clang-format on
}

// From counts to values, for a call that has pairs.
inline ArgCheck& PairData(ArgCheck& check, const PairArgs& args) {
  return check.CountLimit({args.first, args.second, args.output})
      .Data({args.first, args.second, args.output})
      .Separate(args.output, {args.first, args.second})
      .Finite(args.first)
      .Finite(args.second);
}

inline bool NoPairs(const PairArgs& args) { return AnyEmpty({args.output}); }

inline PairProblem MakePairProblem(const PairQuestion& question, const PairArgs& args) {
  return {question,
          args.first.desc->type,
          args.aligned,
          args.first.desc->extent(0),
          args.second.desc->extent(0),
          args.first.data,
          args.second.data,
          args.output.target};
}

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_PAIRS_CHECK_H_
