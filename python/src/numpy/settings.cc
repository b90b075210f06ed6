#include <dlfcn.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "detops.h"
#include "numpy/call.h"

namespace detops_python {
namespace {

using detops_binding::SettingsOfThisThread;
using detops_binding::ThreadSettings;

// Python's context managers put back what these return.
int SwapThreadsOfThisThread(int num_threads) {
  ThreadSettings& settings = SettingsOfThisThread();
  const int before = settings.num_threads;
  settings.num_threads = num_threads;
  return before;
}

bool SwapValueChecks(bool on) {
  ThreadSettings& settings = SettingsOfThisThread();
  const bool before = settings.value_checks;
  settings.value_checks = on;
  return before;
}

int GetNumThreads() {
  const mluOpHandle_t handle = Handle();
  int num_threads = 0;
  detops_binding::Check(detopsGetNumThreads(handle, &num_threads), handle);
  return num_threads;
}

std::string LibraryPath() {
  Dl_info info;
  const auto address = reinterpret_cast<const void*>(&detopsGetVersion);
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace

void AddSettings(nb::module_& module) {
  module.def("version", [] { return std::string(detopsGetVersion()); });
  module.def("target", [] { return std::string(detopsGetTarget()); });
  module.def("supported_targets", [] { return std::string(detopsGetSupportedTargets()); });
  module.def("library_path", &LibraryPath);
  module.def("get_num_threads", &GetNumThreads);
  module.def("set_process_threads", &SetProcessThreads, nb::arg("num_threads"));
  module.def("swap_threads_of_this_thread", &SwapThreadsOfThisThread, nb::arg("num_threads"));
  module.def("swap_value_checks", &SwapValueChecks, nb::arg("on"));
}

}  // namespace detops_python
