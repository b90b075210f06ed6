// The vector part, compiled once per instruction set. A tile of points is brought into planes; then every box is held
// against vectors of them, or, with many boxes, every point looks up which boxes are near.
#include "ops/points_in_boxes/kernel.h"

#include <algorithm>
#include <bit>

#include "core/element_type.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/points_in_boxes/kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

// After highway.h.
#include "boxes/points/interior-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::points_in_boxes {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using ::detops::boxes::HWY_NAMESPACE::BoxInteriorVectors;

template <typename Real>
class Tile {
 public:
  static constexpr int64_t kPoints = 256;

  template <typename T>
  HWY_INLINE void Load(const void* points, int64_t first, int64_t count) {
    count_ = count;
    for (int64_t i = 0; i < count; ++i) {
      x_[i] = LoadReal<T>(points, (first + i) * 3);
      y_[i] = LoadReal<T>(points, (first + i) * 3 + 1);
      z_[i] = LoadReal<T>(points, (first + i) * 3 + 2);
    }
    // Vectors go on to their end.
    for (Real* plane : {x_, y_, z_}) std::fill_n(plane + count, Lanes(), Real{0});
  }

  // Box by box from the last one on, so that the first that contains a point has the last word.
  HWY_INLINE void TestAll(const BoxSet<Real>& set) {
    const D d;
    const DI di;
    std::fill_n(found_, count_ + Lanes(), Index{-1});
    for (int64_t box = set.count; box-- > 0;) {
      const BoxInteriorVectors<D> interior(d, set.boxes[box]);
      const auto number = hn::Set(di, static_cast<Index>(box));
      for (int64_t i = 0; i < count_; i += Lanes()) {
        const auto inside =
            interior.Contains(interior.LocalOf(hn::LoadU(d, x_ + i), hn::LoadU(d, y_ + i)), hn::LoadU(d, z_ + i));
        hn::StoreU(hn::IfThenElse(hn::RebindMask(di, inside), number, hn::LoadU(di, found_ + i)), di, found_ + i);
      }
    }
  }

  // Point by point, against the boxes that reach its cells.
  HWY_INLINE void LookUp(const BoxSet<Real>& set) {
    SetCells(set.columns, x_, columns_);
    SetCells(set.rows, y_, rows_);
    for (int64_t i = 0; i < count_; ++i) found_[i] = static_cast<Index>(FirstBox(set, i));
  }

  template <typename Stored>
  HWY_INLINE void Store(void* indices, int64_t first) const {
    for (int64_t i = 0; i < count_; ++i) StoreElement(indices, first + i, static_cast<Stored>(found_[i]));
  }

 private:
  using D = hn::ScalableTag<Real>;
  using DI = hn::RebindToSigned<D>;
  using Index = hn::TFromD<DI>;
  static constexpr int64_t Lanes() { return static_cast<int64_t>(hn::MaxLanes(D())); }

  // As CellAxis::CellOf.
  HWY_INLINE void SetCells(const boxes::CellAxis<Real>& axis, const Real* coordinates, Index* cells) const {
    const D d;
    const DI di;
    const auto origin = hn::Set(d, axis.origin);
    const auto scale = hn::Set(d, axis.scale);
    const auto last = hn::Set(d, static_cast<Real>(axis.count - 1));
    const auto zero = hn::Zero(d);
    for (int64_t i = 0; i < count_; i += Lanes()) {
      const auto cell = hn::Mul(hn::Sub(hn::LoadU(d, coordinates + i), origin), scale);
      const auto from_first = hn::IfThenElse(hn::Gt(cell, zero), cell, zero);
      hn::StoreU(hn::ConvertTo(di, hn::IfThenElse(hn::Lt(from_first, last), from_first, last)), di, cells + i);
    }
  }

  HWY_INLINE int64_t FirstBox(const BoxSet<Real>& set, int64_t point) const {
    const uint64_t* const column = set.in_columns + int64_t{columns_[point]} * set.stride;
    const uint64_t* const row = set.in_rows + int64_t{rows_[point]} * set.stride;
    for (int64_t summary = 0; summary < set.summaries; ++summary) {
      for (uint64_t words = column[summary] & row[summary]; words != 0; words &= words - 1) {
        const int64_t word = summary * 64 + std::countr_zero(words);
        for (uint64_t near = column[set.summaries + word] & row[set.summaries + word]; near != 0; near &= near - 1) {
          const int64_t box = word * 64 + std::countr_zero(near);
          if (set.boxes[box].Contains(x_[point], y_[point], z_[point])) return box;
        }
      }
    }
    return -1;
  }

  int64_t count_ = 0;
  alignas(64) Real x_[kPoints + Lanes()];
  alignas(64) Real y_[kPoints + Lanes()];
  alignas(64) Real z_[kPoints + Lanes()];
  alignas(64) Index columns_[kPoints + Lanes()];
  alignas(64) Index rows_[kPoints + Lanes()];
  alignas(64) Index found_[kPoints + Lanes()];
};

template <typename T, typename Stored>
void FindAs(const PointRange& range, const BoxSet<Accumulator<T>>& set) {
  Tile<Accumulator<T>> tile;
  for (int64_t first = range.begin; first < range.end; first += tile.kPoints) {
    tile.template Load<T>(range.points, first, std::min(tile.kPoints, range.end - first));
    if (set.direct) {
      tile.TestAll(set);
    } else {
      tile.LookUp(set);
    }
    tile.template Store<Stored>(range.indices, first);
  }
}

template <typename Real>
void FindFor(const PointRange& range, const BoxSet<Real>& set) {
  WithElementType(range.type, [&]<typename T>() {
    if constexpr (std::is_same_v<Accumulator<T>, Real>) {
      range.index_type == MLUOP_DTYPE_INT64 ? FindAs<T, int64_t>(range, set) : FindAs<T, int32_t>(range, set);
    }
  });
}

}  // namespace

void FindFloat(const PointRange& range, const BoxSet<float>& set) { FindFor(range, set); }
void FindDouble(const PointRange& range, const BoxSet<double>& set) { FindFor(range, set); }

}  // namespace HWY_NAMESPACE
}  // namespace detops::points_in_boxes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::points_in_boxes {

HWY_EXPORT(FindFloat);
HWY_EXPORT(FindDouble);

Kernels ChooseKernels() { return {&DETOPS_DISPATCH(FindFloat), &DETOPS_DISPATCH(FindDouble)}; }

}  // namespace detops::points_in_boxes
#endif  // HWY_ONCE
