// Runs the program as a user's shell would, and reads what it leaves.
#ifndef DETOPS_CLI_TESTS_PROGRAM_H_
#define DETOPS_CLI_TESTS_PROGRAM_H_

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "run/result.h"

namespace detops_cli {

struct Outcome {
  int exit_code = -1;  // 128 + number after a signal, as shells count it
  std::string out, err;
};

using Arguments = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;  // set in the environment of the program

// A running program, leader of a process group of its own.
class RunningProgram {
 public:
  // Whether SIGINT, SIGTERM and SIGHUP have their usual effect, or what this process has set.
  enum class Signals { kUsual, kAsHere };
  // Its output goes into the two files; "-": the descriptor is closed.
  RunningProgram(const Arguments& arguments, const std::string& out, const std::string& err,
                 const Variables& variables = {}, Signals signals = Signals::kUsual);
  pid_t pid() const { return pid_; }
  int Wait();

 private:
  pid_t pid_ = -1;
};

std::string ReadFile(const std::string& path);

// A test with a folder for files, gone afterwards.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, const std::string& content) const;

  Outcome Run(const Arguments& arguments, const Variables& variables = {}) const;

  // `detops accept --no-timing` with a file for the results, which are read into *results.
  Outcome Accept(const Arguments& arguments, RunResultFile* results) const;

 private:
  std::filesystem::path folder_;
};

// One line, which begins with "detops: ".
testing::AssertionResult IsOneComplaint(const std::string& err);

// nullptr if the case has no such check.
const CheckResult* FindCheck(const CaseResult& result, const std::string& name);

// For each of the ten operators a shape that takes milliseconds.
struct TinyShape {
  std::string op, type, shape;
};
void PrintTo(const TinyShape& shape, std::ostream* out);
const std::vector<TinyShape>& TinyShapes();
const TinyShape& TinyShapeOf(const std::string& op);

}  // namespace detops_cli

#endif  // DETOPS_CLI_TESTS_PROGRAM_H_
