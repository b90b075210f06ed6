// The message of a case file: read from text or binary, written, and asked for the line of each field, so that errors
// can say where they are.
#ifndef DETOPS_CLI_CASE_FILE_CASE_NODE_H_
#define DETOPS_CLI_CASE_FILE_CASE_NODE_H_

#include <google/protobuf/text_format.h>

#include <memory>
#include <string>

#include "case_file.pb.h"

namespace detops_cli {

// A message inside a case file: knows the file and, for text, the lines of its fields.
class Place {
 public:
  Place(const std::string* file, const google::protobuf::Descriptor* type,
        const google::protobuf::TextFormat::ParseInfoTree* lines, int first_line = 0)
      : file_(file), type_(type), lines_(lines), first_line_(first_line) {}

  const std::string& file() const { return *file_; }

  // The message in a field of this one. `index` counts in repeated fields.
  Place Inside(const char* field, int index = 0) const;

  // Throws FileError "file:line: reason", with the line of the field. Without `field`, or if the field is not there,
  // the line where the message begins.
  [[noreturn]] void Fail(const std::string& reason, const char* field = nullptr, int index = 0) const;

 private:
  // From 1; 0 if unknown.
  int Line(const google::protobuf::FieldDescriptor* field, int index) const;

  const std::string* file_;
  const google::protobuf::Descriptor* type_;
  const google::protobuf::TextFormat::ParseInfoTree* lines_;  // nullptr: unknown
  int first_line_;                                            // 0: unknown
};

struct CaseNode {
  std::string file;
  mluoptest::Node node;
  std::unique_ptr<google::protobuf::TextFormat::ParseInfoTree> lines;  // of text only

  Place place() const { return {&file, node.GetDescriptor(), lines.get()}; }
};

// What a reader does with fields that it does not know.
enum class UnknownFields { kSkip, kRefuse };

// .prototxt is text and .pb binary; other names are judged by the content. Throws FileError: "file:line:column: reason"
// for text that does not parse, "file: not a Node: reason" for binary, and for fields that must be there.
std::unique_ptr<CaseNode> ReadCaseNode(const std::string& file, UnknownFields unknown = UnknownFields::kSkip);

// Binary if the name ends in .pb, otherwise text. Throws FileError.
void WriteCaseNode(const mluoptest::Node& node, const std::string& file);

// The op_name, found without parsing the rest, which may be large. "" if there is none in the first 16 MiB, or the file
// cannot be read. Throws UsageError if it is no regular file.
std::string PeekOperatorName(const std::string& file);

// For texts that come from a file and go to reports: "?" for all that is not printable ASCII.
std::string Printable(std::string text);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASE_FILE_CASE_NODE_H_
