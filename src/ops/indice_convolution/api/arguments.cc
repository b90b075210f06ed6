#include "ops/indice_convolution/api/arguments.h"

#include "core/checked_math.h"
#include "core/data_type.h"

namespace detops::indice_convolution {

void CheckZeroOrOne(ArgCheck& check, const char* argument, int64_t value) {
  check.Integer(argument, value, value == 0 || value == 1, "0 or 1");
}

void CheckInverse(ArgCheck& check, int64_t inverse, mluOpStatus_t status) {
  if (check.failed()) return;
  check.Rule(inverse == 0 || check.full(), status, "inverse is %lld, expected 0%s.", static_cast<long long>(inverse),
             kFullProfileLifts);
}

bool IsFilterLayout(mluOpTensorLayout_t layout) {
  switch (layout) {
    case MLUOP_LAYOUT_ARRAY:
    case MLUOP_LAYOUT_NDHWC:
    case MLUOP_LAYOUT_NCDHW:
    case MLUOP_LAYOUT_NHWC:
    case MLUOP_LAYOUT_NCHW:
    case MLUOP_LAYOUT_HWCN:
      return true;
    default:
      return false;
  }
}

void CheckFilterRank(ArgCheck& check, const TensorArg& filters) {
  if (check.failed()) return;
  const int rank = filters.desc->rank();
  check.Rule(rank == 4 || rank == 5, MLUOP_STATUS_BAD_PARAM, "%s has rank %d, expected 4 or 5.", filters.name, rank);
}

bool FilterLayoutFits(mluOpTensorLayout_t layout, int rank) {
  if (!IsFilterLayout(layout) || (rank != 4 && rank != 5)) return false;
  const bool spatial3 = layout == MLUOP_LAYOUT_NDHWC || layout == MLUOP_LAYOUT_NCDHW;
  return layout == MLUOP_LAYOUT_ARRAY || spatial3 == (rank == 5);
}

void CheckFilterLayout(ArgCheck& check, const TensorArg& filters) {
  if (check.failed()) return;
  const mluOpTensorLayout_t layout = filters.desc->layout;
  const int rank = filters.desc->rank();
  check.Rule(FilterLayoutFits(layout, rank), MLUOP_STATUS_BAD_PARAM, "%s has layout %s, expected %s as its rank is %d.",
             filters.name, LayoutName(layout), rank == 5 ? "NDHWC, NCDHW or ARRAY" : "NHWC, NCHW, HWCN or ARRAY", rank);
}

FilterMatrices FilterMatricesOf(const mluOpTensorStruct& filters) { return FilterMatricesOf(filters, filters.layout); }

FilterMatrices FilterMatricesOf(const mluOpTensorStruct& filters, mluOpTensorLayout_t layout) {
  const int rank = filters.rank();
  const auto offsets_from = [&](int axis) {
    int64_t product = 1;
    for (int i = axis; i < axis + rank - 2; ++i) product = SaturatingMultiply(product, filters.extent(i));
    return product;
  };
  switch (layout) {
    case MLUOP_LAYOUT_NDHWC:
    case MLUOP_LAYOUT_NHWC: {  // [Co, offsets, Ci]
      const int64_t offsets = offsets_from(1);
      const int64_t inputs = filters.extent(rank - 1);
      return {offsets, inputs, filters.extent(0), inputs, 1, SaturatingMultiply(offsets, inputs)};
    }
    case MLUOP_LAYOUT_NCDHW:
    case MLUOP_LAYOUT_NCHW: {  // [Co, Ci, offsets]
      const int64_t offsets = offsets_from(2);
      const int64_t inputs = filters.extent(1);
      return {offsets, inputs, filters.extent(0), 1, offsets, SaturatingMultiply(offsets, inputs)};
    }
    default: {  // [offsets, Ci, Co]
      const int64_t inputs = filters.extent(rank - 2);
      const int64_t outputs = filters.extent(rank - 1);
      return {offsets_from(0), inputs, outputs, SaturatingMultiply(inputs, outputs), outputs, 1};
    }
  }
}

void CheckOffsets(ArgCheck& check, const TensorArg& filters, const FilterMatrices& filter,
                  const PairsArguments& pairs) {
  check.Rule(filter.offsets < kMaxInt64, MLUOP_STATUS_NOT_SUPPORTED,
             "%s has too many offsets, expected fewer than 2^63 - 1.", filters.name);
  if (!pairs.on_rulebook()) return;
  check.Rule(filter.offsets == pairs.rulebook->offsets, MLUOP_STATUS_BAD_PARAM,
             "%s has %lld offsets, expected the %lld of the rulebook.", filters.name,
             static_cast<long long>(filter.offsets), static_cast<long long>(pairs.rulebook->offsets));
}

void CheckCountsNotNegative(ArgCheck& check, const int64_t* indice_num, int64_t offsets) {
  for (int64_t k = 0; k < offsets && !check.failed(); ++k) {
    check.Rule(indice_num[k] >= 0, MLUOP_STATUS_BAD_PARAM, "indice_num[%lld] is %lld, expected a count of 0 or more.",
               static_cast<long long>(k), static_cast<long long>(indice_num[k]));
  }
}

void CheckBuffers(ArgCheck& check, const TensorArg& output, const TensorArg& first, const TensorArg& second,
                  const ConvolutionArguments& pairs) {
  if (check.failed()) return;
  const BufferArg space("workspace", pairs.workspace, pairs.workspace_size);
  const std::initializer_list<BufferArg> inputs = {first, second, pairs.tensor, pairs.counts()};
  check.WorkspacePointer(pairs.workspace, pairs.workspace_size).Separate(output, inputs).Separate(output, {space});
  check.Separate(space, inputs);
}

ConvolutionPairs MakePairs(const ConvolutionArguments& pairs, bool empty, int64_t input_rows, int64_t output_rows) {
  const int64_t first = pairs.inverted() ? output_rows : input_rows;
  const int64_t second = pairs.inverted() ? input_rows : output_rows;
  if (pairs.on_rulebook()) return {.by_side = pairs.rulebook->by_side, .empty = empty};
  return {.given = empty ? NoPairs(first, second) : MakeIndicePairs(pairs, first, second)};
}

}  // namespace detops::indice_convolution
