#include "case_file/find_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "case_file/case_node.h"
#include "case_file/signature.h"
#include "cases/operator.h"
#include "text/errors.h"
#include "text/input_file.h"

namespace detops_cli {
namespace {

namespace fs = std::filesystem;

bool IsCaseName(const fs::path& file) { return file.extension() == ".prototxt" || file.extension() == ".pb"; }

bool MatchesGlob(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {  // the last star takes one character more
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool MatchesAny(std::string_view patterns, std::string_view text) {
  while (true) {
    const size_t colon = patterns.find(':');
    if (MatchesGlob(patterns.substr(0, colon), text)) return true;
    if (colon == std::string_view::npos) return false;
    patterns.remove_prefix(colon + 1);
  }
}

// Collects files in the order in which they are named, each once.
class Files {
 public:
  void AddFile(const fs::path& file) {
    RequireRegularFile(file.string());
    if (known_.insert(fs::weakly_canonical(file).string()).second) files_.push_back(file.string());
  }

  void AddFolder(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
      const bool invalid = entry.path().filename().string().find("invalid") != std::string::npos;
      if (entry.is_regular_file() && IsCaseName(entry.path()) && !invalid) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    for (const fs::path& file : found) AddFile(file);
  }

  void AddRoot(const fs::path& root) {
    if (!fs::is_directory(root)) throw UsageError(fmt::format("--cases_dir: there is no folder {}", root.string()));
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(root)) {
      const std::string name = CanonicalName(entry.path().filename().string());
      if (entry.is_directory() && FindOperator(name) != nullptr) folders.push_back(entry.path());
    }
    if (folders.empty()) {
      throw UsageError(fmt::format("--cases_dir: {} has no folder with the name of an operator", root.string()));
    }
    std::sort(folders.begin(), folders.end());
    for (const fs::path& folder : folders) AddFolder(folder);
  }

  void AddList(const fs::path& list) {
    RequireRegularFile(list.string());
    std::ifstream stream(list);
    if (!stream) throw UsageError(fmt::format("the list {} cannot be read", list.string()));
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
      line.resize(std::min(line.find('#'), line.size()));
      const size_t begin = line.find_first_not_of(" \t\r");
      if (begin == std::string::npos) continue;
      const fs::path path = list.parent_path() / line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
      if (fs::is_directory(path)) {
        AddFolder(path);
      } else if (fs::exists(path)) {
        AddFile(path);
      } else {
        throw FileError(fmt::format("{}:{}: there is no file {}", list.string(), number, path.string()));
      }
    }
  }

  // What it is can be seen.
  void AddAny(const fs::path& path) {
    if (!fs::exists(path)) throw UsageError(fmt::format("there is no file {}", path.string()));
    if (fs::is_directory(path)) {
      AddFolder(path);
    } else if (IsCaseName(path) || !PeekOperatorName(path.string()).empty()) {
      AddFile(path);
    } else {
      AddList(path);
    }
  }

  const std::vector<std::string>& files() const { return files_; }

 private:
  std::vector<std::string> files_;
  std::set<std::string> known_;
};

// `count` of them in their old order. Written out, since std::shuffle may differ between libraries.
void KeepRandom(std::vector<FoundCase>& cases, size_t count, uint64_t seed) {
  std::mt19937_64 engine(seed);
  while (cases.size() > count) cases.erase(cases.begin() + static_cast<ptrdiff_t>(engine() % cases.size()));
}

void MakeUnique(std::vector<FoundCase>& cases) {
  std::map<std::string, int> times;
  for (FoundCase& found : cases) {
    if (const int time = ++times[found.id]; time > 1) found.id += fmt::format("#{}", time);
  }
}

}  // namespace

bool MatchesFilter(std::string_view filter, std::string_view name) {
  const size_t dash = filter.find('-');
  const std::string_view wanted = filter.substr(0, dash);
  if (!wanted.empty() && !MatchesAny(wanted, name)) return false;
  return dash == std::string_view::npos || !MatchesAny(filter.substr(dash + 1), name);
}

std::vector<FoundCase> FindCaseFiles(const CaseSelection& selection) {
  Files files;
  for (const std::string& path : selection.paths) files.AddAny(path);
  if (!selection.case_path.empty()) {
    if (!fs::is_regular_file(selection.case_path)) {
      throw UsageError(fmt::format("--case_path: there is no file {}", selection.case_path));
    }
    files.AddFile(selection.case_path);
  }
  if (!selection.cases_list.empty()) files.AddList(selection.cases_list);
  if (!selection.cases_dir.empty()) files.AddRoot(selection.cases_dir);
  if (files.files().empty()) throw UsageError("there is no case file to run");

  std::vector<FoundCase> cases;
  for (const std::string& file : files.files()) {
    const std::string op = CanonicalName(PeekOperatorName(file));
    FoundCase found{file, fmt::format("{}/{}", op.empty() ? "unknown" : op, fs::path(file).stem().string())};
    if (MatchesFilter(selection.filter, found.id)) cases.push_back(std::move(found));
  }
  if (cases.empty()) {
    throw UsageError(
        fmt::format("none of {} case files matches the filter {}", files.files().size(), selection.filter));
  }
  if (selection.rand_n > 0) KeepRandom(cases, static_cast<size_t>(selection.rand_n), selection.seed);
  MakeUnique(cases);
  return cases;
}

}  // namespace detops_cli
