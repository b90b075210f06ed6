// The program on libraries with one planted defect each: it must find it, say in which check, and name the place. What
// goes unnoticed here would go unnoticed in a real library.
#include <dlfcn.h>
#include <langinfo.h>

#include <regex>
#include <set>

#include "program.h"

namespace detops_cli {
namespace {

std::string Spoilt(const std::string& name) { return DETOPS_SPOILT_FOLDER "/libspoilt_" + name + ".so"; }

// What must be found in a library.
struct Plant {
  std::string library;  // "<operator>_<defect>"
  std::string type;
  std::string check;             // the first that fails
  std::string detail;            // a regular expression for all of its detail
  std::set<std::string> also{};  // other checks that fail for the same reason
  std::string verdict = "fail";  // of the case
  Arguments options{};
};

void PrintTo(const Plant& plant, std::ostream* out) { *out << plant.library; }

constexpr char kAlign[] = "rotated_feature_align_forward";
constexpr char kPsRoi[] = "psroipool_forward";
constexpr char kPairs[] = "get_indice_pairs";

// All spoilt functions are those of forward passes.
std::string OperatorOf(const std::string& library) {
  const std::string name = library.substr(0, library.rfind('_'));
  return name == kPairs ? name : name + "_forward";
}

class PlantedDefectTest : public ProgramTest, public testing::WithParamInterface<Plant> {};

TEST_P(PlantedDefectTest, IsFound) {
  const Plant& plant = GetParam();
  const std::string op = OperatorOf(plant.library);
  Arguments arguments = {"--library", Spoilt(plant.library), "--op", op, "--dtype", plant.type,
                         "--shape",   TinyShapeOf(op).shape};
  arguments.insert(arguments.end(), plant.options.begin(), plant.options.end());
  RunResultFile results;
  const Outcome outcome = Accept(arguments, &results);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  ASSERT_EQ(results.cases.size(), 1u);
  const CaseResult& result = results.cases[0];
  EXPECT_EQ(result.verdict, plant.verdict);
  std::set<std::string> failed;
  for (const CheckResult& check : result.checks) {
    if (check.verdict != "pass") failed.insert(check.name);
  }
  std::set<std::string> expected = plant.also;
  expected.insert(plant.check);
  EXPECT_EQ(failed, expected);
  EXPECT_EQ(result.detail.find(plant.verdict == "fail" ? plant.check + ": " : ""), 0u) << result.detail;
  const CheckResult* const check = FindCheck(result, plant.check);
  ASSERT_NE(check, nullptr);
  EXPECT_EQ(check->verdict, "fail");
  EXPECT_TRUE(std::regex_match(check->detail, std::regex(plant.detail))) << check->detail;
  // People see it too, with the verdict.
  EXPECT_NE(outcome.out.find(plant.verdict + "\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(check->detail), std::string::npos) << outcome.out;
}

std::string PlantName(const testing::TestParamInfo<Plant>& info) {
  std::string name = info.param.library + "_" + info.param.type;
  for (const std::string& word : info.param.options) {
    for (const char letter : word) {
      if (std::isalnum(static_cast<unsigned char>(letter)) != 0) name += letter;
    }
  }
  return name;
}

// Without the round of bad calls: some defects read outputs as descriptors say, which those of bad calls do not, and
// others show there once more.
Plant InGoodCalls(Plant plant) {
  plant.options.insert(plant.options.end(), {"--bad-input", "none"});
  return plant;
}
Plant WithOneThread(Plant plant) {
  plant.options.insert(plant.options.end(), {"--threads", "1"});
  return plant;
}
Plant With(const Arguments& options, Plant plant) {
  plant.options = options;
  return plant;
}

// Numbers of elements follow from the tiny shapes: maps of 5 rows of 63 elements, 13 regions of 3 x 3 x 5, and so on.
const std::vector<Plant> kResults = {
    {"rotated_feature_align_FarEdgeOutside", "float", "accuracy",
     "output: diff1 is [0-9.e+-]+, allowed 1e-05; element (25[2-9]|2[6-9][0-9]|30[0-9]|31[0-4]) is 0, expected .*"},
    {"psroipool_FarEdgeOutside", "float", "accuracy",
     "output: diff1 is .*, allowed 1e-05; element [0-9]+ is 0, expected .*"},
    {"roiaware_pool3d_FarEdgeOutside", "half", "accuracy",
     "pooled_features: diff1 is .*, allowed 0.001; element [0-9]+ is 0, expected .*"},
    InGoodCalls({"psroipool_LastChannelUnwritten",
                 "float",
                 "accuracy",
                 "output: diff1 is .*; element 4 is -?nan, expected .*",
                 {"repeat"}}),
    InGoodCalls({"indice_convolution_LastChannelUnwritten",
                 "half",
                 "accuracy",
                 "features_out: diff1 is .*; element 6 is -?nan, expected .*",
                 {"repeat"}}),
    InGoodCalls({"rotated_feature_align_AddsToOutput",
                 "float",
                 "accuracy",
                 "output: diff1 is .*; element 0 is -?nan, expected .*",
                 {"repeat"}}),
    {"get_indice_pairs_SwapsIntegers", "int32", "accuracy",
     "indice_pairs: diff3 is .*, allowed 0; element [0-9]+ is -?[0-9]+, expected -?[0-9]+"},
    {"roiaware_pool3d_OffByOne", "float", "accuracy",
     "argmax: diff3 is .*, allowed 0; element 0 is -?[0-9]+, expected -?[0-9]+"},
    {"psroipool_OffByOne", "float", "accuracy", "mapping_channel: diff3 is .*, allowed 0; element 0 is 1, expected 0"},
    {"get_indice_pairs_WrongNumActOut", "int32", "accuracy", "num_act_out is 302, expected 301"},
    {"rotated_feature_align_RoundsDown", "half", "accuracy",
     "output: all errors have the same sign \\(diff4 is 1\\); element .*"},
    {"indice_convolution_RoundsDown", "half", "accuracy",
     "features_out: all errors have the same sign \\(diff4 is 1\\); element .*"},
};

const std::vector<Plant> kDeterminism = {
    WithOneThread(InGoodCalls({"rotated_feature_align_RunDependent",
                               "float",
                               "repeat",
                               "second run: other bits in output from element 0 on",
                               {"threads"}})),
    WithOneThread({"indice_convolution_ThreadDependent", "float", "threads",
                   "2 threads: other bits in features_out from element 0 on"}),
    WithOneThread({"roiaware_pool3d_ThreadDependent", "float", "threads",
                   "2 threads: other bits in pooled_features from element 0 on"}),
    WithOneThread(InGoodCalls({"rotated_feature_align_ShareSkipped", "float", "threads",
                               "2 threads: other bits in output from element 153 on"})),
    WithOneThread(InGoodCalls({"indice_convolution_ShareSkipped", "half", "threads",
                               "2 threads: other bits in features_out from element 700 on"})),
};

const std::vector<Plant> kMemory = {
    InGoodCalls({"psroipool_WritesPastEnd", "float", "guards", "bytes beside output were written"}),
    InGoodCalls({"get_indice_pairs_WritesPastEnd", "int32", "guards", "bytes beside indice_pairs were written"}),
    InGoodCalls({"rotated_feature_align_WritesBefore", "half", "guards", "bytes beside output were written"}),
    InGoodCalls({"indice_convolution_ChangesInput", "float", "inputs", "indice_pairs was changed"}),
    InGoodCalls({"rotated_feature_align_WrongUnlessAligned", "float", "alignment",
                 "tensors shifted by one element: other bits in output from element 0 on"}),
};

const std::vector<Plant> kBadInput = {
    {"rotated_feature_align_TouchesOnError", "float", "bad input",
     "[0-9]+ of [0-9]+ bad calls: handle is NULL touched the outputs; .*"},
    {"get_indice_pairs_TouchesOnError", "int32", "bad input",
     "[0-9]+ of [0-9]+ bad calls: handle is NULL touched the outputs; .*"},
    {"rotated_feature_align_AcceptsNan", "float", "bad input",
     "1 of [0-9]+ bad calls: bboxes.0, 0, 0, 0. is nan gave MLUOP_STATUS_SUCCESS"},
    {"psroipool_WrongStatus", "float", "bad input",
     "1 of [0-9]+ bad calls: output has extent 3 on axis 1, expected group_size = 4 gave MLUOP_STATUS_NOT_SUPPORTED"},
    With({"--bad-input", "documents"},
         {"psroipool_WrongStatus", "float", "bad input",
          "1 of [0-9]+ bad calls: output has extent 3 on axis 1, expected group_size = 4 gave .*_NOT_SUPPORTED"}),
    {"indice_convolution_WrongStatus", "half", "bad input",
     "1 of [0-9]+ bad calls: sub_m is 2 gave MLUOP_STATUS_NOT_SUPPORTED"},
    {"psroipool_UnusableAfterError", "float", "bad input",
     "1 of [0-9]+ bad calls: afterwards a good call fails: MLUOP_STATUS_EXECUTION_FAILED"},
    {"psroipool_WrongAfterError", "float", "bad input", ".*afterwards.*output.*"},
    // A failed call changes nothing.
    {"indice_convolution_ChangesInputOnError", "float", "bad input", ".*indice_pairs.*changed.*"},
    {"get_indice_pairs_WrongNumActOutOnError", "int32", "bad input", ".*num_act_out.*"},
};

const std::vector<Plant> kProcess = {
    {"rotated_feature_align_Crashes", "float", "call", "first call: Segmentation fault", {}, "crashed"},
    {"roiaware_pool3d_CrashesOnBadCall",
     "float",
     "call",
     "bad input: pool_method is 2: Segmentation fault",
     {},
     "crashed"},
    With({"--timeout", "1"},
         {"get_indice_pairs_Hangs", "int32", "call", "first call: no sign of life for 1 s", {}, "timeout"}),
    {"indice_convolution_ExitsWithCode",
     "float",
     "call",
     "first call: it ended the process with code 3",
     {},
     "crashed"},
    {"psroipool_Exits", "float", "call", "first call: it ended the process with code 0", {}, "crashed"},
};

INSTANTIATE_TEST_SUITE_P(Results, PlantedDefectTest, testing::ValuesIn(kResults), PlantName);
INSTANTIATE_TEST_SUITE_P(Determinism, PlantedDefectTest, testing::ValuesIn(kDeterminism), PlantName);
INSTANTIATE_TEST_SUITE_P(Memory, PlantedDefectTest, testing::ValuesIn(kMemory), PlantName);
INSTANTIATE_TEST_SUITE_P(BadInput, PlantedDefectTest, testing::ValuesIn(kBadInput), PlantName);
INSTANTIATE_TEST_SUITE_P(Process, PlantedDefectTest, testing::ValuesIn(kProcess), PlantName);

class WholeLibraryTest : public ProgramTest {
 protected:
  // All ten on tiny shapes.
  void AcceptAll(const std::string& library, std::map<std::string, CaseResult>* by_op) const {
    for (const TinyShape& shape : TinyShapes()) {
      RunResultFile results;
      Accept({"--library", library, "--op", shape.op, "--dtype", shape.type, "--shape", shape.shape}, &results);
      ASSERT_EQ(results.cases.size(), 1u) << shape.op;
      (*by_op)[shape.op] = results.cases[0];
    }
  }
};

TEST_F(WholeLibraryTest, NothingIsFoundWhereNothingIsSpoilt) {
  RunResultFile results;
  const Outcome outcome = Accept({"--library", Spoilt("None")}, &results);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_EQ(results.library.name, "libspoilt_None.so");
  EXPECT_TRUE(results.library.missing.empty());
  EXPECT_GT(results.cases.size(), 100u);
  for (const CaseResult& result : results.cases) EXPECT_EQ(result.verdict, "pass") << result.id << result.detail;
}

TEST_F(WholeLibraryTest, WithSeveralThreadsASkippedShareIsNan) {
  RunResultFile results;
  const Outcome outcome =
      Accept({"--library", Spoilt("rotated_feature_align_ShareSkipped"), "--op", kAlign, "--dtype", "float", "--shape",
              TinyShapeOf(kAlign).shape, "--threads", "2", "--bad-input", "none"},
             &results);
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(results.cases.size(), 1u);
  EXPECT_TRUE(std::regex_match(results.cases[0].detail,
                               std::regex("accuracy: output: diff1 is .*; element 153 is -?nan, expected .*")))
      << results.cases[0].detail;
}

TEST_F(WholeLibraryTest, ValuesAreNoMatterOfTheDocuments) {
  RunResultFile results;
  const Outcome outcome = Accept({"--library", Spoilt("rotated_feature_align_AcceptsNan"), "--op", kAlign, "--shape",
                                  TinyShapeOf(kAlign).shape, "--dtype", "float", "--bad-input", "documents"},
                                 &results);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
}

TEST_F(WholeLibraryTest, CasesAfterACrashAreJudged) {
  RunResultFile results;
  const Outcome outcome =
      Accept({"--library", Spoilt("rotated_feature_align_Crashes"), "--op", "rotated_feature_align*", "--dtype",
              "float", "--shape", TinyShapeOf(kAlign).shape, "--shape", "batch=1,height=2,width=2,channels=3"},
             &results);
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(results.cases.size(), 4u);
  for (const CaseResult& result : results.cases) {
    EXPECT_EQ(result.verdict, result.op == kAlign ? "crashed" : "pass") << result.id;
  }
  EXPECT_TRUE(results.complete);
}

TEST_F(WholeLibraryTest, MissingOperator) {
  std::map<std::string, CaseResult> by_op;
  AcceptAll(Spoilt("without_psroipool_forward"), &by_op);
  for (const auto& [op, result] : by_op) EXPECT_EQ(result.verdict, op == kPsRoi ? "missing" : "pass") << op;
  EXPECT_NE(by_op[kPsRoi].detail.find("mluOpPsRoiPoolForward"), std::string::npos) << by_op[kPsRoi].detail;

  RunResultFile results;
  const Outcome outcome = Accept(
      {"--library", Spoilt("without_psroipool_forward"), "--op", "psroipool*", "--shape", TinyShapeOf(kPsRoi).shape},
      &results);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(results.library.missing, std::vector<std::string>{"mluOpPsRoiPoolForward"});
  EXPECT_NE(outcome.out.find("lacks: mluOpPsRoiPoolForward"), std::string::npos) << outcome.out;
}

TEST_F(WholeLibraryTest, ExtensionsAreNotNeeded) {
  std::map<std::string, CaseResult> by_op;
  AcceptAll(Spoilt("without_extensions"), &by_op);
  for (const auto& [op, result] : by_op) {
    EXPECT_EQ(result.verdict, "pass") << op << ": " << result.detail;
    const CheckResult* const threads = FindCheck(result, "threads");
    ASSERT_NE(threads, nullptr) << op;
    EXPECT_EQ(threads->verdict, "none");
    EXPECT_NE(threads->detail.find("detopsSetNumThreads"), std::string::npos) << threads->detail;
    for (const char* const name : {"call", "accuracy", "repeat", "guards", "inputs", "bad input"}) {
      const CheckResult* const check = FindCheck(result, name);
      ASSERT_NE(check, nullptr) << op << " " << name;
      EXPECT_EQ(check->verdict, "pass") << op << " " << name;
    }
  }
}

TEST_F(WholeLibraryTest, NotALibrary) {
  const Outcome outcome = Run({"accept", "--library", Write("text.so", "not a library\n")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(IsOneComplaint(outcome.err));
  EXPECT_NE(outcome.err.find("text.so"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST_F(WholeLibraryTest, LibraryOfSomethingElse) {
  Dl_info libc{};
  // A function that no sanitizer replaces by one in this program.
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(&nl_langinfo), &libc), 0);
  const Outcome outcome = Run({"accept", "--library", libc.dli_fname});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(IsOneComplaint(outcome.err));
  EXPECT_NE(outcome.err.find("mluOpCreate"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace detops_cli
