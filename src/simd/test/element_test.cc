// Loads and stores of half, bfloat16, float and double on every SIMD target, with whole vectors, with one lane and
// streamed, against conversions that are made from the definition of the formats.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/half.h"
#include "core/simd_target.h"
#include "gtest/gtest.h"
#include "hwy/cache_control.h"
#include "support/guarded_buffer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/test/element_test.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/element-inl.h"

// How vectors are cut and written. Once, though this file is read once per target.
#ifndef DETOPS_SIMD_ELEMENT_TEST_WAY_
#define DETOPS_SIMD_ELEMENT_TEST_WAY_
namespace detops {
enum class Way { kVectors, kOneLane, kStreamed };
}
#endif

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T, typename Real, class D>
void LoadWith(D d, const T* from, size_t count, Real* to) {
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i + lanes <= count; i += lanes) hn::StoreU(LoadElements(d, from + i), d, to + i);
}
template <StoreMode kMode, typename T, typename Real, class D>
void StoreWith(D d, const Real* from, size_t count, T* to) {
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i + lanes <= count; i += lanes) StoreElements<kMode>(hn::LoadU(d, from + i), d, to + i);
}

template <typename T, typename Real>
void Load(Way way, const void* from, size_t count, void* to) {
  const auto* source = static_cast<const T*>(from);
  auto* target = static_cast<Real*>(to);
  if (way == Way::kOneLane) return LoadWith(hn::CappedTag<Real, 1>(), source, count, target);
  LoadWith(hn::ScalableTag<Real>(), source, count, target);
}
template <typename T, typename Real>
void Store(Way way, const void* from, size_t count, void* to) {
  const auto* source = static_cast<const Real*>(from);
  auto* target = static_cast<T*>(to);
  if (way == Way::kOneLane) {
    return StoreWith<StoreMode::kPlain>(hn::CappedTag<Real, 1>(), source, count, target);
  }
  const hn::ScalableTag<Real> d;
  if (way == Way::kVectors) return StoreWith<StoreMode::kPlain>(d, source, count, target);
  StoreWith<StoreMode::kStream>(d, source, count, target);
  hwy::FlushStream();
}

}  // namespace

// The number of lanes a vector of floats has.
size_t FloatLanes() { return hn::Lanes(hn::ScalableTag<float>()); }

// `count` is a multiple of the lanes. `bits` 16: half, 17: bfloat16, 32, 64.
void LoadAll(int bits, Way way, const void* from, size_t count, void* to) {
  if (bits == 16) return Load<Half, float>(way, from, count, to);
  if (bits == 17) return Load<BFloat16, float>(way, from, count, to);
  if (bits == 32) return Load<float, float>(way, from, count, to);
  Load<double, double>(way, from, count, to);
}
void StoreAll(int bits, Way way, const void* from, size_t count, void* to) {
  if (bits == 16) return Store<Half, float>(way, from, count, to);
  if (bits == 17) return Store<BFloat16, float>(way, from, count, to);
  if (bits == 32) return Store<float, float>(way, from, count, to);
  Store<double, double>(way, from, count, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace detops {
HWY_EXPORT(FloatLanes);
HWY_EXPORT(LoadAll);
HWY_EXPORT(StoreAll);

namespace {

using detops_test::GuardedBuffer;
using detops_test::Placement;

constexpr Way kWays[] = {Way::kVectors, Way::kOneLane, Way::kStreamed};
constexpr size_t kPadding = 64;  // a multiple of every number of lanes

// ---- the formats by definition ------------------------------------------------------------------

// A 16-bit format with `digits` digits behind the point and `bias`.
struct Format {
  int bits;  // as LoadAll counts
  const char* name;
  int digits;
  int bias;

  uint16_t infinity() const { return static_cast<uint16_t>(((1 << (15 - digits)) - 1) << digits); }

  // The value of a pattern below infinity's, by adding up its parts.
  double Magnitude(int pattern) const {
    const int exponent = pattern >> digits, fraction = pattern & ((1 << digits) - 1);
    if (exponent == 0) return std::ldexp(fraction, 1 - bias - digits);
    return std::ldexp((1 << digits) + fraction, exponent - bias - digits);
  }

  // The pattern nearest to a number >= 0, of two equally near ones the even. Infinity takes part as the number after
  // the largest, as IEEE 754 says.
  uint16_t Nearest(double value) const {
    int low = 0, high = infinity();  // low's magnitude <= value < high's, by halving
    if (value >= Magnitude(high)) return infinity();
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (Magnitude(middle) <= value ? low : high) = middle;
    }
    const double below = value - Magnitude(low), above = Magnitude(high) - value;
    if (below != above) return static_cast<uint16_t>(below < above ? low : high);
    return static_cast<uint16_t>(low % 2 == 0 ? low : high);
  }

  uint16_t Round(float value) const {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    return static_cast<uint16_t>(Nearest(std::abs(static_cast<double>(value))) | sign);
  }
};

constexpr Format kFormats[] = {{16, "half", 10, 15}, {17, "bfloat16", 7, 127}};

std::vector<std::string> Targets() {
  std::vector<std::string> names;
  std::istringstream text(SupportedTargetNames());
  for (std::string name; std::getline(text, name, ',');) names.push_back(name);
  return names;
}

class ElementTest : public ::testing::Test {
 protected:
  void TearDown() override { ForceTarget(nullptr); }

  template <class Body>
  static void ForEachTarget(const Body& body) {
    const std::vector<std::string> targets = Targets();
    ASSERT_FALSE(targets.empty());
    for (const std::string& target : targets) {
      ASSERT_TRUE(ForceTarget(target.c_str()));
      for (const Way way : kWays) {
        SCOPED_TRACE(target + ", way " + std::to_string(static_cast<int>(way)));
        body(way);
      }
    }
  }

  static std::vector<uint16_t> StoreFloats(const Format& format, Way way, const std::vector<float>& values) {
    std::vector<float> padded = values;
    padded.resize((values.size() + kPadding - 1) / kPadding * kPadding);
    // Streams want addresses that are multiples of the vector.
    std::vector<uint16_t> storage(padded.size() + 32);
    const auto address = reinterpret_cast<uintptr_t>(storage.data());
    uint16_t* aligned = storage.data() + (64 - address % 64) % 64 / 2;
    DETOPS_DISPATCH(StoreAll)(format.bits, way, padded.data(), padded.size(), aligned);
    return std::vector<uint16_t>(aligned, aligned + values.size());
  }

  static void ExpectRounded(const Format& format, const std::vector<float>& values,
                            const std::vector<uint16_t>& expected) {
    ForEachTarget([&](Way way) {
      const std::vector<uint16_t> actual = StoreFloats(format, way, values);
      for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(actual[i], expected[i]) << format.name << " of " << std::hexfloat << values[i];
      }
    });
  }
};

bool IsNan(const Format& format, uint16_t bits) { return (bits & 0x7fff) > format.infinity(); }

// ---- loads --------------------------------------------------------------------------------------

void ExpectAllPatternsExact(Way way, const Format& format) {
  std::vector<uint16_t> patterns(65536);
  for (size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<uint16_t>(i);
  std::vector<float> values(65536);
  DETOPS_DISPATCH(LoadAll)(format.bits, way, patterns.data(), patterns.size(), values.data());
  for (int i = 0; i < 65536; ++i) {
    const auto value = values[static_cast<size_t>(i)];
    const auto bits = std::bit_cast<uint32_t>(value);
    ASSERT_EQ(bits >> 31, static_cast<uint32_t>(i) >> 15) << format.name << " " << i;
    const int magnitude = i & 0x7fff;
    const uint32_t rest = bits & 0x7fffffff;
    if (magnitude > format.infinity()) {
      ASSERT_GT(rest, 0x7f800000u) << format.name << " " << i << " is NaN";
    } else if (magnitude == format.infinity()) {
      ASSERT_EQ(rest, 0x7f800000u) << format.name << " " << i << " is Inf";
    } else {
      // Bits, not values: with subnormal numbers taken as zero a comparison sees nothing.
      ASSERT_EQ(rest, std::bit_cast<uint32_t>(static_cast<float>(format.Magnitude(magnitude)))) << format.name << i;
    }
  }
}

TEST_F(ElementTest, AllPatternsLoadExactly) {
  ForEachTarget([](Way way) {
    for (const Format& format : kFormats) ExpectAllPatternsExact(way, format);
  });
}

TEST_F(ElementTest, OneNumberAtATimeLoadsExactly) {
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float values[] = {ToFloat(Half{bits}), ToFloat(BFloat16{bits})};
    for (int f = 0; f < 2; ++f) {
      const int magnitude = i & 0x7fff;
      ASSERT_EQ(std::signbit(values[f]), i > 0x7fff) << i;
      if (magnitude > kFormats[f].infinity()) {
        ASSERT_TRUE(std::isnan(values[f])) << i;
      } else if (magnitude == kFormats[f].infinity()) {
        ASSERT_TRUE(std::isinf(values[f])) << i;
      } else {
        ASSERT_EQ(std::abs(static_cast<double>(values[f])), kFormats[f].Magnitude(magnitude)) << i;
      }
    }
  }
}

// ---- stores -------------------------------------------------------------------------------------

// Around every number of the format: itself, the middle to the next one, and the floats beside both.
std::vector<float> DenseFloats(const Format& format) {
  std::vector<float> values;
  for (int pattern = 0; pattern < format.infinity(); ++pattern) {
    const double number = format.Magnitude(pattern), next = format.Magnitude(pattern + 1);
    for (const double exact : {number, (number + next) / 2}) {
      const auto centre = static_cast<float>(exact);
      for (const float value : {std::nextafter(centre, 0.0f), centre, std::nextafter(centre, INFINITY)}) {
        values.push_back(value);
        values.push_back(-value);
      }
    }
  }
  const float largest = std::numeric_limits<float>::max();
  for (const float value : {65536.0f, 65535.0f, 65520.0f, 1e5f, 1e10f, 0x1p127f, largest, INFINITY, 0x1p-126f,
                            0x1p-149f, std::nextafter(0x1p-126f, 0.0f), 0.0f}) {
    values.push_back(value);
    values.push_back(-value);
  }
  return values;
}

std::vector<uint16_t> Rounded(const Format& format, const std::vector<float>& values) {
  std::vector<uint16_t> expected;
  expected.reserve(values.size());
  for (const float value : values) expected.push_back(format.Round(value));
  return expected;
}

TEST_F(ElementTest, StoresRoundToNearestEvenAroundEveryNumber) {
  for (const Format& format : kFormats) {
    const std::vector<float> values = DenseFloats(format);
    ExpectRounded(format, values, Rounded(format, values));
  }
}

TEST_F(ElementTest, StoresOfRandomFloats) {
  std::mt19937 random(3);
  std::vector<float> values;
  while (values.size() < 300000) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isnan(value)) values.push_back(value);
    // Most floats are far outside of half; so many inside too.
    values.push_back(std::ldexp(static_cast<float>(random()) * 0x1p-32f, static_cast<int>(random() % 46) - 28));
  }
  for (const Format& format : kFormats) ExpectRounded(format, values, Rounded(format, values));
}

TEST_F(ElementTest, NamedStores) {
  ExpectRounded(kFormats[0], {1.0f,      -2.0f,        65504.0f,     65519.996f,      65520.0f,
                              -65520.0f, 0x1p-24f,     0x1p-25f,     0x1.000002p-25f, 0x1.8p-24f,
                              0x1p-14f,  0x1.ff8p-15f, 0x1.ffcp-15f, 2049.0f,         2051.0f,
                              0.0f,      -0.0f,        INFINITY,     -INFINITY,       -0x1p-149f},
                {0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 0xfc00, 0x0001, 0x0000, 0x0001, 0x0002,
                 0x0400, 0x03ff, 0x0400, 0x6800, 0x6802, 0x0000, 0x8000, 0x7c00, 0xfc00, 0x8000});
  ExpectRounded(kFormats[1],
                {1.0f, -2.0f, 0x1.01p0f, 0x1.03p0f, 0x1.010002p0f, 0x1.fep127f, 0x1.fefffep127f, 0x1.ffp127f,
                 -0x1.fffffep127f, 0x1p-133f, 0x1p-134f, 0x1.8p-133f, 0x1p-149f, 0.0f, -0.0f, INFINITY, -INFINITY},
                {0x3f80, 0xc000, 0x3f80, 0x3f82, 0x3f81, 0x7f7f, 0x7f7f, 0x7f80, 0xff80, 0x0001, 0x0000, 0x0002, 0x0000,
                 0x0000, 0x8000, 0x7f80, 0xff80});
}

TEST_F(ElementTest, NanStaysNanAlikeOnEveryTarget) {
  std::vector<float> values;
  for (const uint32_t sign : {0u, 0x80000000u}) {
    for (int bit = 0; bit < 23; ++bit) values.push_back(std::bit_cast<float>(sign | 0x7f800000u | 1u << bit));
    values.push_back(std::bit_cast<float>(sign | 0x7fffffffu));
    values.push_back(std::bit_cast<float>(sign | 0x7fffe000u));
    values.push_back(std::bit_cast<float>(sign | 0x7f801fffu));  // all its digits lie below those of a half
  }
  for (const Format& format : kFormats) {
    std::vector<uint16_t> first;
    ForEachTarget([&](Way way) {
      const std::vector<uint16_t> actual = StoreFloats(format, way, values);
      if (first.empty()) first = actual;
      for (size_t i = 0; i < values.size(); ++i) {
        const auto bits = std::bit_cast<uint32_t>(values[i]);
        EXPECT_TRUE(IsNan(format, actual[i])) << format.name << " of " << std::hex << bits << " is " << actual[i];
        EXPECT_EQ(actual[i] >> 15, static_cast<int>(bits >> 31)) << "the sign of " << std::hex << bits;
        EXPECT_EQ(actual[i], first[i]) << "other bits than on the first target for " << std::hex << bits;
      }
    });
  }
}

#if defined(__x86_64__)
// Programs that flush subnormal floats still get their subnormal halves.
TEST_F(ElementTest, FlushingModesChangeNothing) {
  const std::vector<float> dense = DenseFloats(kFormats[0]);
  const std::vector<uint16_t> expected = Rounded(kFormats[0], dense);
  const unsigned before = _mm_getcsr();
  ForEachTarget([&](Way way) {
    _mm_setcsr(before | 0x8040);  // results to zero, operands taken as zero
    const std::vector<uint16_t> stored = StoreFloats(kFormats[0], way, dense);
    std::vector<uint16_t> patterns(0x400);
    for (size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<uint16_t>(i);
    std::vector<float> loaded(patterns.size());
    DETOPS_DISPATCH(LoadAll)(16, way, patterns.data(), patterns.size(), loaded.data());
    _mm_setcsr(before);
    EXPECT_EQ(stored, expected);
    for (size_t i = 0; i < patterns.size(); ++i) ASSERT_EQ(loaded[i], std::ldexp(static_cast<float>(i), -24)) << i;
  });
}
#endif

TEST_F(ElementTest, FloatAndDoublePassUnchanged) {
  ForEachTarget([](Way way) {
    alignas(64) uint32_t from[64], to[64] = {};
    alignas(64) uint64_t wide_from[64], wide_to[64] = {};
    std::mt19937_64 random(5);
    for (int i = 0; i < 64; ++i) from[i] = static_cast<uint32_t>(wide_from[i] = random());
    float floats[64];
    double doubles[64];
    DETOPS_DISPATCH(LoadAll)(32, way, from, 64, floats);
    DETOPS_DISPATCH(StoreAll)(32, way, floats, 64, to);
    DETOPS_DISPATCH(LoadAll)(64, way, wide_from, 64, doubles);
    DETOPS_DISPATCH(StoreAll)(64, way, doubles, 64, wide_to);
    EXPECT_EQ(std::memcmp(from, to, sizeof(from)), 0);
    EXPECT_EQ(std::memcmp(wide_from, wide_to, sizeof(wide_from)), 0);
  });
}

// A vector reads and writes its own elements and no byte more, at any address.
TEST_F(ElementTest, NoByteBeyondTheVector) {
  ForEachTarget([](Way way) {
    if (way == Way::kStreamed) return;  // wants aligned addresses
    const size_t lanes = way == Way::kOneLane ? 1 : DETOPS_DISPATCH(FloatLanes)();
    const std::vector<float> values(lanes, 1.5f);
    std::vector<float> back(lanes);
    for (const Format& format : kFormats) {
      for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
        for (const size_t offset : {0, 1, 2, 3}) {
          GuardedBuffer buffer(lanes * 2, placement, offset);
          DETOPS_DISPATCH(StoreAll)(format.bits, way, values.data(), lanes, buffer.data());
          EXPECT_TRUE(buffer.SlackIntact()) << format.name;
          DETOPS_DISPATCH(LoadAll)(format.bits, way, buffer.data(), lanes, back.data());
          EXPECT_EQ(back, values) << format.name;
        }
      }
    }
  });
}

}  // namespace
}  // namespace detops
#endif  // HWY_ONCE
