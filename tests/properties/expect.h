// Calls of the catalogue for tests that look at one of them more closely.
#ifndef DETOPS_TESTS_PROPERTIES_EXPECT_H_
#define DETOPS_TESTS_PROPERTIES_EXPECT_H_

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "harness/catalogue.h"
#include "harness/compare.h"
#include "harness/placed_call.h"
#include "support/configurations.h"

namespace detops_test {

inline const detops_harness::Function& FunctionOf(const std::string& name) {
  const detops_harness::Function* function = detops_harness::WholeCatalogue().Find(name);
  if (function == nullptr) throw std::logic_error("the catalogue has no " + name);
  return *function;
}

// The good call of the function's contract.
inline detops_harness::Call GoodCall(const std::string& function) { return FunctionOf(function).Good(); }

// A call of a shape as text, in the full profile.
inline detops_harness::Call CallOf(const std::string& function, const std::string& shape,
                                   mluOpDataType_t type = MLUOP_DTYPE_FLOAT, uint64_t seed = 1) {
  return FunctionOf(function).MakeSample(shape, type, DETOPS_PROFILE_FULL, seed);
}

// On every target with several numbers of threads: the status that the contract says too, the text in the sentence, and
// no changed byte.
inline void ExpectRefusedEverywhere(detops_harness::Call call, mluOpStatus_t status, const std::string& text) {
  detops_harness::PlacedCall placed(std::move(call));
  EXPECT_EQ(placed.call().function->contract().Judge(placed.call()).status, status);
  const std::string before = placed.State();
  ForEachConfiguration(placed.call().profile, [&](Handle& handle) {
    EXPECT_EQ(placed.Run(handle.get()), status) << placed.text();
    EXPECT_NE(placed.text().find(text), std::string::npos) << "expected \"" << text << "\" in: " << placed.text();
    EXPECT_TRUE(placed.State() == before) << "a refused call changed something";
    EXPECT_TRUE(placed.SurroundingsIntact());
  });
}

// On every target: the reference's results with one thread, the same bits with more, and nothing touched outside.
// `look`, if given, sees the call after each run.
template <class Look>
void ExpectAgreementEverywhere(detops_harness::Call call, detops_harness::Placing placing, Look&& look) {
  detops_harness::PlacedCall placed(std::move(call), placing);
  const detops_harness::Expected expected = placed.call().function->Reference(placed.call());
  std::string alone;
  ForEachConfiguration(placed.call().profile, [&](Handle& handle) {
    placed.Reset(0xFF);
    ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
    if (handle.Threads() == 1) {
      alone = placed.Outputs();
      ASSERT_EQ(Disagreement(placed.call(), expected), "");
    } else {
      ASSERT_TRUE(placed.Outputs() == alone);
    }
    ASSERT_TRUE(placed.InputsIntact());
    ASSERT_TRUE(placed.SurroundingsIntact());
    look(placed.call());
  });
}
inline void ExpectAgreementEverywhere(detops_harness::Call call, detops_harness::Placing placing = {}) {
  ExpectAgreementEverywhere(std::move(call), placing, [](const detops_harness::Call&) {});
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_PROPERTIES_EXPECT_H_
