// What the process that judges tells the program, as lines of JSON.
#ifndef DETOPS_CLI_RUN_MESSAGE_H_
#define DETOPS_CLI_RUN_MESSAGE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "run/result.h"

namespace detops_cli {

struct Message {
  enum class Kind { kLibrary, kStep, kResult, kProblem } kind = Kind::kStep;
  std::string text{};       // kStep: what is being done; kProblem: why nothing can be judged
  LibraryResult library{};  // kLibrary: first of all
  MachineResult machine{};  // likewise
  int threads = 0;          // likewise
  CaseResult result{};      // kResult
};

// Texts that a library gives may be of any length: this much of each is kept, and no message is longer than that.
inline constexpr size_t kMostText = 4096, kMostMessageBytes = 1 << 20;
std::string ShortText(const char* text);
void ShortenTexts(CaseResult& result);

// One line with its end. `secret`: of the question that it answers.
std::string Encode(const Message& message, uint64_t secret);

// Throws an exception of std unless the line is the answer to that question.
Message Decode(std::string_view line, uint64_t secret);

// Throws nlohmann::json::exception, or std::length_error for what is nested deeper than results ever are: millions of
// brackets would take all memory.
nlohmann::json ParseJson(std::string_view text);

}  // namespace detops_cli

#endif  // DETOPS_CLI_RUN_MESSAGE_H_
