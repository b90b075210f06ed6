// Sites and pairs for the sparse operators, as a LiDAR and a layer of a network give them.
#ifndef DETOPS_CLI_OPERATORS_SPARSE_INPUT_H_
#define DETOPS_CLI_OPERATORS_SPARSE_INPUT_H_

#include <cstdint>
#include <vector>

#include "bench/lidar_scan.h"
#include "operators/old_operator.h"
#include "ops/get_indice_pairs/reference/reference.h"

namespace detops_cli::old {

// The keys of Shape that say which sites and which convolution.
std::vector<ShapeKey> SparseKeys();

struct SparseInput {
  GetIndicePairsParams params;
  std::vector<detops_bench::Voxel> sites;
  detops_reference::IndicePairs pairs;  // by the reference
  int64_t outputs = 0;                  // rows of out_indices

  int64_t offsets() const { return static_cast<int64_t>(pairs.indice_num.size()); }
};

// The convolution that the keys describe. Throws UsageError for what is wrong with any of them.
GetIndicePairsParams ValidateSparse(const Shape& shape);

// The last result is kept: several operators and types are tried on the same sites. Throws UsageError.
const SparseInput& MakeSparseInput(const Shape& shape, uint64_t seed);

detops_reference::SparseConvolution ConvolutionOf(const GetIndicePairsParams& params);

}  // namespace detops_cli::old

#endif  // DETOPS_CLI_OPERATORS_SPARSE_INPUT_H_
