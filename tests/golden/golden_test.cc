// Every output byte of more than a thousand calls, on every instruction set, against a file of hashes in the
// repository.
//
//   golden_test --file=tests/golden/hashes.txt            compares (with GoogleTest's options)
//   golden_test --file=tests/golden/hashes.txt --write    writes the columns of the targets this machine runs
#include "golden/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <iterator>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "golden/golden_file.h"
#include "support/configurations.h"

namespace detops_golden {
namespace {

using detops_test::ForcedTarget;
using detops_test::Handle;
using detops_test::SupportedTargets;

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
