#include "recording/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "recording/quiet_signals.h"

namespace detops {
namespace {

constexpr char kTemporaryEnd[] = ".tmp";
constexpr int kMost = 64;  // characters of a number

// Makes the folders of a path. 0, or the errno of the first that could not be made and is not there.
int MakeFolders(char* path) {
  for (char* slash = std::strchr(path + 1, '/'); slash != nullptr; slash = std::strchr(slash + 1, '/')) {
    *slash = '\0';
    const int error = mkdir(path, 0777) == 0 ? 0 : errno;
    struct stat status;
    const bool there = error == 0 || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
    *slash = '/';
    if (!there) return error;
  }
  return 0;
}

int Open(const char* path, int flags) {
  int descriptor;
  do {
    descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  // The program has closed a standard descriptor: what it prints all the same must not come into this file.
  const int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  close(descriptor);
  errno = error;
  return higher;
}

// The name under which a file without a name can be given one; false without /proc.
bool NameOfDescriptor(int descriptor, char (&name)[64]) {
  std::snprintf(name, sizeof(name), "/proc/self/fd/%d", descriptor);
  return access(name, F_OK) == 0;
}

}  // namespace

void AtomicFile::Start(const char* path) {
  Abandon();
  error_ = 0;
  used_ = 0;
  const size_t length = std::strlen(path);
  if (length + sizeof(kTemporaryEnd) > kPathSize) {
    error_ = ENAMETOOLONG;
    return;
  }
  std::memcpy(path_, path, length + 1);
  std::memcpy(temporary_, path, length);
  std::memcpy(temporary_ + length, kTemporaryEnd, sizeof(kTemporaryEnd));
  OpenTemporary();
  if (descriptor_ < 0 && errno == ENOENT) {
    error_ = MakeFolders(temporary_);
    if (error_ != 0) return;
    OpenTemporary();
  }
  if (descriptor_ < 0) error_ = errno;
}

void AtomicFile::OpenTemporary() {
  named_ = false;
  if (may_be_unnamed_) {
    char* const slash = std::strrchr(temporary_, '/');
    if (slash != nullptr) *slash = '\0';
    descriptor_ = Open(slash == nullptr ? "." : slash == temporary_ ? "/" : temporary_, O_TMPFILE);
    if (slash != nullptr) *slash = '/';
    if (descriptor_ < 0 && errno == ENOENT) return;
    char name[64];
    if (descriptor_ >= 0 && NameOfDescriptor(descriptor_, name)) return;
    if (descriptor_ >= 0) close(descriptor_);
  }
  // Not every file system knows such files.
  descriptor_ = Open(temporary_, O_CREAT | O_EXCL);
  named_ = descriptor_ >= 0;
}

void AtomicFile::Bytes(const void* data, size_t size) {
  const char* from = static_cast<const char*>(data);
  while (size > 0 && error_ == 0) {
    const size_t part = size < kBufferSize - used_ ? size : kBufferSize - used_;
    std::memcpy(buffer_ + used_, from, part);
    used_ += part;
    from += part;
    size -= part;
    if (used_ == kBufferSize) Flush();
  }
}

void AtomicFile::Flush() {
  const QuietSignals quiet;
  for (size_t done = 0; done < used_ && error_ == 0;) {
    const ssize_t written = write(descriptor_, buffer_ + done, used_ - done);
    if (written > 0) {
      done += static_cast<size_t>(written);
    } else if (written == 0) {
      error_ = ENOSPC;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  used_ = 0;
}

void AtomicFile::Number(int64_t value) {
  char text[kMost];
  Text({text, std::to_chars(text, text + kMost, value).ptr});
}

template <typename Real>
void AtomicFile::Shortest(Real value) {
  char text[kMost];
  // The sign of a NaN means nothing to a reader.
  Text({text, std::to_chars(text, text + kMost, std::isnan(value) ? std::abs(value) : value).ptr});
}
void AtomicFile::Number(float value) { Shortest(value); }
void AtomicFile::Number(double value) { Shortest(value); }

void AtomicFile::Hex(uint64_t value) {
  char text[kMost];
  Text({text, std::to_chars(text, text + kMost, value, 16).ptr});
}

int AtomicFile::Commit() {
  if (error_ == 0) Flush();
  if (descriptor_ >= 0) {
    if (error_ == 0 && !named_) error_ = GiveName();
    const int descriptor = descriptor_;
    descriptor_ = -1;
    // Some file systems tell only now that the disk is full.
    if (close(descriptor) != 0 && error_ == 0 && errno != EINTR) error_ = errno;
    if (named_ && error_ == 0 && std::rename(temporary_, path_) != 0) error_ = errno;
    if (named_ && error_ != 0) unlink(temporary_);
  }
  return error_;
}

// A name that is taken cannot be given, only moved to: then the file gets its temporary one.
int AtomicFile::GiveName() {
  char name[64];
  NameOfDescriptor(descriptor_, name);
  const auto give = [&](const char* path) {
    return linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
  };
  int error = give(path_);
  if (error != EEXIST) return error;
  error = give(temporary_);
  named_ = error == 0;
  return error;
}

void AtomicFile::Abandon() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  descriptor_ = -1;
  if (named_) unlink(temporary_);
}

}  // namespace detops
