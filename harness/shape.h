// The shape of a call as text, "height=64,width=64": numbers, lists as "filter=3x3x3", words as "boxes=near".
#ifndef DETOPS_HARNESS_SHAPE_H_
#define DETOPS_HARNESS_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace detops_harness {

// A shape that cannot be. what() is a sentence for the user.
class ShapeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ShapeKey {
  std::string name, fallback, help;
  // What fuzz targets choose from; empty: the fallback and the values of the samples.
  std::vector<std::string> choices{};
  // By the program; others are for tests: of the full profile, or of arguments that the program gives itself.
  bool offered = true;
  std::string usual{};  // what the program takes instead of the fallback, if not empty
};

class Shape {
 public:
  Shape() = default;
  // Throws ShapeError with the key if the text has another form.
  explicit Shape(std::string_view text);

  void Set(const std::string& key, const std::string& value) { values_[key] = value; }
  bool Has(const std::string& key) const { return values_.count(key) != 0; }
  const std::map<std::string, std::string>& values() const { return values_; }
  // Keys that are missing get their fallback; keys that there are not throw ShapeError.
  void Complete(const std::vector<ShapeKey>& keys);

  static constexpr int64_t kMost = 2'000'000;  // of what takes memory

  // Throw ShapeError if the value is not of the kind.
  int64_t Int(const std::string& key, int64_t least = 0, int64_t most = kMost) const;
  double Real(const std::string& key) const;  // finite
  std::vector<int> Ints(const std::string& key, size_t count, int64_t most = kMost) const;
  const std::string& Word(const std::string& key) const { return values_.at(key); }
  // Which of the words it is.
  size_t Choice(const std::string& key, std::initializer_list<const char*> words) const;

  std::string text() const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_SHAPE_H_
