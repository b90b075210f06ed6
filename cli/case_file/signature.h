// The message of a case file with the arguments that are no tensors, and the names that files have for operators.
#ifndef DETOPS_CLI_CASE_FILE_SIGNATURE_H_
#define DETOPS_CLI_CASE_FILE_SIGNATURE_H_

#include <string>
#include <string_view>

#include "case_file/case_node.h"
#include "cases/case.h"
#include "cases/operator.h"

namespace detops_cli {

// The name of the operator that files call `op_name`, which may be an older or a shorter spelling. Other names come
// back as they are.
std::string CanonicalName(std::string_view op_name);

// Reads the arguments that are no tensors. Throws FileError if they are missing, or if lists have the wrong length.
Params ReadParams(const CaseNode& file, const Operator& op);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASE_FILE_SIGNATURE_H_
