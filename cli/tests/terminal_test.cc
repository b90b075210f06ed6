// The program on a terminal, and Ctrl-C.
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <thread>

#include "program.h"

namespace detops_cli {
namespace {

// Runs the program on a terminal of its own; returns everything it wrote there.
std::string RunOnTerminal(const Arguments& arguments, bool no_color) {
  std::vector<std::string> words = {DETOPS_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  winsize size = {40, 200, 0, 0};
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, &size);
  if (pid < 0) return "no terminal";
  if (pid == 0) {
    if (no_color) {
      setenv("NO_COLOR", "1", 1);
    } else {
      unsetenv("NO_COLOR");
    }
    execv(DETOPS_PROGRAM, pointers.data());
    _exit(127);
  }
  std::string text;
  char piece[4096];
  // The end of the other side is an error on Linux.
  for (ssize_t count; (count = read(terminal, piece, sizeof(piece))) > 0 || (count < 0 && errno == EINTR);) {
    if (count > 0) text.append(piece, static_cast<size_t>(count));
  }
  close(terminal);
  waitpid(pid, nullptr, 0);
  return text;
}

const std::regex kColour("\x1b\\[[0-9;]*m");
const std::regex kProgress("\\[[#.]{20}\\] [0-9]+/[0-9]+");

// Long enough for the progress line, which is drawn ten times a second at most.
const Arguments kSomeCases = {"accept", "--filter", "*/one_pixel/*"};

TEST(TerminalTest, ColoursAndProgress) {
  const std::string text = RunOnTerminal(kSomeCases, false);
  EXPECT_TRUE(std::regex_search(text, kColour)) << text;
  EXPECT_NE(text.find("\x1b[32mpass\x1b[0m"), std::string::npos) << text;
  EXPECT_TRUE(std::regex_search(text, kProgress)) << text;
  EXPECT_NE(text.find("4 of 4 cases passed"), std::string::npos) << text;
}

TEST(TerminalTest, NoColorIsHonoured) {
  const std::string text = RunOnTerminal(kSomeCases, true);
  EXPECT_FALSE(std::regex_search(text, kColour)) << text;
  EXPECT_NE(text.find("4 of 4 cases passed"), std::string::npos) << text;
}

TEST(TerminalTest, QuietIsQuietThereToo) {
  Arguments arguments = kSomeCases;
  arguments.emplace_back("--quiet");
  EXPECT_EQ(RunOnTerminal(arguments, false), "");
}

class InterruptTest : public ProgramTest, public testing::WithParamInterface<int> {};

TEST_P(InterruptTest, LeavesFilesAndNoProcess) {
  // Timing makes the suite last for a minute.
  RunningProgram program({"accept", "--json", Path("json"), "--junit", Path("junit"), "--report", Path("report")},
                         Path("out"), Path("err"));
  for (int tries = 0; tries < 600 && ReadFile(Path("out")).find(" pass\n") == std::string::npos; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  // To all of the group, as a terminal does it.
  ASSERT_EQ(kill(-program.pid(), GetParam()), 0);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(program.Wait(), 130);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(kill(-program.pid(), 0), -1);
  EXPECT_EQ(errno, ESRCH);  // nobody is left
  EXPECT_NE(ReadFile(Path("out")).find("Interrupted"), std::string::npos);
  EXPECT_EQ(ReadFile(Path("err")), "");

  const nlohmann::json results = nlohmann::json::parse(ReadFile(Path("json")));
  EXPECT_EQ(results["complete"], false);
  ASSERT_GE(results["cases"].size(), 1u);
  EXPECT_LT(results["cases"].size(), 100u);
  for (const nlohmann::json& one : results["cases"]) EXPECT_EQ(one["verdict"], "pass");
  const std::string first = results["cases"][0]["id"];
  EXPECT_NE(ReadFile(Path("junit")).find(first), std::string::npos);
  EXPECT_NE(ReadFile(Path("junit")).find("</testsuites>"), std::string::npos);
  EXPECT_NE(ReadFile(Path("report")).find(first), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptTest, testing::Values(SIGINT, SIGTERM),
                         [](const auto& signal) { return signal.param == SIGINT ? "Interrupt" : "Terminate"; });

TEST_F(ProgramTest, AHangingLibraryCanBeInterrupted) {
  RunningProgram program(
      {"accept", "--library", DETOPS_SPOILT_FOLDER "/libspoilt_get_indice_pairs_Hangs.so", "--op", "get_indice_pairs",
       "--shape", TinyShapeOf("get_indice_pairs").shape, "--no-timing", "--json", Path("json")},
      Path("out"), Path("err"));
  for (int tries = 0; tries < 600 && ReadFile(Path("out")).find("verdict\n") == std::string::npos; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ASSERT_EQ(kill(-program.pid(), SIGINT), 0);
  EXPECT_EQ(program.Wait(), 130);
  EXPECT_EQ(kill(-program.pid(), 0), -1);
  EXPECT_EQ(nlohmann::json::parse(ReadFile(Path("json")))["complete"], false);
}

}  // namespace
}  // namespace detops_cli
