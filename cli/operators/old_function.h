// Operators for which the catalogue lacks what the program needs, as functions of it.
#ifndef DETOPS_CLI_OPERATORS_OLD_FUNCTION_H_
#define DETOPS_CLI_OPERATORS_OLD_FUNCTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "operator.h"

namespace detops_cli {

// nullptr if there is none of that name. The names of tensors are in the order of cases.
const detops_harness::Function* FindOldFunction(std::string_view name, const std::vector<std::string>& inputs,
                                                const std::vector<std::string>& outputs);

// Calls that a function without a contract must refuse. Empty for functions of the catalogue.
std::vector<BadCall> OldBadCalls(const detops_harness::Call& good);

}  // namespace detops_cli

#endif  // DETOPS_CLI_OPERATORS_OLD_FUNCTION_H_
