// AtomicFile: a file is there complete under its name or not at all, and the first failure is the one that is told.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>

#include "recording/atomic_file.h"

namespace detops {
namespace {

// Both kinds: with and without files that have no name.
class WholeFileTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "whole_file_test_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string At(const std::string& name) const { return folder_ + "/" + name; }
  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  // Files below the folder, temporary ones too.
  int Files() const {
    int count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) count += entry.is_regular_file();
    return count;
  }

  std::string folder_;
  std::unique_ptr<AtomicFile> file_ = std::make_unique<AtomicFile>(GetParam());  // too large for a stack
};

TEST_P(WholeFileTest, NumbersInTheirShortestForm) {
  file_->Start(At("a/b/numbers").c_str());
  file_->Number(std::numeric_limits<int64_t>::min());
  file_->Text(" ");
  file_->Number(0.1f);
  file_->Text(" ");
  file_->Number(0.1);
  file_->Text(" ");
  file_->Number(-std::numeric_limits<double>::quiet_NaN());
  file_->Text(" ");
  file_->Number(-std::numeric_limits<float>::quiet_NaN());
  file_->Text(" ");
  file_->Number(-std::numeric_limits<double>::infinity());
  file_->Text(" ");
  file_->Hex(0xABCu);
  EXPECT_FALSE(std::filesystem::exists(At("a/b/numbers"))) << "not before it is complete";
  EXPECT_EQ(file_->Commit(), 0);
  EXPECT_EQ(Read(At("a/b/numbers")), "-9223372036854775808 0.1 0.1 nan nan -inf abc");
  EXPECT_EQ(Files(), 1);
}

// More than the buffer, in pieces that do not fit it.
TEST_P(WholeFileTest, LongText) {
  const std::string piece(50000, 'x');
  std::string expected;
  file_->Start(At("long").c_str());
  for (int i = 0; i < 5; ++i) {
    file_->Text(piece);
    expected += piece;
  }
  EXPECT_EQ(file_->Commit(), 0);
  EXPECT_EQ(Read(At("long")), expected);
}

TEST_P(WholeFileTest, AnOlderFileIsReplaced) {
  for (const char* text : {"first", "second"}) {
    file_->Start(At("name").c_str());
    file_->Text(text);
    EXPECT_EQ(file_->Commit(), 0);
    EXPECT_EQ(Read(At("name")), text);
  }
}

// A file that is never committed leaves nothing, whether another follows or not.
TEST_P(WholeFileTest, Abandoned) {
  file_->Start(At("one").c_str());
  file_->Text("text");
  file_->Start(At("two").c_str());
  EXPECT_LE(Files(), 1) << "the first went when the second began";
  file_.reset();
  EXPECT_EQ(Files(), 0);
}

TEST_P(WholeFileTest, PathThatIsTooLong) {
  const std::string longest = At(std::string(kPathSize, 'x'));
  file_->Start(longest.c_str());
  file_->Text("goes nowhere");
  EXPECT_EQ(file_->Commit(), ENAMETOOLONG);
  EXPECT_EQ(Files(), 0);
}

// The name is taken by a folder, or by a file where a folder should be: the errno, and no temporary file is left.
TEST_P(WholeFileTest, NameThatIsTaken) {
  std::filesystem::create_directory(At("folder"));
  file_->Start(At("folder").c_str());
  file_->Text("text");
  EXPECT_EQ(file_->Commit(), EISDIR);
  EXPECT_EQ(Files(), 0);

  file_->Start(At("file").c_str());
  EXPECT_EQ(file_->Commit(), 0);
  file_->Start(At("file/below").c_str());
  file_->Text("text");
  EXPECT_EQ(file_->Commit(), ENOTDIR);
  EXPECT_EQ(Files(), 1);
}

// A temporary file of somebody else is not touched.
TEST_P(WholeFileTest, TemporaryFileOfAnother) {
  std::ofstream(At("name.tmp")) << "theirs";
  std::ofstream(At("name")) << "old";
  file_->Start(At("name").c_str());
  EXPECT_EQ(file_->Commit(), EEXIST);
  EXPECT_EQ(Read(At("name.tmp")), "theirs");
  EXPECT_EQ(Read(At("name")), "old");
}

// A program that ends in the middle, by whatever, leaves no file.
TEST_P(WholeFileTest, TheProcessEnds) {
  const pid_t child = fork();
  if (child == 0) {
    file_->Start(At("name").c_str());
    file_->Text(std::string(100'000, 'x'));
    std::_Exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  if (!GetParam()) return;  // all that can be done there is to write quickly
  const int unnamed = open(folder_.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (unnamed < 0) GTEST_SKIP() << "this file system knows no files without names";
  close(unnamed);
  EXPECT_EQ(Files(), 0);
}

// At a limit of file sizes the first byte too many raises a signal, which ends a program unless it is prepared.
TEST_P(WholeFileTest, NoSignal) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {70'000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    file_->Start(At("name").c_str());
    file_->Text(std::string(200'000, 'x'));
    const bool refused = file_->Commit() == EFBIG;
    sigset_t waiting, blocked;
    sigpending(&waiting);
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    const bool clean = sigismember(&waiting, SIGXFSZ) == 0 && sigismember(&blocked, SIGXFSZ) == 0;
    std::_Exit(refused && clean ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Files(), 0);
}

// One that was waiting already, for somebody else, still waits.
TEST_P(WholeFileTest, ASignalOfTheProgramIsLeftAlone) {
  const pid_t child = fork();
  if (child == 0) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    raise(SIGXFSZ);
    file_->Start(At("name").c_str());
    file_->Text("text");
    const bool written = file_->Commit() == 0;
    sigpending(&set);
    std::_Exit(written && sigismember(&set, SIGXFSZ) == 1 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// What a program prints after it has closed its standard descriptors does not come into the file.
TEST_P(WholeFileTest, StandardDescriptorsAreNotTaken) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int descriptor : {0, 1, 2}) close(descriptor);
    file_->Start(At("name").c_str());
    bool free = true;
    for (const int descriptor : {0, 1, 2}) free = free && write(descriptor, "printed", 7) < 0;
    file_->Text("text");
    std::_Exit(free && file_->Commit() == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Read(At("name")), "text");
}

INSTANTIATE_TEST_SUITE_P(Both, WholeFileTest, ::testing::Bool(),
                         [](const auto& kind) { return kind.param ? "Unnamed" : "Named"; });

}  // namespace
}  // namespace detops
