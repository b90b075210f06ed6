// Memory of the library under test, with guard bytes on both sides.
#ifndef DETOPS_CLI_LIBRARY_DEVICE_H_
#define DETOPS_CLI_LIBRARY_DEVICE_H_

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "library/library.h"

namespace detops_cli {

// The library's runtime functions failed: no memory, most likely.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class DeviceBuffer {
 public:
  // The guards are NaN bytes, so that what is read from there shows in the results. Throws DeviceError.
  // `shift`: so many bytes off the runtime's own alignment.
  DeviceBuffer(const Library& library, size_t bytes, size_t shift = 0);
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  void* data() const { return base_ + begin_; }
  size_t bytes() const { return bytes_; }

  void Fill(unsigned char value) { FillRange(begin_, bytes_, value); }
  void Write(size_t offset, const void* from, size_t bytes);
  void Read(size_t offset, void* to, size_t bytes) const;
  std::vector<std::byte> Contents() const;

  bool IsFilledWith(unsigned char value) const { return RangeIs(begin_, bytes_, value); }
  bool GuardsIntact() const { return RangeIs(0, begin_, kGuardByte) && RangeIs(begin_ + bytes_, kGuard, kGuardByte); }

 private:
  static constexpr size_t kGuard = 4096;
  static constexpr unsigned char kGuardByte = 0xFF;

  void FillRange(size_t begin, size_t bytes, unsigned char value);
  bool RangeIs(size_t begin, size_t bytes, unsigned char value) const;
  void Copy(void* to, const void* from, size_t bytes, cnrtMemTransDir_t direction) const;

  const Library& library_;
  size_t bytes_;
  size_t begin_;  // of the data, after the guard
  unsigned char* base_ = nullptr;
};

}  // namespace detops_cli

#endif  // DETOPS_CLI_LIBRARY_DEVICE_H_
