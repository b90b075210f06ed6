// The suites as tables.
#ifndef DETOPS_CLI_CASES_SUITE_TABLES_H_
#define DETOPS_CLI_CASES_SUITE_TABLES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace detops_cli {

enum class Types { kFloat, kContract, kAll };

// A document's own thresholds for diff1 and diff2; 0: what the library promises.
struct Bars {
  double single = 0, half = 0;
  bool diff4 = false;
};

struct SuiteRow {
  std::vector<std::string_view> operators;
  std::string_view name;    // of the case, unique per operator; without "-", which filters give a meaning
  std::string_view source;  // where the shape stands
  std::string shape;        // of Shape
  Types types = Types::kContract;
  Bars bars{};
  bool full_profile = false;  // what the contract refuses
};

// Throws UsageError for an unknown name.
std::span<const SuiteRow> SuiteTable(const std::string& suite);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASES_SUITE_TABLES_H_
