// One call of every computing function, for tests of what surrounds the operators: threads, processes, memory, traps.
#ifndef DETOPS_TESTS_PROPERTIES_CALLS_H_
#define DETOPS_TESTS_PROPERTIES_CALLS_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/catalogue.h"
#include "harness/placed_call.h"
#include "support/handle.h"

namespace detops_test {

inline std::vector<const detops_harness::Function*> AllFunctions() {
  std::vector<const detops_harness::Function*> functions;
  for (const auto& function : detops_harness::WholeCatalogue().functions()) functions.push_back(function.get());
  return functions;
}

// Functions that compute, not those that only tell a size.
inline std::vector<const detops_harness::Function*> Operators() {
  std::vector<const detops_harness::Function*> functions = AllFunctions();
  std::erase_if(functions, [](const detops_harness::Function* function) { return !function->computes(); });
  return functions;
}

inline std::string NameOfFunction(const testing::TestParamInfo<const detops_harness::Function*>& test) {
  return test.param->name();
}

// Two fills, so that what a call leaves unwritten, or adds to, differs between runs. The first is NaN in every type.
inline constexpr unsigned char kFirstFill = 0xFF, kSecondFill = 0x5A;

// What one caller has for himself: a handle in the full profile, and a call of each operator, large enough to be cut.
class Caller {
 public:
  explicit Caller(int threads = 1) : handle(DETOPS_PROFILE_FULL, threads) {
    for (const detops_harness::Function* function : Operators()) {
      std::string shape = function->samples().at(0).shape;
      for (const detops_harness::Sample& sample : function->samples()) {
        if (sample.large) shape = sample.shape;
      }
      const mluOpDataType_t type = function->full_types().at(0);
      calls_.push_back(
          std::make_unique<detops_harness::PlacedCall>(function->MakeSample(shape, type, DETOPS_PROFILE_FULL, 1)));
    }
  }

  size_t size() const { return calls_.size(); }
  detops_harness::PlacedCall& operator[](size_t i) { return *calls_[i]; }
  // Outputs are other than the call leaves them, whatever was there.
  mluOpStatus_t Run(size_t i, unsigned char fill = kFirstFill) {
    calls_[i]->Reset(fill);
    return calls_[i]->Run(handle.get());
  }
  // All calls in turn, and one that is refused; how many go wrong, or give other bits than those of `expected`.
  int WrongCalls(const std::vector<std::string>& expected) {
    int wrong = 0;
    for (size_t i = 0; i < size(); ++i) {
      if (Run(i, kSecondFill) != MLUOP_STATUS_SUCCESS || calls_[i]->Outputs() != expected[i]) ++wrong;
      if (!calls_[i]->SurroundingsIntact() || !calls_[i]->InputsIntact()) ++wrong;
    }
    if (mluOpSetQuantizeRoundMode(handle.get(), static_cast<mluOpQuantizeRoundMode_t>(9)) != MLUOP_STATUS_BAD_PARAM) {
      ++wrong;
    }
    return wrong;
  }
  // What the calls give, one after the other.
  std::vector<std::string> Results() {
    std::vector<std::string> results;
    for (size_t i = 0; i < size(); ++i) {
      EXPECT_EQ(Run(i), MLUOP_STATUS_SUCCESS) << calls_[i]->text();
      results.push_back(calls_[i]->Outputs());
    }
    return results;
  }

  Handle handle;

 private:
  std::vector<std::unique_ptr<detops_harness::PlacedCall>> calls_;
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_PROPERTIES_CALLS_H_
