// The rows of the demo's table.
#ifndef DETOPS_EXAMPLES_DEMO_H_
#define DETOPS_EXAMPLES_DEMO_H_

#include <string>

#include "bench/machine.h"
#include "detops.h"

namespace detops_demo {

struct Row {
  std::string operation;
  std::string shape;
  std::string type;
  double diff1, diff2;
  double limit;  // for diff1 and diff2
  detops_bench::Timing timing;
};

// Prints the row; false if a difference is above its limit.
bool Print(const Row& row);

// One per operator: prints its rows, false if one failed.
bool RunGetIndicePairs(mluOpHandle_t handle, int threads);
bool RunIndiceConvolution(mluOpHandle_t handle, int threads);
bool RunPsRoiPool(mluOpHandle_t handle, int threads);
bool RunRoiAwarePool3d(mluOpHandle_t handle, int threads);
bool RunRotatedFeatureAlign(mluOpHandle_t handle, int threads);

}  // namespace detops_demo

#endif  // DETOPS_EXAMPLES_DEMO_H_
