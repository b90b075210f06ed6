// Values of pairs of rotated boxes, also with heights, compiled once per instruction set.
#define DETOPS_ALSO_AVX512
#include <algorithm>
#include <bit>
#include <cstring>

#include "boxes/pairs/kernel.h"
#include "boxes/shape/rotated.h"
#include "core/element_type.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "boxes/pairs/rotated_kernel.cc"
// clang-format off: what is included once per target comes after foreach_target.h
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "boxes/pairs/kernel-inl.h"
#include "boxes/shape/rotated-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace detops::boxes {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace shared = ::detops::HWY_NAMESPACE;
using Kind = PairQuestion::Kind;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
constexpr int64_t kLanes = hn::MaxLanes(D());

// ---- a vector of pairs ----

// A vector of boxes: consecutive ones of planes, or one box in every lane. z and dz have only those with heights. No
// array of fields: gcc keeps that in memory, and copies it for every vector of pairs.
struct Boxes {
  shared::RotatedLanes<D> flat;
  V z, dz;
};

// Planes of a few boxes.
using Block = const double (*)[kBlockPairs];

template <int kFields, class Planes>
HWY_INLINE Boxes LoadBoxes(const Planes& planes, int64_t index) {
  const auto load = [&](int i) { return hn::LoadU(D(), planes[i] + index); };
  const V z = kFields > 8 ? load(8) : hn::Zero(D());
  const V dz = kFields > 8 ? load(9) : hn::Zero(D());
  return {{load(0), load(1), load(2), load(3), load(4), load(5), load(6), load(7)}, z, dz};
}
HWY_INLINE Boxes SetBoxes(const PairBox& box) {
  const auto set = [&](int i) { return hn::Set(D(), box.field[i]); };
  return {{set(0), set(1), set(2), set(3), set(4), set(5), set(6), set(7)}, set(8), set(9)};
}

template <PairValue kValue>
struct Flat {
  static constexpr int kFields = 8;
  static HWY_INLINE V Value(bool /*z_is_bottom*/, const Boxes& a, const Boxes& b) {
    return shared::RotatedValue<kValue>(D(), a.flat, b.flat);
  }
};

// How much of the heights is shared: at most the lower of them, and more than 0 only if it truly is.
template <class AnyD, class AnyV = hn::Vec<AnyD>>
HWY_INLINE AnyV SharedHeight(AnyD d, bool z_is_bottom, AnyV z_a, AnyV dz_a, AnyV z_b, AnyV dz_b) {
  const AnyV half = hn::Set(d, 0.5);
  const AnyV apart = hn::Sub(z_b, z_a);
  const AnyV height = z_is_bottom ? hn::Min(hn::Add(dz_b, apart), hn::Sub(dz_a, apart))
                                  : hn::Sub(hn::Add(hn::Mul(half, dz_a), hn::Mul(half, dz_b)), hn::Abs(apart));
  return hn::Max(hn::Min(hn::Min(dz_a, dz_b), height), hn::Zero(d));
}

struct Spatial {
  static constexpr int kFields = 10;

  static HWY_INLINE V Value(bool z_is_bottom, const Boxes& a, const Boxes& b) {
    const D d;
    const V area = shared::OverlapIntegral(d, a.flat, b.flat);
    const V height = SharedHeight(d, z_is_bottom, a.z, a.dz, b.z, b.dz);
    const V iou = shared::IouOf(d, hn::Mul(area, height), hn::Mul(a.flat.area, a.dz), hn::Mul(b.flat.area, b.dz));
    const auto wide = hn::Lt(hn::Min(a.flat.area, b.flat.area), hn::Zero(d));
    if (HWY_UNLIKELY(!hn::AllFalse(d, wide))) return WithWide(z_is_bottom, a, b, iou);
    return iou;
  }

  // Lanes with a wide box, one after the other: IoU = 1 / (1/p + 1/q - 1), p and q the shared parts of the volumes.
  static HWY_NOINLINE V WithWide(bool z_is_bottom, const Boxes& a, const Boxes& b, V ordinary) {
    alignas(64) double numbers[2][8][kLanes];
    alignas(64) double result[kLanes];
    const auto store = [](const Boxes& from, double(*to)[kLanes]) {
      hn::StoreU(from.flat.cx, D(), to[0]);
      hn::StoreU(from.flat.cy, D(), to[1]);
      hn::StoreU(from.flat.w, D(), to[2]);
      hn::StoreU(from.flat.h, D(), to[3]);
      hn::StoreU(from.flat.angle, D(), to[4]);
      hn::StoreU(from.flat.area, D(), to[5]);
      hn::StoreU(from.z, D(), to[6]);
      hn::StoreU(from.dz, D(), to[7]);
    };
    store(a, numbers[0]);
    store(b, numbers[1]);
    hn::StoreU(ordinary, D(), result);
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      if (numbers[0][5][lane] >= 0 && numbers[1][5][lane] >= 0) continue;
      const auto box = [lane](const double(*from)[kLanes]) {
        return MakeRotatedBox(from[0][lane], from[1][lane], from[2][lane], from[3][lane], from[4][lane]);
      };
      const double dz_a = numbers[0][7][lane];
      const double dz_b = numbers[1][7][lane];
      const hn::CappedTag<double, 1> one;
      const double height =
          hn::GetLane(SharedHeight(one, z_is_bottom, hn::Set(one, numbers[0][6][lane]), hn::Set(one, dz_a),
                                   hn::Set(one, numbers[1][6][lane]), hn::Set(one, dz_b)));
      const RotatedBox box_a = box(numbers[0]);
      const RotatedBox box_b = box(numbers[1]);
      const double part_a = RotatedValueOf(PairValue::kIofFirst, box_a, box_b) * (height / dz_a);
      const double part_b = RotatedValueOf(PairValue::kIofSecond, box_a, box_b) * (height / dz_b);
      result[lane] = part_a > 0 && part_b > 0 ? 1 / (1 / part_a + 1 / part_b - 1) : 0;
    }
    return hn::LoadU(D(), result);
  }
};

template <class Pair>
HWY_NOINLINE void BlockValues(bool z_is_bottom, Block first, Block second, int64_t count, double* values) {
  for (int64_t i = 0; i < count; i += kLanes) {
    const Boxes a = LoadBoxes<Pair::kFields>(first, i);
    const Boxes b = LoadBoxes<Pair::kFields>(second, i);
    hn::StoreU(Pair::Value(z_is_bottom, a, b), D(), values + i);
  }
}

// ---- a tile ----

// One bit for each column from `begin` on, 64 in a word: whether its bounds and those of the line meet. The number of
// bits that are set.
int64_t MeetingColumns(const PairBox& line, const PairPlanes& columns, int64_t begin, int64_t count, uint64_t* words) {
  const hn::ScalableTag<float> d;
  constexpr int64_t kStep = hn::MaxLanes(hn::ScalableTag<float>());
  const auto x_min = hn::Set(d, line.x_min);
  const auto y_min = hn::Set(d, line.y_min);
  const auto x_max = hn::Set(d, line.x_max);
  const auto y_max = hn::Set(d, line.y_max);
  int64_t found = 0;
  for (int64_t first = 0; first < count; first += 64) {
    uint64_t word = 0;
    for (int64_t i = 0; i < 64; i += kStep) {
      const int64_t at = begin + first + i;
      const auto in_x =
          hn::And(hn::Lt(hn::LoadU(d, columns.x_min + at), x_max), hn::Lt(x_min, hn::LoadU(d, columns.x_max + at)));
      const auto in_y =
          hn::And(hn::Lt(hn::LoadU(d, columns.y_min + at), y_max), hn::Lt(y_min, hn::LoadU(d, columns.y_max + at)));
      uint8_t bytes[8] = {};
      hn::StoreMaskBits(d, hn::And(in_x, in_y), bytes);
      uint64_t bits = 0;
      std::memcpy(&bits, bytes, sizeof(bits));
      word |= bits << i;
    }
    *words++ = word;
    found += std::popcount(word);
  }
  return found;
}

// Pairs of any lines and columns, to be computed together. The columns' fields are copied one by one, the line's a
// vector at a time when all its pairs are there.
template <class Pair>
class Queue {
 public:
  explicit Queue(const PairTile& tile) : tile_(tile) {}

  void AddLine(const PairBox& line, int64_t line_index, const uint64_t* words, int64_t count) {
    const int64_t line_element = line_index * tile_.output.line_stride;
    for (int64_t first = tile_.column_begin; first < tile_.column_begin + count; first += 64) {
      for (uint64_t word = *words++; word != 0; word &= word - 1) {
        if (count_ == kRoom) {
          EndLine(line);
          Flush();
        }
        const int64_t column = first + std::countr_zero(word);
        for (int i = 0; i < Pair::kFields; ++i) column_[i][count_] = tile_.columns->field[i][column];
        element_[count_++] = line_element + column * tile_.output.column_stride;
      }
    }
    EndLine(line);
  }

  void Flush() {
    alignas(64) double values[kRoom];
    BlockValues<Pair>(tile_.question->z_is_bottom, line_, column_, count_, values);
    shared::StoreAt(tile_.output, element_, values, count_);
    count_ = line_begin_ = 0;
  }

 private:
  static constexpr int64_t kRoom = kBlockPairs;

  // Whole vectors: what is written behind the last pair is written again, or never read as a pair.
  void EndLine(const PairBox& line) {
    for (int i = 0; i < Pair::kFields; ++i) {
      const V field = hn::Set(D(), line.field[i]);
      for (int64_t j = line_begin_ / kLanes * kLanes; j < count_; j += kLanes) {
        const V before = hn::Load(D(), line_[i] + j);
        const auto old = hn::FirstN(D(), static_cast<size_t>(std::max<int64_t>(0, line_begin_ - j)));
        hn::Store(hn::IfThenElse(old, before, field), D(), line_[i] + j);
      }
    }
    line_begin_ = count_;
  }

  const PairTile& tile_;
  int64_t count_ = 0;
  int64_t line_begin_ = 0;
  int64_t element_[kRoom];
  // Zero at first: vectors behind the last pair read what is there.
  alignas(64) double line_[Pair::kFields][kRoom] = {};
  alignas(64) double column_[Pair::kFields][kRoom] = {};
};

template <class Pair>
void WholeLine(const PairTile& tile, const PairBox& line, int64_t line_index) {
  alignas(64) double values[kTileColumns];
  const int64_t count = tile.column_end - tile.column_begin;
  const Boxes a = SetBoxes(line);
  for (int64_t i = 0; i < count; i += kLanes) {
    const Boxes b = LoadBoxes<Pair::kFields>(tile.columns->field, tile.column_begin + i);
    hn::StoreU(Pair::Value(tile.question->z_is_bottom, a, b), D(), values + i);
  }
  shared::StoreLine(tile.output, line_index, tile.column_begin, values, count);
}

template <class Pair>
void TileOf(const PairTile& tile) {
  Queue<Pair> queue(tile);
  const int64_t count = tile.column_end - tile.column_begin;
  for (int64_t i = 0; i < tile.line_count; ++i) {
    const PairBox& line = tile.lines[i];
    const int64_t line_index = tile.line_begin + i;
    uint64_t words[kTileColumns / 64];
    const int64_t found = MeetingColumns(line, *tile.columns, tile.column_begin, count, words);
    // A pair in the queue costs about 1.6 times one that is computed where it stands.
    if (5 * found >= 3 * count) {
      WholeLine<Pair>(tile, line, line_index);
      continue;
    }
    if (found > 0) queue.AddLine(line, line_index, words, count);
  }
  queue.Flush();
}

template <class Pair>
void AlignedOf(const AlignedPairs& pairs) {
  alignas(64) double values[kBlockPairs];
  BlockValues<Pair>(pairs.question->z_is_bottom, pairs.first, pairs.second, pairs.count, values);
  shared::StoreLine(pairs.output, 0, pairs.begin, values, pairs.count);
}

// Calls function.template operator()<Pair>() with what is asked.
template <class Function>
void WithPair(const PairQuestion& question, const Function& function) {
  if (question.kind == Kind::kSpatial) return function.template operator()<Spatial>();
  switch (question.value) {
    case PairValue::kOverlap:
      return function.template operator()<Flat<PairValue::kOverlap>>();
    case PairValue::kIou:
      return function.template operator()<Flat<PairValue::kIou>>();
    case PairValue::kIofFirst:
      return function.template operator()<Flat<PairValue::kIofFirst>>();
    default:
      return function.template operator()<Flat<PairValue::kIofSecond>>();
  }
}

}  // namespace

void RotatedTile(const PairTile& tile) {
  WithPair(*tile.question, [&]<class Pair>() { TileOf<Pair>(tile); });
}
void RotatedAligned(const AlignedPairs& pairs) {
  WithPair(*pairs.question, [&]<class Pair>() { AlignedOf<Pair>(pairs); });
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::boxes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::boxes {

HWY_EXPORT(RotatedTile);
HWY_EXPORT(RotatedAligned);

PairKernels ChooseRotatedPairKernels() { return {&DETOPS_DISPATCH(RotatedTile), &DETOPS_DISPATCH(RotatedAligned)}; }

}  // namespace detops::boxes
#endif  // HWY_ONCE
