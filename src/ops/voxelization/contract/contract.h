// The parts of voxelization's contracts: rules of both functions (rules.cc), and calls (calls.cc).
#ifndef DETOPS_OPS_VOXELIZATION_CONTRACT_CONTRACT_H_
#define DETOPS_OPS_VOXELIZATION_CONTRACT_CONTRACT_H_

#include "harness/contract.h"
#include "harness/rules.h"

namespace detops_harness::voxelization {

Contract MakeContract();
Contract MakeSizeContract();

}  // namespace detops_harness::voxelization

#endif  // DETOPS_OPS_VOXELIZATION_CONTRACT_CONTRACT_H_
