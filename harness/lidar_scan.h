// Voxels as a LiDAR on a car gives them: rings on the ground, the near sides of cars, poles and walls, nothing behind
// them. Sparse convolutions live on this: clustered, hollow, denser near the car. Random voxels tell little about them.
#ifndef DETOPS_HARNESS_LIDAR_SCAN_H_
#define DETOPS_HARNESS_LIDAR_SCAN_H_

#include <array>
#include <cstdint>
#include <vector>

namespace detops_harness {

using Voxel = std::array<int32_t, 4>;  // batch, depth, height, width

// `count` different voxels of a grid of `depth` x `height` x `width` over 8 x 108 x 108 metres, shared evenly by the
// scenes of the batch, in the order in which the rays hit them; the same for the same seed. There must be room for them
// in the grid. Scans of a moving car are added up until there are enough voxels; if 20 turns of the sensor give too
// few, neighbours of voxels follow, as earlier layers of a network would have added them.
std::vector<Voxel> LidarVoxels(int batch, int64_t count, int depth, int height, int width, uint64_t seed);

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_LIDAR_SCAN_H_
