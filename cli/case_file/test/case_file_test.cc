// Case files as a whole: text and binary, thresholds, baselines, and where broken files are broken.
#include "case_file/case_file.h"

#include "case_file/case_node.h"
#include "case_file/test/test_support.h"
#include "cases/operator.h"
#include "text/input_file.h"

namespace detops_cli {
namespace {

const std::string kInput = "  shape { dims: 2 } dtype: DTYPE_FLOAT value_f: [1, 2]\n";

class CaseFileTest : public FolderTest {
 protected:
  Case Load(const std::string& text) { return LoadCaseFile(Write("case.prototxt", text)); }
  // Without the name of the file.
  std::string Error(const std::string& text) {
    const std::string error = ErrorText<FileError>([&] { Load(text); });
    return error.substr(std::min(error.size(), Path("case.prototxt").size()));
  }
  std::vector<Criterion> Criteria(const std::string& rest) { return Load(AlignCase(kInput, rest)).criteria.at(0); }
};

std::string Replaced(std::string text, const std::string& what, const std::string& with) {
  const size_t found = text.find(what);
  return found == std::string::npos ? "" : text.replace(found, what.size(), with);
}

void ExpectCriteria(const std::vector<Criterion>& actual, const std::vector<Criterion>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].formula, expected[i].formula) << i;
    EXPECT_EQ(actual[i].threshold, expected[i].threshold) << i;
  }
}

TEST_F(CaseFileTest, TextCase) {
  const Case the_case = Load(AlignCase(kInput, "theory_io_size: 100\ntheory_compute_ops: 7.5\n"));
  EXPECT_EQ(the_case.op, FindOperator("rotated_feature_align_forward"));
  EXPECT_EQ(the_case.params.numbers.at("spatial_scale"), 0.5);
  EXPECT_EQ(the_case.params.integers.at("points"), 5);
  ASSERT_EQ(the_case.inputs.size(), 2u);
  EXPECT_EQ(the_case.inputs[1].name, "bboxes");
  ASSERT_EQ(the_case.outputs.size(), 1u);
  EXPECT_EQ(the_case.outputs[0].name, "output");
  EXPECT_TRUE(the_case.outputs[0].data.empty());
  EXPECT_EQ(the_case.theory_io_bytes, 100);
  EXPECT_EQ(the_case.theory_operations, 7.5);
  EXPECT_FALSE(the_case.baseline.has_value());
  EXPECT_FALSE(Load(AlignCase(kInput)).theory_io_bytes.has_value());
}

TEST_F(CaseFileTest, BinaryGivesTheSameCase) {
  const std::string text = Write("case.prototxt", AlignCase(kInput,
                                                            "evaluation_threshold: 0.1\n"
                                                            "evaluation_criterion: DIFF2\n"));
  WriteCaseNode(ReadCaseNode(text)->node, Path("case.pb"));
  WriteCaseNode(ReadCaseNode(Path("case.pb"))->node, Path("again.prototxt"));
  for (const char* name : {"case.pb", "again.prototxt"}) {
    const Case the_case = LoadCaseFile(Path(name));
    EXPECT_EQ(the_case.inputs[0].data, LoadCaseFile(text).inputs[0].data);
    EXPECT_EQ(the_case.params.integers.at("points"), 5);
    ExpectCriteria(the_case.criteria[0], {{Formula::kDiff2, 0.1}});
  }
  // Other names are judged by the content.
  std::filesystem::copy(Path("case.pb"), Path("binary.case"));
  std::filesystem::copy(text, Path("text.case"));
  EXPECT_EQ(LoadCaseFile(Path("binary.case")).inputs[0].Get(1), 2);
  EXPECT_EQ(LoadCaseFile(Path("text.case")).inputs[0].Get(1), 2);
}

TEST_F(CaseFileTest, FieldsOfOtherOperatorsAreSkipped) {
  const std::string text =
      Replaced(AlignCase(kInput, "abs_param { mode: FAST deep { x: [1, 2] y: \"z\" } }\nop_type: ABS\n"), "id: \"x\"",
               "id: \"x\" colour: 3");
  EXPECT_EQ(Load(text).inputs[0].Get(1), 2);

  mluoptest::Node node = ReadCaseNode(Write("case.prototxt", AlignCase(kInput)))->node;
  node.GetReflection()->MutableUnknownFields(&node)->AddLengthDelimited(123456, "something");
  node.mutable_input(0)->GetReflection()->MutableUnknownFields(node.mutable_input(0))->AddVarint(999, 1);
  WriteCaseNode(node, Path("case.pb"));
  EXPECT_EQ(LoadCaseFile(Path("case.pb")).inputs[0].Get(1), 2);
  // Where they would be lost they are refused.
  EXPECT_EQ(ErrorText<FileError>([&] { ReadCaseNode(Path("case.pb"), UnknownFields::kRefuse); }),
            Path("case.pb") + ": it has fields of another operator, which would be lost");
  EXPECT_EQ(ErrorText<FileError>([&] {
              ReadCaseNode(Write("case.prototxt", text), UnknownFields::kRefuse);
            }).substr(Path("case.prototxt").size(), 3),
            ":3:");
}

TEST_F(CaseFileTest, BrokenTextHasLineAndColumn) {
  EXPECT_EQ(Error("op_name: \"x\"\ninput {\n  id: 5\n}\n"), ":3:7: Expected string, got: 5");
  EXPECT_EQ(Error("op_name: \"x\"\ninput {\n").substr(0, 5), ":3:1:");
  EXPECT_EQ(Error(Replaced(AlignCase(kInput), "DTYPE_FLOAT", "DTYPE_FLOUT")).substr(0, 3), ":5:");
}

TEST_F(CaseFileTest, BrokenBinarySaysSo) {
  const auto error = [&](std::string_view content) {
    const std::string file = Write("case.pb", content);
    return ErrorText<FileError>([&] { LoadCaseFile(file); }).substr(file.size());
  };
  EXPECT_EQ(error(""), ": not a Node: the file is empty");
  EXPECT_EQ(error("op_name: \"text\""), ": not a Node: the binary message is broken or cut off");
  EXPECT_EQ(error("\x1A\x01"), ": not a Node: the binary message is broken or cut off");
  EXPECT_EQ(error("\x18\x01"), ": not a Node: op_name is missing");
  EXPECT_EQ(error("\x2A\x03"
                  "a\xFF"
                  "b"),
            ": op_name: there is no operator \"a?b\"");
}

TEST_F(CaseFileTest, FilesThatCannotBeRead) {
  EXPECT_EQ(ErrorText<FileError>([&] { LoadCaseFile(Path("none.prototxt")); }),
            Path("none.prototxt") + ": cannot be read: No such file or directory");
  EXPECT_EQ(ErrorText<FileError>([&] { LoadCaseFile(folder_.string()); }),
            folder_.string() + ": cannot be read: it is a directory");
}

TEST_F(CaseFileTest, MissingFieldsHaveALine) {
  EXPECT_EQ(Error(Replaced(AlignCase(kInput), "op_name: \"rotated_feature_align_forward\"", "")),
            ": op_name is missing");
  EXPECT_EQ(Error(AlignCase("  dtype: DTYPE_FLOAT value_f: 1\n")), ":2: input[0].shape is missing");
  EXPECT_EQ(Error(AlignCase("  shape { dims: 1 } value_f: 1\n")), ":2: input[0].dtype is missing");
  EXPECT_EQ(Error(Replaced(AlignCase(kInput), "points: 5", "")),
            ":9: rotated_feature_align_forward_param.points is missing");
  EXPECT_EQ(Error(Replaced(AlignCase(kInput), "rotated_feature_align_forward_param", "abs_param")),
            ":1: rotated_feature_align_forward_param is missing");
}

TEST_F(CaseFileTest, TensorsAreCounted) {
  EXPECT_EQ(Error(AlignCase(kInput, "input { id: \"z\" shape {} layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT }\n")),
            ":10: input of \"rotated_feature_align_forward\" appears 3 times, expected 2: input, bboxes");
  EXPECT_EQ(Error("op_name: \"psroipool_forward\"\n"),
            ":1: input of \"psroipool_forward\" appears 0 times, expected 2: input, rois");
  EXPECT_EQ(Error("\nop_name: \"abs\"\n"), ":2: op_name: there is no operator \"abs\"");
}

TEST_F(CaseFileTest, Aliases) {
  for (const char* name : {"get_indice_pairs", "get_indices_pairs"}) {
    EXPECT_EQ(Error(std::string("op_name: \"") + name + "\"\n"),
              std::string(":1: input of \"") + name + "\" appears 0 times, expected 1: indices");
  }
}

TEST_F(CaseFileTest, ListsOfScalarsHaveTheRightLength) {
  const auto tensor = [](const char* side, const char* dims, const char* type) {
    return std::string(side) + " { id: \"t\" shape { dims: " + dims + " } layout: LAYOUT_ARRAY dtype: DTYPE_" + type +
           " random_data { } }\n";
  };
  const std::string convolution = "op_name: \"indice_convolution_backward_filter\"\n" +
                                  tensor("input", "[1, 1]", "FLOAT") + tensor("input", "[1, 1]", "FLOAT") +
                                  tensor("input", "[3, 2, 1]", "INT32") + tensor("output", "1", "FLOAT") +
                                  "indice_convolution_backward_param {\n  indice_num: [1, 1]\n}\n";
  EXPECT_EQ(Error(convolution), ":7: indice_num has 2 values, indice_pairs has 3 offsets");
  const Case good = Load(Replaced(convolution, "[1, 1]\n}", "[1, 1, 4]\n}"));
  EXPECT_EQ(good.params.lists.at("indice_num"), (std::vector<int64_t>{1, 1, 4}));

  const std::string pairs = "op_name: \"get_indice_pairs\"\n" + tensor("input", "[1, 4]", "INT32") +
                            tensor("output", "[1, 4]", "INT32") + tensor("output", "[1, 2, 1]", "INT32") +
                            tensor("output", "1", "INT32") +
                            "get_indice_pairs_param {\n  dimnb: 5\n  batch: 1\n  pad: [0, 0, 0]\n  stride: [1, 1]\n"
                            "  dilation: [1, 1, 1]\n  input_space: [1, 1, 1]\n  filter_space: [1, 1, 1]\n"
                            "  output_space: [1, 1, 1]\n}\n";
  EXPECT_EQ(Error(pairs), ":10: stride has 2 values, dimnb 5 needs 3");
  EXPECT_EQ(Error(Replaced(pairs, "dimnb: 5", "dimnb: 2")), ":7: dimnb is 2, expected at least 3");
}

TEST_F(CaseFileTest, ThresholdsOfTestParamComeFirst) {
  const std::string common = "evaluation_criterion: [DIFF3]\nevaluation_threshold: [0.5]\n";
  const std::string test = "test_param {\n  error_func: [DIFF1, DIFF2]\n  error_threshold: [0.01, 0.02]\n}\n";
  ExpectCriteria(Criteria(common + test), {{Formula::kDiff1, 0.01}, {Formula::kDiff2, 0.02}});
  ExpectCriteria(Criteria(common), {{Formula::kDiff3, 0.5}});
  ExpectCriteria(Criteria(common + "test_param { baseline_device: CPU }\n"), {{Formula::kDiff3, 0.5}});
}

TEST_F(CaseFileTest, AllFormulas) {
  ExpectCriteria(Criteria("evaluation_criterion: [DIFF1, DIFF2, DIFF3, DIFF3_2, DIFF4, DIFF_KL]\n"
                          "evaluation_threshold: [1, 2, 3, 4, 5, 6]\n"),
                 {{Formula::kDiff1, 1},
                  {Formula::kDiff2, 2},
                  {Formula::kDiff3, 3},
                  {Formula::kDiff3_2, 4},
                  {Formula::kDiff4, 5},
                  {Formula::kDiffKl, 6}});
  ExpectCriteria(Criteria("evaluation_criterion: [MAPE, MAXAPE]\nevaluation_threshold: [1, 2]\n"),
                 {{Formula::kDiff1, 1}, {Formula::kDiff3, 2}});
  ExpectCriteria(Criteria("evaluation_criterion: [DIFF1, DIFF1]\nevaluation_threshold: [1, 2]\n"),
                 {{Formula::kDiff1, 1}});
  EXPECT_EQ(Error(AlignCase(kInput,
                            "evaluation_criterion: DIFF1\nevaluation_criterion: NRMSE\n"
                            "evaluation_threshold: [1, 2]\n")),
            ":11: evaluation_criterion: NRMSE is not supported");
}

TEST_F(CaseFileTest, ThresholdsOfAnOutput) {
  const auto with = [](const std::string& thresholds, const std::string& rest = "") {
    return Replaced(AlignCase(kInput, rest), "id: \"y\"",
                    "id: \"y\" thresholds { evaluation_threshold: " + thresholds + " }");
  };
  ExpectCriteria(Load(with("[0.1]")).criteria[0], {{Formula::kDiff1, 0.1}});
  ExpectCriteria(Load(with("[0.1, 0.2]")).criteria[0], {{Formula::kDiff1, 0.1}, {Formula::kDiff2, 0.2}});
  ExpectCriteria(Load(with("[0.1, 0.2, 0.75]")).criteria[0],
                 {{Formula::kDiff1, 0.1}, {Formula::kDiff2, 0.2}, {Formula::kDiff4, 0.75}});
  EXPECT_EQ(Error(with("[1, 2, 3, 4]")),
            ":8: 4 thresholds without evaluation_criterion, expected up to 3: diff1, diff2, diff4");
  ExpectCriteria(Load(with("[0.1]", "evaluation_criterion: DIFF3_2\n")).criteria[0], {{Formula::kDiff3_2, 0.1}});
  EXPECT_EQ(Error(with("[0.1, 0.2]", "evaluation_criterion: DIFF3_2\n")),
            ":8: evaluation_threshold has 2 values, evaluation_criterion has 1");
  // The common ones win.
  ExpectCriteria(Load(with("[0.1]", "evaluation_criterion: DIFF2\nevaluation_threshold: 0.7\n")).criteria[0],
                 {{Formula::kDiff2, 0.7}});
}

TEST_F(CaseFileTest, FormulasAndThresholdsMustPair) {
  EXPECT_EQ(Error(AlignCase(kInput, "test_param {\n  error_func: DIFF1\n  error_threshold: [1, 2]\n}\n")),
            ":12: error_threshold has 2 values, error_func has 1");
  EXPECT_EQ(Error(AlignCase(kInput, "evaluation_threshold: 1\n")),
            ":10: evaluation_threshold has 1 values, evaluation_criterion has 0");
}

TEST_F(CaseFileTest, OutputsThatAreNotCompared) {
  const std::string text = AlignCase(kInput, "evaluation_criterion: DIFF2\nevaluation_threshold: 0.7\n");
  EXPECT_TRUE(Load(Replaced(text, "id: \"y\"", "id: \"y\" threshold_use: 0")).criteria[0].empty());
  EXPECT_EQ(Load(Replaced(text, "id: \"y\"", "id: \"y\" threshold_use: 1")).criteria[0].size(), 1u);
}

TEST_F(CaseFileTest, WithoutThresholdsThePromiseHolds) {
  ExpectCriteria(Criteria(""), PromisedCriteria(*FindOperator("rotated_feature_align_forward"), MLUOP_DTYPE_FLOAT));
  EXPECT_FALSE(Criteria("").empty());
}

TEST_F(CaseFileTest, BaselineOfAnotherDevice) {
  const std::string text = Replaced(AlignCase(kInput), "id: \"y\"", "id: \"y\" value_f: [5, -6]");
  EXPECT_FALSE(Load(text).baseline.has_value());
  EXPECT_FALSE(Load("device: CPU\n" + text).baseline.has_value());
  for (const std::string& gpu : {"device: GPU\n" + text, text + "test_param { baseline_device: GPU }\n"}) {
    const Case the_case = Load(gpu);
    const Baseline baseline = the_case.baseline.value_or(Baseline{});
    EXPECT_EQ(baseline.outputs, (std::vector<std::vector<double>>{{5, -6}}));
    EXPECT_TRUE(baseline.results.empty());
    EXPECT_EQ(the_case.outputs[0].Get(1), -6);
  }
  EXPECT_FALSE(Load("device: CPU\n" + text + "test_param { baseline_device: GPU }\n").baseline.has_value());
  EXPECT_EQ(Error("device: GPU\n" + AlignCase(kInput)),
            ":9: output[0] (output): it has no values, but the device is GPU, whose results are the baseline");
}

TEST_F(CaseFileTest, Description) {
  const CaseDescription description =
      Describe(Load(AlignCase("  shape { dims: [1, 2] } dtype: DTYPE_HALF value_f: [1, 2]\n")));
  EXPECT_EQ(description.op, "rotated_feature_align_forward");
  EXPECT_EQ(description.type, "half");
  EXPECT_EQ(description.shape, "1x2, 1");
  EXPECT_EQ(description.layout, "NHWC,ARRAY");
}

TEST_F(CaseFileTest, OperatorNameIsFoundWithoutParsing) {
  const std::string text = AlignCase("  # op_name: \"no\"\n" + kInput);
  EXPECT_EQ(PeekOperatorName(Write("a.prototxt", "# op_name: \"no\"\ndevice: CPU\n" + text)),
            "rotated_feature_align_forward");
  EXPECT_EQ(PeekOperatorName(Write("b.prototxt", "id: \"x\"\n op_name : 'y' broken {{{")), "y");
  WriteCaseNode(ReadCaseNode(Path("a.prototxt"))->node, Path("c.pb"));
  EXPECT_EQ(PeekOperatorName(Path("c.pb")), "rotated_feature_align_forward");
  EXPECT_EQ(PeekOperatorName(Write("d.pb", "garbage")), "");
  EXPECT_EQ(PeekOperatorName(Write("e.pb", "\x2A\x7Fshort")), "");
  EXPECT_EQ(PeekOperatorName(Path("none.pb")), "");
  EXPECT_EQ(PeekOperatorName(Write("f.prototxt", "device: CPU\n")), "");
}

// Cut or changed anywhere, a file is read or refused.
TEST_F(CaseFileTest, DamagedFilesDoNotCrash) {
  const std::string text = AlignCase(kInput, "evaluation_criterion: DIFF2\nevaluation_threshold: 0.7\n");
  WriteCaseNode(ReadCaseNode(Write("case.prototxt", text))->node, Path("case.pb"));
  const std::string binary = ReadInputFile(Path("case.pb"), 1 << 20, "");
  int refused = 0;
  const auto load = [&](const std::string& name, const std::string& content) {
    try {
      LoadCaseFile(Write(name, content));
    } catch (const FileError&) {
      ++refused;
    }
  };
  for (size_t i = 0; i < binary.size(); ++i) {
    load("cut.pb", binary.substr(0, i));
    for (const char flipped : {'\x01', '\x80', '\xFF'}) {
      std::string changed = binary;
      changed[i] = static_cast<char>(changed[i] ^ flipped);
      load("changed.pb", changed);
    }
  }
  for (size_t i = 0; i < text.size(); ++i) load("cut.prototxt", text.substr(0, i));
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace detops_cli
