// What the files of this contract share: the convolution that a call describes, and what follows from it.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_CONTRACT_CONVOLUTION_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_CONTRACT_CONVOLUTION_H_

#include <cstdint>
#include <vector>

#include "harness/call.h"
#include "harness/function.h"
#include "harness/shape.h"
#include "ops/get_indice_pairs/reference/reference.h"

namespace detops_harness::get_indice_pairs {

// The sparse-convolution descriptor is an object, and only good ones can be made: a call holds its fields, integers
// "batch", "sub_m", "transpose", "inverse" and lists "pad", "stride", "dilation", "input_space", "filter_space",
// "output_space", "output_padding" (empty: NULL). What no descriptor can hold means the nearest that one can: a batch
// of 1 for one below, not transposed if it is submanifold, and lists as long as "pad", with ones where they are
// shorter.
detops_reference::SparseConvolution ConvolutionOf(const Call& call);
// Throws ShapeError if there is none.
detops_reference::SparseConvolution ConvolutionOf(const Shape& shape);
bool IsInverse(const Call& call);

// Products that stop at the largest int64.
int64_t Product(int64_t batch, const std::vector<int64_t>& extents);
int64_t InputSites(const Call& call);
int64_t OutputSites(const Call& call);
int64_t KernelOffsets(const Call& call);

// The bytes that mluOpGetIndicePairs asks for as workspace.
int64_t WorkspaceBytes(const Call& call);

// The reference's answer for the indices of the call. It is kept until the next one: of a scan it takes seconds.
const detops_reference::IndicePairs& PairsOf(const Call& call);

// False if indices says that it has more elements than the call has memory for.
bool HasIndices(const Call& call);

// Gives a call its input sites, [L, D + 1], and then its outputs, out_indices with so many rows.
void SetSites(Call& call, const std::vector<int32_t>& sites);
void SetRows(Call& call, int64_t rows);
// The same for a function that makes a rulebook.
void SetRowsOfRulebook(Call& call, int64_t rows);

// Throw ShapeError: there are more sites than places; a key about sites has no such value.
void CheckRoom(const detops_reference::SparseConvolution& convolution, int64_t sites);
void CheckSites(const Shape& shape);
// The input sites of a shape, [L, D + 1], in the order that it asks for.
std::vector<int32_t> MakeSites(const Shape& shape, const detops_reference::SparseConvolution& convolution,
                               uint64_t seed);

// Of mluOpGetIndicePairs, and with a prefix of what makes a rulebook of the same sites.
std::vector<BenchmarkCase> Benchmarks(const std::string& prefix);

enum class Kind { kPairs, kSize, kCount, kBuild, kRebuild };

// The last two: their result is a rulebook.
inline bool MakesRulebook(Kind kind) { return kind == Kind::kBuild || kind == Kind::kRebuild; }

Contract MakeContract(Kind kind, const std::string& function);
Contract MakeRulebookContract(Kind kind, const std::string& function);

}  // namespace detops_harness::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_CONTRACT_CONVOLUTION_H_
