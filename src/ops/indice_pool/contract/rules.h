// The contracts of indice_pool.
#ifndef DETOPS_OPS_INDICE_POOL_CONTRACT_RULES_H_
#define DETOPS_OPS_INDICE_POOL_CONTRACT_RULES_H_

#include "harness/contract.h"

namespace detops_harness::indice_pool {

Contract MakeContract(bool backward, bool on_rulebook);

}  // namespace detops_harness::indice_pool

#endif  // DETOPS_OPS_INDICE_POOL_CONTRACT_RULES_H_
