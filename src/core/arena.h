// Cuts one block of memory, a workspace or a scratch block, into arrays.
//
// The same code that takes the arrays tells how large the block must be: an Arena without memory only counts.
#ifndef DETOPS_CORE_ARENA_H_
#define DETOPS_CORE_ARENA_H_

#include <cstddef>
#include <cstdint>

#include "core/call.h"
#include "core/checked_math.h"
#include "core/scratch.h"

namespace detops {

class Arena {
 public:
  static constexpr size_t kAlignment = 64;  // of every array, whatever the block's own alignment is

  // Counts only; Take returns nullptr.
  Arena() = default;
  explicit Arena(void* block) : block_(static_cast<std::byte*>(block)) {
    const auto misaligned = reinterpret_cast<uintptr_t>(block) % kAlignment;
    if (misaligned != 0) block_ += kAlignment - misaligned;
  }

  template <typename T>
  T* Take(int64_t count) {
    const int64_t place = used_;
    const int64_t bytes = SaturatingMultiply(count, sizeof(T));
    const int64_t padded = SaturatingAdd(bytes, (kAlignment - bytes % kAlignment) % kAlignment);
    used_ = SaturatingAdd(used_, padded);
    return block_ == nullptr ? nullptr : reinterpret_cast<T*>(block_ + place);
  }

  // A later array may take the place of those taken since `mark`.
  int64_t Mark() const { return used_; }
  Arena& Rewind(int64_t mark) {
    peak_ = used_ > peak_ ? used_ : peak_;
    used_ = mark;
    return *this;
  }

  // What a block of any alignment needs; the largest int64 if that is not representable.
  int64_t NeededBytes() const {
    const int64_t most = used_ > peak_ ? used_ : peak_;
    return most == 0 ? 0 : SaturatingAdd(most, kAlignment);
  }

 private:
  std::byte* block_ = nullptr;
  int64_t used_ = 0;
  int64_t peak_ = 0;
};

// Memory for what `sizes` has counted; nullptr if it is short, or its size not representable.
inline void* ReserveFor(Scratch& scratch, const Arena& sizes) {
  const int64_t bytes = sizes.NeededBytes();
  return bytes == kMaxInt64 ? nullptr : scratch.Reserve(static_cast<size_t>(bytes));
}

// Takes arrays from a handle's scratch memory: take(arena) runs twice, first to count, then with memory. False if
// there is none.
template <class Take>
[[nodiscard]] bool TakeFromScratch(Scratch& scratch, const Take& take) {
  Arena sizes;
  take(sizes);
  void* const block = ReserveFor(scratch, sizes);
  if (block == nullptr) return false;
  Arena arena(block);
  take(arena);
  return true;
}

// The same for what takes its arrays when it is made: make(arena) runs twice, and run(what it made with memory) once.
template <class Make, class Run>
RunResult RunPass(Scratch& scratch, const Make& make, const Run& run) {
  Arena sizes;
  (void)make(sizes);
  void* const block = ReserveFor(scratch, sizes);
  if (block == nullptr) return RunResult::kNoMemory;
  Arena arena(block);
  auto pass = make(arena);
  return run(pass);
}

}  // namespace detops

#endif  // DETOPS_CORE_ARENA_H_
