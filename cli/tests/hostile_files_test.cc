// Case files that mean harm: whatever one of them does, the others are judged and the reports are written.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "program.h"

namespace detops_cli {
namespace {

constexpr char kGood[] =
    "op_name: \"rotated_feature_align_forward\"\n"
    "input { id: \"x\" shape { dims: [1, 1, 1, 1] } layout: LAYOUT_NHWC dtype: DTYPE_FLOAT value_f: 3 }\n"
    "input { id: \"b\" shape { dims: [1, 1, 1, 5] } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT value_f: [0, 0, 1, 1, 0] "
    "}\n"
    "output { id: \"y\" shape { dims: [1, 1, 1, 1] } layout: LAYOUT_NHWC dtype: DTYPE_FLOAT }\n"
    "rotated_feature_align_forward_param { spatial_scale: 1 points: 1 }\n";

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// A field with a length, as in binary messages.
std::string Field(char tag, std::string_view content) {
  std::string text(1, tag);
  size_t rest = content.size();
  for (; rest >= 128; rest >>= 7) text += static_cast<char>((rest & 127) | 128);
  return (text + static_cast<char>(rest)).append(content);
}

struct HostileFile {
  std::string name;  // with its extension
  std::string content;
  std::string reason;  // a part of the detail
};

void PrintTo(const HostileFile& file, std::ostream* out) { *out << file.name; }

class HostileFileTest : public ProgramTest, public testing::WithParamInterface<HostileFile> {};

TEST_P(HostileFileTest, IsAnErrorAndTheRunGoesOn) {
  const std::string bad = Write(GetParam().name, GetParam().content), good = Write("good.prototxt", kGood);
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = Run({"run", "--no-timing", bad, good, "--json", Path("json"), "--report", Path("report")});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
  ASSERT_FALSE(ReadFile(Path("json")).empty());
  const RunResultFile results = nlohmann::json::parse(ReadFile(Path("json"))).get<RunResultFile>();
  ASSERT_EQ(results.cases.size(), 2u);
  EXPECT_EQ(results.cases[0].verdict, "error");
  EXPECT_NE(results.cases[0].detail.find(GetParam().reason), std::string::npos) << results.cases[0].detail;
  EXPECT_EQ(results.cases[1].verdict, "pass") << results.cases[1].detail;
  EXPECT_FALSE(ReadFile(Path("report")).empty());
  // The other command on files complains, and does not end by a signal.
  EXPECT_EQ(Run({"convert", bad, Path("converted.pb")}).exit_code, 2);
}

std::string HostileName(const testing::TestParamInfo<HostileFile>& info) {
  return info.param.name.substr(0, info.param.name.find('.'));
}

std::string Nested(std::string content, int times) {
  for (int i = 0; i < times; ++i) content = Field('\x12', content);  // field 2 of Node, a tensor; inside one unknown
  return content;
}

const std::vector<HostileFile> kFiles = {
    {"unknown_braces.prototxt", Repeated("u{", 40'000), ":1:202: messages are nested more than 100 deep"},
    {"unknown_brackets.prototxt", "u: " + Repeated("[", 1'000'000), "messages are nested more than 100 deep"},
    {"unknown_angles.prototxt", Repeated("u<\n", 1'000'000), ":101:2: messages are nested more than 100 deep"},
    {"closed_braces.prototxt", Repeated("u{", 40'000) + Repeated("}", 40'000), "nested more than 100 deep"},
    {"broken_string.prototxt", "u: \"\n" + Repeated("u{ a: '\\''", 40'000), "nested more than 100 deep"},
    {"deep_binary.pb", Nested("", 5'000), "not a Node"},
    {"deep_groups.pb", std::string(1'000'000, '\x7b'), "not a Node"},
    {"long_length.pb", "\x0a\xff\xff\xff\xff\x07", "not a Node"},
    {"longer_length.pb", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "not a Node"},
};
INSTANTIATE_TEST_SUITE_P(Every, HostileFileTest, testing::ValuesIn(kFiles), HostileName);

// Brackets in texts and comments nest nothing.
TEST_F(ProgramTest, BracketsInTextsDoNotCount) {
  const std::string many = Repeated("{[<", 200);
  const Outcome outcome = Run(
      {"run", "--no-timing",
       Write("a.prototxt", "# " + many + "\nnote: \"" + many + "\\\"" + many + "\" other: '" + many + "'\n" + kGood)});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
}

TEST_F(ProgramTest, ATensorLargerThanAllMemoryIsRefused) {
  std::string text = kGood;
  text.replace(text.find("[1, 1, 1, 1]"), 12, "[1, 1, 1, 1000000000000]");
  text.replace(text.find("value_f: 3"), 10,
               "random_data { seed: 1 distribution: UNIFORM upper_bound: 1 lower_bound: 0 }");
  const Outcome outcome = Run({"run", "--no-timing", Write("a.prototxt", text), Write("good.prototxt", kGood)});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_NE(outcome.out.find("1 of 2 cases passed"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("there is no memory for 1000000000000 elements"), std::string::npos) << outcome.out;
}

TEST_F(ProgramTest, AFileOfZerosIsNotReadIntoMemory) {
  const std::string bad = Write("sparse.prototxt", "");
  ASSERT_EQ(truncate(bad.c_str(), int64_t{1} << 40), 0);
  const Outcome outcome = Run({"run", "--no-timing", bad, Write("good.prototxt", kGood)});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_NE(outcome.out.find("1 of 2 cases passed"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("has 1099511627776 bytes"), std::string::npos) << outcome.out;
}

// ---- what is no regular file --------------------------------------------------------------------

class NoFileTest : public ProgramTest, public testing::WithParamInterface<const char*> {
 protected:
  void ExpectOneComplaint(const Arguments& arguments) const {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_TRUE(IsOneComplaint(outcome.err));
    EXPECT_NE(outcome.err.find("not a regular file"), std::string::npos) << outcome.err;
  }
};

TEST_P(NoFileTest, IsRefusedAtOnce) {
  const std::string path = std::string(GetParam()) == "fifo" ? Path("fifo.pb") : GetParam();
  mkfifo(path.c_str(), 0600);  // or it is there already
  const std::string list = Write("list", path + "\n");
  ExpectOneComplaint({"run", path});
  ExpectOneComplaint({"run", "--cases_list", path});
  ExpectOneComplaint({"run", "--cases_list", list});
  ExpectOneComplaint({"convert", path, Path("out.pb")});
  ExpectOneComplaint({"bench", "--op", "psroipool_forward", "--shape", "rois=3", "--baseline", path});
  ExpectOneComplaint({"accept", "--library", path});
  ExpectOneComplaint({"info", "--library", path});
}

INSTANTIATE_TEST_SUITE_P(Every, NoFileTest, testing::Values("fifo", "/dev/zero"),
                         [](const auto& path) { return path.param[0] == '/' ? "device" : "fifo"; });

TEST_F(ProgramTest, DataInAFifoIsRefused) {
  ASSERT_EQ(mkfifo(Path("data").c_str(), 0600), 0);
  std::string text = kGood;
  text.replace(text.find("value_f: 3"), 10, "path: \"data\"");
  const Outcome outcome = Run({"run", "--no-timing", Write("case.prototxt", text)});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.out.find("there is no file"), std::string::npos) << outcome.out;
}

// What lies next to case files is not loaded.
TEST_F(ProgramTest, LibrariesOfTheCurrentFolderAreLeftAlone) {
  Write("libhwy.so.1", "not a library");
  Write("libdetops.so.0", "not a library");
  const std::string command = "cd '" + Path("") + "' && '" DETOPS_PROGRAM "' accept --list > list 2> errors";
  EXPECT_EQ(std::system(command.c_str()), 0) << ReadFile(Path("errors"));
}

// ---- terminals ----------------------------------------------------------------------------------

TEST_F(ProgramTest, NamesOfFilesDoNotReachTheTerminalAsCommands) {
  const std::string name =
      "a\x1b[2J\x07\x9b"
      "b\xe2\x80\xae\xc2\x9b\xc3\xbc.prototxt";
  const std::string good = Write(name, kGood), bad = Write("bad" + name, "op_name: \"\x1b[2J\"");
  const Outcome run = Run({"run", "--no-timing", good, bad, "--json", Path("json\x1b[2J")});
  const Outcome quiet = Run({"run", "--no-timing", "-q", good, bad});
  const Outcome none = Run({"run", Path("none\x1b[2J\n")});
  const Outcome unknown = Run({"\x1b[2J"});
  for (const Outcome& outcome : {run, quiet, none, unknown}) {
    EXPECT_EQ(outcome.exit_code, 2);
    const std::string text = outcome.out + outcome.err;
    EXPECT_EQ(text.find_first_of("\x1b\x07"), std::string::npos) << text;
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos) << text;
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << text;
    EXPECT_NE(text.find("\\x1b[2J"), std::string::npos) << text;
  }
  EXPECT_NE(quiet.out.find("\xc3\xbc"), std::string::npos) << "letters of other languages stay: " << quiet.out;
  EXPECT_TRUE(IsOneComplaint(none.err));
}

}  // namespace
}  // namespace detops_cli
