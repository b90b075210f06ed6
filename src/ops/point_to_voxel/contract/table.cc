// Calls of detopsPointToVoxel for the table of bad input: those that have a defined result, and faults that no rule
// knows by itself.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/point_to_voxel/contract/contract.h"
#include "voxels/contract/numbers.h"

namespace detops_harness::point_to_voxel {
namespace {

std::string WithoutVoxels(const Call& call) { return call.results.at("voxel_num") == 0 ? "" : "there are voxels"; }

void AddDefinitions(Contract& contract) {
  contract
      .Defines(
          BadClass::kEmpty, "no points",
          [](Call& call) {
            WithDim("P", 0)(call);
            for (int64_t i = 0; i < 3; ++i) call["cloud_begins"].Set(i, 0);
          },
          WithoutVoxels)
      .Defines(BadClass::kEmpty, "no rows for voxels: every point is dropped", WithDim("M", 0),
               [](const Call& call) {
                 const std::vector<double> voxels = call["point_voxel"].Values();
                 const bool dropped = std::all_of(voxels.begin(), voxels.end(), [](double v) { return v == -1; });
                 return dropped ? WithoutVoxels(call) : "a point has a voxel";
               })
      .Defines(
          BadClass::kDuplicates, "all points are equal: one voxel per cloud, with the first points",
          [](Call& call) {
            for (int64_t i = 0; i < call["points"].elements(); ++i) call["points"].Set(i, 0.25);
          },
          [](const Call& call) {
            if (call.results.at("voxel_num") != 2) return "not one voxel per cloud";
            return call["num_points"].Get(0) == 3 ? "" : "not the first 3 points";
          });
  for (const double coordinate : {voxels::kNan, voxels::kInf, 3.4e38, -1.0}) {
    contract.Defines(
        BadClass::kCoordinates, "points at " + std::to_string(coordinate) + " are dropped",
        [coordinate](Call& call) {
          for (int64_t i = 2; i < call["points"].elements(); i += 5) call["points"].Set(i, coordinate);
        },
        WithoutVoxels);
  }
}

}  // namespace

void AddTrials(Contract& contract) {
  AddDefinitions(contract);
  contract.CannotOccur({BadClass::kWorkspace, BadClass::kBatchId});
  for (const int ndim : {0, -1, 5}) contract.Try(BadClass::kSizes, "ndim", WithInteger("ndim", ndim));
  for (const int order : {-1, 2}) contract.Try(BadClass::kEnumerator, "order", WithInteger("order", order));
  contract.Try(BadClass::kSizes, "max_points_per_voxel 0 with voxels", WithInteger("max_points_per_voxel", 0))
      .Try(BadClass::kSizes, "max_points_per_voxel -1", WithInteger("max_points_per_voxel", -1))
      .Try(BadClass::kOverflow, "bytes that int64 cannot count", WithDim("F", int64_t{1} << 58))
      .Try(BadClass::kOverflow, "the contract profile", [](Call& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
  const auto extent = [&](const std::string& tensor, size_t axis) {
    contract.Try(BadClass::kShapes, "extent of " + tensor + " on axis " + std::to_string(axis),
                 [=](Call& call) { ++call[tensor].extents[axis]; });
  };
  extent("points", 0);
  extent("points", 1);
  extent("coordinates", 0);
  for (const char* output : {"voxels", "means"}) {
    contract.Try(BadClass::kOverlap, std::string(output) + " in coordinates",
                 [=](Call& call) { call[output].inside = "coordinates"; });
  }
}

}  // namespace detops_harness::point_to_voxel
