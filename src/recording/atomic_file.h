// A file that appears complete or not at all (WholeFile), written in large pieces; numbers in it are independent of the
// program's locale.
#ifndef DETOPS_RECORDING_ATOMIC_FILE_H_
#define DETOPS_RECORDING_ATOMIC_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/platform.h"

namespace detops {

class AtomicFile {
 public:
  // may_be_unnamed: false, for tests, as if the file system did not know files without names.
  explicit AtomicFile(bool may_be_unnamed = true) : file_(may_be_unnamed) {}
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Starts a file, with the folders of its path. Whatever fails from here on is remembered until Commit.
  void Start(const char* path);

  void Bytes(const void* data, size_t size);
  void Text(std::string_view text) { Bytes(text.data(), text.size()); }
  void Number(int64_t value);
  // The shortest text that reads back to the same bits; "nan", "inf", "-inf".
  void Number(float value);
  void Number(double value);
  // Lower case, without prefix and leading zeros.
  void Hex(uint64_t value);

  // Gives the file its name; an older file of that name is replaced. 0, or the errno of the first failure: then there
  // is no new file.
  int Commit();

 private:
  static constexpr size_t kBufferSize = 64 << 10;  // fewer, larger writes

  template <typename Real>
  void Shortest(Real value);
  void Flush();

  WholeFile file_;
  int error_ = 0;
  size_t used_ = 0;
  char buffer_[kBufferSize];
};

}  // namespace detops

#endif  // DETOPS_RECORDING_ATOMIC_FILE_H_
