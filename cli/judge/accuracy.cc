#include "judge/accuracy.h"

#include <fmt/format.h>

#include <cfloat>
#include <cmath>

#include "support/diff.h"
#include "support/element.h"
#include "support/tolerance.h"

namespace detops_cli {
namespace {

// Below this the evaluator takes absolute instead of relative errors.
double SmallValue(mluOpDataType_t type) {
  if (type == MLUOP_DTYPE_HALF) return 1e-4;
  return type == MLUOP_DTYPE_FLOAT ? 1e-6 : 0;
}

// The divergence of the two as distributions, both ways; -1 below 1000 elements.
double DiffKl(const std::vector<double>& evaluated, const std::vector<double>& baseline) {
  constexpr size_t kFewest = 1000;
  constexpr double kFloor = 1e-10;
  if (evaluated.size() != baseline.size()) return DBL_MAX;
  if (evaluated.size() < kFewest) return -1;
  double divergence = 0;
  if (detops_test::FirstClassMismatch(evaluated, baseline) >= 0) return DBL_MAX;
  for (size_t i = 0; i < evaluated.size(); ++i) {
    if (!std::isfinite(baseline[i])) continue;
    const double e = std::max(std::fabs(evaluated[i]), kFloor), b = std::max(std::fabs(baseline[i]), kFloor);
    divergence += (e - b) * std::log(e / b);
  }
  return std::fabs(divergence) / 2;
}

double ErrorOf(Formula formula, mluOpDataType_t type, const std::vector<double>& e, const std::vector<double>& b) {
  switch (formula) {
    case Formula::kDiff1:
      return detops_test::Diff1(e, b);
    case Formula::kDiff2:
      return detops_test::Diff2(e, b);
    case Formula::kDiff3:
      return detops_test::Diff3Max(e, b, SmallValue(type));
    case Formula::kDiff3_2:
      return detops_test::LargestError(e, b);
    case Formula::kDiff4:
      return detops_test::Diff4(e, b);
    default:
      return DiffKl(e, b);
  }
}

bool Passes(const Criterion& criterion, double error) {
  if (criterion.formula == Formula::kDiff4) return criterion.threshold < 0 || detops_test::IsUnbiased(error);
  if (criterion.formula == Formula::kDiffKl && error == -1) return true;
  return error >= 0 && error <= criterion.threshold;  // false for NaN
}

}  // namespace

std::string_view FormulaName(Formula formula) {
  switch (formula) {
    case Formula::kDiff1:
      return "diff1";
    case Formula::kDiff2:
      return "diff2";
    case Formula::kDiff3:
      return "diff3";
    case Formula::kDiff3_2:
      return "diff3_2";
    case Formula::kDiff4:
      return "diff4";
    default:
      return "diff_kl";
  }
}

std::string TypeName(mluOpDataType_t type) { return detops_test::ElementName(type); }

OutputResult JudgeOutput(const HostTensor& output, const std::vector<double>& evaluated,
                         const std::vector<double>& baseline, const std::vector<Criterion>& criteria) {
  OutputResult result = {output.name, TypeName(output.type), output.elements(), {}};
  for (const Criterion& criterion : criteria) {
    double error = ErrorOf(criterion.formula, output.type, evaluated, baseline);
    const bool pass = Passes(criterion, error);
    if (!std::isfinite(error)) error = DBL_MAX;  // JSON has no infinity
    result.criteria.push_back({std::string(FormulaName(criterion.formula)), error, criterion.threshold, pass});
  }
  return result;
}

std::string WhyWrong(const OutputResult& result, const std::vector<double>& evaluated,
                     const std::vector<double>& baseline) {
  for (const CriterionResult& criterion : result.criteria) {
    if (criterion.pass) continue;
    if (evaluated.size() != baseline.size()) {
      return fmt::format("{}: {} elements, expected {}", result.name, evaluated.size(), baseline.size());
    }
    size_t worst = 0;
    double largest = -1;
    for (size_t i = 0; i < evaluated.size(); ++i) {
      const double error = std::fabs(evaluated[i] - baseline[i]);
      const bool same = evaluated[i] == baseline[i] || (std::isnan(evaluated[i]) && std::isnan(baseline[i]));
      if (!same && !(error <= largest)) {
        largest = std::isnan(error) ? DBL_MAX : error;
        worst = i;
        if (largest == DBL_MAX) break;
      }
    }
    const std::string what =
        criterion.formula == "diff4"
            ? fmt::format("all errors have the same sign (diff4 is {:g})", criterion.error)
            : fmt::format("{} is {:.3g}, allowed {:.3g}", criterion.formula, criterion.error, criterion.threshold);
    return fmt::format("{}: {}; element {} is {:.9g}, expected {:.9g}", result.name, what, worst, evaluated[worst],
                       baseline[worst]);
  }
  return "";
}

}  // namespace detops_cli
