// Every output byte of more than a thousand calls, on every instruction set, against a file of hashes in the
// repository. Their input is the same on every machine and with every compiler (harness/fill.h).
//
//   golden_test --file=tests/golden/hashes.txt            compares (with GoogleTest's options)
//   golden_test --file=tests/golden/hashes.txt --write    writes the columns of the targets this machine runs
#include <gtest/gtest.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/catalogue.h"
#include "harness/placed_call.h"
#include "support/configurations.h"
#include "support/handle.h"

namespace detops_golden {
namespace {

using detops_test::ForcedTarget;
using detops_test::Handle;
using detops_test::SupportedTargets;

// ---- cases whose every output byte is known: the samples of all functions of the catalogue, each in all types ----

struct Case {
  std::string name;  // "<function>/<shape>"
  const detops_harness::Function* function;
  std::string shape;
};
using Cases = std::vector<Case>;

using detops_harness::Access;
using detops_harness::Tensor;

// FNV-1a of 64 bits.
class Hash {
 public:
  void Add(const void* data, size_t bytes) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < bytes; ++i) value_ = (value_ ^ byte[i]) * 0x100000001b3;
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

void Add(const Tensor& tensor, Hash& hash) {
  constexpr unsigned char kNan[] = "NaN";
  const size_t size = detops_harness::SizeOfType(tensor.type);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (std::isnan(tensor.Get(i))) {
      hash.Add(kNan, sizeof(kNan));
    } else {
      hash.Add(static_cast<const std::byte*>(tensor.address) + static_cast<size_t>(i) * size, size);
    }
  }
}

// In the order of the file.
Cases AllCases() {
  Cases cases;
  for (const auto& function : detops_harness::WholeCatalogue().functions()) {
    // Another spelling gives what the usual one gives.
    if (!function->computes() || function->contract().documented_as() != function->name()) continue;
    std::set<std::string> shapes;  // lists of samples that are made by loops may meet the same one twice
    for (const detops_harness::Sample& sample : function->samples()) {
      if (shapes.insert(sample.shape).second)
        cases.push_back({function->name() + "/" + sample.shape, function.get(), sample.shape});
    }
  }
  return cases;
}

// Makes the call in all types and hashes all that it writes. NaN has bits that nobody promises, so every NaN counts
// alike.
uint64_t RunCase(const Handle& handle, const Case& one) {
  Hash hash;
  for (const mluOpDataType_t type : one.function->full_types()) {
    detops_harness::PlacedCall placed(one.function->MakeSample(one.shape, type, DETOPS_PROFILE_FULL, 1));
    placed.Reset(0xA5);
    detops_test::Must(placed.Run(handle.get()), one.name.c_str());
    if (!placed.SurroundingsIntact()) throw std::runtime_error(one.name + ": bytes next to a result were written");
    for (const Tensor& tensor : placed.call().tensors) {
      if (tensor.access == Access::kWritten && tensor.address != nullptr) Add(tensor, hash);
    }
    for (const auto& [name, value] : placed.call().results) hash.Add(&value, sizeof(value));
  }
  return hash.value();
}

// ---- the file: one line per case, one column per target ----

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

void GoldenFile::Read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string place = path + ":" + std::to_string(number);
    std::istringstream words(line);
    std::string first, word;
    if (line.empty() || line[0] == '#' || !(words >> first)) continue;
    if (first == "targets") {
      while (words >> word) targets_.push_back(word);
      for (const std::string& target : targets_) columns_[target];
      continue;
    }
    uint64_t before = 0;
    bool known = false;
    for (const std::string& target : targets_) {
      if (!(words >> word)) throw std::runtime_error(place + ": too few columns");
      if (word == "-") {
        known = false;
        continue;
      }
      if (word != "=") {
        size_t end = 0;
        before = std::stoull(word, &end, 16);
        if (end != 16 || word.size() != 16) throw std::runtime_error(place + ": not a hash: " + word);
      } else if (!known) {
        throw std::runtime_error(place + ": \"=\" with nothing before it");
      }
      known = true;
      if (!columns_[target].emplace(first, before).second) throw std::runtime_error(place + ": the case occurs twice");
    }
    if (words >> word) throw std::runtime_error(place + ": too many columns");
    names_.push_back(first);
  }
}

void GoldenFile::Write(const std::string& path, const std::vector<std::string>& names) const {
  std::ofstream file(path, std::ios::trunc);
  file << "# Hashes (FNV-1a, 64 bits) of all output bytes of every case, one column per target; = is the same as in "
          "the\n"
          "# column before. Written by a program: see \"Determinism\" in docs/reliability.md before changing it.\n"
          "targets";
  for (const std::string& target : targets_) file << ' ' << target;
  file << '\n';
  for (const std::string& name : names) {
    file << name;
    const uint64_t* before = nullptr;
    for (const std::string& target : targets_) {
      const Hashes& column = columns_.at(target);
      const auto found = column.find(name);
      if (found == column.end()) {
        file << " -";
        before = nullptr;
        continue;
      }
      char text[32];
      std::snprintf(text, sizeof text, " %016" PRIx64, found->second);
      file << (before != nullptr && *before == found->second ? " =" : text);
      before = &found->second;
    }
    file << '\n';
  }
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

void GoldenFile::Set(const std::string& target, Hashes hashes) {
  if (!Has(target)) targets_.push_back(target);
  columns_[target] = std::move(hashes);
}

// ---- tests ----

std::string file_path;

struct Target {
  const char* name;
  bool must_be_known;  // the file must have its column
};
// Those that need not be known get a column as soon as somebody writes the file on a machine that has them.
constexpr Target kTargets[] = {{"avx2", true},  {"sse4", true},     {"ssse3", true},      {"scalar", true},
                               {"avx3", false}, {"avx3_dl", false}, {"avx3_zen4", false}, {"neon", true},
                               {"sve", false},  {"sve2", false},    {"sve_256", false},   {"sve2_128", false}};

bool Supported(const std::string& target) {
  const std::vector<std::string> all = SupportedTargets();
  return std::find(all.begin(), all.end(), target) != all.end();
}

std::vector<std::string> NamesOf(const Cases& cases) {
  std::vector<std::string> names;
  for (const Case& one : cases) names.push_back(one.name);
  return names;
}

std::string Hex(uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%016" PRIx64, number);
  return text;
}

TEST(GoldenTest, FileAndProgramHaveTheSameCases) {
  GoldenFile file;
  file.Read(file_path);
  const std::vector<std::string> names = NamesOf(AllCases());
  EXPECT_EQ(file.names(), names);
  EXPECT_GE(names.size(), 1000u);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << "two cases have the same name";
}

TEST(GoldenTest, EveryTargetOfThisMachineIsTested) {
  for (const std::string& name : SupportedTargets()) {
    const auto same = [&](const Target& target) { return name == target.name; };
    EXPECT_TRUE(std::any_of(std::begin(kTargets), std::end(kTargets), same)) << name << " is missing in kTargets";
  }
}

std::string TargetName(const testing::TestParamInfo<Target>& info) { return info.param.name; }
void PrintTo(const Target& target, std::ostream* stream) { *stream << target.name; }

class GoldenTargetTest : public testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(Targets, GoldenTargetTest, testing::ValuesIn(kTargets), TargetName);

TEST_P(GoldenTargetTest, Hashes) {
  const Target& target = GetParam();
  if (!Supported(target.name)) GTEST_SKIP() << "this machine or this build has no " << target.name;
  GoldenFile file;
  file.Read(file_path);
  if (!file.Has(target.name)) {
    ASSERT_FALSE(target.must_be_known) << "no column " << target.name << " in " << file_path;
    GTEST_SKIP() << "nobody has written the hashes of " << target.name << " yet";
  }
  const Hashes& expected = file.Of(target.name);
  const ForcedTarget forced(target.name);
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  int wrong = 0;
  for (const Case& one : AllCases()) {
    const uint64_t hash = RunCase(handle, one);
    const auto found = expected.find(one.name);
    if (found != expected.end() && found->second == hash) continue;
    ++wrong;
    ADD_FAILURE() << one.name << ": " << Hex(hash) << ", expected "
                  << (found == expected.end() ? "(not in the file)" : Hex(found->second));
  }
  EXPECT_EQ(wrong, 0) << "of " << AllCases().size() << " cases; docs/reliability.md tells how to write the file anew";
}

int Write() {
  GoldenFile file;
  try {
    file.Read(file_path);
  } catch (const std::exception& error) {
    std::printf("%s; a new file is made\n", error.what());
    file = GoldenFile();
  }
  const Cases cases = AllCases();
  for (const std::string& target : SupportedTargets()) {
    const ForcedTarget forced(target);
    const Handle handle(DETOPS_PROFILE_FULL, 2);
    Hashes hashes;
    int changed = 0;
    for (const Case& one : cases) {
      const uint64_t hash = hashes[one.name] = RunCase(handle, one);
      if (!file.Has(target)) continue;
      const auto before = file.Of(target).find(one.name);
      changed += before == file.Of(target).end() || before->second != hash ? 1 : 0;
    }
    std::printf("%-8s %zu cases, %d changed\n", target.c_str(), cases.size(),
                file.Has(target) ? changed : static_cast<int>(cases.size()));
    file.Set(target, std::move(hashes));
  }
  file.Write(file_path, NamesOf(cases));
  return 0;
}

}  // namespace
}  // namespace detops_golden

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  bool write = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--file=", 0) == 0) {
      detops_golden::file_path = argument.substr(7);
    } else if (argument == "--write") {
      write = true;
    } else {
      std::fprintf(stderr, "usage: golden_test --file=FILE [--write]\n");
      return 2;
    }
  }
  return write ? detops_golden::Write() : RUN_ALL_TESTS();
}
