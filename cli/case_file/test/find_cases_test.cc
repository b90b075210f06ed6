// Which files a command means.
#include "case_file/find_cases.h"

#include "case_file/test/test_support.h"

namespace detops_cli {
namespace {

class FindCasesTest : public FolderTest {
 protected:
  void SetUp() override {
    for (const char* op : {"psroipool_forward", "get_indice_pairs", "abs"}) {
      for (const char* name : {"case_1", "case_0", "case_invalid"}) {
        Write(std::string("root/") + op + "/test_case/" + name + ".prototxt", std::string("op_name: \"") + op + "\"\n");
      }
    }
    Write("root/get_indice_pairs/readme.txt", "no case");
  }

  // Their ids, and their files from the test's folder.
  std::vector<std::string> Ids(const CaseSelection& selection) {
    std::vector<std::string> ids;
    for (const FoundCase& found : FindCaseFiles(selection)) ids.push_back(found.id);
    return ids;
  }
  std::string Error(const CaseSelection& selection) {
    return ErrorText<UsageError>([&] { FindCaseFiles(selection); });
  }
};

using Names = std::vector<std::string>;

TEST_F(FindCasesTest, FolderAtAnyDepthInOrder) {
  EXPECT_EQ(Ids({.paths = {Path("root")}}),
            (Names{"abs/case_0", "abs/case_1", "get_indice_pairs/case_0", "get_indice_pairs/case_1",
                   "psroipool_forward/case_0", "psroipool_forward/case_1"}));
}

TEST_F(FindCasesTest, CasesDirTakesFoldersOfOperators) {
  EXPECT_EQ(Ids({.cases_dir = Path("root")}), (Names{"get_indice_pairs/case_0", "get_indice_pairs/case_1",
                                                     "psroipool_forward/case_0", "psroipool_forward/case_1"}));
  EXPECT_EQ(Error({.cases_dir = Path("root/abs")}),
            "--cases_dir: " + Path("root/abs") + " has no folder with the name of an operator");
  EXPECT_EQ(Error({.cases_dir = Path("none")}), "--cases_dir: there is no folder " + Path("none"));
}

TEST_F(FindCasesTest, NamedFilesRunAlsoIfInvalid) {
  const std::string file = Path("root/abs/test_case/case_invalid.prototxt");
  EXPECT_EQ(Ids({.paths = {file}}), Names{"abs/case_invalid"});
  EXPECT_EQ(Ids({.case_path = file}), Names{"abs/case_invalid"});
  EXPECT_EQ(FindCaseFiles({.case_path = file}).at(0).file, file);
}

TEST_F(FindCasesTest, Lists) {
  const std::string list = Write("lists/some.txt",
                                 "# two files and a folder\n"
                                 "\n"
                                 "  ../root/abs/test_case/case_1.prototxt  # last first\r\n"
                                 "../root/abs/test_case/case_0.prototxt\n"
                                 "../root/psroipool_forward\n");
  const Names expected = {"abs/case_1", "abs/case_0", "psroipool_forward/case_0", "psroipool_forward/case_1"};
  EXPECT_EQ(Ids({.cases_list = list}), expected);
  EXPECT_EQ(Ids({.paths = {list}}), expected);
  EXPECT_EQ(ErrorText<FileError>([&] { FindCaseFiles({.cases_list = Write("bad", "\n# x\nnone.pb\n")}); }),
            Path("bad") + ":3: there is no file " + Path("none.pb"));
  EXPECT_EQ(Error({.cases_list = Path("none")}), "the list " + Path("none") + " cannot be read");
}

TEST_F(FindCasesTest, EachFileOnceAndEachIdOnce) {
  const std::string first = Path("root/abs/test_case/case_0.prototxt");
  const std::string twin = Write("other/case_0.prototxt", "op_name: \"abs\"\n");
  const std::string third = Write("other/deep/case_0.pb", "");
  EXPECT_EQ(Ids({.paths = {first, twin, first, Path("root/abs/test_case/../test_case/case_0.prototxt"), third}}),
            (Names{"abs/case_0", "abs/case_0#2", "unknown/case_0"}));
}

TEST_F(FindCasesTest, AliasesCountAsTheirOperator) {
  EXPECT_EQ(Ids({.paths = {Write("x.prototxt", "op_name: \"get_indices_pairs\"\n")}}), Names{"get_indice_pairs/x"});
}

TEST_F(FindCasesTest, Filters) {
  CaseSelection selection{.paths = {Path("root")}};
  selection.filter = "psroi*:*_1-abs*";
  EXPECT_EQ(Ids(selection), (Names{"get_indice_pairs/case_1", "psroipool_forward/case_0", "psroipool_forward/case_1"}));
  selection.filter = "conv*";
  EXPECT_EQ(Error(selection), "none of 6 case files matches the filter conv*");
}

TEST_F(FindCasesTest, RandomChoiceIsTheSameForTheSameSeed) {
  Names all;
  for (int i = 0; i < 40; ++i) {
    all.push_back("abs/case_" + std::to_string(100 + i));
    Write("many/case_" + std::to_string(100 + i) + ".prototxt", "op_name: \"abs\"\n");
  }
  CaseSelection selection{.paths = {Path("many")}};
  selection.rand_n = 5;
  const Names chosen = Ids(selection);
  EXPECT_EQ(chosen.size(), 5u);
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  EXPECT_TRUE(std::includes(all.begin(), all.end(), chosen.begin(), chosen.end()));
  EXPECT_EQ(Ids(selection), chosen);
  selection.seed = 24;
  EXPECT_NE(Ids(selection), chosen);
  selection.rand_n = 100;
  EXPECT_EQ(Ids(selection), all);
}

TEST_F(FindCasesTest, NothingToRun) {
  EXPECT_EQ(Error({}), "there is no case file to run");
  EXPECT_EQ(Error({.paths = {Path("none.pb")}}), "there is no file " + Path("none.pb"));
  EXPECT_EQ(Error({.case_path = Path("none.pb")}), "--case_path: there is no file " + Path("none.pb"));
  std::filesystem::create_directories(Path("empty"));
  EXPECT_EQ(Error({.paths = {Path("empty")}}), "there is no case file to run");
}

TEST(MatchesFilterTest, AsInGoogleTest) {
  EXPECT_TRUE(MatchesFilter("*", "a/b"));
  EXPECT_TRUE(MatchesFilter("", "a/b"));
  EXPECT_TRUE(MatchesFilter("a/b", "a/b"));
  EXPECT_FALSE(MatchesFilter("a", "a/b"));
  EXPECT_TRUE(MatchesFilter("a?b", "a/b"));
  EXPECT_FALSE(MatchesFilter("a?b?", "a/b"));
  EXPECT_TRUE(MatchesFilter("x*:*b", "a/b"));
  EXPECT_TRUE(MatchesFilter("*a*b*c*", "xaxbxbcx"));
  EXPECT_FALSE(MatchesFilter("*a*b*c", "xaxbxbcx"));
  EXPECT_FALSE(MatchesFilter("-*b", "a/b"));
  EXPECT_TRUE(MatchesFilter("-*c:d", "a/b"));
  EXPECT_FALSE(MatchesFilter("a*-x:a/b", "a/b"));
  EXPECT_TRUE(MatchesFilter("*-", "a/b"));
}

}  // namespace
}  // namespace detops_cli
