#ifndef DETOPS_CLI_REPORT_REPLACE_FILE_H_
#define DETOPS_CLI_REPORT_REPLACE_FILE_H_

#include <string>
#include <string_view>

namespace detops_cli {

// Gives the file `path` this content in one step: it has the old content or all of the new one. Pipes and devices, as
// /dev/stdout, are written directly. Throws FileError.
void ReplaceFile(const std::string& path, std::string_view content);

}  // namespace detops_cli

#endif  // DETOPS_CLI_REPORT_REPLACE_FILE_H_
