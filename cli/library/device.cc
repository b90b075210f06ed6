#include "library/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace detops_cli {
namespace {

constexpr size_t kPiece = size_t{1} << 20;  // host memory for filling and comparing

}  // namespace

DeviceBuffer::DeviceBuffer(const Library& library, size_t bytes, size_t shift)
    : library_(library), bytes_(bytes), begin_(kGuard + shift) {
  void* base = nullptr;
  const size_t all = begin_ + bytes + kGuard;
  if (library_->cnrtMalloc(&base, all) != cnrtSuccess || base == nullptr) {
    throw DeviceError(fmt::format("cnrtMalloc gives no {} bytes", all));
  }
  base_ = static_cast<unsigned char*>(base);
  FillRange(0, all, kGuardByte);
}

DeviceBuffer::~DeviceBuffer() { library_->cnrtFree(base_); }

void DeviceBuffer::Copy(void* to, const void* from, size_t bytes, cnrtMemTransDir_t direction) const {
  if (bytes == 0) return;
  if (library_->cnrtMemcpy(to, const_cast<void*>(from), bytes, direction) != cnrtSuccess) {
    throw DeviceError("cnrtMemcpy failed");
  }
}

void DeviceBuffer::Write(size_t offset, const void* from, size_t bytes) {
  Copy(base_ + begin_ + offset, from, bytes, cnrtMemcpyHostToDev);
}

void DeviceBuffer::Read(size_t offset, void* to, size_t bytes) const {
  Copy(to, base_ + begin_ + offset, bytes, cnrtMemcpyDevToHost);
}

std::vector<std::byte> DeviceBuffer::Contents() const {
  std::vector<std::byte> contents(bytes_);
  Read(0, contents.data(), bytes_);
  return contents;
}

void DeviceBuffer::FillRange(size_t begin, size_t bytes, unsigned char value) {
  const std::vector<unsigned char> piece(std::min(bytes, kPiece), value);
  for (size_t done = 0; done < bytes; done += piece.size()) {
    Copy(base_ + begin + done, piece.data(), std::min(piece.size(), bytes - done), cnrtMemcpyHostToDev);
  }
}

bool DeviceBuffer::RangeIs(size_t begin, size_t bytes, unsigned char value) const {
  const std::vector<unsigned char> expected(std::min(bytes, kPiece), value);
  std::vector<unsigned char> piece(expected.size());
  for (size_t done = 0; done < bytes; done += piece.size()) {
    const size_t count = std::min(piece.size(), bytes - done);
    Copy(piece.data(), base_ + begin + done, count, cnrtMemcpyDevToHost);
    if (std::memcmp(piece.data(), expected.data(), count) != 0) return false;
  }
  return true;
}

}  // namespace detops_cli
