// WholeFile: a file is there complete under its name or not at all, and the first failure is the one that is told.
#include "core/whole_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>

namespace detops {
namespace {

class WholeFileTest : public ::testing::Test {
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
  std::unique_ptr<WholeFile> file_ = std::make_unique<WholeFile>();  // too large for a stack
};

TEST_F(WholeFileTest, NumbersInTheirShortestForm) {
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
TEST_F(WholeFileTest, LongText) {
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

TEST_F(WholeFileTest, AnOlderFileIsReplaced) {
  for (const char* text : {"first", "second"}) {
    file_->Start(At("name").c_str());
    file_->Text(text);
    EXPECT_EQ(file_->Commit(), 0);
    EXPECT_EQ(Read(At("name")), text);
  }
}

// A file that is never committed leaves nothing, whether another follows or not.
TEST_F(WholeFileTest, Abandoned) {
  file_->Start(At("one").c_str());
  file_->Text("text");
  file_->Start(At("two").c_str());
  EXPECT_EQ(Files(), 1) << "the first went when the second began";
  file_.reset();
  EXPECT_EQ(Files(), 0);
}

TEST_F(WholeFileTest, PathThatIsTooLong) {
  const std::string longest = At(std::string(kPathSize, 'x'));
  file_->Start(longest.c_str());
  file_->Text("goes nowhere");
  EXPECT_EQ(file_->Commit(), ENAMETOOLONG);
  EXPECT_EQ(Files(), 0);
}

// The name is taken by a folder, or by a file where a folder should be: the errno, and no temporary file is left.
TEST_F(WholeFileTest, NameThatIsTaken) {
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
TEST_F(WholeFileTest, TemporaryFileOfAnother) {
  std::ofstream(At("name.tmp")) << "theirs";
  file_->Start(At("name").c_str());
  EXPECT_EQ(file_->Commit(), EEXIST);
  EXPECT_EQ(Read(At("name.tmp")), "theirs");
}

}  // namespace
}  // namespace detops
