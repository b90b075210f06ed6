// What the tests of indice_pool share: calls on pairs that a test gives itself.
#ifndef DETOPS_OPS_INDICE_POOL_TEST_CALLS_H_
#define DETOPS_OPS_INDICE_POOL_TEST_CALLS_H_

#include <cstdint>
#include <string>

#include "properties/by_hand.h"
#include "sparse/contract/pairs.h"

namespace detops_test::inline indice_pool {  // one program may use several rooms

using detops_harness::Call;
using detops_harness::sparse::NoPairs;
using detops_harness::sparse::Pairs;

inline constexpr const char* kForward = "detopsIndicePoolForward";
inline constexpr const char* kBackward = "detopsIndicePoolBackward";

inline constexpr const char *kFromZero = "method=maximum,start=zero", *kFromLowest = "method=maximum,start=lowest";
inline constexpr const char* kAverage = "method=average";

inline Call CallOn(const char* function, const char* method, const Pairs& pairs, int channels, mluOpDataType_t type) {
  const auto text = [](int64_t number) { return std::to_string(number); };
  Call call =
      CallOf(function,
             std::string(method) + ",pairs=none,inputs=" + text(pairs.rows[0]) + ",outputs=" + text(pairs.rows[1]) +
                 ",offsets=" + text(pairs.offsets) + ",columns=" + text(pairs.columns) + ",channels=" + text(channels),
             type);
  SetPairs(call, pairs);
  return call;
}

}  // namespace detops_test::inline indice_pool

#endif  // DETOPS_OPS_INDICE_POOL_TEST_CALLS_H_
