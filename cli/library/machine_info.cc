#include "library/machine_info.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "run/message.h"

namespace detops_cli {
namespace {

std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0 || line.rfind("Model", 0) == 0) {
      const size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

int64_t CacheBytes(int level_question) { return std::max<int64_t>(0, sysconf(level_question)); }

}  // namespace

int Cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

MachineResult DescribeMachine(int threads) {
  MachineResult machine;
  machine.cpu = CpuName();
  utsname system{};
  if (uname(&system) == 0) machine.system = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
#if defined(__clang__)
  machine.compiler = "clang " __clang_version__;
#else
  machine.compiler = "gcc " __VERSION__;
#endif
  machine.cores = Cores();
  machine.l1_bytes = CacheBytes(_SC_LEVEL1_DCACHE_SIZE);
  machine.l2_bytes = CacheBytes(_SC_LEVEL2_CACHE_SIZE);
  machine.l3_bytes = CacheBytes(_SC_LEVEL3_CACHE_SIZE);
  machine.memory_bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  if (threads > 0) {
    const detops_bench::MachineLimits limits = MeasureLimits(threads);
    machine.bandwidth_gbytes = limits.bytes_per_second * 1e-9;
    machine.peak_gflops = limits.float_flops_per_second * 1e-9;
    machine.peak_gflops_double = limits.double_flops_per_second * 1e-9;
  }
  return machine;
}

detops_bench::MachineLimits MeasureLimits(int threads) {
  return detops_bench::MeasureMachine(std::min(threads, Cores()));
}

LibraryResult DescribeLibrary(const Library& library) {
  LibraryResult result;
  result.path = library.path();
  result.name = result.path.substr(result.path.rfind('/') + 1);
  if (library->detopsGetVersion != nullptr) result.version = ShortText(library->detopsGetVersion());
  if (library->mluOpGetLibVersion != nullptr) {
    int major = 0, minor = 0, patch = 0;
    library->mluOpGetLibVersion(&major, &minor, &patch);
    result.contract = fmt::format("{}.{}.{}", major, minor, patch);
  }
  if (library->detopsGetTarget != nullptr) result.target = ShortText(library->detopsGetTarget());
  if (library->detopsGetSupportedTargets != nullptr) result.targets = ShortText(library->detopsGetSupportedTargets());
  result.missing = library.missing();
  return result;
}

int ThreadsOf(const Library& library, int wanted) {
  mluOpHandle_t handle = nullptr;
  if (library->detopsGetNumThreads == nullptr || library->mluOpCreate(&handle) != MLUOP_STATUS_SUCCESS) return Cores();
  int threads = Cores();
  if (library->detopsSetNumThreads != nullptr) library->detopsSetNumThreads(handle, wanted);
  library->detopsGetNumThreads(handle, &threads);
  library->mluOpDestroy(handle);
  return threads;
}

std::string BytesText(int64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, unit == 0 || value >= 100 ? 0 : 1, kUnits[unit]);
}

}  // namespace detops_cli
