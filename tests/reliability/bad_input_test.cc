// Runs the table of bad input: one test per function. Without a filter the matrix follows the tests. With --matrix,
// --markdown or --refusals the program prints and runs no test.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "harness/catalogue.h"
#include "reliability/bad_input_table.h"
#include "support/configurations.h"
#include "support/guarded_buffer.h"

#if defined(DETOPS_TEST_COUNTS_ALLOCATIONS)
#include "allocation/subject.h"
#endif

namespace detops_test {
namespace {

std::string RowName(const testing::TestParamInfo<size_t>& info) {
  std::string name = WholeTable().rows()[info.param]->function();
  std::erase(name, '_');  // "..._v2": GoogleTest forbids the underscore
  return name;
}

class BadInput : public testing::TestWithParam<size_t> {
 protected:
  const Row& row() const { return *WholeTable().rows()[GetParam()]; }
};

// One handle for all cases: it has to survive every refusal before.
TEST_P(BadInput, IsRefusedOrDefined) {
  Handle handle(DETOPS_PROFILE_CONTRACT, 2);
  for (const Case& bad : row().cases()) Check(row(), bad, handle);
}

TEST_P(BadInput, EveryCellIsFilledOrExplained) {
  for (int number = 1; number <= kClasses; ++number) {
    const auto bad_class = static_cast<BadClass>(number);
    EXPECT_NE(row().Count(bad_class) > 0, !row().Reason(bad_class).empty())
        << number << " " << NameOf(bad_class) << ": needs either cases or a reason why there can be none";
  }
}

TEST_P(BadInput, EveryRefusalNamesSomething) {
  for (const Case& bad : row().cases()) EXPECT_TRUE(bad.status == 0 || !bad.text.empty()) << bad.fault;
}

// Every tensor of the valid call lies flush against a page that may not be touched, first with its end, then with its
// front, on every instruction set. The bits must not depend on the place.
TEST_P(BadInput, ValidCallStaysInsideOnEveryTarget) {
  ForEachTarget(DETOPS_PROFILE_CONTRACT, [&](Handle& handle) {
    std::string states[2];
    for (const bool front : {false, true}) {
      const std::unique_ptr<OtherSide> flipped = front ? std::make_unique<OtherSide>() : nullptr;
      const std::unique_ptr<Trial> trial = row().good()();
      EXPECT_EQ(trial->Run(handle), 0) << trial->Text();
      EXPECT_TRUE(trial->SurroundingsIntact());
      states[front ? 1 : 0] = trial->State(handle);
    }
    EXPECT_TRUE(states[0] == states[1]) << "the result depends on where the tensors lie";
  });
}

#if defined(DETOPS_TEST_COUNTS_ALLOCATIONS)
// The program allocation_failure asks those that take memory, or need an object that is made first; no_memory_test
// those of the catalogue. All others succeed while every allocation fails.
TEST_P(BadInput, TakesNoMemory) {
  const std::string elsewhere =
      " cnrtFree cnrtFreeHost cnrtHostMalloc cnrtMalloc cnrtNotifierCreate cnrtNotifierDestroy cnrtQueueCreate "
      "cnrtQueueDestroy detopsCreateIdentityRulebook detopsDestroyRulebook mluOpCreate "
      "mluOpCreateGroupTensorDescriptors mluOpCreateNmsDescriptor mluOpCreateSparseConvolutionDescriptor "
      "mluOpCreateTensorDescriptor mluOpDestroy mluOpDestroyGroupTensorDescriptors mluOpDestroyNmsDescriptor "
      "mluOpDestroySparseConvolutionDescriptor mluOpDestroyTensorDescriptor mluOpSetGenCaseMode "
      "mluOpSetGroupTensorDescriptors mluOpSetGroupTensorDescriptors_v2 mluOpSetTensorDescriptor "
      "mluOpSetTensorDescriptorDim mluOpSetTensorDescriptorDim_v2 mluOpSetTensorDescriptorEx "
      "mluOpSetTensorDescriptorEx_v2 mluOpSetTensorDescriptor_v2 ";
  if (elsewhere.find(" " + row().function() + " ") != std::string::npos ||
      detops_harness::WholeCatalogue().Find(row().function()) != nullptr) {
    GTEST_SKIP() << "asked elsewhere";
  }
  Handle handle(DETOPS_PROFILE_CONTRACT, 2);
  const std::unique_ptr<Trial> trial = row().good()();
  EXPECT_EQ(hooks::WithoutMemory([&] { return trial->RunAlone(handle); }), 0);
}
#endif

INSTANTIATE_TEST_SUITE_P(All, BadInput, testing::Range<size_t>(0, WholeTable().rows().size()), RowName);

std::string ContentsOf(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(BadInputTable, HasARowForEveryExportedSymbol) {
  std::istringstream list(ContentsOf(DETOPS_EXPORTED_SYMBOLS));
  std::vector<std::string> symbols, functions;
  for (std::string name; std::getline(list, name);) {
    if (name != "DETOPS_0") symbols.push_back(name);  // the version of the others, no function
  }
  for (const auto& row : WholeTable().rows()) functions.push_back(row->function());
  EXPECT_EQ(functions, symbols);
}

TEST(BadInputTable, IsWhatTheDocumentSays) {
  std::ostringstream markdown;
  WholeTable().PrintMarkdown(markdown);
  EXPECT_TRUE(ContentsOf(DETOPS_RELIABILITY_DOCUMENT) == markdown.str())
      << "write it again: bad_input_test --markdown > docs/reliability_table.md";
}

// Word for word: what this file shows of a change is what the change says to users.
TEST(BadInputTable, RefusalsAreThoseOfTheFile) {
  std::ostringstream refusals;
  WholeTable().PrintRefusals(refusals);
  std::istringstream actual(refusals.str()), expected(ContentsOf(DETOPS_REFUSALS));
  for (std::string line, known; std::getline(actual, line);) {
    ASSERT_TRUE(std::getline(expected, known)) << "not in the file: " << line;
    ASSERT_EQ(line, known) << "write it again: bad_input_test --refusals > tests/reliability/refusals.txt";
  }
  std::string left;
  EXPECT_FALSE(std::getline(expected, left)) << "no call is told: " << left;
}

}  // namespace
}  // namespace detops_test

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const detops_test::Table& table = detops_test::WholeTable();
    if (std::strcmp(argv[i], "--matrix") == 0) return table.PrintMatrix(std::cout), 0;
    if (std::strcmp(argv[i], "--markdown") == 0) return table.PrintMarkdown(std::cout), 0;
    if (std::strcmp(argv[i], "--refusals") == 0) return table.PrintRefusals(std::cout), 0;
  }
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  if (testing::GTEST_FLAG(filter) == "*" && !testing::GTEST_FLAG(list_tests)) {
    detops_test::WholeTable().PrintMatrix(std::cout);
  }
  return failed;
}
