// What a user of the program meets: lists, files, free shapes, completion.
#include "program.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "cases/operator.h"

namespace detops_cli {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool Contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// ---- what it prints -----------------------------------------------------------------------------

TEST_F(ProgramTest, HelpAndVersion) {
  const Outcome help = Run({"--help"}), version = Run({"--version"}), accept = Run({"accept", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* const command : {"accept", "run", "bench", "info", "list", "completion", "NO_COLOR"}) {
    EXPECT_TRUE(Contains(help.out, command)) << command;
  }
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out.find("detops "), 0u) << version.out;
  EXPECT_EQ(accept.exit_code, 0);
  for (const char* const option : {"--suite", "--op", "--dtype", "--shape", "--filter", "--library", "--bad-input"}) {
    EXPECT_TRUE(Contains(accept.out, option)) << option;
  }
}

TEST_F(ProgramTest, ListHasEveryOperator) {
  const Outcome outcome = Run({"list"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const Operator* const op : AllOperators()) {
    EXPECT_TRUE(Contains(outcome.out, std::string(op->name()) + "\n")) << op->name();
    EXPECT_TRUE(Contains(outcome.out, std::string(op->function_name()) + "\n")) << op->function_name();
  }
}

TEST_F(ProgramTest, ListOfOneHasItsKeys) {
  for (const Operator* const op : AllOperators()) {
    const Outcome outcome = Run({"list", "--op", std::string(op->name())});
    EXPECT_EQ(outcome.exit_code, 0);
    for (const ShapeKey& key : op->keys()) {
      EXPECT_TRUE(Contains(outcome.out, "    " + key.name + " ")) << op->name() << " " << key.name;
      EXPECT_TRUE(Contains(outcome.out, key.fallback)) << op->name() << " " << key.name;
    }
  }
}

TEST_F(ProgramTest, InfoTellsOfLibraryMachineAndLimits) {
  const Outcome outcome = Run({"info"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* const part : {"libdetops.so", "MLU-OPS 1.11.1", "SIMD target", "threads", "processor", "caches",
                                 "GB/s", "GFLOP/s", "limits of the contract profile", "2^31", "65536", "2976"}) {
    EXPECT_TRUE(Contains(outcome.out, part)) << part;
  }
}

TEST_F(ProgramTest, CaseListHasUniqueNamesAndRunsNothing) {
  for (const char* const suite : {"smoke", "documents", "large"}) {
    const Outcome outcome = Run({"accept", "--suite", suite, "--list"});
    EXPECT_EQ(outcome.exit_code, 0);
    std::set<std::string> names;
    for (const std::string& line : Lines(outcome.out)) {
      EXPECT_TRUE(names.insert(line.substr(0, line.find(' '))).second) << line;
      EXPECT_EQ(line.find(suite), 0u) << line;
    }
    for (const Operator* const op : AllOperators()) {
      const std::string name = std::string(op->name()) + "/";
      EXPECT_EQ(Contains(outcome.out, "/" + name), !op->document().empty()) << suite;
    }
  }
}

TEST_F(ProgramTest, FiltersChoose) {
  const Outcome some = Run({"accept", "--list", "--filter", "*psroipool_forward*:*subm/*-*/half:*/double"});
  ASSERT_EQ(some.exit_code, 0);
  EXPECT_TRUE(Contains(some.out, "smoke/psroipool_forward/small/float "));
  EXPECT_TRUE(Contains(some.out, "smoke/indice_convolution_forward/subm/bfloat16 "));
  EXPECT_FALSE(Contains(some.out, "half "));
  EXPECT_FALSE(Contains(some.out, "double "));
  EXPECT_FALSE(Contains(some.out, "psroipool_backward"));
  const Outcome typed = Run({"accept", "--list", "--op", "psroipool*", "--dtype", "double", "half"});
  EXPECT_EQ(Lines(typed.out).size(), 8u) << typed.out;  // two operators in two types, of two rows of the table
}

TEST_F(ProgramTest, QuietPrintsNothingOnSuccess) {
  const Outcome outcome =
      Run({"accept", "--no-timing", "--quiet", "--filter", "*/one_pixel/*", "--json", Path("json")});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(ProgramTest, QuietPrintsWhatFailed) {
  const Outcome outcome = Run({"accept", "--no-timing", "-q", "--op", "rotated_feature_align*", "--dtype", "float",
                               "--shape", TinyShapeOf("rotated_feature_align_forward").shape, "--library",
                               DETOPS_SPOILT_FOLDER "/libspoilt_rotated_feature_align_WritesBefore.so"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(Contains(outcome.out, "1 of 2 cases passed"));
  EXPECT_TRUE(Contains(outcome.out, "fail rotated_feature_align_forward/"));
  EXPECT_TRUE(Contains(outcome.out, "bytes beside output"));
  EXPECT_FALSE(Contains(outcome.out, "rotated_feature_align_backward"));
}

TEST_F(ProgramTest, AllSmokeCasesPass) {
  RunResultFile results;
  const Outcome outcome = Accept({}, &results);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);  // no escape codes into a file
  EXPECT_EQ(outcome.out.find('\r'), std::string::npos);
  EXPECT_EQ(results.cases.size(), Lines(Run({"accept", "--list"}).out).size());
  for (const CaseResult& result : results.cases)
    EXPECT_EQ(result.verdict, "pass") << result.id << ": " << result.detail;
}

// ---- files --------------------------------------------------------------------------------------

TEST_F(ProgramTest, JsonHasEveryField) {
  ASSERT_EQ(Run({"accept", "--filter", "*/single_bin/*", "--json", Path("json")}).exit_code, 0);
  const nlohmann::json file = nlohmann::json::parse(ReadFile(Path("json")));
  const auto has_keys_of = [](const nlohmann::json& value, const nlohmann::json& sample, const char* where) {
    for (const auto& [key, unused] : sample.items()) EXPECT_TRUE(value.contains(key)) << where << " " << key;
  };
  has_keys_of(file, RunResultFile{}, "file");
  has_keys_of(file["machine"], MachineResult{}, "machine");
  has_keys_of(file["library"], LibraryResult{}, "library");
  EXPECT_EQ(file["format"], "detops-results-1");
  EXPECT_EQ(file["suite"], "smoke");
  EXPECT_EQ(file["complete"], true);
  EXPECT_TRUE(Contains(file["command"], "--filter '*/single_bin/*'"));
  EXPECT_GT(file["machine"]["peak_gflops"], 0);
  ASSERT_EQ(file["cases"].size(), 2u);
  for (const nlohmann::json& one : file["cases"]) {
    has_keys_of(one, CaseResult{}, "case");
    has_keys_of(one["timing"], TimingResult{}, "timing");
    for (const char* const key : {"id", "op", "shape", "type", "profile", "suite", "source", "reproduce"}) {
      EXPECT_NE(one[key], "") << key;
    }
    EXPECT_EQ(one["verdict"], "pass");
    EXPECT_EQ(one["timed"], true);
    for (const char* const key : {"best_us", "median_us", "mean_us", "bound_us", "ratio", "theory_ops", "calls"}) {
      EXPECT_GT(one["timing"][key], 0) << key;
    }
    EXPECT_LE(one["timing"]["best_us"], one["timing"]["median_us"]);
    std::vector<std::string> checks;
    for (const nlohmann::json& check : one["checks"]) checks.push_back(check["name"]);
    EXPECT_EQ(checks, (std::vector<std::string>{"call", "accuracy", "repeat", "threads", "guards", "inputs",
                                                "alignment", "bad input"}));
    ASSERT_FALSE(one["outputs"].empty());
    has_keys_of(one["outputs"][0], OutputResult{}, "output");
    ASSERT_FALSE(one["outputs"][0]["criteria"].empty());
    has_keys_of(one["outputs"][0]["criteria"][0], CriterionResult{}, "criterion");
  }
}

TEST_F(ProgramTest, AllFilesAreWrittenAndNamed) {
  const Outcome outcome = Run({"accept", "--no-timing", "--filter", "*/one_pixel/*", "--json", Path("a.json"),
                               "--junit", Path("a.xml"), "--report", Path("a.html")});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* const name : {"a.json", "a.xml", "a.html"}) {
    EXPECT_TRUE(Contains(outcome.out, Path(name))) << name;
    const std::string text = ReadFile(Path(name));
    EXPECT_TRUE(Contains(text, "smoke/rotated_feature_align_backward/one_pixel/half")) << name;
  }
}

TEST_F(ProgramTest, ReproduceGivesTheSameCase) {
  RunResultFile results;
  Accept({"--filter", "*/one_pixel/*:*/single_bin/*"}, &results);
  std::vector<CaseResult> cases = results.cases;
  for (const char* const shape : {"rois=3,dim=2", ""}) {
    Accept({"--op", "psroipool_forward", "--dtype", "float", "--shape", shape}, &results);
    cases.insert(cases.end(), results.cases.begin(), results.cases.end());
  }
  ASSERT_EQ(cases.size(), 8u);
  for (const CaseResult& result : cases) {
    ASSERT_EQ(result.reproduce.find("detops accept "), 0u) << result.reproduce;
    const std::string command = result.reproduce.substr(7) + " --list";
    std::istringstream words(command);
    Arguments arguments;
    for (std::string word; words >> word;) {
      word.erase(std::remove(word.begin(), word.end(), '\''), word.end());
      arguments.push_back(word);
    }
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << result.reproduce;
    EXPECT_EQ(Lines(outcome.out).size(), 1u) << result.reproduce;
    EXPECT_EQ(outcome.out.find(result.id + " "), 0u) << result.reproduce << ": " << outcome.out;
  }
}

// ---- free shapes --------------------------------------------------------------------------------

class FreeShapeTest : public ProgramTest, public testing::WithParamInterface<TinyShape> {};

TEST_P(FreeShapeTest, IsAccepted) {
  RunResultFile results;
  const Outcome outcome = Accept({"--op", GetParam().op, "--shape", GetParam().shape}, &results);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  ASSERT_FALSE(results.cases.empty());
  EXPECT_EQ(results.suite, "free");
  for (const CaseResult& result : results.cases) {
    EXPECT_EQ(result.op, GetParam().op);
    EXPECT_EQ(result.checks.size(), 8u);
  }
}

TEST_P(FreeShapeTest, HasTheSameVerdictInProcess) {
  const Arguments arguments = {"--op", GetParam().op, "--shape", GetParam().shape};
  Arguments in_process = arguments;
  in_process.emplace_back("--in-process");
  RunResultFile apart, inside;
  const int code = Accept(arguments, &apart).exit_code;
  EXPECT_EQ(Accept(in_process, &inside).exit_code, code);
  ASSERT_EQ(inside.cases.size(), apart.cases.size());
  for (size_t i = 0; i < apart.cases.size(); ++i) {
    EXPECT_EQ(nlohmann::json(inside.cases[i].checks), nlohmann::json(apart.cases[i].checks));
    EXPECT_EQ(nlohmann::json(inside.cases[i].outputs), nlohmann::json(apart.cases[i].outputs));
    EXPECT_EQ(inside.cases[i].verdict, apart.cases[i].verdict);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, FreeShapeTest, testing::ValuesIn(TinyShapes()),
                         [](const auto& shape) { return shape.param.op; });

TEST_F(ProgramTest, InProcessFailuresAreTheSame) {
  const Arguments arguments = {"--library", DETOPS_SPOILT_FOLDER "/libspoilt_psroipool_OffByOne.so",
                               "--op",      "psroipool*",
                               "--shape",   TinyShapeOf("psroipool_forward").shape};
  Arguments in_process = arguments;
  in_process.emplace_back("--in-process");
  RunResultFile apart, inside;
  EXPECT_EQ(Accept(arguments, &apart).exit_code, 1);
  EXPECT_EQ(Accept(in_process, &inside).exit_code, 1);
  ASSERT_EQ(inside.cases.size(), 2u);
  EXPECT_EQ(inside.cases[0].detail, apart.cases.at(0).detail);
  EXPECT_EQ(inside.cases[1].verdict, "pass");
}

// Zero elements are a success for these, so the program must get through as well.
TEST_F(ProgramTest, NoSites) {
  for (const char* const op : {"get_indice_pairs", "indice_convolution_forward", "indice_convolution_backward_data",
                               "indice_convolution_backward_filter"}) {
    RunResultFile results;
    EXPECT_EQ(Accept({"--op", op, "--shape", "sites=0,batch=1,space=9x31x33"}, &results).exit_code, 0);
    for (const CaseResult& result : results.cases) EXPECT_EQ(result.verdict, "pass") << result.id << result.detail;
  }
}

// A size of 0 is an answer of the library or a mistake of the user, never a crash of the program.
TEST_P(FreeShapeTest, SizesOfZero) {
  const Operator& op = *FindOperator(GetParam().op);
  for (const ShapeKey& key : op.keys()) {
    if (key.fallback.find_first_not_of("0123456789.x") != std::string::npos) continue;  // a word
    Shape shape(GetParam().shape);
    shape.Set(key.name, "0");
    RunResultFile results;
    Accept({"--op", GetParam().op, "--dtype", GetParam().type, "--shape", shape.text(), "--timeout", "10"}, &results);
    for (const CaseResult& result : results.cases) {
      EXPECT_TRUE(result.verdict == "pass" || result.verdict == "fail" || result.verdict == "error")
          << key.name << ": " << result.verdict << ", " << result.detail;
    }
  }
}

TEST_F(ProgramTest, ARefusedCallHasTheLibrarysOwnSentence) {
  RunResultFile results;
  // Beyond a limit of the contract.
  const std::string shape = "boxes=1,points=4,channels=1,out=1x1x1,max_pts=3000";
  EXPECT_EQ(Accept({"--op", "roiaware_pool3d_forward", "--dtype", "float", "--shape", shape}, &results).exit_code, 1);
  ASSERT_EQ(results.cases.size(), 1u);
  const std::string& detail = results.cases[0].detail;
  EXPECT_EQ(detail.find("call: MLUOP_STATUS_NOT_SUPPORTED: "), 0u) << detail;
  EXPECT_TRUE(Contains(detail, "max_pts_each_voxel")) << detail;
}

// The threads that measure the machine are the program's own.
TEST_F(ProgramTest, ManyThreadsAreNoCrash) {
  const Outcome outcome = Run({"accept", "--op", "psroipool_forward", "--dtype", "float", "--shape",
                               TinyShapeOf("psroipool_forward").shape, "--threads", "60000"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

// ---- completion ---------------------------------------------------------------------------------

TEST_F(ProgramTest, CompletionOffersOperators) {
  const Outcome script = Run({"completion", "bash"});
  ASSERT_EQ(script.exit_code, 0);
  const std::string path = Write("completion.bash", script.out);
  const auto ask = [&](const std::string& words, const std::string& out) {
    // As the shell does it when the last of the words is being typed.
    const std::string command = "bash --norc -c 'source " + path + " && COMP_WORDS=(" + words +
                                ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _detops && printf \"%s\\n\" "
                                "\"${COMPREPLY[@]}\"' > " +
                                out;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return ReadFile(out);
  };
  EXPECT_EQ(std::system(("bash --norc -c 'source " + path + " && complete -p detops' > " + Path("complete")).c_str()),
            0);
  EXPECT_TRUE(Contains(ReadFile(Path("complete")), "-F _detops detops"));
  const std::string operators = ask("detops accept --op \"\"", Path("operators"));
  EXPECT_EQ(Lines(operators).size(), AllOperators().size());
  for (const Operator* const op : AllOperators()) EXPECT_TRUE(Contains(operators, std::string(op->name()) + "\n"));
  EXPECT_EQ(ask("detops accept --op rotated_feature_align_f", Path("one")), "rotated_feature_align_forward\n");
  EXPECT_EQ(ask("detops be", Path("command")), "bench\n");
  EXPECT_TRUE(Contains(ask("detops bench --", Path("options")), "--baseline\n"));
  EXPECT_EQ(ask("detops accept --suite d", Path("suite")), "documents\n");
}

TEST_F(ProgramTest, CompletionForZsh) {
  const Outcome outcome = Run({"completion", "zsh"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(Contains(outcome.out, "bashcompinit"));
  EXPECT_TRUE(Contains(outcome.out, "complete -o filenames -F _detops detops"));
}

}  // namespace
}  // namespace detops_cli
