#include "common/call.h"

#include <new>
#include <stdexcept>
#include <string>

namespace detops_binding {
namespace {

struct ThreadHandle {
  mluOpHandle_t handle = nullptr;
  Workers workers;
  bool value_checks = true;

  ~ThreadHandle() {
    if (handle != nullptr) mluOpDestroy(handle);
  }
};

thread_local ThreadHandle thread_handle;
thread_local ThreadSettings thread_settings;

}  // namespace

ThreadSettings& SettingsOfThisThread() { return thread_settings; }

mluOpHandle_t Handle(const Workers& workers) {
  ThreadHandle& mine = thread_handle;
  if (mine.handle == nullptr) {
    Check(mluOpCreate(&mine.handle));
    Check(detopsSetProfile(mine.handle, DETOPS_PROFILE_FULL), mine.handle);
  }
  if (workers != mine.workers) {
    Check(detopsSetNumThreads(mine.handle, workers.num_threads), mine.handle);
    Check(detopsSetParallelRunner(mine.handle, workers.runner, workers.opaque), mine.handle);
    mine.workers = workers;
  }
  const bool value_checks = thread_settings.value_checks;
  if (value_checks != mine.value_checks) {
    Check(detopsSetValueChecks(mine.handle, value_checks ? 1 : 0), mine.handle);
    mine.value_checks = value_checks;
  }
  return mine.handle;
}

void Check(mluOpStatus_t status, mluOpHandle_t handle, std::string_view function) {
  if (status == MLUOP_STATUS_SUCCESS) return;
  std::string text = detopsGetLastError(handle);
  if (text.empty()) text = mluOpGetErrorString(status);
  const size_t colon = text.find(": ");
  const bool names_c_function = text.starts_with("mluOp") || text.starts_with("detops");
  if (!function.empty() && names_c_function && colon != std::string::npos) text.replace(0, colon, function);
  switch (status) {
    case MLUOP_STATUS_BAD_PARAM:
      throw std::invalid_argument(text);
    case MLUOP_STATUS_NOT_SUPPORTED:
      throw NotSupported(text);
    case MLUOP_STATUS_ALLOC_FAILED:
      throw OutOfMemory(text);
    default:
      throw std::runtime_error(text);
  }
}

}  // namespace detops_binding
