// Which clouds are worth timing.
#include <tuple>

#include "ops/point_to_voxel/contract/contract.h"

namespace detops_harness::point_to_voxel {

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
