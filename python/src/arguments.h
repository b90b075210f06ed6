// Arguments that are neither tensors nor plain numbers: words, and sizes of several axes.
#ifndef DETOPS_PYTHON_SRC_ARGUMENTS_H_
#define DETOPS_PYTHON_SRC_ARGUMENTS_H_

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "array.h"

namespace detops_python {

// An int for each of `count` axes: `source` is a sequence of as many, or one int for all.
std::vector<int> Sizes(nb::handle source, int count, const Argument& argument);

// A sequence of int of any length.
std::vector<int64_t> Shape(nb::handle source, const Argument& argument);

nb::tuple TupleOf(std::span<const int> numbers);

// One of `count` objects passed as out, each None or an array; None stands for a tuple of None.
class OutTuple {
 public:
  OutTuple(nb::handle out, size_t count, const Argument& argument);
  nb::handle operator[](size_t i) const { return parts_[i]; }
  bool given() const { return given_; }

 private:
  std::vector<nb::object> parts_;
  bool given_ = false;
};

// The value that a word stands for. ValueError lists the words.
template <typename Value>
Value Choice(const std::string& word, std::initializer_list<std::pair<std::string_view, Value>> choices,
             const Argument& argument) {
  for (const auto& [name, value] : choices) {
    if (word == name) return value;
  }
  std::string expected;
  for (const auto& [name, value] : choices) expected += (expected.empty() ? "'" : ", '") + std::string(name) + "'";
  throw nb::value_error(argument.Text("is '" + word + "', expected one of " + expected + ".").c_str());
}

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_ARGUMENTS_H_
