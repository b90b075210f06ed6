// A file that appears complete or not at all: it is written without a name, which it gets in the end, or where the file
// system does not know that, under another name and then renamed. Writing raises no signal. Numbers are written
// independently of the program's locale.
#ifndef DETOPS_RECORDING_ATOMIC_FILE_H_
#define DETOPS_RECORDING_ATOMIC_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace detops {

// As long as a path may be on the systems we know.
inline constexpr size_t kPathSize = 4096;

class AtomicFile {
 public:
  // may_be_unnamed: false, for tests, as if the file system did not know files without names.
  explicit AtomicFile(bool may_be_unnamed = true) : may_be_unnamed_(may_be_unnamed) {}
  ~AtomicFile() { Abandon(); }
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
  void OpenTemporary();
  void Flush();
  int GiveName();
  void Abandon();

  const bool may_be_unnamed_;
  bool named_ = false;  // there is a file temporary_
  int descriptor_ = -1;
  int error_ = 0;
  size_t used_ = 0;
  char path_[kPathSize];
  char temporary_[kPathSize];
  char buffer_[kBufferSize];
};

}  // namespace detops

#endif  // DETOPS_RECORDING_ATOMIC_FILE_H_
