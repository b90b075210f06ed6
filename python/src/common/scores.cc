#include "common/scores.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

namespace detops_binding {
namespace {

// Floating numbers by their bits: a sign, exponent bits that are all set for Inf and NaN, and a fraction.
template <typename Bits, Bits kInfinity>
struct Format {
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));

  static Bits Read(const View& scores, int64_t i) {
    Bits bits;
    std::memcpy(&bits, static_cast<const std::byte*>(scores.data) + i * sizeof(Bits), sizeof(Bits));
    return bits;
  }
  static Bits Size(Bits bits) { return bits & static_cast<Bits>(~kSign); }
  // Integers in the order of the numbers; both zeros are one.
  static int64_t Key(Bits bits) {
    const auto size = static_cast<int64_t>(Size(bits));
    return (bits & kSign) != 0 ? -size : size;
  }

  static bool HasInfinities(const View& scores) {
    for (int64_t i = 0; i < scores.elements(); ++i) {
      if (Size(Read(scores, i)) == kInfinity) return true;
    }
    return false;
  }

  static void Rank(const View& scores, std::vector<double>& ranks) {
    const int64_t count = scores.elements();
    std::vector<int64_t> keys(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) keys[i] = Key(Read(scores, i));
    std::vector<int64_t> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    ranks.resize(keys.size());
    for (int64_t i = 0; i < count; ++i) {
      const auto rank = std::lower_bound(sorted.begin(), sorted.end(), keys[i]) - sorted.begin();
      const bool is_nan = Size(Read(scores, i)) > kInfinity;
      ranks[i] = is_nan ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(rank);
    }
  }

  static View Convert(const View& scores, std::vector<double>& ranks) {
    if (!HasInfinities(scores)) return scores;
    Rank(scores, ranks);
    View made = scores;
    made.type = MLUOP_DTYPE_DOUBLE;
    made.data = ranks.data();
    return made;
  }
};

}  // namespace

View WithoutInfinities(const View& scores, std::vector<double>& ranks) {
  switch (scores.type) {
    case MLUOP_DTYPE_HALF:
      return Format<uint16_t, 0x7c00>::Convert(scores, ranks);
    case MLUOP_DTYPE_BFLOAT16:
      return Format<uint16_t, 0x7f80>::Convert(scores, ranks);
    case MLUOP_DTYPE_FLOAT:
      return Format<uint32_t, 0x7f800000>::Convert(scores, ranks);
    case MLUOP_DTYPE_DOUBLE:
      return Format<uint64_t, 0x7ff0000000000000>::Convert(scores, ranks);
    default:
      return scores;  // None were given.
  }
}

}  // namespace detops_binding
