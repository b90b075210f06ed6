#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/replace_file.h"
#include "report/report.h"

namespace detops_cli {
namespace {

// XML has no way to write most control characters, nor U+FFFE and U+FFFF.
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The same text, with U+FFFD for bytes that are not UTF-8.
std::string ValidUtf8(const std::string& text) {
  const std::string quoted = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return nlohmann::json::parse(quoted).get<std::string>();
}

// For attributes and for text: white space other than blanks is written as a reference, which parsers keep.
std::string Escape(const std::string& raw) {
  const std::string text = ValidUtf8(raw);
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (text.compare(i, 3, "\xEF\xBF\xBE") == 0 || text.compare(i, 3, "\xEF\xBF\xBF") == 0) {
      escaped += kReplacement;
      i += 2;
    } else if (byte == '&') {
      escaped += "&amp;";
    } else if (byte == '<') {
      escaped += "&lt;";
    } else if (byte == '>') {
      escaped += "&gt;";
    } else if (byte == '"') {
      escaped += "&quot;";
    } else if (byte == '\t' || byte == '\n' || byte == '\r') {
      escaped += fmt::format("&#{};", byte);
    } else if (byte < 0x20) {
      escaped += kReplacement;
    } else {
      escaped += text[i];
    }
  }
  return escaped;
}

// The element that a verdict becomes; "" for none.
std::string_view Element(const std::string& verdict) {
  if (verdict == "pass") return "";
  if (verdict == "skipped") return "skipped";
  if (verdict == "fail" || verdict == "missing") return "failure";
  return "error";
}

std::string CaseText(const CaseResult& result) {
  std::string text = fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.6f}\"", Escape(result.id),
                                 Escape(result.op), result.seconds);
  const std::string_view element = Element(result.verdict);
  if (element.empty()) return text + "/>\n";
  text += fmt::format(">\n      <{} message=\"{}\"", element, Escape(result.detail));
  // Only failures and errors have a type and a text in the usual schema.
  if (element == "skipped") return text + "/>\n    </testcase>\n";
  text += fmt::format(" type=\"{}\">", Escape(result.verdict));
  for (const CheckResult& check : result.checks) {
    if (check.verdict == "fail") text += Escape(check.name + ": " + check.detail) + "\n";
  }
  if (!result.reproduce.empty()) text += Escape("Reproduce: " + result.reproduce);
  return text + fmt::format("</{}>\n    </testcase>\n", element);
}

struct Counts {
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void Add(const CaseResult& result) {
    const std::string_view element = Element(result.verdict);
    ++tests;
    failures += element == "failure";
    errors += element == "error";
    skipped += element == "skipped";
    seconds += result.seconds;
  }
  std::string Attributes(double time) const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.6f}\"", tests, failures,
                       errors, skipped, time);
  }
};

struct Suite {
  std::string op;
  Counts counts;
  std::string cases;
};

}  // namespace

void WriteJunit(const RunResultFile& run, const std::string& path) {
  Counts all;
  std::vector<Suite> suites;  // in the order of first appearance
  for (const CaseResult& result : run.cases) {
    auto suite = std::find_if(suites.begin(), suites.end(), [&](const Suite& one) { return one.op == result.op; });
    if (suite == suites.end()) {
      suites.push_back({result.op, {}, {}});
      suite = std::prev(suites.end());
    }
    all.Add(result);
    suite->counts.Add(result);
    suite->cases += CaseText(result);
  }
  // The schema's dates have no zone.
  const std::string started = run.started.ends_with('Z') ? run.started.substr(0, run.started.size() - 1) : run.started;
  const std::string timestamp = started.empty() ? "" : fmt::format(" timestamp=\"{}\"", Escape(started));

  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += fmt::format("<testsuites name=\"detops {}\" {}>\n", Escape(run.suite), all.Attributes(run.seconds));
  for (const Suite& suite : suites) {
    text += fmt::format("  <testsuite name=\"{}\" {}{}>\n{}  </testsuite>\n", Escape(suite.op),
                        suite.counts.Attributes(suite.counts.seconds), timestamp, suite.cases);
  }
  text += "</testsuites>\n";
  ReplaceFile(path, text);
}

}  // namespace detops_cli
