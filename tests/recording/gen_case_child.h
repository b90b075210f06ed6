// Runs a part of a test in a child process with environment variables of its own, for the library reads those of the
// recording once; and looks at the files that the child has left.
#ifndef DETOPS_TESTS_RECORDING_GEN_CASE_CHILD_H_
#define DETOPS_TESTS_RECORDING_GEN_CASE_CHILD_H_

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace detops_test {

// A folder that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "gen_case_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// The functions must not have been called in this process before: what they read once they would keep.
inline ::testing::AssertionResult RunInChild(const Environment& environment, const std::function<void()>& work) {
  constexpr int kSeen = 42;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (const char* name : {"", "_DIR", "_OP_NAME", "_DUMP_DATA", "_DUMP_DATA_OUTPUT", "_DUMP_DATA_FILE"}) {
      unsetenv((std::string("MLUOP_GEN_CASE") + name).c_str());
    }
    for (const auto& [name, value] : environment) setenv(("MLUOP_GEN_CASE" + name).c_str(), value.c_str(), 1);
    alarm(100);
    work();
    std::fflush(nullptr);
    _exit(::testing::Test::HasFailure() ? 1 : kSeen);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return ::testing::AssertionFailure() << "no child";
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSeen) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "the child ended with status " << status;
}

// All files below a folder, relative to it, in order.
inline std::vector<std::string> FilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(std::filesystem::relative(entry.path(), folder).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The text of the only file below a folder.
inline std::string OnlyFile(const std::string& folder) {
  const std::vector<std::string> files = FilesBelow(folder);
  EXPECT_EQ(files.size(), 1u) << ::testing::PrintToString(files);
  return files.size() == 1 ? ReadAll(folder + "/" + files[0]) : "";
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_RECORDING_GEN_CASE_CHILD_H_
