// What the case files of each operator look like: the tensors in their order and the message with the scalar arguments.
#ifndef DETOPS_CLI_CASE_FILE_SIGNATURE_H_
#define DETOPS_CLI_CASE_FILE_SIGNATURE_H_

#include <string>
#include <string_view>
#include <vector>

#include "case.h"
#include "case_file/case_node.h"

namespace detops_cli {

struct Signature {
  std::string_view op;
  std::vector<std::string> inputs, outputs;  // the C parameters' names, in the order of the file
  const char* param;                         // the field with the scalar arguments
  Params (*read)(const mluoptest::Node&);
};

// nullptr if there is none of that name.
const Signature* FindSignature(std::string_view op);

// The name of the operator that files call `op_name`, which may be an older or a shorter spelling. Other names come
// back as they are.
std::string CanonicalName(std::string_view op_name);

// Reads the scalar arguments. Throws FileError if they are missing, or if lists have the wrong length.
Params ReadParams(const CaseNode& file, const Signature& signature);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASE_FILE_SIGNATURE_H_
