// Reads a binary file piece by piece; no length in it is believed before it is checked.
#ifndef DETOPS_EXAMPLES_SECOND_CPP_READER_H_
#define DETOPS_EXAMPLES_SECOND_CPP_READER_H_

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

class Reader {
 public:
  // Takes the whole file; `magic` is what it must begin with, followed by version 1.
  Reader(std::string path, std::string_view magic) : path_(std::move(path)) {
    std::ifstream file(path_, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (!file) Fail("cannot be read");
    const std::vector<char> found = Array<char>(magic.size(), "the first bytes");
    if (std::string_view(found.data(), found.size()) != magic) Fail("does not begin with " + std::string(magic));
    if (const int version = Number("the version", 0, INT32_MAX); version != 1) {
      Fail("is of version " + std::to_string(version) + ", expected 1");
    }
  }

  template <typename T>
  std::vector<T> Array(std::uint64_t count, const std::string& what) {
    // Compared before anything is allocated: a damaged count must not ask for terabytes.
    const std::uint64_t left = bytes_.size() - position_;
    if (count > left / sizeof(T)) Fail("ends within " + what);
    std::vector<T> made(count);
    if (count > 0) std::memcpy(made.data(), bytes_.data() + position_, count * sizeof(T));
    position_ += count * sizeof(T);
    return made;
  }

  int Number(const std::string& what, int least, int most) {
    const int number = Array<std::int32_t>(1, what)[0];
    if (number < least || number > most) {
      Fail(what + " is " + std::to_string(number) + ", expected " + std::to_string(least) + " to " +
           std::to_string(most));
    }
    return number;
  }

  template <std::size_t N>
  std::array<int, N> Numbers(const std::string& what, int least, int most) {
    std::array<int, N> made;
    for (int& number : made) number = Number(what, least, most);
    return made;
  }

  void ExpectEnd() const {
    if (position_ != bytes_.size()) Fail("has " + std::to_string(bytes_.size() - position_) + " bytes too many");
  }

  [[noreturn]] void Fail(const std::string& why) const { throw std::runtime_error(path_ + ": " + why); }

 private:
  std::string path_;
  std::vector<char> bytes_;
  std::size_t position_ = 0;
};

#endif  // DETOPS_EXAMPLES_SECOND_CPP_READER_H_
