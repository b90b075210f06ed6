#include "runner.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "display.h"
#include "errors.h"
#include "report/report.h"
#include "shell_quote.h"
#include "worker.h"

namespace detops_cli {
namespace {

constexpr int kExitInterrupted = 130;  // as shells count it

class Run {
 public:
  Run(const std::vector<Recipe>& recipes, const RunOptions& options)
      : recipes_(recipes), options_(options), display_(recipes.size(), options.table, options.quiet) {
    file_.command = options.command;
    file_.suite = options.suite;
    file_.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  }

  int Go() {
    const auto start = std::chrono::steady_clock::now();
    if (options_.in_process) {
      JudgeAll(recipes_, 0, options_, [this](const Message& message) { Hear(message); });
    } else {
      CatchInterrupts();
      while (file_.cases.size() < recipes_.size() && file_.complete) RunWorker();
    }
    file_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    display_.ShowSummary(file_);
    WriteReports();
    return ExitCode();
  }

  const RunResultFile& file() const { return file_; }

 private:
  // One child, until it ends: after the last case, or because of the library under test.
  void RunWorker() {
    Worker worker(recipes_, file_.cases.size(), options_);
    for (;;) {
      Message message;
      switch (worker.Next(options_.timeout_seconds, &message)) {
        case Worker::Event::kMessage:
          Hear(message);
          break;
        case Worker::Event::kInterrupted:
          file_.complete = false;
          return;
        case Worker::Event::kTimeout:
          Lose("timeout", fmt::format("no sign of life for {:g} s", options_.timeout_seconds));
          return;
        case Worker::Event::kGarbage:
          Lose("crashed", "the library has written into the pipe to this program");
          return;
        case Worker::Event::kEnd:
          if (file_.cases.size() < recipes_.size()) Lose("crashed", worker.Death());
          return;
      }
    }
  }

  void Hear(const Message& message) {
    switch (message.kind) {
      case Message::Kind::kLibrary:
        if (!file_.library.path.empty()) break;  // a second worker
        file_.library = message.library;
        file_.machine = message.machine;
        file_.threads = message.threads;
        display_.ShowHeader(file_.library, file_.machine, file_.threads);
        break;
      case Message::Kind::kStep:
        step_ = message.text;
        display_.ShowStep(recipes_[file_.cases.size()].about, step_);
        break;
      case Message::Kind::kResult:
        Keep(message.result);
        break;
      case Message::Kind::kProblem:
        throw UsageError(message.text);
    }
  }

  // The case in work took the worker with it.
  void Lose(const char* verdict, const std::string& reason) {
    CaseResult result = recipes_[file_.cases.size()].about;
    result.verdict = verdict;
    result.detail = fmt::format("{}: {}", step_.empty() ? "start" : step_, reason);
    result.checks.push_back({"call", "fail", result.detail});
    Keep(result);
  }

  void Keep(CaseResult result) {
    // What the command line said for all cases.
    if (!options_.library.empty()) result.reproduce += " --library " + ShellQuoted(options_.library);
    if (options_.threads > 0) result.reproduce += fmt::format(" --threads {}", options_.threads);
    file_.cases.push_back(result);
    // The best that was seen during the run: one measurement at its start may meet a busy machine.
    MachineResult& machine = file_.machine;
    machine.bandwidth_gbytes = std::max(machine.bandwidth_gbytes, result.timing.bandwidth_gbytes);
    if (result.type != "double") machine.peak_gflops = std::max(machine.peak_gflops, result.timing.peak_gflops);
    display_.ShowResult(result);
    step_.clear();
  }

  void WriteReports() {
    // One that cannot be written must not cost the others.
    std::string problems;
    const auto write = [&](const char* what, const std::string& path, auto writer) {
      if (path.empty()) return;
      try {
        writer(file_, path);
        display_.ShowFile(what, path);
      } catch (const FileError& error) {
        problems += (problems.empty() ? "" : "; ") + std::string(error.what());
      }
    };
    write("results", options_.json, WriteJson);
    write("JUnit", options_.junit, WriteJunit);
    write("report", options_.report, WriteHtmlReport);
    if (!problems.empty()) throw FileError(problems);
  }

  int ExitCode() const {
    if (!file_.complete) return kExitInterrupted;
    int code = kExitPass;
    for (const CaseResult& result : file_.cases) {
      if (result.verdict == "error" && code == kExitPass) code = kExitUsage;
      if (result.verdict != "error" && result.verdict != "pass") code = kExitFail;
    }
    return code;
  }

  const std::vector<Recipe>& recipes_;
  const RunOptions& options_;
  Display display_;
  RunResultFile file_;
  std::string step_;
};

}  // namespace

int RunCases(const std::vector<Recipe>& recipes, const RunOptions& options, RunResultFile* results) {
  Run run(recipes, options);
  const int code = run.Go();
  if (results != nullptr) *results = run.file();
  return code;
}

}  // namespace detops_cli
