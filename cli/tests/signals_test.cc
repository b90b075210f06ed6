// A signal ends the program, whatever it waits for, and what has run is in the reports.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "program.h"

namespace detops_cli {
namespace {

template <class Condition>
bool Eventually(Condition condition) {
  for (int tries = 0; tries < 600; ++tries) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

class SignalTest : public ProgramTest, public testing::WithParamInterface<int> {
 protected:
  // Sends the signal, to the program alone; it must end soon, with the report.
  void ExpectEnd(RunningProgram& program, const std::string& json) const {
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(kill(program.pid(), GetParam()), 0);
    EXPECT_EQ(program.Wait(), 130);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
    const std::string text = ReadFile(json);
    ASSERT_FALSE(text.empty()) << "no report";
    const RunResultFile results = nlohmann::json::parse(text).get<RunResultFile>();
    EXPECT_FALSE(results.complete);
    EXPECT_GE(results.cases.size(), 1u);
    for (const CaseResult& result : results.cases) EXPECT_EQ(result.verdict, "pass") << result.detail;
  }

  bool OnePassed() const { return ReadFile(Path("out")).find(" pass\n") != std::string::npos; }
};

Arguments LongRun(const std::string& json) { return {"accept", "--json", json}; }

TEST_P(SignalTest, EndsARun) {
  RunningProgram program(LongRun(Path("json")), Path("out"), Path("err"));
  ASSERT_TRUE(Eventually([&] { return OnePassed(); }));
  ExpectEnd(program, Path("json"));
}

TEST_P(SignalTest, EndsARunInProcess) {
  Arguments arguments = LongRun(Path("json"));
  arguments.emplace_back("--in-process");
  RunningProgram program(arguments, Path("out"), Path("err"));
  ASSERT_TRUE(Eventually([&] { return OnePassed(); }));
  ExpectEnd(program, Path("json"));
}

// Nobody reads the output, so that the program waits for room in the pipe.
TEST_P(SignalTest, EndsARunWhoseOutputIsStuck) {
  ASSERT_EQ(mkfifo(Path("out").c_str(), 0600), 0);
  const int reader = open(Path("out").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  fcntl(reader, F_SETPIPE_SZ, 4096);
  RunningProgram program({"accept", "--no-timing", "--json", Path("json")}, Path("out"), Path("err"));
  // Full is when nothing more comes.
  int bytes = 0;
  ASSERT_TRUE(Eventually([&] {
    const int before = std::exchange(bytes, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return ioctl(reader, FIONREAD, &bytes) == 0 && bytes > 2000 && bytes == before;
  }));
  ExpectEnd(program, Path("json"));
  close(reader);
}

// A report that nobody takes: the other one is written.
TEST_P(SignalTest, EndsARunWhoseReportIsStuck) {
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  RunningProgram program(
      {"accept", "--no-timing", "--filter", "*/one_pixel/*", "--json", Path("json"), "--report", Path("fifo")},
      Path("out"), Path("err"));
  ASSERT_TRUE(Eventually([&] { return !ReadFile(Path("json")).empty(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(kill(program.pid(), GetParam()), 0);
  EXPECT_NE(program.Wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
}

INSTANTIATE_TEST_SUITE_P(Every, SignalTest, testing::Values(SIGINT, SIGTERM, SIGHUP), [](const auto& signal) {
  return signal.param == SIGINT ? "Interrupt" : signal.param == SIGTERM ? "Terminate" : "HangUp";
});

// nohup asks for it.
TEST_F(ProgramTest, AnIgnoredHangUpStaysIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  RunningProgram program({"accept", "--no-timing", "--filter", "*/small/*", "--json", Path("json")}, Path("out"),
                         Path("err"), {}, RunningProgram::Signals::kAsHere);
  std::signal(SIGHUP, SIG_DFL);
  ASSERT_TRUE(Eventually([&] { return ReadFile(Path("out")).find(" pass\n") != std::string::npos; }));
  kill(program.pid(), SIGHUP);
  EXPECT_EQ(program.Wait(), 0);
  EXPECT_EQ(nlohmann::json::parse(ReadFile(Path("json")))["complete"], true);
}

}  // namespace
}  // namespace detops_cli
