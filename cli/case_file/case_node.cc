#include "case_file/case_node.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "text/errors.h"
#include "text/input_file.h"

namespace detops_cli {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::TextFormat;
using google::protobuf::io::CodedInputStream;

// Keeps the first error; later ones are mostly its consequences.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  explicit FirstError(std::string_view content) : content_(content) {}

  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (!text_.empty()) return;
    Relocate(message, line, column);
    text_ = fmt::format(":{}:{}: {}", line + 1, column + 1, message);
  }
  const std::string& text() const { return text_; }

 private:
  // The parser notices an unknown enumerator when it has read on, often to the next line.
  void Relocate(const std::string& message, int& line, int& column) const {
    constexpr std::string_view kUnknown = "Unknown enumeration value of \"";
    if (!message.starts_with(kUnknown)) return;
    const std::string name = message.substr(kUnknown.size(), message.find('"', kUnknown.size()) - kUnknown.size());
    size_t line_begin = 0;
    for (int i = 0; i < line; ++i) line_begin = content_.find('\n', line_begin) + 1;
    const size_t found = content_.rfind(name, line_begin + static_cast<size_t>(column));
    if (found == std::string_view::npos) return;
    const std::string_view before = content_.substr(0, found);
    line = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    column = static_cast<int>(found - (before.rfind('\n') + 1));  // npos + 1 is 0
  }

  std::string_view content_;
  std::string text_;
};

std::string Extension(const std::string& file) { return std::filesystem::path(file).extension().string(); }

bool IsText(const std::string& file, std::string_view content) {
  const std::string extension = Extension(file);
  if (extension == ".prototxt") return true;
  if (extension == ".pb") return false;
  // The lengths and numbers of a binary message are control characters.
  return std::none_of(content.begin(), content.begin() + std::min<size_t>(content.size(), 4096), [](char c) {
    return std::iscntrl(static_cast<unsigned char>(c)) != 0 && std::isspace(static_cast<unsigned char>(c)) == 0;
  });
}

// Protobuf reads messages inside messages by calling itself, unknown ones in text without a limit: a file of brackets
// would take all of the stack. Binary messages have this limit already, and a case needs five.
constexpr int kMostNested = 100;

// Looks for brackets outside of strings and comments. A string ends with its line, as in protobuf's tokenizer.
void LimitNesting(const std::string& file, std::string_view content) {
  int depth = 0, line = 1;
  size_t line_begin = 0;
  for (size_t i = 0; i < content.size(); ++i) {
    switch (const char c = content[i]) {
      case '\n':
        ++line;
        line_begin = i + 1;
        break;
      case '#':
        i = std::min(content.find('\n', i), content.size()) - 1;
        break;
      case '"':
      case '\'':
        for (++i; i < content.size() && content[i] != c && content[i] != '\n'; ++i) {
          if (content[i] == '\\' && i + 1 < content.size() && content[i + 1] != '\n') ++i;
        }
        if (i < content.size() && content[i] == '\n') --i;  // to be counted
        break;
      case '{':
      case '<':
      case '[':
        if (++depth <= kMostNested) break;
        throw FileError(fmt::format("{}:{}:{}: messages are nested more than {} deep", file, line, i - line_begin + 1,
                                    kMostNested));
      case '}':
      case '>':
      case ']':
        --depth;
        break;
      default:
        break;
    }
  }
}

void ParseText(const std::string& content, UnknownFields unknown, CaseNode& result) {
  LimitNesting(result.file, content);
  result.lines = std::make_unique<TextFormat::ParseInfoTree>();
  FirstError error(content);
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.WriteLocationsTo(result.lines.get());
  parser.SetRecursionLimit(kMostNested);
  parser.AllowUnknownField(unknown == UnknownFields::kSkip);
  parser.AllowPartialMessage(true);  // missing fields are reported with a line afterwards
  if (!parser.ParseFromString(content, &result.node)) throw FileError(result.file + error.text());
}

bool HasUnknownFields(const mluoptest::Node& node) {
  mluoptest::Node known = node;
  known.DiscardUnknownFields();
  return known.ByteSizeLong() != node.ByteSizeLong();
}

void ParseBinary(const std::string& content, UnknownFields unknown, CaseNode& result) {
  if (content.empty()) throw FileError(result.file + ": not a Node: the file is empty");
  const google::protobuf::LogSilencer no_log;  // broken strings would be told on stderr
  if (!result.node.ParsePartialFromString(content)) {
    throw FileError(result.file + ": not a Node: the binary message is broken or cut off");
  }
  if (unknown == UnknownFields::kRefuse && HasUnknownFields(result.node)) {
    throw FileError(result.file + ": it has fields of another operator, which would be lost");
  }
}

// Protobuf's list of missing fields, as "input[0].shape": names the first one and the line of what lacks it.
void RequireAllFields(const CaseNode& result) {
  std::vector<std::string> missing;
  result.node.FindInitializationErrors(&missing);
  if (missing.empty()) return;
  Place place = result.place();
  const std::string& path = missing.front();
  size_t begin = 0;
  for (size_t dot = path.find('.'); dot != std::string::npos; begin = dot + 1, dot = path.find('.', begin)) {
    const std::string step = path.substr(begin, dot - begin);
    const size_t bracket = step.find('[');
    const int index = bracket == std::string::npos ? 0 : std::stoi(step.substr(bracket + 1));
    place = place.Inside(step.substr(0, bracket).c_str(), index);
  }
  place.Fail((result.lines ? "" : "not a Node: ") + path + " is missing");
}

// After the word op_name: the colon and the string between quotation marks. "" if it is something else.
std::string QuotedAfter(std::string_view text) {
  const size_t colon = text.find_first_not_of(" \t");
  if (colon == std::string_view::npos || text[colon] != ':') return "";
  const size_t open = text.find_first_not_of(" \t", colon + 1);
  if (open == std::string_view::npos || (text[open] != '"' && text[open] != '\'')) return "";
  const size_t close = text.find(text[open], open + 1);
  return close == std::string_view::npos ? "" : std::string(text.substr(open + 1, close - open - 1));
}

std::string PeekText(std::string_view text) {
  constexpr std::string_view kName = "op_name";
  while (!text.empty()) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const std::string_view line = whole.substr(0, whole.find('#'));
    const size_t name = line.find(kName);
    if (name == std::string_view::npos) continue;
    if (std::string found = QuotedAfter(line.substr(name + kName.size())); !found.empty()) return found;
  }
  return "";
}

std::string PeekBinary(std::string_view message) {
  CodedInputStream input(reinterpret_cast<const uint8_t*>(message.data()), static_cast<int>(message.size()));
  constexpr uint32_t kBytesType = 2;
  while (const uint32_t tag = input.ReadTag()) {
    const uint32_t type = tag & 7, field = tag >> 3;
    uint64_t ignored = 0;
    uint32_t length = 0;
    switch (type) {
      case 0:
        if (!input.ReadVarint64(&ignored)) return "";
        break;
      case 1:
        if (!input.Skip(8)) return "";
        break;
      case 5:
        if (!input.Skip(4)) return "";
        break;
      case kBytesType: {
        if (!input.ReadVarint32(&length) || length > INT32_MAX) return "";
        if (field != mluoptest::Node::kOpNameFieldNumber) {
          if (!input.Skip(static_cast<int>(length))) return "";
          break;
        }
        std::string name;
        return input.ReadString(&name, static_cast<int>(length)) ? name : "";
      }
      default:
        return "";
    }
  }
  return "";
}

}  // namespace

Place Place::Inside(const char* field, int index) const {
  const FieldDescriptor* descriptor = type_->FindFieldByName(field);
  if (lines_ == nullptr) return {file_, descriptor->message_type(), nullptr};
  const int position = descriptor->is_repeated() ? index : -1;
  return {file_, descriptor->message_type(), lines_->GetTreeForNested(descriptor, position), Line(descriptor, index)};
}

int Place::Line(const FieldDescriptor* field, int index) const {
  if (!field->is_repeated()) return lines_->GetLocation(field, -1).line + 1;
  const int line = lines_->GetLocation(field, index).line + 1;
  // "[1, 2, 3]" has one position for all.
  return line != 0 ? line : lines_->GetLocation(field, 0).line + 1;
}

void Place::Fail(const std::string& reason, const char* field, int index) const {
  int line = 0;
  if (lines_ != nullptr && field != nullptr) line = Line(type_->FindFieldByName(field), index);
  if (line == 0) line = first_line_;
  throw FileError(line != 0 ? fmt::format("{}:{}: {}", *file_, line, reason) : fmt::format("{}: {}", *file_, reason));
}

std::unique_ptr<CaseNode> ReadCaseNode(const std::string& file, UnknownFields unknown) {
  auto result = std::make_unique<CaseNode>();
  result->file = file;
  const std::string content = ReadInputFile(file, INT32_MAX, "a message can have");
  if (IsText(file, content)) {
    ParseText(content, unknown, *result);
  } else {
    ParseBinary(content, unknown, *result);
  }
  RequireAllFields(*result);
  return result;
}

void WriteCaseNode(const mluoptest::Node& node, const std::string& file) {
  std::string content;
  if (Extension(file) == ".pb") {
    node.SerializeToString(&content);
  } else {
    TextFormat::PrintToString(node, &content);
  }
  std::ofstream stream(file, std::ios::binary);
  stream << content;
  if (!stream.flush()) throw FileError(file + ": cannot be written: " + std::strerror(errno));
}

std::string PeekOperatorName(const std::string& file) {
  RequireRegularFile(file);
  constexpr size_t kMost = 16 << 20;
  std::error_code error;
  std::string head(std::min<uintmax_t>(kMost, std::filesystem::file_size(file, error)), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return Printable(IsText(file, head) ? PeekText(head) : PeekBinary(head));
}

std::string Printable(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace detops_cli
