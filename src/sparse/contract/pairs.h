// What the contracts of the operators on index pairs share: pairs of every kind, rules about them, and rulebooks.
#ifndef DETOPS_SPARSE_CONTRACT_PAIRS_H_
#define DETOPS_SPARSE_CONTRACT_PAIRS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/arguments.h"
#include "harness/fill.h"
#include "harness/library.h"
#include "harness/rules.h"
#include "harness/shape.h"

namespace detops_harness::sparse {

// Pairs of K offsets between input rows and output rows.
struct Pairs {
  int64_t offsets = 0, columns = 0;
  int64_t rows[2] = {0, 0};        // inputs, outputs
  std::vector<int32_t> indices{};  // [offsets, 2, columns]
  std::vector<int64_t> counts{};   // [offsets]: how many of the columns count

  int32_t& At(int64_t offset, int64_t side, int64_t column) {
    return indices.at(static_cast<size_t>((offset * 2 + side) * columns + column));
  }
  void Add(int64_t offset, int64_t input, int64_t output);
};

// No pair yet. What stands in columns that do not count leaves every tensor if it is used as an index.
Pairs NoPairs(int64_t offsets, int64_t columns, int64_t inputs, int64_t outputs);

// The key "pairs" of a shape, and the pairs that it asks for:
//   spread      the middle offset has the most, some have none; no order, no index twice in an offset of a few
//   ascending   both indices ascend: what ascending sites give
//   crossed     inputs ascend, outputs are in any order: what other sites give
//   shuffled    no order, no index twice in an offset
//   submanifold the middle offset pairs every row with itself, the others have fewer pairs
//   holes       most offsets have no pairs
//   random      any number of any indices
//   crowded     as many pairs as there are columns, few different indices
//   one_output, one_input  all pairs of all offsets meet in one row
//   none
//   scene       sparse/contract/scene.h
ShapeKey PairsKey(const std::string& fallback);
Pairs MakePairs(const Shape& shape, int64_t offsets, int64_t columns, int64_t inputs, int64_t outputs, Random& random);

// ---- in a call ----

// As the tensor indice_pairs; the numbers go to the call's indice_num.
Tensor PairsTensor(const Pairs& pairs);
// For a function that takes a rulebook: lists that no fault touches, because the rulebook was made by another call.
void KeepForRulebook(Call& call, const Pairs& pairs);
// Gives either kind of call, made with as many offsets and columns, these pairs instead of its own.
void SetPairs(Call& call, const Pairs& pairs);
// Of either kind of call.
Pairs PairsOf(const Call& call);
const std::vector<int64_t>& CountsOf(const Call& call);
// The rows of the rulebook: inputs (0) or outputs (1).
int64_t RulebookRows(const Call& call, int side);
int64_t RulebookOffsets(const Call& call);

// Made of the call's pairs with a handle of its own; it lives as long as the arguments. NULL if the call says so.
std::shared_ptr<void> MakeRulebook(const Functions& library, const Arguments& arguments);
using Rulebook = std::remove_pointer_t<detopsRulebook_t>;

// ---- rules ----

// indice_num is an array.
Rules CountsPointer();
// "a count in [0, L]". The array must have a number for each offset of indice_pairs.
Rules CountsInRange();
// Every counted index is a row; looked at also if value checks are off. `rows`: of the tensor that the indices of a
// side (0: inputs, 1: outputs) mean. `offset`: where the table's faults lie.
Rules IndicesAreRows(std::function<int64_t(const Call&, int side)> rows, int64_t offset);
// A rulebook is there.
Rules RulebookPointer();

// ---- for the table of bad input ----

// Cases under the names that the table gives them.
void TryEnumerator(Contract& contract, const std::string& argument, std::initializer_list<int64_t> values);
void TryExtent(Contract& contract, const std::string& tensor, size_t axis);
void TryContractProfile(Contract& contract);

// For verdicts: no byte of the output was written; all of its elements are 0.
std::string Untouched(const Tensor& output);
std::string AllZero(const Tensor& output);

}  // namespace detops_harness::sparse

#endif  // DETOPS_SPARSE_CONTRACT_PAIRS_H_
