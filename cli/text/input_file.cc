#include "text/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "text/errors.h"

namespace detops_cli {
namespace {

class Descriptor {
 public:
  // Not waiting for whoever may write into a pipe.
  explicit Descriptor(const std::string& path) : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

[[noreturn]] void Fail(const std::string& path, const std::string& reason) {
  throw FileError(fmt::format("{}: cannot be read: {}", path, reason));
}

}  // namespace

void RequireRegularFile(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw UsageError(path + " is not a regular file");
  }
}

std::string ReadInputFile(const std::string& path, uint64_t most, const std::string& limit) {
  const Descriptor file(path);
  struct stat status = {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0) Fail(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) Fail(path, "it is a directory");
  if (!S_ISREG(status.st_mode)) Fail(path, "it is not a regular file");
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size > most) Fail(path, fmt::format("it has {} bytes, more than {}", size, limit));
  std::string content(size, '\0');
  for (size_t done = 0; done < content.size();) {
    const ssize_t count = read(file.number(), content.data() + done, content.size() - done);
    if (count == 0) Fail(path, "it ends too early");
    if (count < 0 && errno != EINTR) Fail(path, std::strerror(errno));
    if (count > 0) done += static_cast<size_t>(count);
  }
  return content;
}

}  // namespace detops_cli
