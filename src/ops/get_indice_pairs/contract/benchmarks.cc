// Shapes worth timing: those of the design document and of the networks around it.
#include <array>

#include "ops/get_indice_pairs/contract/convolution.h"

namespace detops_harness::get_indice_pairs {

std::vector<BenchmarkCase> Benchmarks(const std::string& prefix) {
  const std::string submanifold = ",subm=1", down = ",subm=0,stride=2";
  const std::string first = "sites=248636,batch=4,space=41x1440x1440", second = ",batch=4,space=11x360x360";
  const auto case_of = [](const std::string& name, const std::string& shape) { return std::array{name, shape}; };
  std::vector<BenchmarkCase> cases;
  // Section 3.7 of the design document, then kernels of the same network and the smallest call that makes sense.
  for (const auto& [layer, keys_of_layer] :
       {case_of("subm_3x3x3", first + submanifold),
        case_of("down_3x3x3", "sites=149100" + second + down + ",pad=0x1x1"),
        case_of("subm_3x1x1", first + submanifold + ",filter=3x1x1,pad=1x0x0"),
        case_of("subm_1x3x3", first + submanifold + ",filter=1x3x3,pad=0x1x1"), case_of("down_first", first + down),
        case_of("subm_100", "sites=100,batch=1,space=41x1440x1440" + submanifold),
        case_of("down_100", "sites=100,batch=1,space=11x360x360" + down + ",pad=0x1x1")}) {
    const auto add = [&, &name = layer, &shape = keys_of_layer](const std::string& variant, const std::string& keys,
                                                                BenchmarkCase::Settings settings) {
      cases.push_back({prefix + name, shape + keys, variant, settings});
    };
    add("sorted", ",voxels=lidar", BenchmarkCase::kAll);
    add("scan", ",voxels=lidar,order=scan", BenchmarkCase::kOne);
    add("shuffled", ",voxels=lidar,order=shuffled", BenchmarkCase::kOne);
    add("random/shuffled", ",voxels=random,order=shuffled", BenchmarkCase::kOne);
  }
  // Growth: more scenes of the same density.
  for (const auto& [size, keys] : {case_of("100k", "sites=100000,batch=2"), case_of("1M", "sites=1000000,batch=20"),
                                   case_of("10M", "sites=10000000,batch=200")}) {
    const std::string shape = keys + ",space=41x1440x1440,voxels=lidar";
    cases.push_back({prefix + "subm_" + size, shape + submanifold, "sorted", BenchmarkCase::kOne});
    cases.push_back({prefix + "down_" + size, shape + down, "sorted", BenchmarkCase::kOne});
  }
  return cases;
}

}  // namespace detops_harness::get_indice_pairs
