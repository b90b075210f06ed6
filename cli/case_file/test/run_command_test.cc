// The commands' options, as people type them.
#include "case_file/run_command.h"

#include "case_file/case_file.h"
#include "case_file/test/test_support.h"

namespace detops_cli {
namespace {

class RunCommandTest : public FolderTest {
 protected:
  RunCommandTest() {
    app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // as main does
    AddRunCommand(app_, options_, exit_code_, [this](const std::vector<Recipe>& recipes, const RunOptions& options) {
      recipes_ = recipes;
      seen_ = options;
      return 7;
    });
    AddConvertCommand(app_);
  }

  void Parse(const std::string& arguments) { app_.parse(arguments); }

  std::vector<std::string> Ids() const {
    std::vector<std::string> ids;
    ids.reserve(recipes_.size());
    for (const Recipe& recipe : recipes_) ids.push_back(recipe.about.id);
    return ids;
  }

  CLI::App app_;
  RunOptions options_, seen_;
  int exit_code_ = 0;
  std::vector<Recipe> recipes_;
};

const std::string kCase = AlignCase("  shape { dims: [1, 2] } dtype: DTYPE_HALF value_f: [1, 2]\n");

TEST_F(RunCommandTest, RecipeOfAFile) {
  const std::string file = Write("good.prototxt", kCase);
  Parse("run " + file);
  EXPECT_EQ(exit_code_, 7);
  EXPECT_EQ(seen_.suite, "case files");
  ASSERT_EQ(recipes_.size(), 1u);
  const CaseResult& about = recipes_[0].about;
  EXPECT_EQ(about.id, "rotated_feature_align_forward/good");
  EXPECT_EQ(about.op, "rotated_feature_align_forward");
  EXPECT_EQ(about.shape, "");  // the file is read where a broken one does no harm
  EXPECT_EQ(about.profile, "contract");
  EXPECT_EQ(about.source, file);
  EXPECT_EQ(about.reproduce, "detops run " + file);
  EXPECT_EQ(recipes_[0].make().inputs[0].Get(1), 2);
}

TEST_F(RunCommandTest, OptionsOfTheOldHarness) {
  Write("root/rotated_feature_align_forward/a.prototxt", kCase);
  Write("root/rotated_feature_align_forward/b.prototxt", kCase);
  Parse("run --cases_dir=" + Path("root") + " --gtest_filter=*align*/b --perf_repeat=12");
  EXPECT_EQ(Ids(), std::vector<std::string>{"rotated_feature_align_forward/b"});
  EXPECT_EQ(seen_.perf_repeat, 12);
}

TEST_F(RunCommandTest, OtherWaysToNameFiles) {
  Write("a.prototxt", kCase);
  Write("b.prototxt", kCase);
  Write("list", "b.prototxt\n");
  Parse("run --case_path " + Path("a.prototxt") + " --cases_list " + Path("list"));
  EXPECT_EQ(Ids().size(), 2u);
  Parse("run " + folder_.string() + " --rand_n 1 --seed 5 --filter *");
  EXPECT_EQ(Ids().size(), 1u);
}

TEST_F(RunCommandTest, OptionsOfEveryRun) {
  Parse("run --threads 3 --no-timing --library other.so --json out.json --quiet " + Write("a.prototxt", kCase));
  EXPECT_EQ(seen_.threads, 3);
  EXPECT_FALSE(seen_.timing);
  EXPECT_EQ(seen_.library, "other.so");
  EXPECT_EQ(seen_.json, "out.json");
  EXPECT_TRUE(seen_.quiet);
}

TEST_F(RunCommandTest, Profile) {
  const std::string file = Write("a case.prototxt", kCase);
  Parse("run --profile full '" + file + "'");
  ASSERT_EQ(recipes_.size(), 1u);
  EXPECT_EQ(recipes_[0].about.profile, "full");
  EXPECT_EQ(recipes_[0].about.reproduce, "detops run --profile full '" + file + "'");
}

TEST_F(RunCommandTest, BrokenFilesAreCasesToo) {
  const std::string broken = Write("broken.prototxt", "op_name: \"psroipool_forward\"\ninput {{\n");
  const std::string good = Write("good.prototxt", kCase);
  Parse("run " + broken + " " + good);
  ASSERT_EQ(recipes_.size(), 2u);
  EXPECT_EQ(recipes_[0].about.id, "psroipool_forward/broken");
  EXPECT_EQ(recipes_[0].about.op, "psroipool_forward");
  EXPECT_EQ(ErrorText<FileError>([&] { recipes_[0].make(); }).substr(0, broken.size() + 3), broken + ":2:");
  EXPECT_EQ(ErrorText<FileError>([&] { recipes_[1].make(); }), "");
}

TEST_F(RunCommandTest, WrongUsage) {
  EXPECT_THROW(Parse("run"), UsageError);
  EXPECT_THROW(Parse("run --rand_n 0 x"), CLI::ParseError);
  EXPECT_THROW(Parse("run --perf_repeat -1 x"), CLI::ParseError);
  EXPECT_THROW(Parse("run --profile best x"), CLI::ParseError);
  EXPECT_THROW(Parse("run --unknown x"), CLI::ParseError);
  EXPECT_TRUE(recipes_.empty());
}

TEST_F(RunCommandTest, Convert) {
  const std::string text = Write("a.prototxt", kCase), binary = Path("a.pb");
  Parse("convert " + text + " " + binary);
  Parse("convert " + binary + " " + Path("b.prototxt"));
  EXPECT_EQ(LoadCaseFile(Path("b.prototxt")).inputs[0].data, LoadCaseFile(text).inputs[0].data);
  EXPECT_LT(std::filesystem::file_size(binary), std::filesystem::file_size(text));
  EXPECT_THROW(Parse("convert " + text + " " + Path("a.txt")), UsageError);
  EXPECT_THROW(Parse("convert " + text + " " + Path("none/a.pb")), FileError);
  EXPECT_THROW(Parse("convert " + Write("other.prototxt", kCase + "abs_param { }\n") + " " + binary), FileError);
}

}  // namespace
}  // namespace detops_cli
