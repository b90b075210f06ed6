// Recording and the descriptors of the program: no signal, no waiting, and nothing into files of the program's own.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>

#include "detops.h"
#include "gtest/gtest.h"
#include "recording/gen_case_calls.h"
#include "recording/gen_case_child.h"

namespace {

using namespace detops_test;  // this test's own helpers

constexpr int kSeen = 42;

void CallOnce() {
  AlignForwardCall call;
  const Handle handle;
  EXPECT_EQ(call.Run(handle.get()), MLUOP_STATUS_SUCCESS);
}

TEST(GenCaseDescriptorsTest, ALimitOfFileSizesDoesNotEndTheProgram) {
  for (const char* data_files : {"0", "1"}) {
    const TemporaryFolder folder;
    EXPECT_TRUE(
        RunInChild({{"", "2"}, {"_DIR", folder.path()}, {"_DUMP_DATA", "1"}, {"_DUMP_DATA_FILE", data_files}}, [&] {
          std::signal(SIGXFSZ, SIG_DFL);
          const rlimit limit = {20, 20};
          ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
          CallOnce();
        }));
    EXPECT_TRUE(FilesBelow(folder.path()).empty());
  }
}

TEST(GenCaseDescriptorsTest, NobodyReadsTheStandardError) {
  EXPECT_TRUE(RunInChild({{"", "3"}}, [] {
    std::signal(SIGPIPE, SIG_DFL);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    CallOnce();
  }));
}

// The parts below need a library that is loaded with the descriptor as it is: this program, started again with only
// the test of the child's part.
int RunAgain(const std::string& test, int standard_error) {
  const std::string filter = "--gtest_filter=GenCaseDescriptorsChild.DISABLED_" + test;
  const pid_t child = fork();
  if (child == 0) {
    setenv("MLUOP_GEN_CASE", "3", 1);
    std::signal(SIGPIPE, SIG_DFL);
    if (standard_error < 0) {
      close(STDERR_FILENO);
    } else {
      dup2(standard_error, STDERR_FILENO);
    }
    alarm(60);
    execl("/proc/self/exe", "gen_case_descriptors_test", filter.c_str(), "--gtest_also_run_disabled_tests",
          "--gtest_brief=1", nullptr);
    _exit(1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class GenCaseDescriptorsChild : public ::testing::Test {
 protected:
  void TearDown() override {
    if (!HasFailure()) std::_Exit(kSeen);
  }
};

TEST_F(GenCaseDescriptorsChild, DISABLED_Calls) {
  for (int i = 0; i < 5; ++i) CallOnce();
  const Handle handle;  // with a log, which the line goes to instead
  const auto forget = [](void*, detopsLogLevel_t, const char*) {};
  EXPECT_EQ(detopsSetLog(handle.get(), DETOPS_LOG_DISPATCH, forget, nullptr), MLUOP_STATUS_SUCCESS);
  AlignForwardCall call;
  EXPECT_EQ(call.Run(handle.get()), MLUOP_STATUS_SUCCESS);
}

// Descriptor 2 has become a file of the program.
TEST_F(GenCaseDescriptorsChild, DISABLED_OpensAFile) {
  close(STDERR_FILENO);
  for (const int flags : {0, O_CLOEXEC, O_APPEND}) {
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/data";
    ASSERT_EQ(open(path.c_str(), O_WRONLY | O_CREAT | flags, 0600), STDERR_FILENO);
    CallOnce();
    close(STDERR_FILENO);
    EXPECT_EQ(ReadAll(path), "");
  }
}

TEST(GenCaseDescriptorsTest, LinesGoToTheStandardError) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  EXPECT_EQ(RunAgain("Calls", ends[1]), kSeen);
  close(ends[1]);
  std::string text(4096, '\0');
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, read(ends[0], text.data(), text.size()))));
  close(ends[0]);
  const std::string line = "[gen_case] " + kAlignLine + "\n";
  EXPECT_EQ(text, line + line + line + line + line);
}

TEST(GenCaseDescriptorsTest, TheReaderHasGone) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  EXPECT_EQ(RunAgain("Calls", ends[1]), kSeen);
  close(ends[1]);
}

TEST(GenCaseDescriptorsTest, TheReaderSleeps) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  const std::string much(4096, 'x');
  while (write(ends[1], much.data(), much.size()) > 0) {
  }
  fcntl(ends[1], F_SETFL, 0);  // as a program has it
  EXPECT_EQ(RunAgain("Calls", ends[1]), kSeen);
  close(ends[0]);
  close(ends[1]);
}

TEST(GenCaseDescriptorsTest, AFileOfTheProgramIsNoStandardError) {
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  EXPECT_EQ(RunAgain("OpensAFile", null), kSeen) << "closed by the program";
  EXPECT_EQ(RunAgain("OpensAFile", -1), kSeen) << "closed from the start";
  close(null);
}

}  // namespace
