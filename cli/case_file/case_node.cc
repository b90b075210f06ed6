#include "case_file/case_node.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "errors.h"

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

void ParseText(const std::string& content, UnknownFields unknown, CaseNode& result) {
  result.lines = std::make_unique<TextFormat::ParseInfoTree>();
  FirstError error(content);
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.WriteLocationsTo(result.lines.get());
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

std::string PeekText(std::istream& stream) {
  constexpr std::string_view kName = "op_name";
  std::string line;
  while (std::getline(stream, line)) {
    const std::string_view text = std::string_view(line).substr(0, line.find('#'));
    const size_t name = text.find(kName);
    if (name == std::string_view::npos) continue;
    if (std::string found = QuotedAfter(text.substr(name + kName.size())); !found.empty()) return found;
  }
  return "";
}

std::string PeekBinary(std::istream& stream) {
  google::protobuf::io::IstreamInputStream raw(&stream);
  CodedInputStream input(&raw);
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

std::string ReadWholeFile(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) throw FileError(file + ": cannot be read: it is a directory");
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) throw FileError(file + ": cannot be read: " + std::strerror(errno));
  std::string content(static_cast<size_t>(stream.tellg()), '\0');
  stream.seekg(0);
  if (!stream.read(content.data(), static_cast<std::streamsize>(content.size()))) {
    throw FileError(file + ": cannot be read to its end");
  }
  return content;
}

std::unique_ptr<CaseNode> ReadCaseNode(const std::string& file, UnknownFields unknown) {
  auto result = std::make_unique<CaseNode>();
  result->file = file;
  const std::string content = ReadWholeFile(file);
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
  std::ifstream stream(file, std::ios::binary);
  std::string head(4096, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  stream.clear();
  stream.seekg(0);
  return Printable(IsText(file, head) ? PeekText(stream) : PeekBinary(stream));
}

std::string Printable(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace detops_cli
