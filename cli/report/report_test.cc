// The files of a run: that they say what the run says, whatever its texts are, and how they are written.
#include "report/report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cfloat>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "report/replace_file.h"
#include "text/errors.h"

namespace detops_cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMarkup = "</script><!-- <b> & \"double\" 'single' ]]>";
const std::string kCharacters =
    std::string("tab\tline\nreturn\rbell\x07 nul") + '\0' + " \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80";

class ReportTest : public testing::Test {
 protected:
  ReportTest() {
    const char* test = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() / ("detops_report_test_" + std::to_string(getpid()) + test);
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ReportTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  fs::path folder_;
};

CaseResult SimpleCase(const std::string& id, const std::string& op, const std::string& verdict) {
  CaseResult result;
  result.id = id;
  result.op = op;
  result.verdict = verdict;
  result.seconds = 0.25;
  if (verdict != "pass") result.detail = "reason of " + id;
  return result;
}

// Every field differs from its default.
RunResultFile FullRun() {
  CaseResult result = SimpleCase("a-1", "psroipool_forward", "fail");
  result.shape = "7x7x9";
  result.type = "float";
  result.layout = "NHWC";
  result.profile = "full";
  result.suite = "documents";
  result.source = kMarkup;
  result.detail = kCharacters;
  result.reproduce = "detops check";
  result.outputs = {{"output", "float", int64_t{1} << 40, {{"diff1", DBL_MAX, 1e-5, false}, {"diff4", -1, 0, true}}}};
  result.checks = {{"call", "pass", ""}, {"accuracy", "fail", kMarkup}};
  result.timed = true;
  result.timing = {2,   40,  1.5,  2.5, 3.5,  4.5,       0,   0.1, 0.3,    5,       1e9, 2e9,
                   0.6, 0.7, "io", 8.5, 9.25, 1.0 / 3.0, 335, 31,  "avx2", "tiles", 64,  {{1, 3}, {2, 1.5}}};
  RunResultFile run;
  run.command = "detops bench";
  run.suite = "documents";
  run.started = "2026-11-16T13:44:46Z";
  run.seconds = 12.5;
  run.threads = 2;
  run.complete = false;
  run.machine = {"cpu", "system", "gcc", 2, 1, 2, 3, 4, 31.5, 335.5, 168.25};
  run.library = {"/lib.so", "lib.so", "0.1.0", "1.11.1", "avx2", "avx2,sse4", {"mluOpSetQueue"}};
  run.cases = {result};
  return run;
}

// The JSON inside the page.
std::string Embedded(const std::string& page) {
  const std::string opening = "<script type=\"application/json\" id=\"run\">";
  const size_t begin = page.find(opening) + opening.size();
  return page.substr(begin, page.find("</script", begin) - begin);
}

TEST_F(ReportTest, JsonReadsBackAsTheSameRun) {
  const RunResultFile run = FullRun();
  WriteJson(run, Path("run.json"));
  const std::string text = Read("run.json");
  EXPECT_TRUE(text.starts_with("{\n  \"")) << text;
  EXPECT_TRUE(text.ends_with("}\n"));
  const auto back = nlohmann::json::parse(text).get<RunResultFile>();
  EXPECT_EQ(nlohmann::json(back), nlohmann::json(run));
  EXPECT_EQ(back.cases.at(0).detail, kCharacters);
  EXPECT_EQ(back.cases.at(0).outputs.at(0).criteria.at(0).error, DBL_MAX);
  EXPECT_EQ(back.cases.at(0).outputs.at(0).criteria.at(1).error, -1);
  EXPECT_EQ(back.cases.at(0).timing.intensity, 1.0 / 3.0);
}

TEST_F(ReportTest, JsonHoldsWhatIsNoNumberAndNoUtf8) {
  RunResultFile run = FullRun();
  run.seconds = std::numeric_limits<double>::quiet_NaN();
  run.cases[0].timing.ratio = std::numeric_limits<double>::infinity();
  run.cases[0].timing.spread = -std::numeric_limits<double>::infinity();
  run.suite =
      "a\xFF"
      "b";
  WriteJson(run, Path("run.json"));
  const auto back = nlohmann::json::parse(Read("run.json")).get<RunResultFile>();
  EXPECT_EQ(back.seconds, DBL_MAX);
  EXPECT_EQ(back.cases[0].timing.ratio, DBL_MAX);
  EXPECT_EQ(back.cases[0].timing.spread, -DBL_MAX);
  EXPECT_EQ(back.suite,
            "a\xEF\xBF\xBD"
            "b");
}

TEST_F(ReportTest, PageHoldsTheRunAndNothingCanLeaveItsElement) {
  const RunResultFile run = FullRun();
  WriteHtmlReport(run, Path("report.html"));
  const std::string page = Read("report.html");
  const std::string embedded = Embedded(page);
  EXPECT_EQ(embedded.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(embedded), nlohmann::json(run));
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

TEST_F(ReportTest, PageNeedsNothingElse) {
  WriteHtmlReport({}, Path("report.html"));
  const std::string page = Read("report.html");
  EXPECT_EQ(page.find("{{"), std::string::npos) << "a mark was left in the page";
  for (const char* reference : {" src=", "@import", "url(", "https:", "<link rel=\"stylesheet\""}) {
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
  }
  for (const char character : page) ASSERT_LT(static_cast<unsigned char>(character), 0x80);
}

TEST_F(ReportTest, JunitWordForWord) {
  RunResultFile run;
  run.suite = "documents";
  run.seconds = 3;
  run.cases = {SimpleCase("a1", "psroipool_forward", "pass"), SimpleCase("b1", "get_indice_pairs", "crashed"),
               SimpleCase("a2", "psroipool_forward", "fail"), SimpleCase("b2", "get_indice_pairs", "skipped")};
  run.cases[2].checks = {{"call", "pass", ""}, {"accuracy", "fail", "diff1 is 1 > 0"}, {"guards", "fail", "byte 3"}};
  run.cases[2].reproduce = "detops check \"a2\"";
  WriteJunit(run, Path("junit.xml"));
  EXPECT_EQ(Read("junit.xml"), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="detops documents" tests="4" failures="1" errors="1" skipped="1" time="3.000000">
  <testsuite name="psroipool_forward" tests="2" failures="1" errors="0" skipped="0" time="0.500000">
    <testcase name="a1" classname="psroipool_forward" time="0.250000"/>
    <testcase name="a2" classname="psroipool_forward" time="0.250000">
      <failure message="reason of a2" type="fail">accuracy: diff1 is 1 &gt; 0
guards: byte 3
Reproduce: detops check &quot;a2&quot;</failure>
    </testcase>
  </testsuite>
  <testsuite name="get_indice_pairs" tests="2" failures="0" errors="1" skipped="1" time="0.500000">
    <testcase name="b1" classname="get_indice_pairs" time="0.250000">
      <error message="reason of b1" type="crashed"></error>
    </testcase>
    <testcase name="b2" classname="get_indice_pairs" time="0.250000">
      <skipped message="reason of b2"/>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST_F(ReportTest, JunitTimesHaveNoZone) {
  RunResultFile run;
  run.started = "2026-11-16T13:44:46Z";
  run.cases = {SimpleCase("x", "op", "pass")};
  WriteJunit(run, Path("junit.xml"));
  EXPECT_NE(Read("junit.xml").find(" time=\"0.250000\" timestamp=\"2026-11-16T13:44:46\">\n"), std::string::npos);
}

TEST_F(ReportTest, JunitOfNoCases) {
  WriteJunit({}, Path("junit.xml"));
  EXPECT_EQ(Read("junit.xml"),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites name=\"detops \" tests=\"0\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"0.000000\">\n"
            "</testsuites>\n");
}

TEST_F(ReportTest, JunitElementOfEveryVerdict) {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"fail", "<failure message=\"reason of x\" type=\"fail\">"},
      {"missing", "<failure message=\"reason of x\" type=\"missing\">"},
      {"crashed", "<error message=\"reason of x\" type=\"crashed\">"},
      {"timeout", "<error message=\"reason of x\" type=\"timeout\">"},
      {"error", "<error message=\"reason of x\" type=\"error\">"},
      {"skipped", "<skipped message=\"reason of x\"/>"},
  };
  for (const auto& [verdict, element] : expected) {
    RunResultFile run;
    run.cases = {SimpleCase("x", "op", verdict)};
    WriteJunit(run, Path("junit.xml"));
    EXPECT_NE(Read("junit.xml").find("      " + element), std::string::npos) << Read("junit.xml");
  }
}

TEST_F(ReportTest, JunitEscapesEverything) {
  RunResultFile run;
  run.cases = {SimpleCase(kMarkup, "a<b", "fail")};
  run.cases[0].detail = kCharacters + "\xFF \xEF\xBF\xBE";
  WriteJunit(run, Path("junit.xml"));
  const std::string text = Read("junit.xml");
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_NE(text.find("name=\"&lt;/script&gt;&lt;!-- &lt;b&gt; &amp; &quot;double&quot; 'single' ]]&gt;\" "
                      "classname=\"a&lt;b\""),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("message=\"tab&#9;line&#10;return&#13;bell" + replaced + " nul" + replaced +
                      " \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80" + replaced + " " + replaced + "\""),
            std::string::npos)
      << text;
}

TEST_F(ReportTest, AnExistingFileIsReplacedAndNothingElseIsLeft) {
  for (int round = 0; round < 2; ++round) {
    WriteJson(FullRun(), Path("run.json"));
    WriteJunit(FullRun(), Path("junit.xml"));
    WriteHtmlReport(FullRun(), Path("report.html"));
  }
  EXPECT_EQ(Names().size(), 3u);
}

TEST_F(ReportTest, FailuresNameTheFileAndTheReason) {
  const std::string path = Path("no/such/folder/file");
  for (const auto& write : {WriteJson, WriteJunit, WriteHtmlReport}) {
    try {
      write(FullRun(), path);
      ADD_FAILURE() << "no exception";
    } catch (const FileError& error) {
      EXPECT_EQ(error.what(), "cannot write " + path + ": No such file or directory");
    }
  }
  EXPECT_THROW(WriteJson(FullRun(), Path(".")), FileError);
  EXPECT_TRUE(Names().empty());
}

TEST_F(ReportTest, ADeviceIsWrittenDirectly) {
  if (!fs::exists("/dev/full") || !fs::exists("/dev/null")) GTEST_SKIP() << "no such devices here";
  ReplaceFile("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  try {
    ReplaceFile("/dev/full", "text");
    ADD_FAILURE() << "no exception";
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
  }
}

}  // namespace
}  // namespace detops_cli
