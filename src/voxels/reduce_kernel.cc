#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/element_type.h"
#include "core/long_sum.h"
#include "core/simd_target.h"
#include "voxels/reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "voxels/reduce_kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/element-inl.h"
#include "simd/long_sum-inl.h"
#include "simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::voxels {
namespace HWY_NAMESPACE {

using namespace detops::HWY_NAMESPACE;  // hn and vectors of simd/
namespace {

// Some columns of the rows of a tensor, a vector at a time.
template <typename T>
class Columns {
 public:
  using Real = Accumulator<T>;
  using D = hn::ScalableTag<Real>;
  using Vector = hn::Vec<D>;

  // Columns [first, columns) of [rows, columns].
  Columns(const void* tensor, int64_t rows, int64_t columns, int64_t first)
      : from_(static_cast<const T*>(tensor) + first),
        row_length_(columns),
        columns_(columns - first),
        last_whole_(LastWhole(rows * columns - first)) {}

  Vector Load(int64_t row) const {
    const T* const at = from_ + row * row_length_;
    return HWY_LIKELY(row <= last_whole_) ? LoadElements(D(), at) : LoadFirst(D(), at, columns_);
  }

  Vector Sum(const PointList& list) const {
    if (list.count == 0) return hn::Zero(D());
    return HWY_LIKELY(list.count <= kLongSum) ? ShortSum(list.points, list.count) : LongSum(list.points, list.count);
  }

  Vector Mean(const PointList& list) const {
    return hn::Div(Sum(list), hn::Set(D(), static_cast<Real>(std::max<int64_t>(list.count, 1))));
  }

 private:
  Vector ShortSum(const int32_t* points, int64_t count) const {
    auto sum = Load(points[0]);
    for (int64_t k = 1; k < count; ++k) sum = hn::Add(sum, Load(points[k]));
    return sum;
  }

  HWY_NOINLINE Vector LongSum(const int32_t* points, int64_t count) const {
    return SumInPieces(D(), count,
                       [&](int64_t begin, int64_t end) HWY_ATTR { return ShortSum(points + begin, end - begin); });
  }

  // A vector may reach into later rows, as lanes past the columns are never used, but not beyond the tensor: the last
  // row at which a whole one may begin, if so many elements follow the beginning of the first.
  int64_t LastWhole(int64_t elements) const {
    const int64_t spare = elements - static_cast<int64_t>(hn::Lanes(D()));
    return spare < 0 ? -1 : spare / row_length_;
  }

  const T* from_;
  int64_t row_length_, columns_, last_whole_;
};

template <typename T, mluOpReduceMode_t kMode>
HWY_NOINLINE void SumsOf(const ReduceRows& rows) {
  const hn::ScalableTag<Accumulator<T>> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int64_t columns = rows.columns;
  auto* const out = static_cast<T*>(rows.out);
  for (int64_t c = 0; c < columns; c += n) {
    const Columns<T> features(rows.features, rows.feature_rows, columns, c);
    const auto result = [&](int64_t row) HWY_ATTR {
      return kMode == MLUOP_REDUCE_DSUM ? features.Sum(rows.lists[row]) : features.Mean(rows.lists[row]);
    };
    int64_t row = 0;
    // Rows that fit a vector are written with what comes after them, as long as later rows overwrite that.
    if (columns < n) {
      for (; row * columns + n <= rows.count * columns; ++row) StoreElements(result(row), d, out + row * columns);
    }
    for (; row < rows.count; ++row) StoreFirst(result(row), d, out + row * columns + c, columns - c);
  }
}

// The greatest numbers of a list above -inf, and who has them first.
template <typename T, typename Winner>
HWY_NOINLINE void MaximaOf(const ReduceRows& rows) {
  using Real = Accumulator<T>;
  const hn::ScalableTag<Real> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Index = hn::TFromD<decltype(di)>;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int64_t columns = rows.columns;
  constexpr bool kWinners = !std::is_void_v<Winner>;
  auto* const out = static_cast<T*>(rows.out);
  const auto lowest = hn::Set(d, -std::numeric_limits<Real>::infinity());
  const auto none = hn::Set(d, static_cast<Real>(rows.no_maximum));
  for (int64_t c = 0; c < columns; c += n) {
    const Columns<T> features(rows.features, rows.feature_rows, columns, c);
    for (int64_t row = 0; row < rows.count; ++row) {
      const PointList& list = rows.lists[row];
      auto best = lowest;
      auto winner = hn::Set(di, Index{-1});
      for (int64_t k = 0; k < list.count; ++k) {
        const auto value = features.Load(list.points[k]);
        const auto wins = hn::Gt(value, best);
        best = hn::IfThenElse(wins, value, best);
        if constexpr (kWinners) {
          const auto point = hn::Set(di, static_cast<Index>(list.points[k]));
          winner = hn::IfThenElse(hn::RebindMask(di, wins), point, winner);
        }
      }
      StoreFirst(hn::IfThenElse(hn::Eq(best, lowest), none, best), d, out + row * columns + c, columns - c);
      if constexpr (kWinners) {
        alignas(64) Index winners[hn::MaxLanes(d)];
        hn::Store(winner, di, winners);
        for (int64_t i = 0; i < std::min(n, columns - c); ++i) {
          static_cast<Winner*>(rows.winners.data)[row * columns + c + i] =
              static_cast<Winner>(winners[i] < 0 ? rows.no_winner : winners[i]);
        }
      }
    }
  }
}

template <typename T>
void Maxima(const ReduceRows& rows) {
  if (rows.winners.data == nullptr) return MaximaOf<T, void>(rows);
  rows.winners.wide ? MaximaOf<T, int64_t>(rows) : MaximaOf<T, int32_t>(rows);
}

template <typename T>
HWY_NOINLINE void MaximumGradientOf(const MaximumGradient& rows) {
  const hn::ScalableTag<Accumulator<T>> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int64_t columns = rows.columns;
  auto* const grad = static_cast<T*>(rows.grad);
  for (int64_t c = 0; c < columns; c += n) {
    const Columns<T> features(rows.features, rows.feature_rows, columns, c),
        maximum(rows.maximum, rows.count, columns, c), output_grad(rows.output_grad, rows.count, columns, c);
    for (int64_t row = 0; row < rows.count; ++row) {
      const PointList& list = rows.lists[row];
      const auto wanted = maximum.Load(row), gradient = output_grad.Load(row);
      // Neither NaN nor -inf is a maximum that a point has.
      auto open = hn::Gt(wanted, hn::Set(d, -std::numeric_limits<Accumulator<T>>::infinity()));
      for (int64_t k = 0; k < list.count; ++k) {
        const auto hit = hn::And(open, hn::Eq(features.Load(list.points[k]), wanted));
        open = hn::AndNot(hit, open);
        StoreFirst(hn::IfThenElseZero(hit, gradient), d, grad + list.points[k] * columns + c, columns - c);
      }
    }
  }
}

template <typename T, typename Winner>
void GatherWon(const GatherGradient& rows, int64_t row, int64_t self, T* grad) {
  const T* const from = static_cast<const T*>(rows.output_grad) + row * rows.columns;
  const Winner* const winners = static_cast<const Winner*>(rows.winners.data) + row * rows.columns;
  for (int64_t c = 0; c < rows.columns; ++c) grad[c] = int64_t{winners[c]} == self ? from[c] : T{};
}

// Bits as they are.
template <typename T>
HWY_NOINLINE void GatherRows(const GatherGradient& rows) {
  const int64_t columns = rows.columns;
  const auto* const from = static_cast<const T*>(rows.output_grad);
  auto* grad = static_cast<T*>(rows.grad);
  for (int64_t i = 0; i < rows.count; ++i, grad += columns) {
    const int64_t row = rows.from[i];
    if (row < 0) {
      std::fill_n(grad, columns, T{});
    } else if (rows.winners.data == nullptr) {
      std::copy_n(from + row * columns, columns, grad);
    } else if (rows.winners.wide) {
      GatherWon<T, int64_t>(rows, row, rows.first + i, grad);
    } else {
      GatherWon<T, int32_t>(rows, row, rows.first + i, grad);
    }
  }
}

template <typename T>
HWY_NOINLINE void GatherMeans(const GatherGradient& rows) {
  using Real = Accumulator<T>;
  const hn::ScalableTag<Real> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int64_t columns = rows.columns;
  const auto* const from = static_cast<const T*>(rows.output_grad);
  auto* grad = static_cast<T*>(rows.grad);
  for (int64_t i = 0; i < rows.count; ++i, grad += columns) {
    const int64_t row = rows.from[i];
    if (row < 0) {
      std::fill_n(grad, columns, T{});
      continue;
    }
    const auto divisor = hn::Set(d, static_cast<Real>(rows.divisors[i]));
    for (int64_t c = 0; c < columns; c += n) {
      const auto value = LoadFirst(d, from + row * columns + c, columns - c);
      StoreFirst(hn::Div(value, divisor), d, grad + c, columns - c);
    }
  }
}

}  // namespace

template <typename T>
ReduceKernels KernelsOfType(mluOpReduceMode_t mode) {
  switch (mode) {
    case MLUOP_REDUCE_DSUM:
      return {SumsOf<T, MLUOP_REDUCE_DSUM>, MaximumGradientOf<T>, GatherRows<T>};
    case MLUOP_REDUCE_DMEAN:
      return {SumsOf<T, MLUOP_REDUCE_DMEAN>, MaximumGradientOf<T>, GatherMeans<T>};
    default:
      return {Maxima<T>, MaximumGradientOf<T>, GatherRows<T>};
  }
}

ReduceKernels ReduceKernelsOfTarget(mluOpDataType_t type, mluOpReduceMode_t mode) {
  return WithElementType(type, [=]<typename T>() { return KernelsOfType<T>(mode); });
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::voxels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::voxels {

HWY_EXPORT(ReduceKernelsOfTarget);

ReduceKernels ChooseReduceKernels(mluOpDataType_t type, mluOpReduceMode_t mode) {
  return DETOPS_DISPATCH(ReduceKernelsOfTarget)(type, mode);
}

}  // namespace detops::voxels
#endif  // HWY_ONCE
