// Texts from outside (names of files, what a library says of itself) before they go to a terminal.
#ifndef DETOPS_CLI_TEXT_TERMINAL_TEXT_H_
#define DETOPS_CLI_TEXT_TERMINAL_TEXT_H_

#include <string>
#include <string_view>

namespace detops_cli {

// The text on one line, with "\x1b" and the like for what a terminal would obey instead of showing it: control
// characters, those that turn the direction of writing, and bytes that are no UTF-8.
std::string TerminalText(std::string_view text);

}  // namespace detops_cli

#endif  // DETOPS_CLI_TEXT_TERMINAL_TEXT_H_
