#include "run/runner.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <optional>
#include <utility>

#include "judge/judge.h"
#include "report/report.h"
#include "run/display.h"
#include "run/interrupts.h"
#include "run/worker.h"
#include "text/errors.h"
#include "text/shell_quote.h"
#include "text/terminal_text.h"

namespace detops_cli {
namespace {

class Run {
 public:
  Run(const std::vector<Recipe>& recipes, const RunOptions& options)
      : recipes_(recipes), options_(options), display_(recipes.size(), options.table, options.quiet) {
    file_.command = options.command;
    file_.suite = options.suite;
    file_.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  }

  int Go() {
    if (options_.in_process) {
      const InterruptWatch watch([this] {
        // Without the lock too: whoever has it may wait for a terminal.
        const bool locked = mutex_.try_lock_for(std::chrono::seconds(1));
        (void)locked;
        file_.complete = false;
        try {
          Finish();
        } catch (const FileError& error) {
          std::fputs(("detops: " + TerminalText(error.what()) + "\n").c_str(), stderr);
        }
        std::_Exit(kExitInterrupted);
      });
      JudgeAll(
          recipes_, options_,
          [this] { return file_.cases.size() < recipes_.size() ? std::optional(file_.cases.size()) : std::nullopt; },
          [this](const Message& message) {
            const std::lock_guard lock(mutex_);
            OnMessage(message);
          });
    } else {
      CatchInterrupts();
      while (file_.cases.size() < recipes_.size() && file_.complete) RunWorker();
    }
    Finish();
    return ExitCode();
  }

  const RunResultFile& file() const { return file_; }

 private:
  // One child, until it ends: after the last case, or because of the library under test.
  void RunWorker() {
    Worker worker(recipes_, options_);
    for (;;) {
      Message message;
      switch (worker.Next(options_.timeout_seconds, &message)) {
        case Worker::Event::kMessage:
          OnMessage(message);
          if (message.kind == Message::Kind::kStep) break;
          if (message.kind == Message::Kind::kProblem || file_.cases.size() == recipes_.size()) return;
          worker.Ask(file_.cases.size());
          break;
        case Worker::Event::kInterrupted:
          file_.complete = false;
          return;
        case Worker::Event::kTimeout:
          return RecordLoss("timeout", fmt::format("no sign of life for {:g} s", options_.timeout_seconds));
        case Worker::Event::kGarbage:
          return RecordLoss("crashed", "the library has written into the pipe to this program");
        case Worker::Event::kEnd:
          return RecordLoss("crashed", worker.ExitReason());
      }
    }
  }

  void OnMessage(const Message& message) {
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
        Record(message.result);
        break;
      case Message::Kind::kProblem:
        // What has been judged must not be lost because the library cannot be loaded a second time.
        if (file_.library.path.empty()) throw UsageError(message.text);
        RecordLoss("crashed", message.text);
        break;
    }
  }

  // The case in work took the worker with it.
  void RecordLoss(const char* verdict, const std::string& reason) {
    CaseResult result = recipes_[file_.cases.size()].about;
    result.detail = fmt::format("{}: {}", step_.empty() ? "start" : step_, reason);
    if (step_ == kMakingInputs) {
      result.verdict = "error";
    } else {
      result.verdict = verdict;
      result.checks.push_back({"call", "fail", result.detail});
    }
    Record(result);
  }

  void Record(CaseResult result) {
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

  // The reports come first: a terminal may be stuck.
  void Finish() {
    file_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    // One that cannot be written must not cost the others.
    std::string problems;
    std::vector<std::pair<const char*, std::string>> written;
    const auto write = [&](const char* what, const std::string& path, auto writer) {
      if (path.empty()) return;
      try {
        writer(file_, path);
        written.emplace_back(what, path);
      } catch (const FileError& error) {
        problems += (problems.empty() ? "" : "; ") + std::string(error.what());
      }
    };
    write("results", options_.json, WriteJson);
    write("JUnit", options_.junit, WriteJunit);
    write("report", options_.report, WriteHtmlReport);
    display_.ShowSummary(file_);
    for (const auto& [what, path] : written) display_.ShowFile(what, path);
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
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::timed_mutex mutex_;  // without a child: guards what follows, which a signal's thread reads
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
