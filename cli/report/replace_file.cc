#include "report/replace_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "text/errors.h"

namespace detops_cli {
namespace {

[[noreturn]] void Fail(const std::string& path, int reason) {
  throw FileError("cannot write " + path + ": " + std::generic_category().message(reason));
}

// 0, or the reason.
int WriteAll(const std::string& path, const char* mode, std::string_view content) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) return errno;
  int reason = 0;
  if (std::fwrite(content.data(), 1, content.size(), file) != content.size()) reason = errno;
  // A full disk may show only here.
  if (std::fclose(file) != 0 && reason == 0) reason = errno;
  return reason;
}

}  // namespace

void ReplaceFile(const std::string& path, std::string_view content) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    if (const int reason = WriteAll(path, "wb", content)) Fail(path, reason);
    return;
  }
  const std::string temporary = path + "." + std::to_string(getpid()) + ".tmp";
  // One of an earlier process of the same number; "x" then refuses to follow a link that somebody puts there.
  std::remove(temporary.c_str());
  int reason = WriteAll(temporary, "wbx", content);
  if (reason == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) reason = errno;
  if (reason != 0) {
    std::remove(temporary.c_str());
    Fail(path, reason);
  }
}

}  // namespace detops_cli
