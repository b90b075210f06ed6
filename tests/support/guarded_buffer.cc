#include "support/guarded_buffer.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "support/pages.h"

namespace detops_test {
namespace {

constexpr unsigned char kSlackByte = 0xC3;

int g_other_sides = 0;  // how many OtherSide are alive

bool AllSlack(const unsigned char* begin, const unsigned char* end) {
  return std::all_of(begin, end, [](unsigned char byte) { return byte == kSlackByte; });
}

}  // namespace

GuardedBuffer::GuardedBuffer(size_t bytes, Placement placement, size_t offset) : size_(bytes) {
  const size_t page = PageSize();
  // At least one page, so that the data pointer of an empty buffer lies on a page of its own.
  const size_t usable = std::max<size_t>(1, (bytes + offset + page - 1) / page) * page;
  mapping_size_ = usable + 2 * page;
  mapping_ = static_cast<unsigned char*>(ReservePages(mapping_size_));
  unsigned char* begin = mapping_ + page;
  if (!OpenPages(begin, usable)) {
    ReleasePages(mapping_, mapping_size_);
    throw std::bad_alloc();
  }
  const bool front = (placement == Placement::kAgainstFront) == (g_other_sides == 0);
  data_ = front ? begin + offset : begin + usable - bytes - offset;
  std::memset(begin, kSlackByte, static_cast<size_t>(data_ - begin));
  std::memset(data_ + bytes, kSlackByte, static_cast<size_t>(begin + usable - (data_ + bytes)));
}

GuardedBuffer::~GuardedBuffer() { ReleasePages(mapping_, mapping_size_); }

bool GuardedBuffer::SlackIntact() const {
  const unsigned char* begin = mapping_ + PageSize();
  const unsigned char* end = mapping_ + mapping_size_ - PageSize();
  return AllSlack(begin, data_) && AllSlack(data_ + size_, end);
}

OtherSide::OtherSide() { ++g_other_sides; }
OtherSide::~OtherSide() { --g_other_sides; }

}  // namespace detops_test
