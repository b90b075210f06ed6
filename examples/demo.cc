// Runs every finished operator on the shapes of its design document, compares each result with the double-precision
// reference and each time with what the machine allows.
#include "demo.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace detops_demo {

bool Print(const Row& row) {
  const bool good = row.diff1 <= row.limit && row.diff2 <= row.limit;
  std::printf("%-34s %-23s %-6s %9.1e %9.1e %11.1f %11.1f %7.2f  %s\n", row.operation.c_str(), row.shape.c_str(),
              row.type.c_str(), row.diff1, row.diff2, row.timing.seconds * 1e6, row.timing.bound * 1e6,
              row.timing.ratio(), good ? "ok" : "WRONG");
  std::fflush(stdout);
  return good;
}

}  // namespace detops_demo

int main() {
  mluOpHandle_t handle = nullptr;
  int threads = 0;
  if (mluOpCreate(&handle) != MLUOP_STATUS_SUCCESS || detopsGetNumThreads(handle, &threads) != MLUOP_STATUS_SUCCESS ||
      detopsSetProfile(handle, DETOPS_PROFILE_FULL) != MLUOP_STATUS_SUCCESS) {
    std::fprintf(stderr, "%s\n", detopsGetLastError(nullptr));
    return EXIT_FAILURE;
  }
  const detops_bench::MachineLimits machine = detops_bench::MeasureMachine(threads);
  std::printf("detops %s, %s of %s, %d thread%s, %.0f GB/s, %.0f GFLOP/s\n", detopsGetVersion(), detopsGetTarget(),
              detopsGetSupportedTargets(), threads, threads == 1 ? "" : "s", machine.bytes_per_second * 1e-9,
              machine.float_flops_per_second * 1e-9);
  std::printf(
      "diff1, diff2: against the reference, in double precision. bound: least time of the call on this machine.\n\n");
  std::printf("%-34s %-23s %-6s %9s %9s %11s %11s %7s\n", "operation", "shape", "type", "diff1", "diff2", "time [us]",
              "bound [us]", "ratio");
  bool good = detops_demo::RunRotatedFeatureAlign(handle, threads);
  good = detops_demo::RunPsRoiPool(handle, threads) && good;
  good = detops_demo::RunRoiAwarePool3d(handle, threads) && good;
  good = detops_demo::RunGetIndicePairs(handle, threads) && good;
  good = detops_demo::RunIndiceConvolution(handle, threads) && good;
  std::printf("\n%s\n", good ? "All results are within their limits." : "SOME RESULTS ARE WRONG.");
  mluOpDestroy(handle);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
