// Every form of data, in order of precedence, and what is wrong with broken ones.
#include "case_file/tensor_data.h"

#include <cmath>
#include <cstring>
#include <numeric>

#include "case_file/case_file.h"
#include "case_file/test/test_support.h"

namespace detops_cli {
namespace {

class TensorDataTest : public FolderTest {
 protected:
  HostTensor Load(const std::string& first_input) {
    return LoadCaseFile(Write("case.prototxt", AlignCase(first_input))).inputs.at(0);
  }
  std::vector<double> Values(const std::string& first_input) { return Load(first_input).Values(); }
  // Without the name of the file.
  std::string Error(const std::string& first_input) {
    const std::string text = ErrorText<FileError>([&] { Load(first_input); });
    return text.substr(std::min(text.size(), Path("case.prototxt").size()));
  }
};

using Numbers = std::vector<double>;

TEST_F(TensorDataTest, ShapeTypeLayoutAndName) {
  const HostTensor tensor = Load("  shape { dims: 1 dims: 2 } dtype: DTYPE_FLOAT value_f: 1.5 value_f: -2\n");
  EXPECT_EQ(tensor.name, "input");
  EXPECT_EQ(tensor.layout, MLUOP_LAYOUT_NHWC);
  EXPECT_EQ(tensor.type, MLUOP_DTYPE_FLOAT);
  EXPECT_EQ(tensor.extents, (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE(tensor.strides.empty());
  EXPECT_EQ(tensor.Values(), (Numbers{1.5, -2}));
}

TEST_F(TensorDataTest, TypesAreMappedByName) {
  const std::pair<const char*, mluOpDataType_t> types[] = {
      {"HALF", MLUOP_DTYPE_HALF},         {"FLOAT", MLUOP_DTYPE_FLOAT},   {"INT8", MLUOP_DTYPE_INT8},
      {"INT16", MLUOP_DTYPE_INT16},       {"INT32", MLUOP_DTYPE_INT32},   {"INT64", MLUOP_DTYPE_INT64},
      {"UINT8", MLUOP_DTYPE_UINT8},       {"UINT16", MLUOP_DTYPE_UINT16}, {"UINT32", MLUOP_DTYPE_UINT32},
      {"UINT64", MLUOP_DTYPE_UINT64},     {"BOOL", MLUOP_DTYPE_BOOL},     {"DOUBLE", MLUOP_DTYPE_DOUBLE},
      {"BFLOAT16", MLUOP_DTYPE_BFLOAT16},
  };
  for (const auto& [name, type] : types) {
    const HostTensor tensor = Load(std::string("  shape { dims: 3 } value_f: [0, 1, 1] dtype: DTYPE_") + name + "\n");
    EXPECT_EQ(tensor.type, type) << name;
    EXPECT_EQ(tensor.data.size(), tensor.bytes()) << name;
    EXPECT_EQ(tensor.data.front(), std::byte{0}) << name;
    EXPECT_NE(tensor.data, std::vector<std::byte>(tensor.data.size())) << name;
  }
}

TEST_F(TensorDataTest, LayoutsAreMappedByName) {
  const std::pair<const char*, mluOpTensorLayout_t> layouts[] = {
      {"NCHW", MLUOP_LAYOUT_NCHW},   {"NHWC", MLUOP_LAYOUT_NHWC},   {"HWCN", MLUOP_LAYOUT_HWCN},
      {"NDHWC", MLUOP_LAYOUT_NDHWC}, {"ARRAY", MLUOP_LAYOUT_ARRAY}, {"TNC", MLUOP_LAYOUT_TNC},
      {"NTC", MLUOP_LAYOUT_NTC},     {"NCDHW", MLUOP_LAYOUT_NCDHW}, {"NC", MLUOP_LAYOUT_NC},
      {"NLC", MLUOP_LAYOUT_NLC},     {"NCL", MLUOP_LAYOUT_NCL},
  };
  for (const auto& [name, layout] : layouts) {
    std::string text = AlignCase("  shape { dims: 1 } dtype: DTYPE_FLOAT value_f: 0\n");
    text.replace(text.find("LAYOUT_NHWC"), 11, std::string("LAYOUT_") + name);
    EXPECT_EQ(LoadCaseFile(Write("case.prototxt", text)).inputs[0].layout, layout) << name;
  }
}

TEST_F(TensorDataTest, Precedence) {
  constexpr float kSeven = 7;
  Write("seven", std::string(reinterpret_cast<const char*>(&kSeven), 4));
  // The bits of 1, 2, 3 ... as each form writes them.
  std::vector<std::string> forms = {
      "value_h: \"3f800000\"",  // 1
      "value_f: 2",
      "value_i: 1077936128",   // 3
      "value_l: 1082130432",   // 4
      "value_ui: 1084227584",  // 5
      "value_ul: 1086324736",  // 6
      "path: \"seven\"",
      "random_data { lower_bound: 8 upper_bound: 8 }",
  };
  const Numbers expected = {1, 2, 3, 4, 5, 6, 7, 8};
  for (size_t first = 0; first < forms.size(); ++first) {
    std::string text = "  shape { dims: 1 } dtype: DTYPE_FLOAT\n";
    for (size_t i = forms.size(); i-- > first;) text += "  " + forms[i] + "\n";
    EXPECT_EQ(Values(text), Numbers{expected[first]}) << forms[first];
  }
}

TEST_F(TensorDataTest, HexadecimalDigits) {
  EXPECT_EQ(Values("  shape { dims: 4 } dtype: DTYPE_HALF value_h: [\"3c00\", \"0xC000\", \"0\", \"7bff\"]\n"),
            (Numbers{1, -2, 0, 65504}));
  EXPECT_EQ(Values("  shape { dims: 1 } dtype: DTYPE_DOUBLE value_h: \"bff0000000000000\"\n"), Numbers{-1});
  EXPECT_EQ(Values("  shape { dims: 2 } dtype: DTYPE_INT32 value_h: [\"ffffffff\", \"10\"]\n"), (Numbers{-1, 16}));
  EXPECT_EQ(Error("  shape { dims: 2 } dtype: DTYPE_HALF\n  value_h: \"3c00\"\n  value_h: \"13c00\"\n"),
            ":7: input[0] (input): value_h[1] is \"13c00\", expected up to 4 hexadecimal digits for DTYPE_HALF");
  EXPECT_NE(Error("  shape { dims: 1 } dtype: DTYPE_FLOAT value_h: \"3g\"\n"), "");
  EXPECT_NE(Error("  shape { dims: 1 } dtype: DTYPE_FLOAT value_h: \"0x\"\n"), "");
  EXPECT_NE(Error("  shape { dims: 1 } dtype: DTYPE_FLOAT value_h: \"\"\n"), "");
  EXPECT_NE(Error("  shape { dims: 1 } dtype: DTYPE_FLOAT value_h: \"-1\"\n"), "");
}

TEST_F(TensorDataTest, FloatsAreRoundedToNearestEven) {
  // 2049 and 2051 lie between two halves, 257 and 259 between two bfloat16.
  EXPECT_EQ(Values("  shape { dims: 2 } dtype: DTYPE_HALF value_f: [2049, 2051]\n"), (Numbers{2048, 2052}));
  EXPECT_EQ(Values("  shape { dims: 2 } dtype: DTYPE_BFLOAT16 value_f: [257, 259]\n"), (Numbers{256, 260}));
  EXPECT_EQ(Values("  shape { dims: 4 } dtype: DTYPE_INT32 value_f: [0.5, 1.5, -2.5, 2.7]\n"), (Numbers{0, 2, -2, 3}));
  EXPECT_EQ(Values("  shape { dims: 1 } dtype: DTYPE_HALF value_f: 65536\n"), Numbers{INFINITY});
  EXPECT_TRUE(std::isnan(Values("  shape { dims: 1 } dtype: DTYPE_FLOAT value_f: nan\n").at(0)));
  EXPECT_EQ(Error("  shape { dims: 1 } dtype: DTYPE_INT32 value_f: 3e9\n"),
            ":5: input[0] (input): value_f[0] is 3000000000, which DTYPE_INT32 cannot hold");
  EXPECT_NE(Error("  shape { dims: 1 } dtype: DTYPE_INT64 value_f: nan\n"), "");
}

TEST_F(TensorDataTest, IntegersOfRealTensorsAreBits) {
  EXPECT_EQ(Values("  shape { dims: 2 } dtype: DTYPE_FLOAT value_i: [1065353216, -1073741824]\n"), (Numbers{1, -2}));
  EXPECT_EQ(Values("  shape { dims: 3 } dtype: DTYPE_HALF value_i: [15360, 49152, -16384]\n"), (Numbers{1, -2, -2}));
  EXPECT_EQ(Values("  shape { dims: 1 } dtype: DTYPE_BFLOAT16 value_i: 16256\n"), Numbers{1});
  EXPECT_EQ(Values("  shape { dims: 1 } dtype: DTYPE_DOUBLE value_l: 4607182418800017408\n"), Numbers{1});
  EXPECT_EQ(Error("  shape { dims: 1 } dtype: DTYPE_DOUBLE value_i: 1\n"),
            ":5: input[0] (input): value_i has 32 bits for each value, the bit pattern of DTYPE_DOUBLE needs 64");
}

TEST_F(TensorDataTest, IntegersMustFit) {
  EXPECT_EQ(Values("  shape { dims: 2 } dtype: DTYPE_INT32 value_i: [-2147483648, 2147483647]\n"),
            (Numbers{-2147483648.0, 2147483647.0}));
  EXPECT_EQ(Values("  shape { dims: 1 } dtype: DTYPE_INT64 value_l: -5\n"), Numbers{-5});
  EXPECT_EQ(Values("  shape { dims: 1 } dtype: DTYPE_INT32 value_ul: 7\n"), Numbers{7});
  EXPECT_EQ(Error("  shape { dims: 2 } dtype: DTYPE_INT32\n  value_ui: 1\n  value_ui: 2147483648\n"),
            ":7: input[0] (input): value_ui[1] is 2147483648, which DTYPE_INT32 cannot hold");
  EXPECT_NE(Error("  shape { dims: 1 } dtype: DTYPE_UINT8 value_i: -1\n"), "");
  EXPECT_NE(Error("  shape { dims: 1 } dtype: DTYPE_INT8 value_i: 128\n"), "");
  EXPECT_NE(Error("  shape { dims: 1 } dtype: DTYPE_INT64 value_ul: 9223372036854775808\n"), "");
}

TEST_F(TensorDataTest, ListsHaveOneValuePerElement) {
  EXPECT_EQ(Error("  shape { dims: 2 dims: 2 } dtype: DTYPE_FLOAT\n  value_f: [1, 2, 3]\n"),
            ":6: input[0] (input): value_f has 3 values, the shape [2, 2] needs 4");
  EXPECT_NE(Error("  shape { dims: 2 } dtype: DTYPE_FLOAT value_f: 1\n"), "") << "one value is not repeated";
  EXPECT_NE(Error("  shape { dims: 0 } dtype: DTYPE_FLOAT value_f: 1\n"), "");
  EXPECT_EQ(Error("  shape { dims: 2 } dtype: DTYPE_FLOAT\n"),
            ":2: input[0] (input): it has no data: none of value_h, value_f, value_i, value_l, value_ui, value_ul, "
            "path, random_data");
}

TEST_F(TensorDataTest, NoElementsNeedNoData) {
  EXPECT_TRUE(Load("  shape { dims: 3 dims: 0 } dtype: DTYPE_FLOAT\n").data.empty());
}

TEST_F(TensorDataTest, StridesSpanTheList) {
  // Two rows of two, three apart: the elements are 0, 1, 3 and 4 of five.
  const HostTensor tensor =
      Load("  shape { dims: [2, 2] dim_stride: [3, 1] } dtype: DTYPE_FLOAT value_f: [0, 1, 2, 3, 4]\n");
  EXPECT_EQ(tensor.strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(tensor.span(), 5);
  EXPECT_EQ(tensor.Values(), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_NE(Error("  shape { dims: [2, 2] dim_stride: [3, 1] } dtype: DTYPE_FLOAT value_f: [0, 1, 2, 3]\n"), "");
  EXPECT_EQ(Error("  shape { dims: [2, 2] dim_stride: 3 } dtype: DTYPE_FLOAT value_f: [0, 1, 2, 3]\n"),
            ":5: input[0] (input): 1 dim_stride for 2 dims");
}

TEST_F(TensorDataTest, ImpossibleShapes) {
  EXPECT_EQ(Error("  dtype: DTYPE_FLOAT\n  shape { dims: -1 }\n"),
            ":6: input[0] (input): axis 0 has a negative extent or stride (-1, 0)");
  EXPECT_EQ(Error("  shape { dims: [4294967296, 4294967296] } dtype: DTYPE_FLOAT\n"),
            ":5: input[0] (input): the shape [4294967296, 4294967296] is too large");
  EXPECT_NE(Error("  shape { dims: [2, 2] dim_stride: [9223372036854775807, 1] } dtype: DTYPE_FLOAT\n"), "");
}

TEST_F(TensorDataTest, TypesWithoutMeaning) {
  EXPECT_EQ(Error("  shape { dims: 1 } value_f: 0\n  dtype: DTYPE_COMPLEX128\n"),
            ":6: input[0] (input): mlu_op.h has no type for DTYPE_COMPLEX128");
  EXPECT_NE(Error("  shape { dims: 1 } value_f: 0 dtype: DTYPE_UNSET\n"), "");
  EXPECT_NE(Error("  shape { dims: 1 } value_f: 0 dtype: DTYPE_INT31\n"), "");
  EXPECT_EQ(Error("  shape { dims: 1 } value_f: 0\n  dtype: DTYPE_FLOUT\n"),
            ":6:10: Unknown enumeration value of \"DTYPE_FLOUT\" for field \"dtype\".");
}

TEST_F(TensorDataTest, RawFilesAreFoundBesideTheCase) {
  const float values[2] = {1.25f, -3};
  const std::string bytes(reinterpret_cast<const char*>(values), sizeof(values));
  Write("data/x.bin", bytes);
  EXPECT_EQ(Values("  shape { dims: 2 } dtype: DTYPE_FLOAT path: \"data/x.bin\"\n"), (Numbers{1.25, -3}));
  EXPECT_EQ(Values("  shape { dims: 2 } dtype: DTYPE_FLOAT path: \"" + Path("data/x.bin") + "\"\n"),
            (Numbers{1.25, -3}));
  EXPECT_EQ(Error("  shape { dims: 3 } dtype: DTYPE_FLOAT\n  path: \"data/x.bin\"\n"),
            ":6: input[0] (input): path: " + Path("data/x.bin") + " has 8 bytes, the shape [3] needs 12");
  EXPECT_EQ(Error("  shape { dims: 3 } dtype: DTYPE_FLOAT\n  path: \"y.bin\"\n"),
            ":6: input[0] (input): path: there is no file " + Path("y.bin"));
  EXPECT_NE(Error("  shape { dims: 3 } dtype: DTYPE_FLOAT path: \"data\"\n"), "");
}

TEST_F(TensorDataTest, NullTensorsAreRefused) {
  std::string text = AlignCase("  shape { dims: 1 } dtype: DTYPE_FLOAT value_f: 0\n");
  text.replace(text.find("\"x\""), 3, "\"NULL\"");
  EXPECT_EQ(ErrorText<FileError>([&] { LoadCaseFile(Write("case.prototxt", text)); }),
            Path("case.prototxt") + ":3: input[0] (input): null tensors are not supported");
}

TEST_F(TensorDataTest, RandomDataAreDrawnInTheTensorsType) {
  const std::string random = " random_data { seed: 5 lower_bound: -9 upper_bound: 9 }\n";
  const Numbers reals = Values("  shape { dims: 50 } dtype: DTYPE_FLOAT" + random);
  const Numbers integers = Values("  shape { dims: 50 } dtype: DTYPE_INT32" + random);
  const HostTensor halves = Load("  shape { dims: 50 } dtype: DTYPE_HALF" + random);
  bool negative = false;
  for (size_t i = 0; i < reals.size(); ++i) {
    EXPECT_EQ(integers[i], std::floor(reals[i]));
    negative |= integers[i] < 0;
    EXPECT_NEAR(halves.Get(static_cast<int64_t>(i)), reals[i], 9.0 / 2048);
  }
  EXPECT_TRUE(negative) << "floor and truncation are the same for numbers that are not negative";
  EXPECT_NE(Values("  shape { dims: 50 } dtype: DTYPE_DOUBLE" + random), reals);
}

TEST_F(TensorDataTest, RandomIntegersStayInTheirType) {
  EXPECT_EQ(Values("  shape { dims: 1 } dtype: DTYPE_INT32 random_data { lower_bound: 1e10 upper_bound: 1e10 }\n"),
            Numbers{2147483647.0});
  EXPECT_EQ(Values("  shape { dims: 1 } dtype: DTYPE_INT32 random_data { lower_bound: -1e10 upper_bound: -1e10 }\n"),
            Numbers{-2147483648.0});
}

TEST_F(TensorDataTest, RandomDataErrorsHaveALine) {
  EXPECT_EQ(Error("  shape { dims: 1 } dtype: DTYPE_FLOAT\n  random_data { distribution: BINOMIAL }\n"),
            ":6: input[0] (input): random_data: distribution BINOMIAL is not supported, UNIFORM and GAUSSIAN are");
}

}  // namespace
}  // namespace detops_cli
