// What the terminal shows during a run: one line per case, and on a terminal a progress line below.
#ifndef DETOPS_CLI_RUN_DISPLAY_H_
#define DETOPS_CLI_RUN_DISPLAY_H_

#include <chrono>
#include <string>
#include <string_view>

#include "run/result.h"
#include "run/runner.h"

namespace detops_cli {

// Colours only on a terminal and without NO_COLOR.
class Style {
 public:
  Style();
  bool terminal() const { return terminal_; }
  std::string Good(std::string_view text) const { return Paint("32", text); }
  std::string Bad(std::string_view text) const { return Paint("1;31", text); }
  std::string Weak(std::string_view text) const { return Paint("2", text); }
  std::string Strong(std::string_view text) const { return Paint("1", text); }

 private:
  std::string Paint(std::string_view code, std::string_view text) const;
  bool terminal_, colours_;
};

class Display {
 public:
  Display(size_t cases, Table table, bool quiet);
  ~Display();
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  void ShowHeader(const LibraryResult& library, const MachineResult& machine, int threads);
  void ShowStep(const CaseResult& about, const std::string& step);
  void ShowResult(const CaseResult& raw);
  // Also when quiet, if something did not pass.
  void ShowSummary(const RunResultFile& run);
  void ShowFile(std::string_view what, const std::string& path);

 private:
  void ClearProgress();
  std::string AcceptLine(const CaseResult& result) const;
  std::string BenchLine(const CaseResult& result) const;

  const Style style_;
  const size_t cases_;
  const Table table_;
  const bool quiet_;
  size_t done_ = 0;
  bool progress_shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_progress_{};
};

}  // namespace detops_cli

#endif  // DETOPS_CLI_RUN_DISPLAY_H_
