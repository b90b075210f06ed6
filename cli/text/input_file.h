// Files that the program reads. Only regular ones: a pipe or a device may have no end, or never give a byte.
#ifndef DETOPS_CLI_TEXT_INPUT_FILE_H_
#define DETOPS_CLI_TEXT_INPUT_FILE_H_

#include <cstdint>
#include <string>

namespace detops_cli {

// Throws UsageError if there is something else than a regular file; nothing at all is left to whoever opens it.
void RequireRegularFile(const std::string& path);

// The whole file. Throws FileError, also if it has more than `most` bytes: `limit` says in the text what they are.
std::string ReadInputFile(const std::string& path, uint64_t most, const std::string& limit);

}  // namespace detops_cli

#endif  // DETOPS_CLI_TEXT_INPUT_FILE_H_
