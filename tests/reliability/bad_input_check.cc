// What every case of the table must keep.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "reliability/bad_input_table.h"

#if defined(DETOPS_TEST_COUNTS_ALLOCATIONS)
#include "allocation/subject.h"
#endif

namespace detops_test {
namespace {

#if defined(DETOPS_TEST_COUNTS_ALLOCATIONS)
using hooks::Live;
#else
int Live() { return 0; }  // the sanitizers have an allocator, and a search for leaks, of their own
#endif

// The state after a valid call on a handle that has seen nothing else. Whether it is right, the operators' own tests
// say; here it must only stay the same.
const std::string& StateOfGoodCall(const Row& row) {
  static std::map<std::string, std::string> states;
  const auto known = states.find(row.function());
  if (known != states.end()) return known->second;
  Handle handle(DETOPS_PROFILE_CONTRACT, 2);
  const std::unique_ptr<Trial> trial = row.good()();
  EXPECT_EQ(trial->Run(handle), 0) << "the valid call: " << trial->Text();
  return states[row.function()] = trial->State(handle);
}

// A success with a handle empties the text; without one it leaves what an earlier call said.
bool IsTextOfSuccess(const std::string& text, const std::string& earlier) { return text.empty() || text == earlier; }

void ExpectGoodCall(const Row& row, Handle& handle) {
  const std::unique_ptr<Trial> trial = row.good()();
  const std::string earlier = detopsGetLastError(nullptr);
  EXPECT_EQ(trial->Run(handle), 0) << "the valid call afterwards: " << trial->Text();
  EXPECT_TRUE(IsTextOfSuccess(trial->Text(), earlier)) << trial->Text();
  EXPECT_TRUE(trial->State(handle) == StateOfGoodCall(row)) << "the valid call afterwards has another result";
  EXPECT_TRUE(trial->SurroundingsIntact());
}

}  // namespace

void Check(const Row& row, const Case& bad, Handle& handle) {
  SCOPED_TRACE(std::string(NameOf(bad.bad_class)) + ": " + bad.fault);
  const std::unique_ptr<Trial> trial = bad.make();
  const std::string before = trial->State(handle), earlier = detopsGetLastError(nullptr);
  const int status = trial->Run(handle);
  const std::string text = trial->Text();
  EXPECT_EQ(status, bad.status) << text;
  EXPECT_TRUE(trial->SurroundingsIntact());
  if (bad.status == 0) {
    EXPECT_TRUE(IsTextOfSuccess(text, earlier)) << text;
    EXPECT_EQ(bad.verdict(*trial), "");
  } else {
    EXPECT_EQ(text.rfind(row.message_start(), 0), 0u) << text;
    EXPECT_NE(text.find(bad.text), std::string::npos) << "expected \"" << bad.text << "\" in: " << text;
    EXPECT_TRUE(trial->State(handle) == before) << "a refused call changed something";
  }
  // The first call may have given the handle scratch memory, or the thread room for its text. The second needs no more.
  const auto live = Live();
  EXPECT_EQ(trial->Run(handle), bad.status);
  EXPECT_EQ(Live(), live) << "the call leaks";
  ExpectGoodCall(row, handle);
}

}  // namespace detops_test
