// The cases that come with the program.
#ifndef DETOPS_CLI_CASES_SUITES_H_
#define DETOPS_CLI_CASES_SUITES_H_

#include <string>
#include <vector>

#include "cases/operator.h"
#include "run/runner.h"

namespace detops_cli {

// "smoke", "documents", "large"
std::vector<std::string> SuiteNames();

// All cases of a suite, in the order of the documents. Throws UsageError for other names.
std::vector<Recipe> MakeSuite(const std::string& name);

// A free shape; keys that it lacks have the operator's own values. Throws UsageError for keys the operator has not.
Recipe MakeFreeCase(const Operator& op, const Shape& shape, mluOpDataType_t type);

// Operators by name; * and ? match anything. Throws UsageError for a name that matches none.
std::vector<const Operator*> FindOperators(const std::vector<std::string>& names);

// The types that a suite of everything uses: those of the contract, then those that only the full profile has.
std::vector<mluOpDataType_t> AllTypes(const Operator& op);

// Takes "float", "half" ...; throws UsageError.
mluOpDataType_t ParseType(const std::string& name);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASES_SUITES_H_
