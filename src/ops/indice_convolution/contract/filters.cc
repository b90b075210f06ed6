#include "ops/indice_convolution/contract/filters.h"

#include <algorithm>

#include "sparse/contract/pairs.h"

namespace detops_harness::indice_convolution {
namespace {

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;

bool IsOneOf(mluOpTensorLayout_t layout, std::initializer_list<mluOpTensorLayout_t> layouts) {
  return std::find(layouts.begin(), layouts.end(), layout) != layouts.end();
}
bool IsForFive(mluOpTensorLayout_t layout) {
  return IsOneOf(layout, {MLUOP_LAYOUT_NDHWC, MLUOP_LAYOUT_NCDHW, MLUOP_LAYOUT_ARRAY});
}
bool IsForFour(mluOpTensorLayout_t layout) {
  return IsOneOf(layout, {MLUOP_LAYOUT_NHWC, MLUOP_LAYOUT_NCHW, MLUOP_LAYOUT_HWCN, MLUOP_LAYOUT_ARRAY});
}
bool Fits(const Tensor& filters) {
  return (filters.extents.size() == 5 && IsForFive(filters.layout)) ||
         (filters.extents.size() == 4 && IsForFour(filters.layout));
}

int64_t Product(const std::vector<int64_t>& extents, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t axis = begin; axis < end; ++axis) {
    if (__builtin_mul_overflow(product, extents[axis], &product)) product = INT64_MAX;
  }
  return product;
}

// Every layout, in both profiles and with both ranks. TNC comes first: the tables list it.
Faults LayoutFaults(const std::string& filters, bool listed_full) {
  Faults faults;
  for (const int layout : {6, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 99}) {
    for (const bool full : {listed_full, !listed_full}) {
      for (const size_t rank : {5, 4}) {
        faults.push_back({BadClass::kForm, "layout of " + filters,
                          [=](Call& call) {
                            Tensor& tensor = call[filters];
                            tensor.layout = static_cast<mluOpTensorLayout_t>(layout);
                            if (full) call.profile = DETOPS_PROFILE_FULL;
                            if (rank == 4 && tensor.extents.size() == 5) {
                              tensor.extents[1] *= tensor.extents[0];
                              tensor.extents.erase(tensor.extents.begin());
                            }
                          },
                          faults.empty()});
      }
    }
  }
  return faults;
}

Faults RankFaults(const std::string& filters) {
  Faults faults;
  for (const size_t rank : {6, 0, 1, 2, 3, 4, 7, 100}) {
    for (const bool full : {false, true}) {
      faults.push_back({BadClass::kForm, "rank of " + filters,
                        [=](Call& call) {
                          call[filters].extents.resize(rank, 1);
                          if (full) call.profile = DETOPS_PROFILE_FULL;
                        },
                        faults.empty()});
    }
  }
  return faults;
}

}  // namespace

FilterSizes SizesOf(const Tensor& filters, mluOpTensorLayout_t layout) {
  const std::vector<int64_t>& extents = filters.extents;
  const size_t rank = extents.size();
  if (IsOneOf(layout, {MLUOP_LAYOUT_NDHWC, MLUOP_LAYOUT_NHWC})) {
    return {Product(extents, 1, rank - 1), extents[rank - 1], extents[0]};
  }
  if (IsOneOf(layout, {MLUOP_LAYOUT_NCDHW, MLUOP_LAYOUT_NCHW})) {
    return {Product(extents, 2, rank), extents[1], extents[0]};
  }
  return {Product(extents, 0, rank - 2), extents[rank - 2], extents[rank - 1]};
}

const Tensor& FiltersOf(const Call& call) {
  const auto is_gradient = [](const Tensor& tensor) { return tensor.name == "filters_grad"; };
  const bool gradient = std::any_of(call.tensors.begin(), call.tensors.end(), is_gradient);
  return call[gradient ? "filters_grad" : "filters"];
}

mluOpTensorLayout_t LayoutOf(const Call& call) {
  const Tensor& filters = FiltersOf(call);
  return filters.name == "filters_grad" && !call.full() ? MLUOP_LAYOUT_ARRAY : filters.layout;
}

FilterSizes SizesOf(const Call& call) { return SizesOf(FiltersOf(call), LayoutOf(call)); }

std::vector<int64_t> FilterExtents(mluOpTensorLayout_t layout, int rank, const std::vector<int>& kernel, int64_t ci,
                                   int64_t co) {
  std::vector<int64_t> extents(kernel.begin(), kernel.end());
  if (rank == 4) extents = {extents[0] * extents[1], extents[2]};
  const bool ci_second = IsOneOf(layout, {MLUOP_LAYOUT_NCDHW, MLUOP_LAYOUT_NCHW});
  const bool co_first = ci_second || IsOneOf(layout, {MLUOP_LAYOUT_NDHWC, MLUOP_LAYOUT_NHWC});
  if (ci_second) extents.insert(extents.begin(), ci);
  if (co_first) extents.insert(extents.begin(), co);
  if (!ci_second) extents.push_back(ci);
  if (!co_first) extents.push_back(co);
  return extents;
}

Rules ForwardLayout() {
  return Own({"layout of filters", kLimit,
              [](Judgement& j) -> std::optional<std::string> {
                const Tensor& filters = j.call["filters"];
                const bool known = IsForFive(filters.layout) || IsForFour(filters.layout);
                if (IsForFive(filters.layout) || (known && j.call.full())) return {};
                return std::string("filters has layout ") + LayoutName(filters.layout) +
                       ", expected NDHWC, NCDHW or ARRAY" +
                       (j.call.full() ? ", or NHWC, NCHW or HWCN with rank 4" : "") +
                       (Fits(filters) ? kFullProfileLifts : "") + ".";
              },
              LayoutFaults("filters", false)});
}

Rules ForwardRank() {
  return Own({"rank of filters", kLimit,
              [](Judgement& j) -> std::optional<std::string> {
                const Tensor& filters = j.call["filters"];
                const size_t rank = filters.extents.size();
                if (rank == 5 || (rank == 4 && j.call.full())) return {};
                return Format("filters has rank %zu, expected %s%s.", rank, j.call.full() ? "4 or 5" : "5",
                              rank == 4 && Fits(filters) ? kFullProfileLifts : "");
              },
              RankFaults("filters")});
}

Rules BackwardRank(const std::string& filters) {
  return Own({"rank of " + filters, kBad,
              [=](Judgement& j) -> std::optional<std::string> {
                const size_t rank = j.call[filters].extents.size();
                if (rank == 4 || rank == 5) return {};
                return Format("%s has rank %zu, expected 4 or 5.", filters.c_str(), rank);
              },
              RankFaults(filters)});
}

Rules LayoutFitsRank(const std::string& filters, bool only_full) {
  return Own({"layout of " + filters + " for its rank", kBad,
              [=](Judgement& j) -> std::optional<std::string> {
                const Tensor& tensor = j.call[filters];
                if (Fits(tensor) || (only_full && !j.call.full())) return {};
                const bool five = tensor.extents.size() == 5;
                return filters + " has layout " + LayoutName(tensor.layout) + ", expected " +
                       (five ? "NDHWC, NCDHW or ARRAY" : "NHWC, NCHW, HWCN or ARRAY") +
                       Format(" as its rank is %zu.", tensor.extents.size());
              },
              LayoutFaults(filters, only_full)});
}

Rules OffsetsCountable(const std::string& filters) {
  // Without channels a tensor has no elements, however large its kernel is.
  const auto spoil = [=](int64_t extent) {
    return [=](Call& call) {
      call.profile = DETOPS_PROFILE_FULL;
      WithDim("Ci", 0)(call);
      for (const size_t axis : {0, 1}) {
        if (axis < call[filters].extents.size()) call[filters].extents[axis] = extent;
      }
    };
  };
  return Own({"offsets of " + filters,
              kLimit,
              [=](Judgement& j) -> std::optional<std::string> {
                if (SizesOf(j.call).offsets < INT64_MAX) return {};
                return filters + " has too many offsets, expected fewer than 2^63 - 1.";
              },
              {{BadClass::kOverflow, "2^63 offsets", spoil(int64_t{1} << 32)},
               {BadClass::kOverflow, "fewer than 2^63 offsets", spoil(int64_t{1} << 30), false}}});
}

Rules OffsetsOfRulebook(const std::string& filters) {
  return Own({"offsets of " + filters + " and rulebook",
              kBad,
              [=](Judgement& j) -> std::optional<std::string> {
                const int64_t offsets = SizesOf(j.call).offsets, expected = sparse::RulebookOffsets(j.call);
                if (offsets == expected) return {};
                return Format("%s has %lld offsets, expected the %lld of the rulebook.", filters.c_str(),
                              static_cast<long long>(offsets), static_cast<long long>(expected));
              },
              {{BadClass::kShapes, "offsets of " + filters, [=](Call& call) {
                  if (!call[filters].extents.empty()) call[filters].extents[0] += 1;
                }}}});
}

}  // namespace detops_harness::indice_convolution
