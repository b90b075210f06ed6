// Outer products of rows where they lie: see ReadsRowsInPlace. Not in the file of the packed ones, because compilers
// are left free here to put instructions into another order (src/CMakeLists.txt), as addresses are computed
// between the products.
#define DETOPS_ALSO_AVX512  // see core/simd_target.h

#include <algorithm>

#include "core/simd_target.h"
#include "ops/indice_convolution/filters/kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/indice_convolution/filters/in_place_kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/indice_convolution/filters/groups-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::indice_convolution {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
void AddInPlaceOf(const FilterGradientPart& part) {
  const hn::ScalableTag<T> d;
  const FilterMatrices& filter = part.problem->filter;
  const PartPairs<T> all(part);
  const int64_t chunk = HasFewChannels(filter) ? kInPlaceChunk : kInPlaceChunkOfMany;
  // Then AddOuterProducts fetches rows ahead.
  const bool one_by_one = kPanelVectors <= 2 || filter.columns <= 2 * static_cast<int64_t>(hn::Lanes(d));
  for (int64_t begin = all.first(); begin < all.last(); begin += chunk) {
    const RowPairs<T> pairs = all.From(begin, chunk);
    AddPanels<false>(d, pairs, one_by_one ? NextPairs<T>() : all.Next(d, begin + pairs.count, chunk), filter.rows,
                     filter.columns, static_cast<T*>(part.sums));
  }
}

}  // namespace

AddPartProducts AddInPlaceOn(bool in_double) { return in_double ? AddInPlaceOf<double> : AddInPlaceOf<float>; }

}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_convolution
HWY_AFTER_NAMESPACE();
