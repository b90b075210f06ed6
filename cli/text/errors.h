// What can go wrong outside the library under test. main prints the text and ends with the right exit code.
#ifndef DETOPS_CLI_TEXT_ERRORS_H_
#define DETOPS_CLI_TEXT_ERRORS_H_

#include <stdexcept>

namespace detops_cli {

// Exit codes: 0 everything passed, 1 something failed, 2 wrong usage or a broken file, 130 interrupted (as shells count
// Ctrl-C).
inline constexpr int kExitPass = 0, kExitFail = 1, kExitUsage = 2, kExitInterrupted = 130;

// A mistake of the person who typed the command. One clear line.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that cannot be read: "file:line: reason".
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace detops_cli

#endif  // DETOPS_CLI_TEXT_ERRORS_H_
