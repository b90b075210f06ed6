// The values in case files: decimal, hexadecimal, random and in files of their own; all types.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "detops.h"
#include "gtest/gtest.h"
#include "recording/gen_case_calls.h"
#include "recording/gen_case_child.h"

namespace {

using namespace detops_test;  // this test's own helpers

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class Call>
void Record(const TemporaryFolder& folder, Environment environment, Call&& call) {
  environment.emplace_back("_DIR", folder.path());
  EXPECT_TRUE(RunInChild(environment, [&] {
    const Handle handle(DETOPS_PROFILE_FULL, 1);
    EXPECT_EQ(call.Run(handle.get()), MLUOP_STATUS_SUCCESS) << handle.LastError();
  }));
}

// What stands after the type of a tensor, without indentation and line breaks: the data.
std::string DataOf(const std::string& text, const std::string& id) {
  const size_t start = text.find("dtype: ", text.find("id: \"" + id + "\""));
  if (start == std::string::npos) return "(no such tensor)";
  const size_t line = text.find('\n', start) + 1;
  std::string data;
  for (const char c : text.substr(line, text.find("\n}", line - 1) + 1 - line)) {
    if (c == '\n') {
      data += '|';
    } else if (c != ' ') {
      data += c;
    }
  }
  return data;
}

std::string FeaturesAs(const Environment& environment, mluOpDataType_t type, const std::vector<double>& values) {
  const TemporaryFolder folder;
  Record(folder, environment, AlignForwardCall(type, values));
  return DataOf(OnlyFile(folder.path()), "input");
}

const Environment kShapes = {{"", "1"}}, kReal = {{"", "2"}};
const Environment kText = {{"", "2"}, {"_DUMP_DATA", "1"}}, kHex = {{"", "2"}, {"_DUMP_DATA", "2"}};

TEST(GenCaseValuesTest, DecimalFloats) {
  EXPECT_EQ(FeaturesAs(kText, MLUOP_DTYPE_FLOAT, {0, -0.0, 0.1f, -1e20f, kNan, -kNan, kInf, -kInf}),
            "value_f:0|value_f:-0|value_f:0.1|value_f:-1e+20|value_f:nan|value_f:nan|value_f:inf|value_f:-inf|");
}

// 0.1 in half is 0.0999755859375, whose shortest text as a float is this; in bfloat16 it is 0.10009765625.
TEST(GenCaseValuesTest, DecimalHalvesAreFloats) {
  EXPECT_EQ(FeaturesAs(kText, MLUOP_DTYPE_HALF, {0.1, 65504, 0x1p-24, -kInf}),
            "value_f:0.099975586|value_f:65504|value_f:5.9604645e-08|value_f:-inf|");
  EXPECT_EQ(FeaturesAs(kText, MLUOP_DTYPE_BFLOAT16, {0.1, -3, kNan}), "value_f:0.100097656|value_f:-3|value_f:nan|");
}

TEST(GenCaseValuesTest, DecimalFloatsReadBackToTheSameBits) {
  std::vector<double> values;
  std::vector<uint32_t> bits;
  for (uint32_t i = 0; i < 3000; ++i) {
    const uint32_t pattern = i * 1431655u;  // all exponents
    const float value = std::bit_cast<float>(pattern);
    if (!std::isfinite(value)) continue;
    values.push_back(value);
    bits.push_back(pattern);
  }
  const std::string data = FeaturesAs(kText, MLUOP_DTYPE_FLOAT, values);
  size_t position = 0, differing = 0;
  for (const uint32_t expected : bits) {
    position = data.find(':', position) + 1;
    ASSERT_NE(position, 0u) << "too few values";
    differing += std::bit_cast<uint32_t>(std::strtof(data.c_str() + position, nullptr)) != expected ? 1 : 0;
  }
  EXPECT_EQ(differing, 0u);
  EXPECT_EQ(data.find(':', position), std::string::npos) << "too many values";
}

TEST(GenCaseValuesTest, HexadecimalIsTheBitsWithoutLeadingZeros) {
  EXPECT_EQ(FeaturesAs(kHex, MLUOP_DTYPE_FLOAT, {1, 0, -0.0, 0x1p-149, kInf}),
            "value_h:\"3f800000\"|value_h:\"0\"|value_h:\"80000000\"|value_h:\"1\"|value_h:\"7f800000\"|");
  EXPECT_EQ(FeaturesAs(kHex, MLUOP_DTYPE_HALF, {1, -2, 0x1p-24}), "value_h:\"3c00\"|value_h:\"c000\"|value_h:\"1\"|");
  EXPECT_EQ(FeaturesAs(kHex, MLUOP_DTYPE_BFLOAT16, {1, -2}), "value_h:\"3f80\"|value_h:\"c000\"|");
  const std::string doubles = "value_h:\"3ff0000000000000\"|value_h:\"3fb999999999999a\"|";
  EXPECT_EQ(FeaturesAs(kHex, MLUOP_DTYPE_DOUBLE, {1, 0.1}), doubles);
  EXPECT_EQ(FeaturesAs(kText, MLUOP_DTYPE_DOUBLE, {1, 0.1}), doubles) << "value_f would lose digits";
}

TEST(GenCaseValuesTest, RandomDataHasTheBoundsOfTheFiniteValues) {
  EXPECT_EQ(FeaturesAs(kShapes, MLUOP_DTYPE_FLOAT, {0.5, kNan, -2.5, kInf, 7, -kInf}),
            "random_data{|seed:1|lower_bound:-2.5|upper_bound:7|distribution:UNIFORM|}|");
  EXPECT_EQ(FeaturesAs(kShapes, MLUOP_DTYPE_HALF, {3}),
            "random_data{|seed:1|lower_bound:3|upper_bound:3|distribution:UNIFORM|}|");
  EXPECT_EQ(FeaturesAs(kShapes, MLUOP_DTYPE_BFLOAT16, {-1, -4}),
            "random_data{|seed:1|lower_bound:-4|upper_bound:-1|distribution:UNIFORM|}|");
  EXPECT_EQ(FeaturesAs(kShapes, MLUOP_DTYPE_DOUBLE, {0.1, 1e300}),
            "random_data{|seed:1|lower_bound_double:0.1|upper_bound_double:1e+300|distribution:UNIFORM|}|");
  EXPECT_EQ(FeaturesAs(kShapes, MLUOP_DTYPE_FLOAT, {kNan, kInf}),
            "random_data{|seed:1|lower_bound:-1|upper_bound:1|distribution:UNIFORM|}|")
      << "the defaults of the form";
}

// The bounds are floats: 16777217 = 2^24 + 1 is none, and random indices must stay within.
TEST(GenCaseValuesTest, RandomIntegersStayInRange) {
  const auto bounds = [](int64_t low, int64_t high) {
    ConvolutionForwardCall call;
    call.indice_num[0] = 1;  // what is not counted may be any number
    call.pairs.Assign({0, static_cast<double>(low), 1, static_cast<double>(high)});
    const TemporaryFolder folder;
    Record(folder, kShapes, call);
    return DataOf(OnlyFile(folder.path()), "indice_pairs");
  };
  EXPECT_EQ(bounds(3, 9), "random_data{|seed:3|lower_bound:0|upper_bound:9|distribution:UNIFORM|}|");
  EXPECT_EQ(bounds(3, 16777219), "random_data{|seed:3|lower_bound:0|upper_bound:16777218|distribution:UNIFORM|}|");
}

// Without a wish about data, what cannot be random is exact: here boxes and indices.
TEST(GenCaseValuesTest, OnlyRealTensorsHaveValuesByDefault) {
  const TemporaryFolder align, conv;
  Record(align, kReal, AlignForwardCall());
  const std::string align_text = OnlyFile(align.path());
  EXPECT_EQ(DataOf(align_text, "input"), "random_data{|seed:1|lower_bound:1|upper_bound:3|distribution:UNIFORM|}|");
  std::string zeros;
  for (int i = 0; i < 10; ++i) zeros += "value_h:\"0\"|";
  EXPECT_EQ(DataOf(align_text, "bboxes"), zeros);
  EXPECT_EQ(DataOf(align_text, "output"), "");

  Record(conv, kReal, ConvolutionForwardCall());
  const std::string conv_text = OnlyFile(conv.path());
  EXPECT_EQ(DataOf(conv_text, "features"), "random_data{|seed:1|lower_bound:1|upper_bound:2|distribution:UNIFORM|}|");
  EXPECT_EQ(DataOf(conv_text, "filters"), "random_data{|seed:2|lower_bound:0.5|upper_bound:0.5|distribution:UNIFORM|}|")
      << "a seed of its own";
  EXPECT_EQ(DataOf(conv_text, "indice_pairs"), "value_i:0|value_i:1|value_i:1|value_i:0|");
}

TEST(GenCaseValuesTest, ModeOneHasNoValuesWhateverTheOthersSay) {
  const TemporaryFolder folder;
  Record(folder, {{"", "1"}, {"_DUMP_DATA", "2"}, {"_DUMP_DATA_OUTPUT", "2"}, {"_DUMP_DATA_FILE", "1"}},
         AlignForwardCall());
  const std::string text = OnlyFile(folder.path());
  EXPECT_EQ(text.find("value_"), std::string::npos) << text;
  EXPECT_EQ(text.find("path"), std::string::npos) << text;
  EXPECT_EQ(DataOf(text, "bboxes"), "random_data{|seed:2|lower_bound:0|upper_bound:0|distribution:UNIFORM|}|");
  EXPECT_EQ(DataOf(text, "output"), "");
}

TEST(GenCaseValuesTest, OutputsAlone) {
  for (const std::string form : {"1", "2"}) {
    const TemporaryFolder folder;
    Record(folder, {{"", "2"}, {"_DUMP_DATA_OUTPUT", form}}, ConvolutionForwardCall());
    const std::string text = OnlyFile(folder.path());
    EXPECT_EQ(DataOf(text, "features_out"),
              form == "1" ? "value_f:1|value_f:0.5|" : "value_h:\"3f800000\"|value_h:\"3f000000\"|");
    EXPECT_EQ(DataOf(text, "features").rfind("random_data", 0), 0u);
  }
}

// Raw bytes next to the case file; their names are relative to it.
TEST(GenCaseValuesTest, DataFiles) {
  const TemporaryFolder folder;
  AlignForwardCall call;
  Record(folder, {{"", "2"}, {"_DUMP_DATA", "1"}, {"_DUMP_DATA_OUTPUT", "1"}, {"_DUMP_DATA_FILE", "1"}}, call);
  const std::vector<std::string> files = FilesBelow(folder.path());
  ASSERT_EQ(files.size(), 4u) << ::testing::PrintToString(files);
  const std::string place = folder.path() + "/gen_case/" + kAlign + "/";
  std::string text;
  for (const std::string& file : files) {
    if (file.ends_with(".prototxt")) text = ReadAll(folder.path() + "/" + file);
  }
  const auto bytes_of = [&](const std::string& id, const std::string& end) {
    const std::string data = DataOf(text, id);  // path:"name"|
    EXPECT_EQ(data.rfind("path:\"" + kAlign + "_", 0), 0u) << data;
    EXPECT_TRUE(data.ends_with(end + "\"|")) << data;
    return ReadAll(place + data.substr(6, data.size() - 8));
  };
  const auto raw = [](const std::vector<float>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  };
  EXPECT_EQ(bytes_of("input", "_data0_input"), raw({1, 3}));
  EXPECT_EQ(bytes_of("bboxes", "_data1_input"), raw(std::vector<float>(10, 0.0f)));
  EXPECT_EQ(bytes_of("output", "_data2_output"), raw({2, 4}));
}

TEST(GenCaseValuesTest, DataFilesOfRealTensorsOnly) {
  const TemporaryFolder folder;
  Record(folder, {{"", "2"}, {"_DUMP_DATA_FILE", "1"}}, AlignForwardCall());
  const std::vector<std::string> files = FilesBelow(folder.path());
  ASSERT_EQ(files.size(), 2u) << ::testing::PrintToString(files);
  EXPECT_TRUE(files[1].ends_with("_data1_input")) << files[1];
}

// On-chip types are arguments too.
TEST(GenCaseValuesTest, OnchipTypeIsKept) {
  const TemporaryFolder folder;
  ConvolutionForwardCall call;
  Must(mluOpSetTensorDescriptorOnchipDataType(call.features.desc(), MLUOP_DTYPE_FLOAT), "onchip");
  Record(folder, kShapes, call);
  EXPECT_EQ(DataOf(OnlyFile(folder.path()), "features").rfind("onchip_dtype:DTYPE_FLOAT|random_data{|", 0), 0u);
}

// Nothing to compute is a call too; what has no elements or no memory has no values.
TEST(GenCaseValuesTest, EmptyTensors) {
  struct EmptyForward {
    mluOpStatus_t Run(mluOpHandle_t handle) {
      return mluOpIndiceConvolutionForward(handle, features.get(), nullptr, filters.get(), nullptr, pairs.get(),
                                           nullptr, numbers, 0, 0, 0, nullptr, 0, out.get(), nullptr);
    }
    Descriptor features{kArray, MLUOP_DTYPE_FLOAT, {0, 2}}, filters{kArray, MLUOP_DTYPE_FLOAT, {1, 1, 1, 2, 3}};
    Descriptor pairs{kArray, MLUOP_DTYPE_INT32, {1, 2, 0}}, out{kArray, MLUOP_DTYPE_FLOAT, {0, 3}};
    int64_t numbers[1] = {0};
  };
  const std::string expected = "random_data{|seed:1|lower_bound:-1|upper_bound:1|distribution:UNIFORM|}|";
  for (const char* files : {"0", "1"}) {
    const TemporaryFolder folder;
    Record(folder, {{"", "2"}, {"_DUMP_DATA", "1"}, {"_DUMP_DATA_OUTPUT", "1"}, {"_DUMP_DATA_FILE", files}},
           EmptyForward());
    const std::string text = OnlyFile(folder.path());
    EXPECT_EQ(DataOf(text, "features"), expected);
    EXPECT_EQ(DataOf(text, "features_out"), "");
    EXPECT_NE(text.find("  indice_num: 0\n"), std::string::npos);
  }
}

}  // namespace
