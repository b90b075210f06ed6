// Where a running float sum would go astray.
#ifndef DETOPS_CORE_LONG_SUM_H_
#define DETOPS_CORE_LONG_SUM_H_

#include <cstdint>

namespace detops {

// Terms after which rounding would add up: longer sums are cut into pieces of so many, and these added in double.
inline constexpr int64_t kLongSum = 512;

}  // namespace detops

#endif  // DETOPS_CORE_LONG_SUM_H_
