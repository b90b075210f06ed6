// What every call must keep that its contract judges: the status and the sentence word for word; and of a refused one
// that nothing was written, nothing leaked, and that the handle serves the good call as before.
#ifndef DETOPS_TESTS_CONTRACT_CHECK_H_
#define DETOPS_TESTS_CONTRACT_CHECK_H_

#include <string>
#include <utility>

#include "harness/contract.h"
#include "harness/function.h"
#include "harness/placed_call.h"
#include "support/handle.h"

namespace detops_test {

class ContractCheck {
 public:
  explicit ContractCheck(const detops_harness::Function& function);

  const detops_harness::Call& good() const { return good_; }

  // Applies the faults one after the other to the good call, and carries it out. Gives the rule that decided.
  const detops_harness::Rule* Expect(Handle& handle, const std::vector<const detops_harness::Fault*>& faults);

 private:
  void ExpectGoodCall(Handle& handle);

  const detops_harness::Function& function_;
  const detops_harness::Call good_;
  detops_harness::PlacedCall placed_good_;
  std::string good_outputs_;
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_CONTRACT_CHECK_H_
