#include "harness/shape.h"

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>

namespace detops_harness {
namespace {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <typename Number>
bool Parse(std::string_view text, Number* number) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *number);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

// Far beyond every tensor that fits into memory, and products of three still fit 64 bits.

[[noreturn]] void Refuse(const std::string& key, const std::string& value, const std::string& expected) {
  throw ShapeError("--shape: " + key + "=" + value + " is not " + expected);
}

}  // namespace

Shape::Shape(std::string_view text) {
  if (text.empty()) return;
  for (const std::string_view part : Split(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size()) {
      throw ShapeError("--shape: \"" + std::string(part) + "\" is not key=value");
    }
    values_[std::string(part.substr(0, equals))] = part.substr(equals + 1);
  }
}

void Shape::Complete(const std::vector<ShapeKey>& keys) {
  for (const auto& [key, value] : values_) {
    const auto known = std::find_if(keys.begin(), keys.end(), [&](const ShapeKey& k) { return k.name == key; });
    if (known == keys.end()) throw ShapeError("--shape: there is no key " + key);
  }
  for (const ShapeKey& key : keys) {
    if (!Has(key.name)) Set(key.name, key.fallback);
  }
}

int64_t Shape::Int(const std::string& key, int64_t least, int64_t most) const {
  int64_t number = 0;
  if (!Parse(values_.at(key), &number)) Refuse(key, values_.at(key), "a whole number");
  if (number < least || number > most) {
    Refuse(key, values_.at(key), "a number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

double Shape::Real(const std::string& key) const {
  double number = 0;
  // The operators take it as a float.
  if (!Parse(values_.at(key), &number) || !(std::abs(number) <= FLT_MAX)) {
    Refuse(key, values_.at(key), "a finite number of a float's range");
  }
  return number;
}

std::vector<int> Shape::Ints(const std::string& key, size_t count, int64_t most) const {
  std::vector<int> numbers;
  for (const std::string_view part : Split(values_.at(key), 'x')) {
    int number = 0;
    if (!Parse(part, &number) || number < 0 || number > most) {
      Refuse(key, values_.at(key), "a list of numbers such as 3x3x3");
    }
    numbers.push_back(number);
  }
  if (numbers.size() == 1) numbers.assign(count, numbers[0]);
  if (numbers.size() != count) {
    Refuse(key, values_.at(key), "one number or " + std::to_string(count) + " joined by x");
  }
  return numbers;
}

size_t Shape::Choice(const std::string& key, std::initializer_list<const char*> words) const {
  std::string known;
  size_t index = 0;
  for (const char* word : words) {
    if (values_.at(key) == word) return index;
    known += (index++ == 0 ? "" : ", ") + std::string(word);
  }
  Refuse(key, values_.at(key), "one of " + known);
}

std::string Shape::text() const {
  std::string text;
  for (const auto& [key, value] : values_) text += (text.empty() ? "" : ",") + key + "=" + value;
  return text;
}

}  // namespace detops_harness
