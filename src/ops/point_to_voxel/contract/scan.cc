// Clouds as detectors see them, and which of them are worth timing.
#include <algorithm>
#include <tuple>

#include "harness/fill.h"
#include "harness/lidar_scan.h"
#include "ops/point_to_voxel/contract/contract.h"

namespace detops_harness::point_to_voxel {

void FillScan(Tensor& points, const std::vector<int>& grid, int64_t sites, Random& random) {
  if (grid.size() != 3) throw ShapeError("--shape: scans have three axes");
  const std::vector<Voxel> voxels = LidarVoxels(1, sites, grid[2], grid[1], grid[0], random.Next());
  const int64_t count = points.extents[0], features = points.extents[1], last = sites - 1;
  for (int64_t point = 0; point < count; ++point) {
    // Neighbours in the scan are neighbours in the tensor, as a sensor gives them.
    const int64_t near = std::clamp<int64_t>(point * last / count + random.Between(-200, 200), 0, last);
    const Voxel& voxel = voxels[static_cast<size_t>(near)];
    for (int64_t f = 0; f < features; ++f) {
      const int corner = f < 3 ? voxel[static_cast<size_t>(3 - f)] : 0;
      points.Set(point * features + f, corner + random.Uniform(0.01, 0.99));
    }
  }
}

std::vector<BenchmarkCase> Benchmarks() {
  std::vector<BenchmarkCase> cases;
  // Voxels of 1 x 1 x 1 from the origin on: only the grid matters for the time.
  for (const auto& [name, kept, shape] :
       {std::tuple<std::string, std::string, std::string>{
            // Ten sweeps of a 32-ring sensor.
            "200000x5_41x1440x1440_t10", "10", "points=200000,features=5,grid=1440x1440x41,sites=120000,rows=120000"},
        // One car's front view; pillars.
        {"20000x4_40x1600x1408_t5", "5", "points=20000,grid=1408x1600x40,sites=16000,rows=16000"},
        {"60000x4_1x496x432_t32", "32", "points=60000,grid=432x496x1,sites=12000,rows=12000"},
        {"2000000x5_41x1440x1440_t10", "10", "points=2000000,features=5,grid=1440x1440x41,sites=300000,rows=300000"},
        {"100x4_40x100x100_t5", "5", "points=100,grid=100x100x40,sites=80,rows=80"}}) {
    for (const bool lists : {true, false}) {
      const std::string what = lists ? "lists" : "means";
      const std::string keys = shape + ",cloud=scan,kept=" + (lists ? kept + ",results=ln" : "0,results=mn");
      cases.push_back({what + "/" + name, keys});
      cases.push_back({what + "_ascending/" + name, keys + ",order=ascending", "", BenchmarkCase::kOne});
    }
  }
  return cases;
}

}  // namespace detops_harness::point_to_voxel
