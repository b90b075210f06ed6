// The one description of an operator: its schema in torch's words, read by the compiler. Names of arguments in errors,
// functions of the NumPy extension and operators of torch follow from it.
#ifndef DETOPS_PYTHON_SRC_COMMON_SCHEMA_H_
#define DETOPS_PYTHON_SRC_COMMON_SCHEMA_H_

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string_view>

namespace detops_binding {

enum class Kind { kTensor, kInt, kFloat, kBool, kWord, kInts, kFloats };

struct Parameter {
  std::string_view name = {};
  Kind kind = Kind::kTensor;
  bool optional = false;
  size_t place = 0;
};

class Schema {
 public:
  static constexpr size_t kMaxParameters = 12;

  // `text` is a literal, "name(Tensor input, int points=1) -> Tensor". NumPy alone has the parameters of `more`, behind
  // the others.
  consteval explicit Schema(const char* text, std::string_view more = {}) : text_(text) {
    const std::string_view all = text;
    const size_t open = all.find('(');
    const size_t arrow = all.find(") -> ");
    name_ = all.substr(0, open);
    AddParameters(all.substr(open + 1, arrow - open - 1));
    torch_count_ = count_;
    AddParameters(more);
    for (const char letter : all.substr(arrow)) results_ += letter == ',' ? 1 : 0;
  }

  // The parameter of this name. One that is not there is refused by the compiler.
  consteval Parameter operator[](std::string_view name) const {
    for (const Parameter& parameter : parameters()) {
      if (parameter.name == name) return parameter;
    }
    throw std::invalid_argument("no such parameter");
  }

  constexpr const char* text() const { return text_; }
  constexpr std::string_view name() const { return name_; }
  constexpr std::span<const Parameter> parameters() const { return {parameters_.data(), count_}; }
  constexpr std::span<const Parameter> torch_parameters() const { return {parameters_.data(), torch_count_}; }
  // How many tensors come back.
  constexpr size_t results() const { return results_; }

 private:
  static consteval Kind KindOf(std::string_view type) {
    if (type.starts_with("Sym")) type.remove_prefix(3);
    if (type == "Tensor") return Kind::kTensor;
    if (type == "int" || type == "Int") return Kind::kInt;
    if (type == "float") return Kind::kFloat;
    if (type == "bool") return Kind::kBool;
    if (type == "str") return Kind::kWord;
    if (type == "int[]" || type == "Int[]") return Kind::kInts;
    if (type == "float[]") return Kind::kFloats;
    throw std::invalid_argument("no such type");
  }

  consteval void AddParameters(std::string_view list) {
    while (!list.empty()) {
      const size_t end = list.find(',');
      std::string_view one = list.substr(0, end);
      list = end == std::string_view::npos ? std::string_view() : list.substr(list.find_first_not_of(' ', end + 1));
      const size_t space = one.find(' ');
      std::string_view type = one.substr(0, space);
      const bool optional = type.ends_with('?');
      if (optional) type.remove_suffix(1);
      one.remove_prefix(space + 1);
      parameters_[count_] = {one.substr(0, one.find('=')), KindOf(type), optional, count_};
      ++count_;
    }
  }

  const char* text_;
  std::string_view name_ = {};
  std::array<Parameter, kMaxParameters> parameters_ = {};
  size_t count_ = 0;
  size_t torch_count_ = 0;
  size_t results_ = 1;
};

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_SCHEMA_H_
