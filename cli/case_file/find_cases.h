// Which case files a command means: files, folders, lists, filters and random choices.
#ifndef DETOPS_CLI_CASE_FILE_FIND_CASES_H_
#define DETOPS_CLI_CASE_FILE_FIND_CASES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace detops_cli {

struct CaseSelection {
  std::vector<std::string> paths{};  // case files, folders with case files, lists of these
  std::string cases_dir{};           // a folder with one folder per operator; folders of other names are left alone
  std::string cases_list{};
  std::string case_path{};
  std::string filter = "*";  // see MatchesFilter
  int rand_n = 0;            // > 0: so many of them, chosen at random
  uint64_t seed = 23;        // of that choice
};

struct FoundCase {
  std::string file;
  std::string id;  // "<operator>/<file name without extension>", made unique by "#2", "#3" ...
};

// Files in folders are found at any depth and come in the order of their paths; there, files with "invalid" in their
// name are skipped. Each file comes once. Lists have one path per line, seen from the list's folder; "#" begins a
// comment. Throws UsageError if a path is not there or nothing is found, FileError for a line of a list.
std::vector<FoundCase> FindCaseFiles(const CaseSelection& selection);

// GoogleTest's filters: patterns with "*" and "?", separated by ":"; after a "-", patterns of what is left out.
bool MatchesFilter(std::string_view filter, std::string_view name);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASE_FILE_FIND_CASES_H_
