// Calls of the library: the thread's handle, its settings, statuses as exceptions, and what an operator asks of the
// language it is called from.
#ifndef DETOPS_PYTHON_SRC_COMMON_CALL_H_
#define DETOPS_PYTHON_SRC_COMMON_CALL_H_

#include <cstdint>
#include <span>

#include "common/view.h"
#include "detops.h"

namespace detops_binding {

// Settings of the calling thread. -1: none of its own.
struct ThreadSettings {
  int num_threads = -1;
  bool value_checks = true;
};
ThreadSettings& SettingsOfThisThread();

// Who works on a call: so many threads, 0: as many as the library thinks right; its own, or those behind a runner.
struct Workers {
  int num_threads = 0;
  detopsRunner_t runner = nullptr;
  void* opaque = nullptr;

  bool operator==(const Workers&) const = default;
};

// The handle of this thread, in the full profile, with the settings as they are now. It is freed with the thread.
mluOpHandle_t Handle(const Workers& workers);

// Throws what a status stands for, with the library's sentence. Without a handle: that of the thread's last call. The
// sentence speaks of the C function, unless it is told which function its reader has called.
void Check(mluOpStatus_t status, mluOpHandle_t handle = nullptr, const char* function = nullptr);

// One call from another language.
class Binding {
 public:
  // `function` is the name that the caller knows.
  explicit Binding(const char* function) : function_(function) {}
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;
  virtual ~Binding() = default;

  // Memory for the result of this number: new, or what the caller has passed for it, which must fit.
  virtual View Output(int result, mluOpDataType_t type, std::span<const int64_t> shape) = 0;
  // As Output, but what the caller has passed may have any shape: the library decides whether there is enough room.
  virtual View Room(int result, mluOpDataType_t type, std::span<const int64_t> shape) = 0;
  // Whether the caller has passed memory for a result.
  virtual bool IsGiven(int result) const = 0;

  // Calls work(handle), without the lock of an interpreter, and throws what its status stands for.
  template <typename Work>
  void Run(const Work& work) {
    RunErased([](const void* erased, mluOpHandle_t handle) { return (*static_cast<const Work*>(erased))(handle); },
              &work);
  }

 protected:
  using ErasedWork = mluOpStatus_t (*)(const void*, mluOpHandle_t);
  virtual void RunErased(ErasedWork work, const void* erased) = 0;

  const char* function() const { return function_; }

 private:
  const char* function_;
};

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_CALL_H_
