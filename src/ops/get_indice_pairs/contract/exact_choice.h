// Sites from which a regular convolution reaches an exact number of outputs: tables of layers state both numbers, and
// no scan happens to have them.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_CONTRACT_EXACT_CHOICE_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_CONTRACT_EXACT_CHOICE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "harness/fill.h"
#include "ops/get_indice_pairs/reference/reference.h"

namespace detops_harness::get_indice_pairs {

// Image, then the axes; what the space has no axis for is 0.
using Site = std::array<int32_t, 5>;

// `sites` different sites, of the candidates as far as they serve. Throws ShapeError if none were found.
std::vector<Site> ChooseExactly(const detops_reference::SparseConvolution& convolution, int64_t sites, int64_t outputs,
                                const std::vector<Site>& candidates, Random& random);

}  // namespace detops_harness::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_CONTRACT_EXACT_CHOICE_H_
