// Memory between two pages that may not be touched, so that a read or write one byte outside a tensor faults at once
// instead of finding harmless bytes. Malloc'd memory would hide both.
#ifndef DETOPS_TESTS_SUPPORT_GUARDED_BUFFER_H_
#define DETOPS_TESTS_SUPPORT_GUARDED_BUFFER_H_

#include <cstddef>

namespace detops_test {

// Which of the two forbidden pages the data touches. The other end has up to a page of slack, so a test of both
// directions runs once with each.
enum class Placement { kAgainstEnd, kAgainstFront };

class GuardedBuffer {
 public:
  // `offset` moves the data that many bytes away from the page it touches, to misalign it. Throws std::bad_alloc.
  explicit GuardedBuffer(size_t bytes, Placement placement = Placement::kAgainstEnd, size_t offset = 0);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  void* data() const { return data_; }
  size_t size() const { return size_; }

  // False after a write into the slack, which no page protects.
  bool SlackIntact() const;

 private:
  unsigned char* mapping_;
  size_t mapping_size_;
  unsigned char* data_;
  size_t size_;
};

// While one is alive, new buffers touch the other page than they say, so that a test can put to both sides what was
// written for one.
class OtherSide {
 public:
  OtherSide();
  ~OtherSide();
  OtherSide(const OtherSide&) = delete;
  OtherSide& operator=(const OtherSide&) = delete;
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_GUARDED_BUFFER_H_
