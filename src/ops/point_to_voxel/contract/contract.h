// The parts of point_to_voxel's contracts: detopsPointToVoxel's rules (rules.cc, table.cc) and calls (calls.cc,
// scan.cc), and all of detopsGetVoxelGrid (grid.cc).
#ifndef DETOPS_OPS_POINT_TO_VOXEL_CONTRACT_CONTRACT_H_
#define DETOPS_OPS_POINT_TO_VOXEL_CONTRACT_CONTRACT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "harness/contract.h"
#include "harness/fill.h"
#include "harness/function.h"
#include "harness/rules.h"

namespace detops_harness::point_to_voxel {

Contract PointToVoxelContract();
void AddTrials(Contract& contract);  // of detopsPointToVoxel, for the table of bad input
std::unique_ptr<Function> MakeGetVoxelGrid();

std::vector<BenchmarkCase> Benchmarks();

}  // namespace detops_harness::point_to_voxel

#endif  // DETOPS_OPS_POINT_TO_VOXEL_CONTRACT_CONTRACT_H_
