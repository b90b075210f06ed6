// When calls are recorded and where: modes, filters, directories, and what happens if a file cannot be written.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "detops.h"
#include "gtest/gtest.h"
#include "recording/gen_case_calls.h"
#include "recording/gen_case_child.h"

namespace {

using namespace detops_test;  // this test's own helpers
using Strings = std::vector<std::string>;

template <class Call>
void Succeed(Call&& call) {
  const Handle handle;
  EXPECT_EQ(call.Run(handle.get()), MLUOP_STATUS_SUCCESS) << handle.LastError();
  EXPECT_STREQ(handle.LastError(), "");
}

void CallThree() {
  Succeed(AlignForwardCall());
  Succeed(AlignBackwardCall());
  Succeed(ConvolutionForwardCall());
}

// The folders of operators that have files.
std::set<std::string> Recorded(const std::string& folder) {
  std::set<std::string> operators;
  for (const std::string& file : FilesBelow(folder)) {
    operators.insert(std::filesystem::path(file).parent_path().filename().string());
  }
  return operators;
}

TEST(GenCaseTest, OffWithoutVariablesOrWithGarbage) {
  for (const char* mode : {"0", "", "4", "-1", "1x", " 1", "01", "on"}) {
    const TemporaryFolder folder;
    EXPECT_TRUE(RunInChild({{"", mode}, {"_DIR", folder.path()}}, CallThree)) << mode;
    EXPECT_EQ(FilesBelow(folder.path()), Strings()) << mode;
  }
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"_DIR", folder.path()}}, CallThree));
  EXPECT_EQ(FilesBelow(folder.path()), Strings());
}

TEST(GenCaseTest, NamesOfFiles) {
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "1"}, {"_DIR", folder.path() + "/not/yet/there/"}}, [] {
    AlignForwardCall call;
    for (int i = 0; i < 3; ++i) Succeed(call);
  }));
  const Strings files = FilesBelow(folder.path());
  EXPECT_EQ(files.size(), 3u);
  const std::regex form("not/yet/there/gen_case/" + kAlign + "/" + kAlign +
                        "_[0-9]{8}_[0-9]{2}_[0-9]{2}_[0-9]{2}_[0-9]{6}_[0-9]+_[0-9]+\\.prototxt");
  std::set<std::string> numbers;  // the time alone must not tell them apart
  for (const std::string& file : files) {
    EXPECT_TRUE(std::regex_match(file, form)) << file;
    numbers.insert(file.substr(file.rfind('_')));
  }
  EXPECT_EQ(numbers.size(), 3u) << ::testing::PrintToString(numbers);
}

TEST(GenCaseTest, DefaultDirectoryIsTheCurrentOne) {
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "1"}}, [&] {
    ASSERT_EQ(chdir(folder.path().c_str()), 0);
    Succeed(AlignForwardCall());
  }));
  EXPECT_EQ(Recorded(folder.path()), std::set<std::string>({kAlign}));
}

TEST(GenCaseTest, Placeholders) {
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "1"}, {"_DIR", folder.path() + "/p{pid}d{deviceid}{x}"}}, [&] {
    Succeed(AlignForwardCall());
    EXPECT_TRUE(std::filesystem::exists(folder.path() + "/p" + std::to_string(getpid()) + "d0{x}/gen_case"));
    char text[4096];
    const std::string set = folder.path() + "/p{pid}d{deviceid}{x}";
    EXPECT_STREQ(mluOpGetGenCaseDirectory(text, sizeof(text), nullptr, nullptr), set.c_str()) << "as it was set";
  }));
}

TEST(GenCaseTest, Filters) {
  const std::string &align = kAlign, &back = kAlignBackward, &conv = kConvolution;
  using Names = std::set<std::string>;
  const std::vector<std::pair<std::string, Names>> cases = {
      {"", {align, back, conv}},
      {"all", {align, back, conv}},
      {align, {align}},
      {align + ";" + conv, {align, conv}},
      {" " + back + " ; " + align + ";", {align, back}},
      {"-" + back, {align, conv}},
      {"-" + back + ";-" + align, {conv}},
      {align.substr(0, align.rfind('_')), {}},
      {back + "_", {}},
      {back + ";-" + align, {back, conv}},
      {";;", {align, back, conv}},
      {"-all", {align, back, conv}},
      {back + std::string(3000, ' '), {align, back, conv}},  // too long for any list: as if it were not set
  };
  for (const auto& [filter, expected] : cases) {
    const TemporaryFolder folder;
    EXPECT_TRUE(RunInChild({{"", "1"}, {"_DIR", folder.path()}, {"_OP_NAME", filter}}, CallThree)) << filter;
    EXPECT_EQ(Recorded(folder.path()), expected) << filter;
  }
}

TEST(GenCaseTest, FunctionsOverrideTheEnvironment) {
  const TemporaryFolder first, second;
  EXPECT_TRUE(RunInChild({{"", "1"}, {"_DIR", first.path()}}, [&] {
    EXPECT_EQ(mluOpSetGenCaseDirectory(second.path().c_str()), MLUOP_STATUS_SUCCESS);
    mluOpSetGenCaseMode(0);
    Succeed(AlignForwardCall());
    EXPECT_EQ(FilesBelow(second.path()), Strings());
    mluOpSetGenCaseMode(2);
    Succeed(AlignForwardCall());
    setenv("MLUOP_GEN_CASE", "0", 1);  // has been read
    Succeed(AlignForwardCall());
  }));
  EXPECT_EQ(FilesBelow(first.path()), Strings());
  EXPECT_EQ(FilesBelow(second.path()).size(), 2u);
}

// That it changes nothing, gen_case_fuzz and the table of bad input show.
TEST(GenCaseTest, UnknownModeSaysSo) {
  EXPECT_TRUE(RunInChild({}, [] {
    mluOpSetGenCaseMode(4);
    EXPECT_STREQ(detopsGetLastError(nullptr), "mluOpSetGenCaseMode: mode is 4, expected 0, 1, 2 or 3.");
  }));
}

// Others than the first and the longest are compared with a model by gen_case_fuzz.
TEST(GenCaseTest, DirectoryFunctions) {
  EXPECT_TRUE(RunInChild({}, [] {
    std::vector<char> room(2048);
    EXPECT_STREQ(mluOpGetGenCaseDirectory(room.data(), room.size(), nullptr, nullptr), ".") << "the default";
    const std::string longest(2047, 'x');
    EXPECT_EQ(mluOpSetGenCaseDirectory(longest.c_str()), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(mluOpGetGenCaseDirectory(room.data(), room.size(), nullptr, nullptr), longest);
  }));
}

// ---- printing ---------------------------------------------------------------------------------

// Without a log it is the standard error: recording/gen_case_descriptors_test.cc.
TEST(GenCaseTest, ModeThreePrintsToTheLog) {
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "3"}, {"_DIR", folder.path()}}, [&] {
    Sink sink;
    const Handle handle;
    AlignForwardCall call;
    sink.Attach(handle.get());
    EXPECT_EQ(call.Run(handle.get()), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(sink.lines, Strings({kAlignFunction + ": " + kAlignLine}));
  }));
  EXPECT_EQ(FilesBelow(folder.path()), Strings()) << "no case file";
}

TEST(GenCaseTest, LongLinesAreCut) {
  EXPECT_TRUE(RunInChild({{"", "3"}}, [] {
    Sink sink;
    const Handle handle(DETOPS_PROFILE_FULL);
    sink.Attach(handle.get());
    // Without channels there is nothing to compute, whatever the lists say: no memory is needed for these.
    Descriptor rows(kArray, MLUOP_DTYPE_FLOAT, {1000000, 0}), filters(kArray, MLUOP_DTYPE_FLOAT, {100, 1, 1, 0, 1});
    Descriptor pairs(kArray, MLUOP_DTYPE_INT32, {100, 2, 1000000}), none(kArray, MLUOP_DTYPE_FLOAT, {0, 1});
    const std::vector<int64_t> numbers(100, 1000000);
    EXPECT_EQ(mluOpIndiceConvolutionForward(handle.get(), rows.get(), nullptr, filters.get(), nullptr, pairs.get(),
                                            nullptr, numbers.data(), 0, 0, 0, nullptr, 0, none.get(), nullptr),
              MLUOP_STATUS_SUCCESS)
        << handle.LastError();
    ASSERT_EQ(sink.lines.size(), 1u);
    EXPECT_LT(sink.lines[0].size(), 512u);
    EXPECT_TRUE(sink.lines[0].starts_with("mluOpIndiceConvolutionForward: " + kConvolution + " ")) << sink.lines[0];
    EXPECT_TRUE(sink.lines[0].ends_with("...")) << "what is cut says so: " << sink.lines[0];
  }));
}

// ---- the course of a call ---------------------------------------------------------------------

// Looks at the files while the operator computes.
struct Observer {
  std::string folder;
  std::string text;
  static int Run(void* opaque, detopsTask_t task, void* context, int count) {
    auto* const self = static_cast<Observer*>(opaque);
    self->text = OnlyFile(self->folder);
    for (int i = 0; i < count; ++i) task(context, i);
    return 0;
  }
};

TEST(GenCaseTest, FileIsCompleteBeforeTheWorkAndGetsOutputsAfterIt) {
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "2"}, {"_DIR", folder.path()}, {"_DUMP_DATA", "1"}, {"_DUMP_DATA_OUTPUT", "1"}}, [&] {
    Handle handle;
    handle.SetValueChecks(false);  // they use the runner too, before the file is there
    Observer observer{folder.path(), ""};
    ASSERT_EQ(detopsSetParallelRunner(handle.get(), Observer::Run, &observer), MLUOP_STATUS_SUCCESS);
    AlignForwardCall call;
    ASSERT_EQ(call.Run(handle.get()), MLUOP_STATUS_SUCCESS);
    const std::string after = OnlyFile(folder.path());
    const std::string outputs = "  value_f: 2\n  value_f: 4\n";
    const size_t place = after.find(outputs);
    ASSERT_NE(place, std::string::npos) << after;
    EXPECT_EQ(observer.text, after.substr(0, place) + after.substr(place + outputs.size()));
  }));
}

TEST(GenCaseTest, CrashLeavesAFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "2"}, {"_DIR", folder.path()}, {"_DUMP_DATA", "1"}, {"_DUMP_DATA_OUTPUT", "1"}}, [] {
    const pid_t child = fork();
    if (child == 0) {
      Handle handle;
      handle.SetValueChecks(false);
      Must(detopsSetParallelRunner(
               handle.get(), [](void*, detopsTask_t, void*, int) -> int { _exit(7); }, nullptr),
           "detopsSetParallelRunner");
      AlignForwardCall().Run(handle.get());
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << "the operator has not used the runner";
  }));
  const std::string text = OnlyFile(folder.path());
  EXPECT_NE(text.find("value_f: 3\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("  error_threshold: 0.003\n}\n")) << text;
}

// A call that fails for want of memory or by its runner can be run again, so its file stays.
TEST(GenCaseTest, FailedRunnerLeavesAFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "1"}, {"_DIR", folder.path()}}, [] {
    Handle handle;
    handle.SetValueChecks(false);
    Must(detopsSetParallelRunner(handle.get(), [](void*, detopsTask_t, void*, int) { return 1; }, nullptr), "runner");
    EXPECT_EQ(AlignForwardCall().Run(handle.get()), MLUOP_STATUS_EXECUTION_FAILED);
  }));
  EXPECT_EQ(FilesBelow(folder.path()).size(), 1u);
}

}  // namespace
