#include "run/display.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "run/interrupts.h"
#include "text/terminal_text.h"

namespace detops_cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kAcceptRow[] = "{:<39}{:<9}{:<46}{:<15}{:>11} {:>8}  {}";
constexpr char kBenchRow[] = "{:<39}{:<9}{:<46}{:>7} {:>11} {:>11} {:>11} {:>11} {:>7} {:>11} {:>8} {:>8} {:>6}  {}";

// The error that uses up most of its threshold, as "5.3e-08 of 1e-05"; "exact" if all are 0.
std::string WorstError(const CaseResult& result) {
  const CriterionResult* worst = nullptr;
  double largest = -1;
  for (const OutputResult& output : result.outputs) {
    for (const CriterionResult& criterion : output.criteria) {
      if (criterion.formula == "diff4") continue;
      const double share = criterion.threshold > 0 ? criterion.error / criterion.threshold : criterion.error * 1e300;
      if (share <= largest) continue;
      largest = share;
      worst = &criterion;
    }
  }
  if (worst == nullptr) return "";
  if (worst->error == 0) return "exact";
  return fmt::format("{} {:.1e}", worst->formula, worst->error);
}

std::string Duration(double seconds) {
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

size_t TerminalWidth() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 100;
}

std::string Cut(const std::string& text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

// A reader that has gone, as of "detops accept | head", must not cost the reports: main asks stdout at the end. One
// that does not read keeps the program waiting until a signal comes, and then no longer.
void Write(const std::string& text) {
  static bool stuck = false;
  if (stuck) return;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  stuck = !written && Interrupted();
}

void Line(const std::string& text) { Write(text + "\n"); }

// Fields with texts from outside, as a terminal may show them.
CaseResult Harmless(CaseResult result) {
  for (std::string* text : {&result.id, &result.op, &result.type, &result.shape, &result.verdict, &result.detail,
                            &result.timing.target, &result.timing.algorithm}) {
    *text = TerminalText(*text);
  }
  return result;
}

}  // namespace

Style::Style() : terminal_(isatty(STDOUT_FILENO) != 0) {
  const char* const no_colour = secure_getenv("NO_COLOR");
  colours_ = terminal_ && (no_colour == nullptr || *no_colour == '\0');
}

std::string Style::Paint(std::string_view code, std::string_view text) const {
  return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

Display::Display(size_t cases, Table table, bool quiet) : cases_(cases), table_(table), quiet_(quiet) {}

Display::~Display() { ClearProgress(); }

void Display::ClearProgress() {
  if (!progress_shown_) return;
  Write("\r\x1b[K");
  progress_shown_ = false;
}

void Display::ShowHeader(const LibraryResult& library, const MachineResult& machine, int threads) {
  if (quiet_) return;
  std::string text = library.name;
  if (!library.version.empty()) text += ", detops " + library.version;
  if (!library.contract.empty()) text += ", contract " + library.contract;
  if (!library.target.empty()) text += fmt::format(", {} of {}", library.target, library.targets);
  Line(TerminalText(text));
  text = fmt::format("{}, {} core{}, {} thread{}", machine.cpu, machine.cores, machine.cores == 1 ? "" : "s", threads,
                     threads == 1 ? "" : "s");
  if (machine.bandwidth_gbytes > 0) {
    text += fmt::format(", {:.0f} GB/s, {:.0f} GFLOP/s", machine.bandwidth_gbytes, machine.peak_gflops);
  }
  Line(text);
  if (!library.missing.empty()) {
    std::string names;
    for (const std::string& name : library.missing) names += (names.empty() ? "" : ", ") + name;
    Line(style_.Weak("the library lacks: " + names));
  }
  Line("");
  const std::string head =
      table_ == Table::kAccept
          ? fmt::format(kAcceptRow, "operator", "type", "shape", "worst error", "best us", "x bound", "verdict")
          : fmt::format(kBenchRow, "operator", "type", "shape", "threads", "best us", "median us", "p99 us", "p99.9 us",
                        "spread", "bound us", "x bound", "GFLOP/s", "GB/s", "target");
  Line(style_.Strong(head));
}

void Display::ShowStep(const CaseResult& about, const std::string& step) {
  const Clock::time_point now = Clock::now();
  // Not more often than eyes can follow.
  if (quiet_ || !style_.terminal() || now - last_progress_ < std::chrono::milliseconds(100)) return;
  last_progress_ = now;
  const double spent = std::chrono::duration<double>(now - start_).count();
  std::string left;
  if (done_ > 0)
    left = ", " + Duration(spent / static_cast<double>(done_) * static_cast<double>(cases_ - done_)) + " left";
  constexpr size_t kBar = 20;
  const size_t filled = cases_ == 0 ? kBar : kBar * done_ / cases_;
  const std::string bar = std::string(filled, '#') + std::string(kBar - filled, '.');
  const std::string text = TerminalText(
      fmt::format("[{}] {}/{}{}  {} {} {}: {}", bar, done_, cases_, left, about.op, about.type, about.shape, step));
  Write("\r\x1b[K" + Cut(text, TerminalWidth() - 1));
  progress_shown_ = true;
}

void Display::ShowResult(const CaseResult& raw) {
  ++done_;
  ClearProgress();
  if (quiet_) return;
  const CaseResult result = Harmless(raw);
  Line(table_ == Table::kBench && result.timed ? BenchLine(result) : AcceptLine(result));
  if (result.verdict != "pass" && !result.detail.empty()) Line("    " + result.detail);
  if (table_ == Table::kBench && !result.timing.algorithm.empty()) Line(style_.Weak("    " + result.timing.algorithm));
}

std::string Display::AcceptLine(const CaseResult& result) const {
  const std::string time = result.timed ? fmt::format("{:.1f}", result.timing.best_us) : "";
  const std::string ratio = result.timed ? fmt::format("{:.2f}", result.timing.ratio) : "";
  return fmt::format(kAcceptRow, result.op, result.type, Cut(result.shape, 45), WorstError(result), time, ratio,
                     result.verdict == "pass" ? style_.Good("pass") : style_.Bad(result.verdict));
}

std::string Display::BenchLine(const CaseResult& result) const {
  const TimingResult& t = result.timing;
  const auto percentile = [](double time) { return time > 0 ? fmt::format("{:.1f}", time) : ""; };
  return fmt::format(kBenchRow, result.op, result.type, Cut(result.shape, 45), t.threads,
                     fmt::format("{:.1f}", t.best_us), fmt::format("{:.1f}", t.median_us), percentile(t.p99_us),
                     percentile(t.p999_us), fmt::format("{:.0f} %", 100 * t.spread), fmt::format("{:.1f}", t.bound_us),
                     fmt::format("{:.2f}", t.ratio), fmt::format("{:.1f}", t.gflops), fmt::format("{:.1f}", t.gbytes),
                     t.target);
}

void Display::ShowSummary(const RunResultFile& run) {
  ClearProgress();
  std::map<std::string, std::pair<int, int>> operators;  // passed, all
  int passed = 0;
  for (const CaseResult& result : run.cases) {
    auto& [good, all] = operators[result.op];
    ++all;
    if (result.verdict != "pass") continue;
    ++good;
    ++passed;
  }
  const auto cases = static_cast<int>(run.cases.size());
  const bool all_passed = passed == cases && run.complete;
  if (quiet_ && all_passed) return;
  if (!quiet_) {
    Line("");
    for (const auto& [name, counts] : operators) {
      const std::string text =
          fmt::format("{:<39}{:>4} of {:>3} passed", TerminalText(name), counts.first, counts.second);
      Line(counts.first == counts.second ? text : style_.Bad(text));
    }
    Line("");
  }
  if (!run.complete) Line(style_.Bad("Interrupted: some cases have not run."));
  const std::string text = fmt::format("{} of {} cases passed in {}.", passed, cases, Duration(run.seconds));
  Line(all_passed ? style_.Good(text) : style_.Bad(text));
  if (!quiet_) return;
  for (const CaseResult& raw : run.cases) {
    if (raw.verdict == "pass") continue;
    const CaseResult result = Harmless(raw);
    Line(fmt::format("{} {}: {}", result.verdict, result.id, result.detail));
  }
}

void Display::ShowFile(std::string_view what, const std::string& path) {
  if (!quiet_) Line(fmt::format("{}: {}", what, TerminalText(path)));
}

}  // namespace detops_cli
