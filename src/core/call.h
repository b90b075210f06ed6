// One call of a public function: where its error text goes, and no floating-point traps meanwhile.
#ifndef DETOPS_CORE_CALL_H_
#define DETOPS_CORE_CALL_H_

#include <cstdarg>
#include <cstddef>

#include "core/float_mode.h"
#include "core/platform.h"
#include "detops/handle.h"

namespace detops {

// Long enough for every sentence the library writes; longer ones are cut.
inline constexpr size_t kErrorTextSize = 512;

// The text of this thread's last call; never nullptr.
const char* ThreadErrorText();

// A number for a message, in the shortest form that reads back exactly ("0.25", "nan"); independent of the
// program's locale, which printf is not.
struct NumberText {
  explicit NumberText(double value);
  explicit NumberText(float value);
  explicit NumberText(int64_t value);
  char text[32];
};

// How the part of a call after its checks ended.
enum class RunResult { kDone, kNoMemory, kRunnerFailed };

// What Parallel::Run says, as such a result.
inline RunResult ResultOf(bool ran) { return ran ? RunResult::kDone : RunResult::kRunnerFailed; }

class Call {
 public:
  // `function` is the C name; `handle` may be NULL.
  Call(const char* function, mluOpHandle_t handle) : function_(function), handle_(handle) {}

  // Ends the call well: empties the error text. A call without a handle leaves the thread's text alone: after a failure
  // users free descriptors first and print then.
  mluOpStatus_t Succeed() const;

  // Ends the call badly: the text becomes "function: sentence". The sentence ends with a full stop.
  mluOpStatus_t Fail(mluOpStatus_t status, const char* format, ...) const DETOPS_PRINTF(3, 4);
  mluOpStatus_t FailWithList(mluOpStatus_t status, const char* format, va_list arguments) const DETOPS_PRINTF(3, 0);

  // Sends a line "function: sentence" to the handle's log sink, if the handle asks for lines of this level.
  void Log(detopsLogLevel_t level, const char* format, ...) const DETOPS_PRINTF(3, 4);

  // Ends a call as its run did.
  mluOpStatus_t Finish(RunResult result) const;

  // The failures most functions share: BAD_PARAM with one wording for all.
  mluOpStatus_t NullHandle() const { return NullArgument("handle", "a handle of mluOpCreate"); }
  mluOpStatus_t NullResult(const char* argument) const { return NullArgument(argument, "a place for the result"); }
  mluOpStatus_t NullArgument(const char* argument, const char* expected) const {
    return Fail(MLUOP_STATUS_BAD_PARAM, "%s is NULL, expected %s.", argument, expected);
  }

  mluOpHandle_t handle() const { return handle_; }

 private:
  const FloatTrapsOff traps_off_;
  const char* function_;
  mluOpHandle_t handle_;
};

}  // namespace detops

#endif  // DETOPS_CORE_CALL_H_
