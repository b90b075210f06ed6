// Memory for intermediate results. It belongs to a handle, grows to the largest request and is reused: the first touch
// of fresh memory (a page fault per 4 KiB, some 3 us each in a virtual machine) costs more than most operators do.
#ifndef DETOPS_CORE_SCRATCH_H_
#define DETOPS_CORE_SCRATCH_H_

#include <cstddef>

namespace detops {

class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { Release(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // At least `bytes`, aligned to 64, contents undefined; valid until the next Reserve. nullptr if memory is
  // short; what was there before then stays.
  void* Reserve(size_t bytes);

  void Release();

  size_t capacity() const { return capacity_; }

 private:
  void* block_ = nullptr;
  size_t capacity_ = 0;
  bool mapped_ = false;
};

}  // namespace detops

#endif  // DETOPS_CORE_SCRATCH_H_
