#include "common/call.h"

#include <new>
#include <stdexcept>
#include <string>

namespace detops_binding {
namespace {

struct ThreadHandle {
  mluOpHandle_t handle = nullptr;
  int num_threads = 0;
  bool value_checks = true;

  ~ThreadHandle() {
    if (handle != nullptr) mluOpDestroy(handle);
  }
};

thread_local ThreadHandle thread_handle;
thread_local ThreadSettings thread_settings;

}  // namespace

ThreadSettings& SettingsOfThisThread() { return thread_settings; }

mluOpHandle_t Handle(int default_threads) {
  ThreadHandle& mine = thread_handle;
  if (mine.handle == nullptr) {
    Check(mluOpCreate(&mine.handle));
    Check(detopsSetProfile(mine.handle, DETOPS_PROFILE_FULL), mine.handle);
  }
  const ThreadSettings& wanted = thread_settings;
  const int num_threads = wanted.num_threads >= 0 ? wanted.num_threads : default_threads;
  if (num_threads != mine.num_threads) {
    Check(detopsSetNumThreads(mine.handle, num_threads), mine.handle);
    mine.num_threads = num_threads;
  }
  if (wanted.value_checks != mine.value_checks) {
    Check(detopsSetValueChecks(mine.handle, wanted.value_checks ? 1 : 0), mine.handle);
    mine.value_checks = wanted.value_checks;
  }
  return mine.handle;
}

void Check(mluOpStatus_t status, mluOpHandle_t handle) {
  if (status == MLUOP_STATUS_SUCCESS) return;
  std::string text = detopsGetLastError(handle);
  if (text.empty()) text = mluOpGetErrorString(status);
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
