// Which instruction set the kernels use.
//
// The choice is the library's own, not Highway's process-wide one: forcing a target here does not touch other users of
// Highway in the same program. What they have disabled in Highway before our first use is not offered here either.
#ifndef DETOPS_CORE_SIMD_TARGET_H_
#define DETOPS_CORE_SIMD_TARGET_H_

// A file that defines DETOPS_ALSO_AVX512 first is also compiled for AVX-512: products of channels, which are bound by
// arithmetic, pairs of regular convolutions, and pairs of boxes. Elsewhere wider vectors bring nothing, because memory
// is the limit or rows are short.
#if defined(DETOPS_ALSO_AVX512) && defined(DETOPS_DISABLED_WIDE_TARGETS)
#if defined(HWY_TARGETS)
#error "Highway was included before the targets were chosen"
#endif
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS DETOPS_DISABLED_WIDE_TARGETS
#endif

#include "hwy/targets.h"  // not highway.h, which must come after foreach_target.h

namespace detops {

// The target in use; its GetIndex() selects from the tables HWY_EXPORT makes.
const hwy::ChosenTarget& CurrentTarget();

// The same without AVX-512, for work that does not gain by it.
const hwy::ChosenTarget& CurrentTargetUpToAvx2();

// Names, lower case. Static text.
const char* TargetName();
const char* SupportedTargetNames();

// False if `name` is unknown or this machine lacks it. nullptr: back to the automatic choice.
bool ForceTarget(const char* name);

}  // namespace detops

// The present target's version of a function that HWY_EXPORT has listed. Call it once per range of work.
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
#define DETOPS_DISPATCH(FUNCTION) HWY_STATIC_DISPATCH(FUNCTION)
#define DETOPS_DISPATCH_UP_TO_AVX2(FUNCTION) HWY_STATIC_DISPATCH(FUNCTION)
#else
#define DETOPS_DISPATCH(FUNCTION) (*(HWY_DISPATCH_TABLE(FUNCTION)[::detops::CurrentTarget().GetIndex()]))
#define DETOPS_DISPATCH_UP_TO_AVX2(FUNCTION) \
  (*(HWY_DISPATCH_TABLE(FUNCTION)[::detops::CurrentTargetUpToAvx2().GetIndex()]))
#endif

#endif  // DETOPS_CORE_SIMD_TARGET_H_
