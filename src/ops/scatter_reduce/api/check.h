// What the checks of both passes share.
#ifndef DETOPS_OPS_SCATTER_REDUCE_API_CHECK_H_
#define DETOPS_OPS_SCATTER_REDUCE_API_CHECK_H_

#include "core/arg_check.h"
#include "core/context.h"
#include "core/half.h"

namespace detops::scatter_reduce {

inline ArgCheck& CheckMode(ArgCheck& check, mluOpReduceMode_t mode) {
  return check.Integer("mode", static_cast<int>(mode),
                       mode == MLUOP_REDUCE_DSUM || mode == MLUOP_REDUCE_DMEAN || mode == MLUOP_REDUCE_DMAX,
                       "a value of mluOpReduceMode_t");
}

// Unless value checks are off: all numbers are in [least, most].
inline ArgCheck& CheckIndices(ArgCheck& check, const Call& call, const TensorArg& tensor, int64_t least, int64_t most,
                              const char* expectation) {
  if (check.failed() || tensor.absent() || !call.handle()->value_checks) return check;
  const int64_t count = tensor.desc->element_count();
  const auto find = [&]<typename T>() -> int64_t {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t number = LoadElement<T>(tensor.data, i);
      if ((number < least) | (number > most)) return i;
    }
    return -1;
  };
  const bool wide = tensor.desc->type == MLUOP_DTYPE_INT64;
  return check.NoBadElement(tensor, wide ? find.template operator()<int64_t>() : find.template operator()<int32_t>(),
                            expectation);
}

inline constexpr char kIndexRule[] = "-1 or the number of a group";

}  // namespace detops::scatter_reduce

#endif  // DETOPS_OPS_SCATTER_REDUCE_API_CHECK_H_
