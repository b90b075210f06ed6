// A recorded call, run again from its file and recorded once more, must leave the same file: the same tensors and
// parameters went in, and the same bits came out.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

class RoundTrip : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "detops_round_trip_XXXXXX").string();
    ASSERT_NE(nullptr, mkdtemp(name.data()));
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Runs the program with recording into `folder_`/into.
  int RunRecorded(const std::string& into, const std::string& settings, const std::string& arguments) const {
    const std::string command = "MLUOP_GEN_CASE=2 MLUOP_GEN_CASE_DUMP_DATA_OUTPUT=2 " + settings +
                                " MLUOP_GEN_CASE_DIR=" + (folder_ / into).string() + " " DETOPS_PROGRAM " " +
                                arguments + " --no-timing --quiet";
    return std::system(command.c_str());
  }

  // Leaves one file of each text: runs make the same call several times.
  void RemoveCopies(const std::string& in) const {
    std::set<std::string> seen;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / in)) {
      if (entry.is_regular_file() && !seen.insert(Text(entry.path())).second) fs::remove(entry.path());
    }
  }

  static std::string Text(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The different texts of the case files in a folder.
  std::set<std::string> Texts(const std::string& in) const {
    std::set<std::string> texts;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / in)) {
      if (entry.path().extension() == ".prototxt") texts.insert(Text(entry.path()));
    }
    return texts;
  }

  fs::path folder_;
};

// All ten operators; their types, both modes of pooling and of convolution. All are replayed in the full profile, which
// reads the filters' gradient in another order than the contract if its layout is not ARRAY.
constexpr char kCases[] =
    "'smoke/*/max/*:smoke/*/avg/*:smoke/*/small/*:smoke/*/subm/*:smoke/*/stride2/*:smoke/*/NCDHW/*:smoke/*/5_points/*"
    "-smoke/*_filter/NCDHW/*'";
constexpr size_t kCaseCount = 16 + 8 + 2 + 12 + 4 + 8;

constexpr char kFewCases[] =
    "'smoke/*/avg/float:smoke/*/small/float:smoke/*/subm/half:smoke/get_*/subm/*:smoke/*/5_points/half'";
constexpr size_t kFewCaseCount = 2 + 2 + 3 + 1 + 2;

void ExpectSameTexts(const std::set<std::string>& recorded, const std::set<std::string>& replayed, size_t count) {
  EXPECT_EQ(count, recorded.size());
  for (const std::string& text : recorded) EXPECT_EQ(1u, replayed.count(text)) << text.substr(0, 2000);
  for (const std::string& text : replayed) EXPECT_EQ(1u, recorded.count(text)) << text.substr(0, 2000);
}

TEST_F(RoundTrip, SameBitsThroughHexadecimalDigits) {
  const std::string settings = "MLUOP_GEN_CASE_DUMP_DATA=2";
  ASSERT_EQ(0, RunRecorded("a", settings, std::string("accept --bad-input none --filter ") + kCases));
  RemoveCopies("a");
  ASSERT_EQ(0, RunRecorded("b", settings, "run --profile full " + (folder_ / "a").string()));
  ExpectSameTexts(Texts("a"), Texts("b"), kCaseCount);
}

TEST_F(RoundTrip, SameBitsThroughDecimalDigits) {
  const std::string settings = "MLUOP_GEN_CASE_DUMP_DATA=1";
  ASSERT_EQ(0, RunRecorded("a", settings, std::string("accept --bad-input none --filter ") + kCases));
  RemoveCopies("a");
  ASSERT_EQ(0, RunRecorded("b", settings, "run --profile full " + (folder_ / "a").string()));
  ExpectSameTexts(Texts("a"), Texts("b"), kCaseCount);
}

TEST_F(RoundTrip, SameBitsThroughBinaryFiles) {
  const std::string binary = "MLUOP_GEN_CASE_DUMP_DATA=2 MLUOP_GEN_CASE_DUMP_DATA_FILE=1";
  ASSERT_EQ(0, RunRecorded("a", binary, std::string("accept --bad-input none --filter ") + kFewCases));
  ASSERT_EQ(0, RunRecorded("b", "MLUOP_GEN_CASE_DUMP_DATA=2", "run --profile full " + (folder_ / "a").string()));
  // The first texts name files; what these hold shows when the replay is recorded in full and compared with a direct
  // recording in full.
  ASSERT_EQ(
      0, RunRecorded("c", "MLUOP_GEN_CASE_DUMP_DATA=2", std::string("accept --bad-input none --filter ") + kFewCases));
  ExpectSameTexts(Texts("c"), Texts("b"), kFewCaseCount);
}

}  // namespace
