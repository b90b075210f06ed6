// What the tests of case files share.
#ifndef DETOPS_CLI_CASE_FILE_TEST_TEST_SUPPORT_H_
#define DETOPS_CLI_CASE_FILE_TEST_TEST_SUPPORT_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "text/errors.h"

namespace detops_cli {

// A folder for files, gone after the test.
class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    const testing::TestInfo& info = *testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string(info.test_suite_name()) + "." + info.name() + "." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  // Makes folders too. Returns the path.
  std::string Write(const std::string& name, std::string_view content) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return Path(name);
  }

  std::filesystem::path folder_;
};

// The text of the error that `action` throws, "" if it throws none.
template <class Error, class Action>
std::string ErrorText(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// A text whose first input has the given lines from line 5 on, and whose `rest` begins in the first line after the
// parameters.
inline std::string AlignCase(const std::string& first_input, const std::string& rest = "") {
  return "op_name: \"rotated_feature_align_forward\"\n"
         "input {\n"
         "  id: \"x\"\n"
         "  layout: LAYOUT_NHWC\n" +
         first_input +
         "}\n"
         "input { id: \"b\" shape { dims: 1 } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT value_f: 0 }\n"
         "output { id: \"y\" shape { dims: 2 } layout: LAYOUT_NHWC dtype: DTYPE_FLOAT }\n"
         "rotated_feature_align_forward_param { spatial_scale: 0.5 points: 5 }\n" +
         rest;
}

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASE_FILE_TEST_TEST_SUPPORT_H_
