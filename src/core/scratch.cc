#include "core/scratch.h"

#include <cstdint>

#include "core/platform.h"

namespace detops {
namespace {

constexpr size_t kAlignment = 64;

constexpr size_t RoundUp(size_t bytes, size_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }

}  // namespace

void* Scratch::Reserve(size_t bytes) {
  if (bytes <= capacity_ && block_ != nullptr) return block_;
  if (bytes > SIZE_MAX / 2) return nullptr;
  const bool map = bytes >= kHugePage / 2;
  const size_t size = RoundUp(bytes, map ? kHugePage : kAlignment) + (bytes == 0 ? kAlignment : 0);
  void* block = map ? MapPages(size) : AllocateAligned(kAlignment, size);
  if (block == nullptr) return nullptr;
  Release();
  block_ = block;
  capacity_ = size;
  mapped_ = map;
  return block_;
}

void Scratch::Release() {
  if (mapped_) {
    UnmapPages(block_, capacity_);
  } else {
    FreeAligned(block_);
  }
  block_ = nullptr;
  capacity_ = 0;
  mapped_ = false;
}

}  // namespace detops
