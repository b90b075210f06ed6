// Libraries that do to their process what none should: fork, and write where only the program's own child writes. A
// result counts for the case that was asked, once; the run ends, with the other cases judged and the reports written.
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "program.h"

namespace detops_cli {
namespace {

constexpr char kOp[] = "psroipool_forward";

std::string Spoilt(const std::string& name) { return DETOPS_SPOILT_FOLDER "/libspoilt_" + name + ".so"; }

struct Mischief {
  std::string library;
  std::string verdict;  // of the first case, in which the library does it; it passes the others
  std::string detail;   // a part of that case's
};

void PrintTo(const Mischief& mischief, std::ostream* out) { *out << mischief.library; }

// The processes that have the library in their memory.
int UsersOf(const std::string& library) {
  int users = 0;
  const std::string name = std::filesystem::path(library).filename();
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream maps(entry.path() / "maps");
    for (std::string line; std::getline(maps, line);) {
      if (!line.ends_with(name)) continue;
      ++users;
      break;
    }
  }
  return users;
}

class HostileLibraryTest : public ProgramTest, public testing::WithParamInterface<Mischief> {};

TEST_P(HostileLibraryTest, FailsOneCaseAtMost) {
  const std::string library = Spoilt("psroipool_" + GetParam().library);
  const auto start = std::chrono::steady_clock::now();
  RunResultFile results;
  const Outcome outcome = Accept({"--library", library, "--op", "psroipool*", "--dtype", "float", "--timeout", "5",
                                  "--shape", TinyShapeOf(kOp).shape, "--shape", "batch=1,rois=3,pooled=2,dim=2"},
                                 &results);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  const bool passes = GetParam().verdict == "pass";
  EXPECT_EQ(outcome.exit_code, passes ? 0 : 1) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(results.complete);
  ASSERT_EQ(results.cases.size(), 4u) << outcome.out;
  for (const CaseResult& result : results.cases) {
    EXPECT_EQ(result.id.find("psroipool_"), 0u) << result.id;  // none of its own
    // Each child does it once, in its first forward call.
    const bool hit = result.op == kOp && result.verdict != "pass";
    EXPECT_EQ(result.verdict, hit ? GetParam().verdict : "pass") << result.id << ": " << result.detail;
    EXPECT_TRUE(!hit || result.detail.find(GetParam().detail) != std::string::npos) << result.detail;
  }
  EXPECT_EQ(results.cases[0].verdict, GetParam().verdict) << results.cases[0].detail;
  EXPECT_EQ(UsersOf(library), 0) << "a process is left";
}

const std::vector<Mischief> kMischief = {
    {"ForksTwin", "pass", ""},
    {"ForksAndGoesOn", "pass", ""},
    {"ForksAndCrashes", "crashed", "first call: Segmentation fault"},
    {"Floods", "crashed", "first call: the library has written into the pipe"},
    {"SendsDeep", "crashed", "first call: the library has written into the pipe"},
    {"SendsLong", "crashed", "first call: the library has written into the pipe"},
    {"SendsProblem", "crashed", "first call: the library has written into the pipe"},
    {"SendsResults", "crashed", "first call: the library has written into the pipe"},
};
INSTANTIATE_TEST_SUITE_P(Every, HostileLibraryTest, testing::ValuesIn(kMischief),
                         [](const auto& mischief) { return mischief.param.library; });

TEST_F(ProgramTest, AForkInThisProcessEndsNothingElse) {
  RunResultFile results;
  const Outcome outcome = Accept({"--in-process", "--library", Spoilt("psroipool_ForksTwin"), "--op", "psroipool*",
                                  "--dtype", "float", "--shape", TinyShapeOf(kOp).shape},
                                 &results);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_EQ(results.cases.size(), 2u);
  EXPECT_EQ(outcome.out.find("2 of 2 cases passed"), outcome.out.rfind("cases passed") - 7) << outcome.out;
}

// Whatever a library says of itself, a terminal shows it and does not obey it.
TEST_F(ProgramTest, TextsOfALibraryAreShortAndHarmless) {
  const auto start = std::chrono::steady_clock::now();
  const Outcome run = Run({"accept", "--no-timing", "--library", Spoilt("texts"), "--op", kOp, "--dtype", "float",
                           "--shape", TinyShapeOf(kOp).shape, "--json", Path("json")});
  EXPECT_EQ(run.exit_code, 0) << run.out.substr(0, 1000) << run.err;
  const Outcome info = Run({"info", "--library", Spoilt("texts")});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  for (const std::string& text : {run.out, info.out}) {
    EXPECT_LT(text.size(), 10'000u);
    EXPECT_EQ(text.find_first_of("\x1b\x07\x9b\r"), std::string::npos);
    EXPECT_NE(text.find("\\x1b[2J"), std::string::npos) << text.substr(0, 1000);
  }
  const std::string version = nlohmann::json::parse(ReadFile(Path("json")))["library"]["version"];
  EXPECT_LT(version.size(), 10'000u);
}

}  // namespace
}  // namespace detops_cli
