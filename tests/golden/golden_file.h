// The file of hashes: one line per case, one column per target.
#ifndef DETOPS_TESTS_GOLDEN_GOLDEN_FILE_H_
#define DETOPS_TESTS_GOLDEN_GOLDEN_FILE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace detops_golden {

using Hashes = std::map<std::string, uint64_t>;  // by name of the case

// Lines: "#" and a comment; "targets" and the names of the columns; then per case its name and a number of 16
// hexadecimal digits per column, "=" for the same number as in the column before, "-" for not known.
class GoldenFile {
 public:
  // Throws if the file cannot be read or has another form.
  void Read(const std::string& path);
  // Lines in the order of `names`; other names that were read are dropped. Throws if the file cannot be written.
  void Write(const std::string& path, const std::vector<std::string>& names) const;

  const std::vector<std::string>& names() const { return names_; }  // in the order of the file
  bool Has(const std::string& target) const { return columns_.count(target) > 0; }
  const Hashes& Of(const std::string& target) const { return columns_.at(target); }
  void Set(const std::string& target, Hashes hashes);

 private:
  std::vector<std::string> targets_, names_;
  std::map<std::string, Hashes> columns_;
};

}  // namespace detops_golden

#endif  // DETOPS_TESTS_GOLDEN_GOLDEN_FILE_H_
