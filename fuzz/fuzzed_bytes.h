// A fuzzer's input as a row of choices. Nothing of a compiler's own, so that every build can run the kept inputs.
#ifndef DETOPS_FUZZ_FUZZED_BYTES_H_
#define DETOPS_FUZZ_FUZZED_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace detops_fuzz {

// Reads from the front. Behind the end every byte is 0, so that a choice there is its first possibility.
class FuzzedBytes {
 public:
  FuzzedBytes(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  FuzzedBytes(const FuzzedBytes&) = delete;
  FuzzedBytes& operator=(const FuzzedBytes&) = delete;

  size_t left() const { return left_; }

  bool Bool() { return (Bits(1) & 1) != 0; }

  // Any number of the type.
  template <class Integer>
  Integer Any() {
    static_assert(std::is_integral_v<Integer>);
    const uint64_t bits = Bits(sizeof(Integer));
    Integer number;
    std::memcpy(&number, &bits, sizeof(number));  // the low bytes: those of a little-endian machine
    return number;
  }

  // A number of [low, high], of as few bytes as the range needs.
  template <class Integer>
  Integer Between(Integer low, Integer high) {
    const uint64_t range = Difference(low, high);
    size_t count = 0;
    while (count < 8 && (range >> (8 * count)) != 0) ++count;
    const uint64_t bits = Bits(count);
    const uint64_t offset = range == UINT64_MAX ? bits : bits % (range + 1);
    // offset <= high - low, so that the sum is a number of the type even where the difference is none.
    return static_cast<Integer>(static_cast<__int128>(low) + static_cast<__int128>(offset));
  }

  // Any float, NaN and the infinities among them.
  float AnyFloat() {
    const auto bits = Any<uint32_t>();
    float number;
    std::memcpy(&number, &bits, sizeof(number));
    return number;
  }

  // Up to `count` bytes.
  std::vector<uint8_t> Take(size_t count) {
    count = std::min(count, left_);
    std::vector<uint8_t> bytes(data_, data_ + count);
    data_ += count;
    left_ -= count;
    return bytes;
  }

  // Up to `most` bytes, their number is the first choice.
  std::string Text(size_t most) {
    const std::vector<uint8_t> bytes = Take(Between<size_t>(0, most));
    return {bytes.begin(), bytes.end()};
  }

 private:
  template <class Integer>
  static uint64_t Difference(Integer low, Integer high) {
    return static_cast<uint64_t>(static_cast<__int128>(high) - static_cast<__int128>(low));
  }

  // A number of `count` bytes, the lowest first.
  uint64_t Bits(size_t count) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count && left_ > 0; ++i, --left_) bits |= static_cast<uint64_t>(*data_++) << (8 * i);
    return bits;
  }

  const uint8_t* data_;
  size_t left_;
};

}  // namespace detops_fuzz

#endif  // DETOPS_FUZZ_FUZZED_BYTES_H_
