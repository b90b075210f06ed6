#ifndef DETOPS_PYTHON_SRC_COMMON_INDICE_POOL_H_
#define DETOPS_PYTHON_SRC_COMMON_INDICE_POOL_H_

#include <cstdint>
#include <string_view>

#include "common/call.h"
#include "common/indice_convolution.h"
#include "common/view.h"

namespace detops_binding {

// "max" or "avg".
detopsPoolMethod_t IndicePoolOf(std::string_view word, const char* function);

// "zero" or "lowest".
detopsMaximumStart_t MaximumStartOf(std::string_view word, const char* function);

// Result 0: (rows, C).
void IndicePoolForward(Binding& binding, detopsPoolMethod_t method, detopsMaximumStart_t start, const View& features,
                       const PairLists& lists, int64_t rows);

// Result 0: (rows, C). The maximum needs features and features_out; for the average they may be left out.
void IndicePoolBackward(Binding& binding, detopsPoolMethod_t method, const View& gradient, const View& features,
                        const View& features_out, const PairLists& lists, int64_t rows);

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_INDICE_POOL_H_
