// Clouds of points for the rooms that make voxels of them.
#ifndef DETOPS_VOXELS_CONTRACT_CLOUDS_H_
#define DETOPS_VOXELS_CONTRACT_CLOUDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/call.h"
#include "harness/fill.h"
#include "harness/shape.h"

namespace detops_harness::voxels {

// A grid, x first.
struct Cells {
  std::vector<double> range_min, voxel_size;
  std::vector<int> grid;
};

// "1x2x0.5": a number per axis, the last for all that are not named.
std::vector<double> Reals(const Shape& shape, const std::string& key, size_t count);

// What kind of cloud, and, for a scan, how many voxels it has.
ShapeKey CloudKey();
ShapeKey SitesKey();
void FillCloud(const Shape& shape, const Cells& cells, Tensor& points, Random& random);

}  // namespace detops_harness::voxels

#endif  // DETOPS_VOXELS_CONTRACT_CLOUDS_H_
