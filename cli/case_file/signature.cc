#include "case_file/signature.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace detops_cli {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Fields have the names of the C parameters, but for these.
std::string ParameterOf(const FieldDescriptor& field) {
  static const std::map<std::string, std::string> others = {
      {"mluoptest.IndiceConvolutionForwardParam.num_active_out", "num_act_out"},
      {"mluoptest.NmsParam.max_output_boxes", "max_output_size"},
      {"mluoptest.NmsParam.mode", "output_mode"},
      {"mluoptest.VoxelizationParam.ndim", "NDim"}};
  const auto other = others.find(std::string(field.full_name()));
  return other != others.end() ? other->second : std::string(field.name());
}

int64_t Integer(const Message& message, const FieldDescriptor* field) {
  const Reflection& values = *message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return values.GetBool(message, field) ? 1 : 0;
    case FieldDescriptor::CPPTYPE_ENUM:
      return values.GetEnumValue(message, field);
    case FieldDescriptor::CPPTYPE_INT32:
      return values.GetInt32(message, field);
    default:
      return values.GetInt64(message, field);
  }
}
int64_t Integer(const Message& message, const FieldDescriptor* field, int index) {
  const Reflection& values = *message.GetReflection();
  const bool narrow = field->cpp_type() == FieldDescriptor::CPPTYPE_INT32;
  return narrow ? values.GetRepeatedInt32(message, field, index) : values.GetRepeatedInt64(message, field, index);
}

// Every field by its name; those that are not there have their defaults.
Params ReadFields(const Message& message) {
  Params params;
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* const field = type.field(i);
    const std::string name = ParameterOf(*field);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_FLOAT) {
      params.numbers[name] = static_cast<double>(message.GetReflection()->GetFloat(message, field));
    } else if (!field->is_repeated()) {
      params.integers[name] = Integer(message, field);
    } else {
      std::vector<int64_t>& list = params.lists[name];
      const int count = message.GetReflection()->FieldSize(message, field);
      for (int index = 0; index < count; ++index) list.push_back(Integer(message, field, index));
    }
  }
  return params;
}

// The library reads one value per spatial axis.
void CheckAxes(const CaseNode& file, const Operator& op, const Params& params) {
  const Place place = file.place().Inside(op.row().param);
  const int64_t dimnb = params.integers.at("dimnb");
  if (dimnb < 3) place.Fail(fmt::format("dimnb is {}, expected at least 3", dimnb), "dimnb");
  for (const char* name : {"pad", "stride", "dilation", "input_space", "filter_space", "output_space"}) {
    const auto size = std::ssize(params.lists.at(name));
    if (size != dimnb - 2) {
      place.Fail(fmt::format("{} has {} values, dimnb {} needs {}", name, size, dimnb, dimnb - 2), name);
    }
  }
}

// The library reads one value per filter offset.
void CheckOffsets(const CaseNode& file, const Operator& op, const std::vector<int64_t>& indice_num) {
  constexpr int kPairs = 2;  // the third input of all three operators
  const mluoptest::Shape& shape = file.node.input(kPairs).shape();
  const int64_t offsets = shape.dims_size() > 0 ? shape.dims(0) : 0;
  if (std::ssize(indice_num) != offsets) {
    file.place()
        .Inside(op.row().param)
        .Fail(fmt::format("indice_num has {} values, indice_pairs has {} offsets", indice_num.size(), offsets),
              "indice_num");
  }
}

}  // namespace

std::string CanonicalName(std::string_view op_name) {
  const Operator* const op = FindOperator(op_name);
  return std::string(op == nullptr ? op_name : op->name());
}

Params ReadParams(const CaseNode& file, const Operator& op) {
  Params params;
  params.results = op.row().results;
  if (op.row().param == nullptr) return params;
  const FieldDescriptor* field = file.node.GetDescriptor()->FindFieldByName(op.row().param);
  const Reflection& fields = *file.node.GetReflection();
  if (!fields.HasField(file.node, field)) file.place().Fail(fmt::format("{} is missing", op.row().param), "op_name");
  params = ReadFields(fields.GetMessage(file.node, field));
  params.results = op.row().results;
  for (const std::string& name : params.results) params.integers.erase(name);
  if (params.integers.count("dimnb") != 0) CheckAxes(file, op, params);
  if (params.lists.count("indice_num") != 0) CheckOffsets(file, op, params.lists.at("indice_num"));
  return params;
}

}  // namespace detops_cli
