// A limit of our own, in both profiles, behind the contract's: what is sorted or listed is numbered in 31 bits.
#ifndef DETOPS_VOXELS_ROW_CHECK_H_
#define DETOPS_VOXELS_ROW_CHECK_H_

#include <cstdint>

#include "core/arg_check.h"

namespace detops::voxels {

inline ArgCheck& CheckRows(ArgCheck& check, const TensorArg& tensor) {
  if (check.failed()) return check;
  const int64_t rows = tensor.desc->extent(0);
  return check.Rule(rows <= INT32_MAX, MLUOP_STATUS_NOT_SUPPORTED, "%s has %lld rows, expected fewer than 2147483648.",
                    tensor.name, static_cast<long long>(rows));
}

}  // namespace detops::voxels

#endif  // DETOPS_VOXELS_ROW_CHECK_H_
