#include "recording/atomic_file.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace detops {
namespace {

constexpr int kMost = 64;  // characters of a number

}  // namespace

void AtomicFile::Start(const char* path) {
  used_ = 0;
  error_ = file_.Start(path);
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
  if (error_ == 0) error_ = file_.Write(buffer_, used_);
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
  Flush();
  error_ = file_.Commit(error_);
  return error_;
}

}  // namespace detops
