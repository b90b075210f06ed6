// Rules and boxes for functions on pairs of boxes: all pairs of two lists, or boxes of the same number ("aligned").
#ifndef DETOPS_BOXES_CONTRACT_PAIRS_H_
#define DETOPS_BOXES_CONTRACT_PAIRS_H_

#include <string>

#include "harness/contract.h"
#include "harness/fill.h"
#include "harness/rules.h"
#include "harness/shape.h"

namespace detops_harness::boxes {

// The names of the three tensors, whose shapes the contract's table has as [N, ...], [M, ...], [N, M].
struct PairNames {
  std::string first, second, output;
  Names all() const { return {first, second, output}; }
};

bool IsAligned(const Call& call);
// The good call, which has all pairs, with boxes of the same number instead.
std::function<void(Call&)> Aligned(const PairNames& names);

// Rank 2, with aligned 1.
Rules OutputRank(const PairNames& names);
// N rows; with aligned also N second boxes.
Rules OutputRows(const PairNames& names);
// M columns, unless aligned.
Rules OutputColumns(const PairNames& names);
// Both.
Rules OutputShape(const PairNames& names);
// So many numbers as the contract's table says, unless there is no row.
Rules RowLength(const std::string& tensor);
// The call ends well if there is no pair.
Rules NoPairs(const PairNames& names);
// In separate checks, from counts to values.
void CheckData(Contract& contract, const PairNames& names);
// What CheckData's rules and those above leave for the table of bad input, and the last failures.
void Finish(Contract& contract);

// "boxes", with all kinds that there are.
ShapeKey PairsKey();
enum class PairForm { kUpright, kRotated, kSevenNumbers };
// Boxes of the kind in two dense tensors.
void FillPairs(const Shape& shape, PairForm form, Tensor& first, Tensor& second, Random& random);

// Pairs whose upright bounds meet.
double MeetingPairs(const Call& call, PairForm form, const PairNames& names);

}  // namespace detops_harness::boxes

#endif  // DETOPS_BOXES_CONTRACT_PAIRS_H_
