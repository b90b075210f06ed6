#define DETOPS_ALSO_AVX512  // see core/simd_target.h

#include "ops/get_indice_pairs/regular/kernel.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/get_indice_pairs/regular/kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/get_indice_pairs/kernel/append-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::get_indice_pairs {
namespace HWY_NAMESPACE {
namespace {

static_assert(kBlockMargin >= hn::MaxLanes(D32()));
constexpr int64_t kPitch = kBlockSites + kBlockMargin;

// Turns `sites` rows of `columns` numbers into columns.
void Transpose(const int32_t* HWY_RESTRICT rows, int columns, int sites, int32_t* HWY_RESTRICT out) {
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int v = 0;
  if (columns == 4) {
    for (; v + lanes <= sites; v += lanes) {
      hn::Vec<D32> c0, c1, c2, c3;
      hn::LoadInterleaved4(d, rows + 4 * v, c0, c1, c2, c3);
      hn::StoreU(c0, d, out + v);
      hn::StoreU(c1, d, out + kPitch + v);
      hn::StoreU(c2, d, out + 2 * kPitch + v);
      hn::StoreU(c3, d, out + 3 * kPitch + v);
    }
  }
  for (; v < sites; ++v) {
    for (int column = 0; column < columns; ++column) out[column * kPitch + v] = rows[v * columns + column];
  }
}

// Turns coordinates on one axis into quotients, adds quotient * pitch to the site numbers and the remainder to
// classes * stride.
void Divide(const RegularAxis& axis, bool transposed, int sites, int32_t* HWY_RESTRICT coordinates,
            int32_t* HWY_RESTRICT site_numbers, int32_t* HWY_RESTRICT classes) {
  const D32 d;
  const hn::RebindToFloat<D32> df;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto stride = hn::Set(d, axis.stride);
  const auto pad = hn::Set(d, transposed ? -axis.pad : axis.pad);
  const auto pitch = hn::Set(d, static_cast<int32_t>(axis.pitch));
  const auto one = hn::Set(d, 1);
  const auto inverse = hn::Set(df, 1.0f / static_cast<float>(axis.stride));
  const bool whole = transposed || axis.stride == 1;
  for (int v = 0; v < sites; v += lanes) {
    auto quotient = hn::LoadU(d, coordinates + v);
    if (whole) {
      quotient = hn::Add(hn::Mul(quotient, stride), pad);
    } else {
      // Below 2^24 float division by multiplication is wrong by one at most, and the remainder tells.
      const auto u = hn::Add(quotient, pad);
      quotient = hn::ConvertTo(d, hn::Mul(hn::ConvertTo(df, u), inverse));
      auto remainder = hn::Sub(u, hn::Mul(quotient, stride));
      const auto low = hn::Lt(remainder, hn::Zero(d));
      quotient = hn::Sub(quotient, hn::IfThenElseZero(low, one));
      remainder = hn::Add(remainder, hn::IfThenElseZero(low, stride));
      const auto high = hn::Gt(remainder, hn::Sub(stride, one));
      quotient = hn::Add(quotient, hn::IfThenElseZero(high, one));
      remainder = hn::Sub(remainder, hn::IfThenElseZero(high, stride));
      hn::StoreU(hn::Add(hn::Mul(hn::LoadU(d, classes + v), stride), remainder), d, classes + v);
    }
    hn::StoreU(quotient, d, coordinates + v);
    hn::StoreU(hn::Add(hn::LoadU(d, site_numbers + v), hn::Mul(quotient, pitch)), d, site_numbers + v);
  }
}

// A block of input sites, sorted by class. It lies in memory of the caller, from one step to the next.
class RegularBlock {
 public:
  RegularBlock(const RegularGeometry& geometry, const int32_t* numbers)
      : geometry_(geometry),
        indices_(numbers),
        sites_(numbers + kPitch),
        quotients_(numbers + 2 * kPitch),
        ends_(numbers + (geometry.dims + 2) * kPitch) {}

  // Sorts the inputs [first, first + sites) into `numbers`.
  static void Make(const RegularGeometry& geometry, int64_t first, int sites, int32_t* HWY_RESTRICT numbers) {
    const int dims = geometry.dims;
    int32_t loaded[(kMaxSpatialDims + 1) * kPitch];
    int32_t site_numbers[kPitch];
    int32_t classes[kPitch];
    // What stands after the last site must be numbers, no more.
    for (int column = 0; column <= dims; ++column) std::fill_n(loaded + column * kPitch + sites, kBlockMargin, 0);
    Transpose(geometry.indices + first * (dims + 1), dims + 1, sites, loaded);
    for (int v = 0; v < sites + kBlockMargin; ++v) {
      site_numbers[v] = static_cast<int32_t>(static_cast<uint32_t>(loaded[v]) * geometry.batch_pitch);
    }
    std::fill_n(classes, sites + kBlockMargin, 0);
    for (int a = 0; a < dims; ++a) {
      Divide(geometry.axes[a], geometry.transposed, sites, loaded + (a + 1) * kPitch, site_numbers, classes);
    }
    // A counting sort that keeps the order inside a class.
    int32_t* const HWY_RESTRICT ends = numbers + (dims + 2) * kPitch;
    std::fill_n(ends, geometry.classes, 0);
    for (int v = 0; v < sites; ++v) ++ends[classes[v]];
    int32_t before = 0;
    for (int c = 0; c < geometry.classes; ++c) before += std::exchange(ends[c], before);
    for (int v = 0; v < sites; ++v) {
      const int32_t place = ends[classes[v]]++;
      numbers[place] = static_cast<int32_t>(first) + v;
      numbers[kPitch + place] = site_numbers[v];
      for (int a = 0; a < dims; ++a) numbers[(a + 2) * kPitch + place] = loaded[(a + 1) * kPitch + v];
    }
  }

  // Appends the pairs (input index, site) of an offset to `head` and `head + distance`; returns the new head. Whole
  // vectors are stored, except where they would go beyond `end`.
  int32_t* Append(const RegularOffset& offset, int32_t* head, const int32_t* end, int64_t distance) const {
    const D32 d;
    const hn::RebindToUnsigned<D32> du;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const int32_t stop = ends_[offset.class_id];
    const auto site_step = hn::Set(d, offset.site_step);
    for (int32_t v = offset.class_id == 0 ? 0 : ends_[offset.class_id - 1]; v < stop; v += lanes) {
      auto inside = hn::FirstN(d, static_cast<size_t>(stop - v));
      for (int a = 0; a < geometry_.dims; ++a) {
        // Without a sign a negative coordinate is a large one.
        const auto output = hn::Sub(hn::LoadU(d, quotients_ + a * kPitch + v), hn::Set(d, offset.steps[a]));
        const auto last = hn::Set(d, geometry_.axes[a].output - 1);
        const auto clipped = hn::BitCast(d, hn::Min(hn::BitCast(du, output), hn::BitCast(du, last)));
        inside = hn::And(inside, hn::Eq(output, clipped));
      }
      if (hn::AllFalse(d, inside)) continue;
      const auto index = hn::LoadU(d, indices_ + v);
      const auto site = hn::Sub(hn::LoadU(d, sites_ + v), site_step);
      if (HWY_LIKELY(end - head >= lanes)) {
        head += CompressTwo(d, inside, index, head, site, head + distance);
      } else {
        HWY_ALIGN int32_t few[2 * hn::MaxLanes(D32())];
        const size_t count = CompressTwo(d, inside, index, few, site, few + lanes);
        std::copy_n(few, count, head);
        std::copy_n(few + lanes, count, head + distance);
        head += count;
      }
    }
    return head;
  }

 private:
  const RegularGeometry& geometry_;
  const int32_t* indices_;    // input index
  const int32_t* sites_;      // site number of the quotients
  const int32_t* quotients_;  // [dims]
  const int32_t* ends_;       // [classes]
};

}  // namespace

void MarkReached(const RegularGeometry& geometry, int64_t begin, int64_t end, int32_t* blocks, uint64_t* words,
                 bool shared, int32_t* counts) {
  for (int64_t first = begin; first < end; first += kBlockSites, blocks += RegularBlockNumbers(geometry)) {
    RegularBlock::Make(geometry, first, static_cast<int>(std::min<int64_t>(kBlockSites, end - first)), blocks);
    const RegularBlock block(geometry, blocks);
    for (int k = 0; k < geometry.offset_count; ++k) {
      int32_t reached[2 * kPitch];
      const int64_t count = block.Append(geometry.offsets[k], reached, reached + kPitch, kPitch) - reached;
      counts[k] += static_cast<int32_t>(count);
      for (int64_t i = 0; i < count; ++i) {
        const auto site = static_cast<uint32_t>(reached[kPitch + i]);
        uint64_t* const word = words + site / 64;
        const uint64_t bit = uint64_t{1} << (site % 64);
        if (!shared) {
          *word |= bit;
        } else if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bit) == 0) {
          // Most sites are reached several times; looking first saves the expensive locked access.
          __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
        }
      }
    }
  }
}

void AppendReached(const RegularGeometry& geometry, int64_t count, const int32_t* blocks, const SiteBits& bits,
                   int32_t** heads, int32_t* const* ends, int64_t row_length) {
  for (int64_t b = 0; b < count; ++b) {
    const RegularBlock block(geometry, blocks + b * RegularBlockNumbers(geometry));
    for (int k = 0; k < geometry.offset_count; ++k) {
      int32_t* head = heads[k];
      int32_t* const stop = block.Append(geometry.offsets[k], head, ends[k], row_length);
      heads[k] = stop;
      for (; head != stop; ++head) {
        const auto site = static_cast<uint32_t>(head[row_length]);
        const uint64_t before = bits.words[site / 64] & ((uint64_t{1} << (site % 64)) - 1);
        head[row_length] = bits.ranks[site / 64] + std::popcount(before);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::get_indice_pairs
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::get_indice_pairs {

HWY_EXPORT(MarkReached);
HWY_EXPORT(AppendReached);

MarkReachedKernel ChooseMarkReached() { return &DETOPS_DISPATCH(MarkReached); }
AppendReachedKernel ChooseAppendReached() { return &DETOPS_DISPATCH(AppendReached); }

}  // namespace detops::get_indice_pairs
#endif  // HWY_ONCE
