// What the values of options are checked with.
#ifndef DETOPS_CLI_COMMANDS_OPTION_CHECKS_H_
#define DETOPS_CLI_COMMANDS_OPTION_CHECKS_H_

#include <CLI/CLI.hpp>

namespace detops_cli {

// Far beyond what makes sense, and far from what overflows.
inline constexpr double kMostThreads = 65'536, kMostCalls = 10'000'000, kMostCases = 1'000'000'000;
inline constexpr double kLeastSeconds = 0.001, kMostSeconds = 1e7;

// A number of this range. CLI11's own checks let NaN pass: it is neither too small nor too large.
CLI::Validator NumberFrom(double least, double most);

// A number of 64 bits without a sign.
CLI::Validator WholeNumber();

// Not a pipe or a device, which opening might wait for. That nothing is there the loader says.
CLI::Validator NoPipe();

}  // namespace detops_cli

#endif  // DETOPS_CLI_COMMANDS_OPTION_CHECKS_H_
