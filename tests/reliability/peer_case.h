// Regression cases for bugs of similar libraries: a call that is refused by us, on every target and with several
// threads, without a changed byte. What a case is named after is told in docs/reliability.md.
#ifndef DETOPS_TESTS_RELIABILITY_PEER_CASE_H_
#define DETOPS_TESTS_RELIABILITY_PEER_CASE_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "detops.h"
#include "support/configurations.h"

namespace detops_test {

// `run` makes the call on a handle and gives its status and what the library said.
template <class Call, class Run>
void ExpectRefusedEverywhere(Call& call, const Run& run, mluOpStatus_t status, const std::string& text) {
  const auto before = call.Bytes();
  ForEachConfiguration([&](Handle& handle) {
    const std::pair<mluOpStatus_t, std::string> answer = run(call, handle);
    EXPECT_EQ(answer.first, status) << answer.second;
    EXPECT_NE(answer.second.find(text), std::string::npos) << "expected \"" << text << "\" in: " << answer.second;
    EXPECT_TRUE(call.Bytes() == before) << "a refused call changed something";
    EXPECT_TRUE(call.SurroundingsIntact());
  });
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_RELIABILITY_PEER_CASE_H_
