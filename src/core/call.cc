#include "core/call.h"

#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "core/context.h"

namespace detops {

char* ThreadErrorText() {
  static thread_local char text[kErrorTextSize];
  return text;
}

NumberText::NumberText(double value) {
  const auto result = std::to_chars(text, text + sizeof(text) - 1, value);
  *result.ptr = '\0';  // 31 characters hold every double, so to_chars cannot run out of room
}

mluOpStatus_t Call::Succeed() const {
  ThreadErrorText()[0] = '\0';
  if (handle_ != nullptr) handle_->error_text[0] = '\0';
  return MLUOP_STATUS_SUCCESS;
}

mluOpStatus_t Call::Fail(mluOpStatus_t status, const char* format, ...) const {
  char* text = ThreadErrorText();
  const int used = std::snprintf(text, kErrorTextSize, "%s: ", function_);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text + used, kErrorTextSize - static_cast<size_t>(used), format, arguments);
  va_end(arguments);
  if (handle_ != nullptr) std::memcpy(handle_->error_text, text, kErrorTextSize);
  return status;
}

}  // namespace detops
