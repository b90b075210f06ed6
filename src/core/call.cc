#include "core/call.h"

#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/context.h"
#include "core/platform.h"

namespace detops {
namespace {

// The texts of the threads. Not thread_local: the first use of such a variable in a library that was loaded late
// allocates memory, and where there is none the C library ends the process. A pointer answers instead.
class ThreadTexts {
 public:
  // Empty if the thread has none.
  static const char* Get() {
    const void* text = pointer_.Get();
    return text != nullptr ? static_cast<const char*>(text) : "";
  }

  static void Clear() {
    auto* text = static_cast<char*>(pointer_.Get());
    if (text == kNoMemory) {
      pointer_.Set(nullptr);
    } else if (text != nullptr) {
      text[0] = '\0';
    }
  }

  static void Set(const char* text) {
    auto* own = static_cast<char*>(pointer_.Get());
    if (own == nullptr || own == kNoMemory) {
      own = static_cast<char*>(std::malloc(kErrorTextSize));
      if (own == nullptr || !pointer_.Set(own)) {
        std::free(own);
        pointer_.Set(kNoMemory);
        return;
      }
    }
    std::memcpy(own, text, kErrorTextSize);
  }

 private:
  static void Free(void* text) {
    if (text != kNoMemory) std::free(text);
  }

  // Stands for a text for which there was no memory. Never written to.
  static inline char kNoMemory[] = "detops: a call failed, and there was no memory to say why.";
  static inline constinit ThreadPointer pointer_{Free};
};

}  // namespace

const char* ThreadErrorText() { return ThreadTexts::Get(); }

namespace {

// 31 characters hold every double, so to_chars cannot run out of room. The sign of a NaN means nothing to a reader.
template <typename Real>
void WriteNumber(Real value, char (&text)[32]) {
  const auto result = std::to_chars(text, text + sizeof(text) - 1, std::isnan(value) ? std::abs(value) : value);
  *result.ptr = '\0';
}

}  // namespace

NumberText::NumberText(double value) { WriteNumber(value, text); }
NumberText::NumberText(float value) { WriteNumber(value, text); }
NumberText::NumberText(int64_t value) { *std::to_chars(text, text + sizeof(text) - 1, value).ptr = '\0'; }

mluOpStatus_t Call::Succeed() const {
  if (handle_ != nullptr) {
    ThreadTexts::Clear();
    handle_->error_text[0] = '\0';
  }
  return MLUOP_STATUS_SUCCESS;
}

mluOpStatus_t Call::Fail(mluOpStatus_t status, const char* format, ...) const {
  va_list arguments;
  va_start(arguments, format);
  FailWithList(status, format, arguments);
  va_end(arguments);
  return status;
}

mluOpStatus_t Call::FailWithList(mluOpStatus_t status, const char* format, va_list arguments) const {
  char text[kErrorTextSize] = {};
  const int used = std::snprintf(text, kErrorTextSize, "%s: ", function_);
  std::vsnprintf(text + used, kErrorTextSize - static_cast<size_t>(used), format, arguments);
  ThreadTexts::Set(text);
  if (handle_ != nullptr) std::memcpy(handle_->error_text, text, kErrorTextSize);
  return status;
}

void Call::Log(detopsLogLevel_t level, const char* format, ...) const {
  const LogTarget& log = handle_->log;
  if (log.sink == nullptr || level > log.level) return;
  char text[kErrorTextSize] = {};
  const int used = std::snprintf(text, kErrorTextSize, "%s: ", function_);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text + used, kErrorTextSize - static_cast<size_t>(used), format, arguments);
  va_end(arguments);
  log.sink(log.opaque, level, text);
}

mluOpStatus_t Call::Finish(RunResult result) const {
  switch (result) {
    case RunResult::kNoMemory:
      return Fail(MLUOP_STATUS_ALLOC_FAILED, "no memory for intermediate results.");
    case RunResult::kRunnerFailed:
      return Fail(MLUOP_STATUS_EXECUTION_FAILED, "the parallel runner failed; the output is incomplete.");
    default:
      return Succeed();
  }
}

}  // namespace detops
