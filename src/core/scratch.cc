#include "core/scratch.h"

#include <cstdint>
#include <cstdlib>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#define DETOPS_HAVE_MMAP 1
#else
#define DETOPS_HAVE_MMAP 0
#endif

namespace detops {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t{2} << 20;

constexpr size_t RoundUp(size_t bytes, size_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }

#if DETOPS_HAVE_MMAP
// Whole huge pages at a huge page's boundary: one such page saves 512 page faults and TLB entries.
void* MapHuge(size_t bytes) {
  const size_t padded = bytes + kHugePage;
  void* raw = mmap(nullptr, padded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  const auto start = reinterpret_cast<uintptr_t>(raw);
  const uintptr_t aligned = RoundUp(start, kHugePage);
  if (aligned > start) munmap(raw, aligned - start);
  const size_t tail = start + padded - (aligned + bytes);
  if (tail > 0) munmap(reinterpret_cast<void*>(aligned + bytes), tail);
  auto* block = reinterpret_cast<void*>(aligned);
#ifdef MADV_HUGEPAGE
  (void)madvise(block, bytes, MADV_HUGEPAGE);  // a wish: without it the block works with small pages
#endif
  return block;
}
#endif

}  // namespace

void* Scratch::Reserve(size_t bytes) {
  if (bytes <= capacity_ && block_ != nullptr) return block_;
  if (bytes > SIZE_MAX / 2) return nullptr;
#if DETOPS_HAVE_MMAP
  const bool map = bytes >= kHugePage / 2;
  const size_t size = RoundUp(bytes, map ? kHugePage : kAlignment) + (bytes == 0 ? kAlignment : 0);
  void* block = map ? MapHuge(size) : std::aligned_alloc(kAlignment, size);
#else
  const bool map = false;
  const size_t size = RoundUp(bytes, kAlignment) + (bytes == 0 ? kAlignment : 0);
  void* block = std::aligned_alloc(kAlignment, size);
#endif
  if (block == nullptr) return nullptr;
  Release();
  block_ = block;
  capacity_ = size;
  mapped_ = map;
  return block_;
}

void Scratch::Release() {
#if DETOPS_HAVE_MMAP
  if (mapped_) {
    munmap(block_, capacity_);
  } else {
    std::free(block_);
  }
#else
  std::free(block_);
#endif
  block_ = nullptr;
  capacity_ = 0;
  mapped_ = false;
}

}  // namespace detops
