// What the calls of roiaware_pool3d share.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_CONTRACT_CALLS_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_CONTRACT_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/catalogue.h"
#include "harness/fill.h"
#include "ops/roiaware_pool3d/contract/rules.h"

namespace detops_harness::roiaware_pool3d {

void AddDense(Catalogue& catalogue);
void AddCompact(Catalogue& catalogue);

using detops_reference::RoiAwareGrid;
using detops_reference::RoiAwareVoxel;

// Keys of all functions, and those of some: a function lists what its shapes need.
std::vector<ShapeKey> CommonKeys();
ShapeKey SpecialsKey();
std::vector<ShapeKey> SwitchKeys();  // z and margin
ShapeKey ListsKey();

struct Sizes {
  explicit Sizes(const Shape& shape);
  std::vector<int64_t> Voxels(int64_t last) const { return {boxes, grid.out_x, grid.out_y, grid.out_z, last}; }

  int64_t boxes, points, channels;
  RoiAwareGrid grid;
  int pool_method;
};

// The numbers of the call that say its sizes: those that the function takes among them.
void SetGrid(Call& call, const Sizes& sizes);
void SetSwitches(Call& call, const Sizes& sizes);

// rois, pts and pts_feature of the shape's scene.
std::vector<Tensor> MakeInputs(const Shape& shape, const Sizes& sizes, mluOpDataType_t type, Random& random);
// What a forward pass over such inputs finds.
struct Found {
  Found(const Shape& shape, const Sizes& sizes, mluOpDataType_t type, Random& random);
  std::vector<RoiAwareVoxel> voxels;
  detops_reference::RoiAwarePooled pooled;
};

// Numbers of points in the voxels together.
int64_t CountPoints(const std::vector<RoiAwareVoxel>& voxels);
// The tensor with the magnitudes of its elements.
Tensor Magnitudes(Tensor tensor);
const int32_t* Integers(const Tensor& tensor);

// For the program and benchmarks; "forward", "backward", "compact_forward", "compact_backward".
std::string SummaryOf(const Shape& shape);
Theory ForwardTheory(const Call& call);
Theory BackwardTheory(const Call& call);
Work BackwardWork(const Call& call);
std::vector<BenchmarkCase> BenchmarksOf(const std::string& pass);

// Samples that have a scene, for both methods.
std::vector<Sample> ForBothMethods(const std::vector<std::string>& shapes);

}  // namespace detops_harness::roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_CONTRACT_CALLS_H_
