// Recording must not harm: files that cannot be written, several threads, forks.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "detops.h"
#include "gtest/gtest.h"
#include "recording/gen_case_calls.h"
#include "recording/gen_case_child.h"

namespace {

using namespace detops_test;  // this test's own helpers
using Strings = std::vector<std::string>;

// One call that must succeed, with the lines it sends.
Strings LinesOf(AlignForwardCall& call) {
  Sink sink;
  const Handle handle;
  sink.Attach(handle.get());
  call.target.FillCanary();
  EXPECT_EQ(call.Run(handle.get()), MLUOP_STATUS_SUCCESS) << handle.LastError();
  EXPECT_STREQ(handle.LastError(), "");
  EXPECT_EQ(call.target.Get(0), 2);
  EXPECT_EQ(call.target.Get(1), 4);
  return sink.lines;
}

void ExpectLine(const Strings& lines, const std::string& start, const std::string& end) {
  ASSERT_EQ(lines.size(), 1u) << ::testing::PrintToString(lines);
  EXPECT_EQ(lines[0].rfind(kAlignFunction + ": " + start, 0), 0u) << lines[0];
  EXPECT_TRUE(lines[0].ends_with(end)) << lines[0];
}

TEST(GenCaseSafetyTest, LogNamesTheFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "1"}, {"_DIR", folder.path()}}, [&] {
    AlignForwardCall call;
    const Strings lines = LinesOf(call);
    const Strings files = FilesBelow(folder.path());
    ASSERT_EQ(files.size(), 1u);
    ExpectLine(lines, "recorded in " + folder.path() + "/" + files[0], ".prototxt");
  }));
}

// A file where a folder should be: not even the superuser can write there.
TEST(GenCaseSafetyTest, DirectoryThatCannotBeMade) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/file";
  std::fclose(std::fopen(file.c_str(), "w"));
  for (const std::string& place : {file, file + "/below", std::string("/dev/null/x"), std::string("/proc/none/x")}) {
    for (const char* data_files : {"0", "1"}) {
      EXPECT_TRUE(RunInChild({{"", "2"}, {"_DIR", place}, {"_DUMP_DATA", "2"}, {"_DUMP_DATA_FILE", data_files}}, [&] {
        AlignForwardCall call;
        ExpectLine(LinesOf(call), "not recorded: ", data_files[0] == '0' ? ".prototxt" : "_data0_input");
        const Handle silent;  // without a log
        EXPECT_EQ(call.Run(silent.get()), MLUOP_STATUS_SUCCESS);
        EXPECT_STREQ(silent.LastError(), "");
      })) << place;
    }
  }
  EXPECT_EQ(FilesBelow(folder.path()), Strings({"file"}));
}

TEST(GenCaseSafetyTest, DirectoryWithoutRights) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may write everywhere";
  const TemporaryFolder folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 0500), 0);
  EXPECT_TRUE(RunInChild({{"", "1"}, {"_DIR", folder.path()}}, [] {
    AlignForwardCall call;
    ExpectLine(LinesOf(call), "not recorded: Permission denied: ", ".prototxt");
  }));
  EXPECT_EQ(FilesBelow(folder.path()), Strings());
}

TEST(GenCaseSafetyTest, PathThatIsTooLong) {
  EXPECT_TRUE(RunInChild({{"", "1"}, {"_DIR", "/tmp/" + std::string(2000, 'x')}}, [] {
    AlignForwardCall call;
    const Strings lines = LinesOf(call);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].rfind(kAlignFunction + ": not recorded: File name too long", 0), 0u) << lines[0];
  }));
  std::string many = "/";  // grows beyond any path once the numbers are in
  while (many.size() + 5 < 2048) many += "{pid}";
  EXPECT_TRUE(RunInChild({{"", "1"}, {"_DIR", many}}, [] {
    AlignForwardCall call;
    EXPECT_EQ(LinesOf(call).size(), 1u);
  }));
}

// The system refuses to let files grow, as on a full disk.
void LimitFiles(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {bytes, bytes};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(GenCaseSafetyTest, DiskFull) {
  for (const char* data_files : {"0", "1"}) {
    const TemporaryFolder folder;
    EXPECT_TRUE(
        RunInChild({{"", "2"}, {"_DIR", folder.path()}, {"_DUMP_DATA", "1"}, {"_DUMP_DATA_FILE", data_files}}, [&] {
          LimitFiles(data_files[0] == '0' ? 200 : 20);
          AlignForwardCall call;
          ExpectLine(LinesOf(call),
                     "not recorded: File too large: ", data_files[0] == '0' ? ".prototxt" : "_data1_input");
        }));
    EXPECT_EQ(FilesBelow(folder.path()), Strings()) << "no part of a file, and no temporary one";
  }
}

// The inputs fit, the outputs do not: the file of the inputs stays whole.
TEST(GenCaseSafetyTest, DiskFullAfterTheWork) {
  std::string without;
  const Environment common = {{"", "2"}, {"_DUMP_DATA", "1"}};
  {
    const TemporaryFolder folder;
    Environment environment = common;
    environment.emplace_back("_DIR", folder.path());
    EXPECT_TRUE(RunInChild(environment, [] {
      AlignForwardCall call;
      LinesOf(call);
    }));
    without = OnlyFile(folder.path());
  }
  ASSERT_GT(without.size(), 100u);
  const TemporaryFolder folder;
  Environment environment = common;
  environment.emplace_back("_DIR", folder.path());
  environment.emplace_back("_DUMP_DATA_OUTPUT", "1");
  EXPECT_TRUE(RunInChild(environment, [&] {
    LimitFiles(without.size() + 5);
    AlignForwardCall call;
    const Strings lines = LinesOf(call);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_NE(lines[1].find(": not recorded: File too large: "), std::string::npos) << lines[1];
  }));
  EXPECT_EQ(OnlyFile(folder.path()), without);
}

TEST(GenCaseSafetyTest, SeveralThreads) {
  constexpr size_t kThreads = 4, kCalls = 50;
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "2"}, {"_DIR", folder.path()}, {"_DUMP_DATA", "1"}, {"_DUMP_DATA_OUTPUT", "1"}}, [&] {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        const Handle handle(DETOPS_PROFILE_CONTRACT, 2);
        for (size_t k = 0; k < kCalls; ++k) {
          AlignForwardCall call;
          EXPECT_EQ(call.Run(handle.get()), MLUOP_STATUS_SUCCESS);
          EXPECT_EQ(mluOpSetGenCaseDirectory(folder.path().c_str()), MLUOP_STATUS_SUCCESS);
          mluOpSetGenCaseMode(2);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }));
  const Strings files = FilesBelow(folder.path());
  EXPECT_EQ(files.size(), kThreads * kCalls);
  std::set<std::string> texts;
  for (const std::string& file : files) texts.insert(ReadAll(folder.path() + "/" + file));
  EXPECT_EQ(texts.size(), 1u) << "files differ, though the calls do not";
}

// The child of a fork records under its own number, whatever the other threads were doing.
TEST(GenCaseSafetyTest, Fork) {
  constexpr int kForks = 20;
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "1"}, {"_DIR", folder.path() + "/{pid}"}}, [&] {
    std::atomic<bool> stop{false};
    {
      AlignForwardCall().Run(Handle().get());
    }
    std::thread busy([&] {
      while (!stop) mluOpSetGenCaseDirectory((folder.path() + "/{pid}").c_str());
    });
    for (int i = 0; i < kForks; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        alarm(20);
        const Handle handle;
        _exit(AlignForwardCall().Run(handle.get()) == MLUOP_STATUS_SUCCESS ? 0 : 1);
      }
      int status = 0;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0) << "the child hangs or fails";
      EXPECT_EQ(FilesBelow(folder.path() + "/" + std::to_string(child)).size(), 1u);
    }
    stop = true;
    busy.join();
  }));
}

}  // namespace
