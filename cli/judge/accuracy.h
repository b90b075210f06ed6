// Results against baselines by the formulas of the accuracy standard.
#ifndef DETOPS_CLI_JUDGE_ACCURACY_H_
#define DETOPS_CLI_JUDGE_ACCURACY_H_

#include <string>
#include <string_view>
#include <vector>

#include "cases/case.h"
#include "run/result.h"

namespace detops_cli {

// "diff1" ... as reports write it.
std::string_view FormulaName(Formula formula);

// "float", "int32" ...
std::string TypeName(mluOpDataType_t type);

// Judges one output. Finite elements are always compared; where either side is NaN or infinite the other must be the
// same.
OutputResult JudgeOutput(const HostTensor& output, const std::vector<double>& evaluated,
                         const std::vector<double>& baseline, const std::vector<Criterion>& criteria);

// "" if all criteria hold; otherwise which does not, and where the results differ most.
std::string WhyWrong(const OutputResult& result, const std::vector<double>& evaluated,
                     const std::vector<double>& baseline);

}  // namespace detops_cli

#endif  // DETOPS_CLI_JUDGE_ACCURACY_H_
