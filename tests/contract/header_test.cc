// The public headers and the catalogue: "Checked in this order" says what the contracts say, clause by clause, and
// whatever is declared with a handle and a tensor has a contract.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "harness/catalogue.h"

namespace detops_test {
namespace {

std::string AllHeaders() {
  std::ostringstream text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(DETOPS_HEADERS)) {
    if (entry.path().extension() == ".h") text << std::ifstream(entry.path()).rdbuf();
  }
  return text.str();
}

// The comment before the declaration of the function, without its stars.
std::string CommentOf(const std::string& headers, const std::string& function) {
  const std::regex declaration("\\*/\\s*\\n[^;/]*\\b" + function + "\\(");
  std::smatch found;
  if (!std::regex_search(headers, found, declaration)) return "";
  const auto end = static_cast<size_t>(found.position());
  const size_t begin = headers.rfind("/*", end);
  return std::regex_replace(headers.substr(begin, end - begin), std::regex("\\n \\*"), "\n");
}

// "BAD_PARAM  clause; clause" per status, lines joined.
std::vector<std::string> OrderIn(const std::string& comment) {
  std::vector<std::string> lines;
  const size_t begin = comment.find("Checked in this order:\n");
  if (begin == std::string::npos) return lines;
  std::istringstream rest(comment.substr(comment.find('\n', begin) + 1));
  const std::regex first("^ ([A-Z_]+|success) +(.*[^ ]) *$"), next("^ {2,}([^ ].*[^ ]) *$");
  std::smatch match;
  for (std::string line; std::getline(rest, line);) {
    if (std::regex_match(line, match, next) && !lines.empty()) {
      lines.back() += " " + match[1].str();
    } else if (std::regex_match(line, match, first)) {
      lines.push_back(match[1].str() + "  " + match[2].str());
    } else {
      break;
    }
  }
  return lines;
}

TEST(Headers, OrderOfChecksIsThatOfTheContract) {
  const std::string headers = AllHeaders();
  for (const auto& function : detops_harness::WholeCatalogue().functions()) {
    SCOPED_TRACE(function->name());
    if (function->contract().documented_as() != function->name()) continue;
    EXPECT_EQ(OrderIn(CommentOf(headers, function->name())), function->contract().Order());
  }
}

// No function is forgotten: what is in the catalogue gets every property and every test of its contract.
TEST(Catalogue, HasEveryFunctionOfTheHeaders) {
  const std::regex comments("/\\*[^]*?\\*/");
  const std::regex declaration("mluOpStatus_t (?:MLUOP_WIN_API )?(\\w+)\\(([^)]*)\\);");
  int found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(DETOPS_HEADERS)) {
    if (entry.path().extension() != ".h") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string code = std::regex_replace(text.str(), comments, "");
    for (std::sregex_iterator at(code.begin(), code.end(), declaration), end; at != end; ++at) {
      const std::string name = (*at)[1], parameters = (*at)[2];
      if (parameters.find("mluOpHandle_t") == std::string::npos) continue;
      if (parameters.find("mluOpTensorDescriptor_t") == std::string::npos) continue;
      ++found;
      EXPECT_NE(detops_harness::WholeCatalogue().Find(name), nullptr)
          << name << " is not in the catalogue: src/ops/<room>/contract/, docs/adding_an_operator.md";
    }
  }
  EXPECT_GE(found, 30);
}

}  // namespace
}  // namespace detops_test
