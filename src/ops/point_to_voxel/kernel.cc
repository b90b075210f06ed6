#include "ops/point_to_voxel/kernel.h"

#include "core/element_type.h"
#include "core/long_sum.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/point_to_voxel/kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/element-inl.h"
#include "simd/long_sum-inl.h"
#include "simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::point_to_voxel {
namespace HWY_NAMESPACE {

using namespace detops::HWY_NAMESPACE;  // NOLINT(google-build-using-namespace): hn and vectors of simd/
namespace {

// Some columns of the features of points, a vector at a time.
template <typename T>
class FeatureColumns {
 public:
  using Real = Accumulator<T>;
  using D = hn::ScalableTag<Real>;

  FeatureColumns(const MeanRows& rows, int64_t first)
      : from_(static_cast<const T*>(rows.features) + first),
        row_length_(rows.columns),
        columns_(rows.columns - first),
        last_whole_(LastWhole(rows.feature_rows * rows.columns - first)) {}

  hn::Vec<D> Load(int32_t point) const {
    const T* const row = from_ + point * row_length_;
    return HWY_LIKELY(point <= last_whole_) ? LoadElements(D(), row) : LoadFirst(D(), row, columns_);
  }

  hn::Vec<D> Sum(const int32_t* points, int64_t count) const {
    auto sum = Load(points[0]);
    for (int64_t k = 1; k < count; ++k) sum = hn::Add(sum, Load(points[k]));
    return sum;
  }

  HWY_NOINLINE hn::Vec<D> LongSum(const int32_t* points, int64_t count) const {
    return SumInPieces(D(), count,
                       [&](int64_t begin, int64_t end) HWY_ATTR { return Sum(points + begin, end - begin); });
  }

  hn::Vec<D> Mean(const PointList& list) const {
    const auto sum =
        HWY_LIKELY(list.count <= kLongSum) ? Sum(list.points, list.count) : LongSum(list.points, list.count);
    return hn::Div(sum, hn::Set(D(), static_cast<Real>(list.count)));
  }

 private:
  // A vector may reach into later rows, as lanes past the columns are never used, but not beyond the tensor: the last
  // row at which a whole one may begin, if so many elements follow the beginning of the first.
  int64_t LastWhole(int64_t elements) const {
    const int64_t spare = elements - static_cast<int64_t>(hn::Lanes(D()));
    return spare < 0 ? -1 : spare / row_length_;
  }

  const T* from_;
  int64_t row_length_, columns_, last_whole_;
};

template <typename T>
HWY_NOINLINE void MeansOf(const MeanRows& rows) {
  const hn::ScalableTag<Accumulator<T>> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int64_t columns = rows.columns;
  auto* const means = static_cast<T*>(rows.means);
  for (int64_t c = 0; c < columns; c += n) {
    const FeatureColumns<T> features(rows, c);
    int64_t row = 0;
    // Rows that fit a vector are written with what comes after them, as long as later rows overwrite that.
    if (columns < n) {
      for (; row * columns + n <= rows.count * columns; ++row) {
        StoreElements(features.Mean(rows.lists[row]), d, means + row * columns);
      }
    }
    for (; row < rows.count; ++row) {
      StoreFirst(features.Mean(rows.lists[row]), d, means + row * columns + c, columns - c);
    }
  }
}

}  // namespace

PointToVoxelKernels PointToVoxelKernelsOfTarget(mluOpDataType_t type) {
  return WithElementType(type, []<typename T>() -> PointToVoxelKernels { return {MeansOf<T>}; });
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::point_to_voxel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::point_to_voxel {

HWY_EXPORT(PointToVoxelKernelsOfTarget);

PointToVoxelKernels ChoosePointToVoxelKernels(mluOpDataType_t type) {
  return DETOPS_DISPATCH(PointToVoxelKernelsOfTarget)(type);
}

}  // namespace detops::point_to_voxel
#endif  // HWY_ONCE
