#include "report/report.h"

#include <cfloat>
#include <cmath>

#include "report/page.h"
#include "report/replace_file.h"

namespace detops_cli {

void MakeNumbersFinite(nlohmann::json& value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (!std::isfinite(number)) value = number < 0 ? -DBL_MAX : DBL_MAX;
  } else if (value.is_structured()) {
    for (nlohmann::json& element : value) MakeNumbersFinite(element);
  }
}

namespace {

// indent -1: one line.
std::string Text(const RunResultFile& run, int indent) {
  nlohmann::json value = run;
  MakeNumbersFinite(value);
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

// JSON that may stand inside <script>: no text in it can end the element or open a comment.
std::string ForHtml(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char character : json) {
    switch (character) {
      case '<':
        safe += "\\u003c";
        break;
      case '>':
        safe += "\\u003e";
        break;
      case '&':
        safe += "\\u0026";
        break;
      default:
        safe += character;
    }
  }
  return safe;
}

}  // namespace

void WriteJson(const RunResultFile& run, const std::string& path) { ReplaceFile(path, Text(run, 2) + "\n"); }

void WriteHtmlReport(const RunResultFile& run, const std::string& path) {
  std::string page(kPageBeforeRun);
  page += ForHtml(Text(run, -1));
  page += kPageAfterRun;
  ReplaceFile(path, page);
}

}  // namespace detops_cli
