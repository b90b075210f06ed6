#ifndef DETOPS_PYTHON_SRC_COMMON_INDICE_CONVOLUTION_H_
#define DETOPS_PYTHON_SRC_COMMON_INDICE_CONVOLUTION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/call.h"
#include "common/view.h"

namespace detops_binding {

// Filters as the library knows them: of rank 4 or 5. Other numbers of kernel axes become one axis.
struct FilterShape {
  int64_t channels_in = 0;
  int64_t channels_out = 0;
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  std::vector<int64_t> shape;

  // `layout_name` is "KIO", "OKI", "OIK" (with any number of kernel axes) or one of the library's own names.
  FilterShape(std::span<const int64_t> given, std::string_view layout_name, const Argument& argument);
};

// The pairs of a convolution.
struct PairLists {
  View pairs;
  std::vector<int64_t> counts;
  bool inverse = false;

  // What must hold before the library reads as many counts as there are offsets.
  void Require(const char* function);
};

// What follows the convolution before the one rounding.
struct Epilogue {
  View bias;
  View residual;
  detopsActivation_t activation = DETOPS_ACTIVATION_NONE;
  float negative_slope = 0;
};

// "none", "relu" or "leaky_relu".
detopsActivation_t ActivationOf(std::string_view word, const char* function);

// The rows of a result: given, or L where the mathematics says so, or those of the memory that the caller has passed.
int64_t RowsOf(std::optional<int64_t> rows, bool is_pair_length, int64_t pair_length,
               std::optional<int64_t> rows_of_out, const Argument& argument);

// Result 0: (rows, Co). `epilogue` may be NULL.
void IndiceConvolutionForward(Binding& binding, const View& features, const View& filters, const FilterShape& shape,
                              const PairLists& lists, int64_t rows, const Epilogue* epilogue);

// Result 0: (rows, Ci).
void IndiceConvolutionBackwardData(Binding& binding, const View& gradient, const View& filters,
                                   const FilterShape& shape, const PairLists& lists, int64_t rows);

// Result 0: filters_shape, which `shape` was made of.
void IndiceConvolutionBackwardFilter(Binding& binding, const View& features, const View& gradient,
                                     std::span<const int64_t> filters_shape, const FilterShape& shape,
                                     const PairLists& lists);

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_INDICE_CONVOLUTION_H_
