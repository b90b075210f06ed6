// Calls of the library: the thread's handle, its settings, and statuses as exceptions.
#ifndef DETOPS_PYTHON_SRC_CALL_H_
#define DETOPS_PYTHON_SRC_CALL_H_

#include <nanobind/nanobind.h>

#include "detops.h"

namespace detops_python {

namespace nb = nanobind;

// Settings of the calling thread. -1: that of the process.
struct ThreadSettings {
  int num_threads = -1;
  bool value_checks = true;
};
ThreadSettings& SettingsOfThisThread();

// The number of threads of calls where the thread has set none; 0: the library's own choice.
void SetProcessThreads(int num_threads);

// The handle of this thread, in the full profile, with the settings as they are now. It is freed with the thread.
mluOpHandle_t Handle();

// Raises what a status stands for, with the library's sentence. Without a handle: that of the thread's last call.
void Check(mluOpStatus_t status, mluOpHandle_t handle = nullptr);

// Calls function(handle) without the interpreter's lock, so that other Python threads run meanwhile.
template <typename Function>
void Run(Function function) {
  const mluOpHandle_t handle = Handle();
  mluOpStatus_t status;
  {
    nb::gil_scoped_release unlocked;
    status = function(handle);
  }
  Check(status, handle);
}

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_CALL_H_
