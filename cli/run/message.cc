#include "run/message.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "report/report.h"

namespace detops_cli {

using nlohmann::json;

nlohmann::json ParseJson(std::string_view text) {
  constexpr int kMostNested = 32;
  return json::parse(text, [](int depth, json::parse_event_t, json&) {
    if (depth > kMostNested) throw std::length_error("it is nested too deep");
    return true;
  });
}

std::string Encode(const Message& message, uint64_t secret) {
  json line = {{"kind", static_cast<int>(message.kind)}, {"secret", secret}, {"text", message.text}};
  if (message.kind == Message::Kind::kLibrary) {
    line["library"] = message.library;
    line["machine"] = message.machine;
    line["threads"] = message.threads;
  }
  if (message.kind == Message::Kind::kResult) line["result"] = message.result;
  MakeNumbersFinite(line);
  // Texts of a library may hold bytes that are no UTF-8.
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Message Decode(std::string_view text, uint64_t secret) {
  const json line = ParseJson(text);
  if (line.at("secret").get<uint64_t>() != secret) throw std::invalid_argument("nobody has asked for this");
  Message message;
  const int kind = line.at("kind").get<int>();
  if (kind < 0 || kind > static_cast<int>(Message::Kind::kProblem)) throw std::invalid_argument("no such message");
  message.kind = static_cast<Message::Kind>(kind);
  message.text = line.at("text").get<std::string>();
  if (message.kind == Message::Kind::kLibrary) {
    message.library = line.at("library").get<LibraryResult>();
    message.machine = line.at("machine").get<MachineResult>();
    message.threads = line.at("threads").get<int>();
  }
  if (message.kind == Message::Kind::kResult) message.result = line.at("result").get<CaseResult>();
  return message;
}

std::string ShortText(const char* text) {
  if (text == nullptr) return "";
  return {text, strnlen(text, kMostText)};
}

void ShortenTexts(CaseResult& result) {
  const auto shorten = [](std::string& text) { text.resize(std::min(text.size(), kMostText)); };
  shorten(result.detail);
  for (CheckResult& check : result.checks) shorten(check.detail);
  shorten(result.timing.target);
  shorten(result.timing.algorithm);
}

}  // namespace detops_cli
