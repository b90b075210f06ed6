// The examples: one per operator, and what they call the result is what the reference computes.
#include <filesystem>

#include "case_file/case_file.h"
#include "case_file/test/test_support.h"
#include "cases/operator.h"

namespace detops_cli {
namespace {

namespace fs = std::filesystem;

class ExamplesTest : public testing::TestWithParam<std::string> {};

TEST_P(ExamplesTest, IsWhatTheReferenceComputes) {
  const Case the_case = LoadCaseFile((fs::path(DETOPS_CASE_FILE_EXAMPLES) / (GetParam() + ".prototxt")).string());
  ASSERT_NE(the_case.op, nullptr);
  EXPECT_EQ(the_case.op->name(), GetParam());
  const Baseline reference = the_case.op->Reference(the_case);
  const Baseline baseline = the_case.baseline.value_or(Baseline{});
  ASSERT_EQ(baseline.outputs.size(), the_case.outputs.size());
  for (size_t i = 0; i < the_case.outputs.size(); ++i) {
    EXPECT_EQ(baseline.outputs[i], reference.outputs.at(i)) << the_case.outputs[i].name;
    EXPECT_FALSE(the_case.criteria.at(i).empty());
  }
  EXPECT_EQ(baseline.results, reference.results);
}

std::vector<std::string> OperatorNames() {
  std::vector<std::string> names;
  for (const Operator* op : AllOperators()) names.emplace_back(op->name());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, ExamplesTest, testing::ValuesIn(OperatorNames()),
                         [](const auto& parameter) { return parameter.param; });

TEST(ExamplesTest, AllCanBeRead) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(DETOPS_CASE_FILE_EXAMPLES)) {
    if (entry.path().extension() != ".prototxt") continue;
    ++files;
    const Case the_case = LoadCaseFile(entry.path().string());
    for (const HostTensor& tensor : the_case.inputs) EXPECT_EQ(tensor.data.size(), tensor.bytes()) << entry.path();
  }
  EXPECT_EQ(files, 21);
}

}  // namespace
}  // namespace detops_cli
