// Case files: one call of an operator in a protobuf message, as text or binary. case_file.proto describes the format.
#ifndef DETOPS_CLI_CASE_FILE_CASE_FILE_H_
#define DETOPS_CLI_CASE_FILE_CASE_FILE_H_

#include <string>

#include "cases/case.h"

namespace detops_cli {

// The case with all its data. Throws FileError "file:line: reason".
Case LoadCaseFile(const std::string& file);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASE_FILE_CASE_FILE_H_
