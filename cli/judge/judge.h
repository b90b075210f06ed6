// One case on the library under test: everything that is asked of it.
#ifndef DETOPS_CLI_JUDGE_JUDGE_H_
#define DETOPS_CLI_JUDGE_JUDGE_H_

#include <functional>
#include <string>

#include "library/library.h"
#include "run/runner.h"

namespace detops_cli {

// Hears what is being done, as "bad input: points is 3".
using StepListener = std::function<void(const std::string&)>;

// The first step, in which a file is read: what goes wrong there is no fault of the library.
inline constexpr char kMakingInputs[] = "making the inputs";

CaseResult JudgeCase(const Library& library, const Recipe& recipe, const RunOptions& options, const StepListener& step);

}  // namespace detops_cli

#endif  // DETOPS_CLI_JUDGE_JUDGE_H_
