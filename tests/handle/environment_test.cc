// DETOPS_NUM_THREADS and DETOPS_TARGET; MLUOP_GEN_CASE... has tests of its own. The library reads the second once, so
// every case is a program of its own: this one, started again with the variables set and only the test of the child's
// part.
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "detops.h"
#include "gtest/gtest.h"
#include "handle/align_case.h"
#include "support/configurations.h"

namespace {

using detops_test::AlignCase;
using detops_test::SupportedTargets;

constexpr int kSeen = 42;       // the exit code of a child that ran its part; a filter that finds no test gives 0
constexpr int kNotSecure = 43;  // of one that has no more rights than its user

struct Variable {
  const char* name;
  std::string value;
};

// The exit code of the disabled test `test` of a program as this one, run with the variables; the others of ours are
// not set. Below 0: the signal that ended it.
int ChildCode(const std::string& program, const std::string& test, const std::vector<Variable>& variables,
              bool on_one_cpu = false) {
  const std::string filter = "--gtest_filter=EnvironmentChild.DISABLED_" + test;
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("DETOPS_NUM_THREADS");
    unsetenv("DETOPS_TARGET");
    for (const Variable& variable : variables) setenv(variable.name, variable.value.c_str(), 1);
    if (on_one_cpu) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(sched_getcpu(), &set);
      if (sched_setaffinity(0, sizeof(set), &set) != 0) _exit(1);
    }
    alarm(60);
    execl(program.c_str(), "environment_test", filter.c_str(), "--gtest_also_run_disabled_tests", "--gtest_brief=1",
          nullptr);
    _exit(1);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

::testing::AssertionResult ChildSucceeds(const std::string& test, const std::vector<Variable>& variables,
                                         bool on_one_cpu = false) {
  const int code = ChildCode("/proc/self/exe", test, variables, on_one_cpu);
  if (code == kSeen) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << test << " ended with code " << code;
}

// Empty if the variable is not set.
std::string ValueOf(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

int AllowedCpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : -1;
}

// ---- the child's part -------------------------------------------------------------------------

class EnvironmentChild : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS); }
  void TearDown() override {
    EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS);
    if (!HasFailure()) std::_Exit(kSeen);
  }

  int Threads() const {
    int threads = -1;
    EXPECT_EQ(detopsGetNumThreads(handle_, &threads), MLUOP_STATUS_SUCCESS);
    return threads;
  }

  void ExpectRightResults() const {
    const AlignCase work({2, 50, 50, 64, 5});
    std::vector<float> output(work.size());
    ASSERT_EQ(work.Forward(handle_, output.data()), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(detops_test::Disagreement(output, work.ForwardReference()), "");
    ASSERT_EQ(work.Backward(handle_, output.data()), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(detops_test::Disagreement(output, work.BackwardReference()), "");
  }

  mluOpHandle_t handle_ = nullptr;
};

TEST_F(EnvironmentChild, DISABLED_ThreadsAreTheCpusOfTheProcess) {
  EXPECT_EQ(Threads(), AllowedCpus());
  EXPECT_EQ(detopsSetNumThreads(handle_, AllowedCpus() + 3), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(detopsSetNumThreads(handle_, 0), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Threads(), AllowedCpus());
  ExpectRightResults();
}

TEST_F(EnvironmentChild, DISABLED_ThreadsAreTheVariables) {
  const int wanted = std::atoi(ValueOf("DETOPS_NUM_THREADS").c_str());
  EXPECT_EQ(Threads(), wanted);
  EXPECT_EQ(detopsSetNumThreads(handle_, 7), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Threads(), 7) << "the handle's own number wins";
  EXPECT_EQ(detopsSetNumThreads(handle_, 0), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Threads(), wanted);
  ExpectRightResults();
}

TEST_F(EnvironmentChild, DISABLED_TargetIsTheBest) {
  EXPECT_EQ(detopsGetTarget(), SupportedTargets().front());
  EXPECT_EQ(detopsSetTarget(SupportedTargets().back().c_str()), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(detopsSetTarget(nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(detopsGetTarget(), SupportedTargets().front());
  ExpectRightResults();
}

TEST_F(EnvironmentChild, DISABLED_TargetIsTheVariables) {
  const std::string wanted = ValueOf("DETOPS_TARGET");
  EXPECT_EQ(detopsGetTarget(), wanted);
  for (const std::string& other : SupportedTargets()) {
    EXPECT_EQ(detopsSetTarget(other.c_str()), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(detopsGetTarget(), other) << "a forced target wins";
  }
  EXPECT_EQ(detopsSetTarget(nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(detopsGetTarget(), wanted) << "NULL brings the variable's back";
  ExpectRightResults();
}

TEST_F(EnvironmentChild, DISABLED_NothingIsObeyed) {
  if (getauxval(AT_SECURE) == 0) std::_Exit(kNotSecure);
  EXPECT_EQ(Threads(), AllowedCpus());
  EXPECT_EQ(detopsGetTarget(), SupportedTargets().front());
  char directory[4096];
  EXPECT_STREQ(mluOpGetGenCaseDirectory(directory, sizeof(directory), nullptr, nullptr), ".");
  ExpectRightResults();
  EXPECT_FALSE(std::filesystem::exists(ValueOf("MLUOP_GEN_CASE_DIR") + "/gen_case"));
  EXPECT_FALSE(std::filesystem::exists("gen_case"));
}

// ---- the parent's part ------------------------------------------------------------------------

TEST(EnvironmentTest, WithoutVariablesTheProcessDecides) {
  EXPECT_TRUE(ChildSucceeds("ThreadsAreTheCpusOfTheProcess", {}));
  EXPECT_TRUE(ChildSucceeds("ThreadsAreTheCpusOfTheProcess", {}, true)) << "with one CPU allowed";
  EXPECT_TRUE(ChildSucceeds("TargetIsTheBest", {}));
}

TEST(EnvironmentTest, NumThreadsIsTaken) {
  for (const char* value : {"1", "3", "17", "007", "300", "2147483647"}) {
    EXPECT_TRUE(ChildSucceeds("ThreadsAreTheVariables", {{"DETOPS_NUM_THREADS", value}})) << value;
  }
}

TEST(EnvironmentTest, GarbageInNumThreadsIsIgnored) {
  for (const char* value : {"", "0", "-1", "-2147483648", "abc", "3x", "x3", "3.5", "1e3", "0x10", "3,", "2147483648",
                            "99999999999999999999999999", "%s%n", "\n"}) {
    EXPECT_TRUE(ChildSucceeds("ThreadsAreTheCpusOfTheProcess", {{"DETOPS_NUM_THREADS", value}})) << value;
  }
}

TEST(EnvironmentTest, TargetIsTaken) {
  for (const std::string& target : SupportedTargets()) {
    EXPECT_TRUE(ChildSucceeds("TargetIsTheVariables", {{"DETOPS_TARGET", target}})) << target;
  }
}

TEST(EnvironmentTest, GarbageInTargetIsIgnored) {
  for (const std::string& value : {std::string(), std::string("avx9000"), std::string(","), std::string(" "),
                                   std::string(detopsGetSupportedTargets()) + ",", std::string(100000, 'x')}) {
    EXPECT_TRUE(ChildSucceeds("TargetIsTheBest", {{"DETOPS_TARGET", value}})) << value.substr(0, 50);
  }
}

TEST(EnvironmentTest, BothVariablesAtOnce) {
  const std::vector<Variable> both = {{"DETOPS_NUM_THREADS", "5"}, {"DETOPS_TARGET", SupportedTargets().back()}};
  EXPECT_TRUE(ChildSucceeds("ThreadsAreTheVariables", both));
  EXPECT_TRUE(ChildSucceeds("TargetIsTheVariables", both));
}

// A program with rights that its user has not: variables, which are the user's, must not tell it what to write where.
TEST(EnvironmentTest, ProgramsWithOthersRightsObeyNone) {
  std::string folder = std::filesystem::temp_directory_path() / "environment_test_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string program = folder + "/program";
  std::filesystem::copy_file("/proc/self/exe", program);
  // Any group that this process may give away and does not have for its own.
  gid_t groups[256];
  const int count = std::max(0, getgroups(256, groups));
  gid_t group = geteuid() == 0 ? getegid() + 1 : getegid();
  for (int i = 0; i < count; ++i) group = groups[i] != getegid() ? groups[i] : group;
  const bool given = group != getegid() && chown(program.c_str(), static_cast<uid_t>(-1), group) == 0 &&
                     chmod(program.c_str(), 02755) == 0;
  const int code = given ? ChildCode(program, "NothingIsObeyed",
                                     {{"DETOPS_NUM_THREADS", std::to_string(AllowedCpus() + 5)},
                                      {"DETOPS_TARGET", SupportedTargets().back()},
                                      {"MLUOP_GEN_CASE", "2"},
                                      {"MLUOP_GEN_CASE_DIR", folder}})
                         : kNotSecure;
  std::filesystem::remove_all(folder);
  if (code == kNotSecure) GTEST_SKIP() << "no program can be given rights here";
  EXPECT_EQ(code, kSeen);
}

}  // namespace
