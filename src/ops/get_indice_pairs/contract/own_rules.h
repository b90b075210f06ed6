// The rules that only get_indice_pairs has, and the changes of a call that its contract needs.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_CONTRACT_OWN_RULES_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_CONTRACT_OWN_RULES_H_

#include <functional>
#include <string>
#include <vector>

#include "harness/rules.h"

namespace detops_harness::get_indice_pairs {

// One change after the other.
std::function<void(Call&)> All(std::vector<std::function<void(Call&)>> changes);
void Full(Call& call);
// Input and output space.
std::function<void(Call&)> Spaces(const std::vector<int64_t>& space);
std::function<void(Call&)> WithList(const char* name, std::vector<int64_t> numbers);

Rules SparseDescriptor();
Rules KindOfConvolution();
Rules SitesOfTheSpace();
Rules StrideAndDilation();
Rules OffsetsOfTheKernel();
Rules RowsOfTheSpace();
Rules CountOf(const std::string& tensor);
Rules SitesInInt32();
Rules InputSpace();
Rules OutputSpace();
Rules Kernel();
Rules KernelOfRulebook();
Rules Submanifold();
Rules SitesInside();
Rules RowsForAll();

}  // namespace detops_harness::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_CONTRACT_OWN_RULES_H_
