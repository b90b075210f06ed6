#include "commands/option_checks.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <filesystem>

namespace detops_cli {
namespace {

template <typename Number>
bool Parse(const std::string& text, Number* number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end;
}

}  // namespace

CLI::Validator NumberFrom(double least, double most) {
  return CLI::Validator(
      [least, most](const std::string& text) {
        double number = 0;
        if (Parse(text, &number) && number >= least && number <= most) return std::string();
        return fmt::format("{} is not a number from {} to {}", text, least, most);
      },
      "");
}

CLI::Validator WholeNumber() {
  return CLI::Validator(
      [](const std::string& text) {
        uint64_t number = 0;
        return Parse(text, &number) ? std::string() : fmt::format("{} is not a number from 0 to 2^64 - 1", text);
      },
      "");
}

CLI::Validator NoPipe() {
  return CLI::Validator(
      [](const std::string& path) {
        std::error_code error;
        const std::filesystem::file_status status = std::filesystem::status(path, error);
        const bool other = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
        return other ? path + " is not a regular file" : std::string();
      },
      "");
}

}  // namespace detops_cli
