// Functions of two lists of boxes with a number for every pair, or for every row of both.
#ifndef DETOPS_PYTHON_SRC_COMMON_BOX_PAIRS_H_
#define DETOPS_PYTHON_SRC_COMMON_BOX_PAIRS_H_

#include "common/call.h"
#include "common/schema.h"

namespace detops_binding {

// The first two arguments, and the result.
class BoxPairs {
 public:
  BoxPairs(Call& call, bool aligned)
      : call_(call),
        first_(call.Numbers(call.schema().parameters()[0])),
        second_(call.Numbers(call.schema().parameters()[1], &first_)),
        result_(aligned ? call.Output(0, first_.type, {first_.extent(0)})
                        : call.Output(0, first_.type, {first_.extent(0), second_.extent(0)})) {}

  // Calls a function of the library with `words` before the tensors.
  template <typename Function, typename... Words>
  void Run(Function* function, Words... words) {
    call_.Run([&](mluOpHandle_t handle) {
      return function(handle, words..., Descriptor(first_), first_.data, Descriptor(second_), second_.data,
                      Descriptor(result_), result_.data);
    });
  }

 private:
  Call& call_;
  View first_;
  View second_;
  View result_;
};

// An operator without words: all pairs.
template <auto* kFunction>
void OfAllPairs(Call& call) {
  BoxPairs(call, false).Run(kFunction);
}

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_BOX_PAIRS_H_
