#ifndef DETOPS_CLI_TEXT_SHELL_QUOTE_H_
#define DETOPS_CLI_TEXT_SHELL_QUOTE_H_

#include <string>

namespace detops_cli {

// The word as a shell reads it back.
std::string ShellQuoted(const std::string& word);

}  // namespace detops_cli

#endif  // DETOPS_CLI_TEXT_SHELL_QUOTE_H_
