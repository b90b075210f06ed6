// A round of calls that a library must refuse, without touching an output and without harm to later calls.
#ifndef DETOPS_CLI_JUDGE_BAD_INPUT_H_
#define DETOPS_CLI_JUDGE_BAD_INPUT_H_

#include <functional>
#include <string>

#include "library/session.h"
#include "run/result.h"

namespace detops_cli {

// `documented_only`: leaves out what only detops promises. `before` hears of each call before it is made, so that a
// crash has a name. The inputs are as before afterwards.
// `good`: the outputs of a good call, which one afterwards must give again.
CheckResult CheckBadInput(Session& session, const std::vector<std::vector<std::byte>>& good, bool documented_only,
                          const std::function<void(const std::string&)>& before);

}  // namespace detops_cli

#endif  // DETOPS_CLI_JUDGE_BAD_INPUT_H_
