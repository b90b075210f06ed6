#include "core/value_check.h"

#include <cstring>

#include "core/half.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/value_check.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// First index in [0, count) whose exponent bits are all ones, `count` if none.
template <typename Bits>
int64_t FirstWithAllOnes(const Bits* bits, int64_t count, Bits exponent) {
  const hn::ScalableTag<Bits> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto mask = hn::Set(d, exponent);
  const auto bad = [&](int64_t i) { return hn::Eq(hn::And(hn::LoadU(d, bits + i), mask), mask); };
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto any = hn::Or(hn::Or(bad(i), bad(i + lanes)), hn::Or(bad(i + 2 * lanes), bad(i + 3 * lanes)));
    if (HWY_UNLIKELY(!hn::AllFalse(d, any))) break;
  }
  for (; i < count; ++i) {
    Bits value;
    std::memcpy(&value, bits + i, sizeof(value));
    if ((value & exponent) == exponent) return i;
  }
  return count;
}

}  // namespace

int64_t FirstNonFinite(mluOpDataType_t type, const void* data, int64_t begin, int64_t end) {
  const int64_t count = end - begin;
  switch (type) {
    case MLUOP_DTYPE_HALF:
      return begin + FirstWithAllOnes<uint16_t>(static_cast<const uint16_t*>(data) + begin, count, 0x7c00);
    case MLUOP_DTYPE_BFLOAT16:
      return begin + FirstWithAllOnes<uint16_t>(static_cast<const uint16_t*>(data) + begin, count, 0x7f80);
    case MLUOP_DTYPE_FLOAT:
      return begin + FirstWithAllOnes<uint32_t>(static_cast<const uint32_t*>(data) + begin, count, 0x7f800000);
    default:
      return begin + FirstWithAllOnes<uint64_t>(static_cast<const uint64_t*>(data) + begin, count, 0x7ff0000000000000);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops {

HWY_EXPORT(FirstNonFinite);

bool FindNonFinite(const Parallel& parallel, mluOpDataType_t type, const void* data, int64_t count, int64_t* index) {
  constexpr int kMaxTasks = 64;
  constexpr int64_t kMinItems = 64 << 10;  // below this one thread is done before another has started
  const int tasks = std::min(kMaxTasks, parallel.TaskCount(count, kMinItems));
  int64_t first[kMaxTasks];
  const bool ok = parallel.Run(tasks, [&](int task) {
    const Range range = PieceOf(count, tasks, task);
    const int64_t found = DETOPS_DISPATCH(FirstNonFinite)(type, data, range.begin, range.end);
    first[task] = found < range.end ? found : -1;
  });
  if (!ok) return false;
  *index = -1;
  for (int task = 0; task < tasks && *index < 0; ++task) *index = first[task];
  return true;
}

double ElementAsDouble(mluOpDataType_t type, const void* data, int64_t index) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
      return ToFloat(LoadElement<Half>(data, index));
    case MLUOP_DTYPE_BFLOAT16:
      return ToFloat(LoadElement<BFloat16>(data, index));
    case MLUOP_DTYPE_FLOAT:
      return LoadElement<float>(data, index);
    case MLUOP_DTYPE_INT32:
      return LoadElement<int32_t>(data, index);
    case MLUOP_DTYPE_INT64:
      return static_cast<double>(LoadElement<int64_t>(data, index));
    default:
      return LoadElement<double>(data, index);
  }
}

}  // namespace detops
#endif  // HWY_ONCE
