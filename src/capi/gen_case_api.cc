// Recording of calls: the functions of mlu_op/gen_case.h.
#include <cstring>

#include "core/call.h"
#include "mlu_op/gen_case.h"
#include "recording/gen_case_settings.h"

using detops::Call;
using detops::kGenCaseDirectorySize;

void MLUOP_WIN_API mluOpSetGenCaseMode(int mode) {
  const Call call("mluOpSetGenCaseMode", nullptr);
  if (detops::SetGenCaseMode(mode)) {
    call.Succeed();
  } else {
    call.Fail(MLUOP_STATUS_BAD_PARAM, "mode is %d, expected 0, 1, 2 or 3.", mode);
  }
}

mluOpStatus_t MLUOP_WIN_API mluOpSetGenCaseDirectory(const char* path) {
  const Call call("mluOpSetGenCaseDirectory", nullptr);
  if (path == nullptr) return call.NullArgument("path", "a directory");
  if (!detops::SetGenCaseDirectory(path)) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "path %s, expected 1 to %zu bytes.",
                     path[0] == '\0' ? "is empty" : "is too long", kGenCaseDirectorySize - 1);
  }
  return call.Succeed();
}

const char* MLUOP_WIN_API mluOpGetGenCaseDirectory(char* buffer, size_t bufferSize, size_t* pathLen,
                                                   mluOpStatus_t* status) {
  const Call call("mluOpGetGenCaseDirectory", nullptr);
  char path[kGenCaseDirectorySize];
  detops::GetGenCaseDirectory(path);
  const size_t length = std::strlen(path);
  if (pathLen != nullptr) *pathLen = length;
  mluOpStatus_t result;
  if (buffer == nullptr) {
    result = call.NullResult("buffer");
  } else if (bufferSize <= length) {
    result = call.Fail(MLUOP_STATUS_BAD_PARAM, "bufferSize is %zu, expected at least %zu.", bufferSize, length + 1);
  } else {
    std::memcpy(buffer, path, length + 1);
    result = call.Succeed();
  }
  if (status != nullptr) *status = result;
  return result == MLUOP_STATUS_SUCCESS ? buffer : nullptr;
}
