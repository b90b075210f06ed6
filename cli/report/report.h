// The three files a run can write. Each is written under a temporary name next to its own and then renamed, so
// that a reader never meets half a file. All throw FileError with the system's reason if that fails.
#ifndef DETOPS_CLI_REPORT_REPORT_H_
#define DETOPS_CLI_REPORT_REPORT_H_

#include <string>

#include "run/result.h"

namespace detops_cli {

// Replaces numbers that JSON cannot hold, which it would write as null, by DBL_MAX or -DBL_MAX.
void MakeNumbersFinite(nlohmann::json& value);

// One page that needs nothing else: no network, no other file.
void WriteHtmlReport(const RunResultFile& run, const std::string& path);

// For build servers: a test suite per operator, a test case per case. "fail" and "missing" are failures, as they are
// for the exit code; "crashed", "timeout" and "error" are errors.
void WriteJunit(const RunResultFile& run, const std::string& path);

// RunResultFile, indented. Numbers that JSON cannot hold (NaN, infinity) become DBL_MAX, and bytes that are not UTF-8
// become U+FFFD.
void WriteJson(const RunResultFile& run, const std::string& path);

}  // namespace detops_cli

#endif  // DETOPS_CLI_REPORT_REPORT_H_
