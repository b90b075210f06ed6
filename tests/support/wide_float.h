// Floating numbers of 113 bits, for references: products of two doubles are exact.
#ifndef DETOPS_TESTS_SUPPORT_WIDE_FLOAT_H_
#define DETOPS_TESTS_SUPPORT_WIDE_FLOAT_H_

#include <cfloat>

namespace detops_test {

#ifdef __SIZEOF_FLOAT128__
__extension__ using WideFloat = __float128;
#else
using WideFloat = long double;
static_assert(LDBL_MANT_DIG >= 113, "as on 64-bit ARM");
#endif

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_WIDE_FLOAT_H_
