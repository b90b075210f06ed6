// Every rule of the check table: what it lets pass, its status, and its sentence word for word. The first failure wins.
#include "core/arg_check.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/context.h"
#include "gtest/gtest.h"

namespace detops {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

class ArgCheckTest : public ::testing::Test {
 protected:
  // A tensor argument; its descriptor lives as long as the test.
  TensorArg Tensor(const char* name, const std::vector<int64_t>& extents, mluOpDataType_t type = MLUOP_DTYPE_FLOAT,
                   const void* data = nullptr, mluOpTensorLayout_t layout = MLUOP_LAYOUT_NHWC) {
    return Strided(name, extents, nullptr, type, data, layout);
  }
  TensorArg Strided(const char* name, const std::vector<int64_t>& extents, const std::vector<int64_t>* strides,
                    mluOpDataType_t type = MLUOP_DTYPE_FLOAT, const void* data = nullptr,
                    mluOpTensorLayout_t layout = MLUOP_LAYOUT_NHWC) {
    auto& desc = descs_.emplace_back(std::make_unique<mluOpTensorStruct>());
    const int rank = static_cast<int>(extents.size());
    EXPECT_TRUE(desc->Reserve(rank));
    desc->SetShape(rank, extents.data(), strides != nullptr ? strides->data() : nullptr);
    desc->type = type;
    desc->layout = layout;
    return {name, desc.get(), data};
  }

  static void Pass(ArgCheck& check) {
    EXPECT_FALSE(check.failed()) << ThreadErrorText();
    EXPECT_EQ(check.status(), MLUOP_STATUS_SUCCESS);
  }
  void Refuse(ArgCheck& check, mluOpStatus_t status, const std::string& sentence) {
    EXPECT_TRUE(check.failed()) << sentence;
    EXPECT_EQ(check.status(), status) << sentence;
    EXPECT_EQ(ThreadErrorText(), "mluOpThing: " + sentence);
    EXPECT_STREQ(context_.error_text, ThreadErrorText());
  }
  void RefuseBad(ArgCheck& check, const std::string& sentence) { Refuse(check, MLUOP_STATUS_BAD_PARAM, sentence); }
  void RefuseSupport(ArgCheck& check, const std::string& sentence) {
    Refuse(check, MLUOP_STATUS_NOT_SUPPORTED, sentence);
  }

  mluOpContext context_;
  const Call call_{"mluOpThing", &context_};
  std::vector<std::unique_ptr<mluOpTensorStruct>> descs_;
};

// One rule on a new table.
#define PASS(...)            \
  do {                       \
    ArgCheck check(call_);   \
    Pass(check.__VA_ARGS__); \
  } while (false)
#define BAD(rule, sentence)            \
  do {                                 \
    ArgCheck check(call_);             \
    RefuseBad(check.rule, (sentence)); \
  } while (false)
#define UNSUPPORTED(rule, sentence)        \
  do {                                     \
    ArgCheck check(call_);                 \
    RefuseSupport(check.rule, (sentence)); \
  } while (false)

TEST_F(ArgCheckTest, EmptyTablePasses) {
  ArgCheck check(call_);
  Pass(check);
}

TEST_F(ArgCheckTest, Handle) {
  PASS(Handle());
  const Call without("mluOpThing", nullptr);
  ArgCheck check(without);
  check.Handle();
  EXPECT_EQ(check.status(), MLUOP_STATUS_BAD_PARAM);
  EXPECT_STREQ(ThreadErrorText(), "mluOpThing: handle is NULL, expected a handle of mluOpCreate.");
}

TEST_F(ArgCheckTest, Descriptor) {
  PASS(Descriptor(Tensor("input", {1})));
  BAD(Descriptor({"input", nullptr, nullptr}), "the descriptor of input is NULL, expected a tensor descriptor.");
}

TEST_F(ArgCheckTest, Rank) {
  PASS(Rank(Tensor("input", {1, 2, 3}), 3));
  BAD(Rank(Tensor("input", {1, 2, 3}), 4), "input has rank 3, expected 4.");
  BAD(Rank(Tensor("input", {}), 1), "input has rank 0, expected 1.");
  BAD(Rank(Tensor("input", std::vector<int64_t>(20, 1)), 4), "input has rank 20, expected 4.");
}

TEST_F(ArgCheckTest, FloatingTypeInTheContract) {
  PASS(FloatingType(Tensor("input", {1}, MLUOP_DTYPE_FLOAT)));
  PASS(FloatingType(Tensor("input", {1}, MLUOP_DTYPE_HALF)));
  BAD(FloatingType(Tensor("input", {1}, MLUOP_DTYPE_DOUBLE)),
      "input has type double, expected float or half; the full profile lifts this limit.");
  BAD(FloatingType(Tensor("input", {1}, MLUOP_DTYPE_BFLOAT16)),
      "input has type bfloat16, expected float or half; the full profile lifts this limit.");
  BAD(FloatingType(Tensor("input", {1}, MLUOP_DTYPE_INT32)), "input has type int32, expected float or half.");
  BAD(FloatingType(Tensor("input", {1}, MLUOP_DTYPE_INVALID)), "input has type invalid, expected float or half.");
  BAD(FloatingType(Tensor("input", {1}, static_cast<mluOpDataType_t>(99))),
      "input has type unknown, expected float or half.");
}

TEST_F(ArgCheckTest, FloatingTypeInTheFullProfile) {
  context_.profile = DETOPS_PROFILE_FULL;
  for (const auto type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16}) {
    PASS(FloatingType(Tensor("input", {1}, type)));
  }
  BAD(FloatingType(Tensor("input", {1}, MLUOP_DTYPE_COMPLEX_FLOAT)),
      "input has type complex_float, expected float, half, double or bfloat16.");
}

TEST_F(ArgCheckTest, AnyFloatingTypeInBothProfiles) {
  for (const auto profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
    context_.profile = profile;
    for (const auto type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16}) {
      PASS(AnyFloatingType(Tensor("boxes", {1}, type)));
    }
    BAD(AnyFloatingType(Tensor("boxes", {1}, MLUOP_DTYPE_INT32)),
        "boxes has type int32, expected float, half, double or bfloat16.");
  }
}

TEST_F(ArgCheckTest, Integers) {
  PASS(Int32(Tensor("index", {1}, MLUOP_DTYPE_INT32)));
  PASS(Int32UnlessFull(Tensor("index", {1}, MLUOP_DTYPE_INT32)));
  BAD(Int32UnlessFull(Tensor("index", {1}, MLUOP_DTYPE_INT64)),
      "index has type int64, expected int32; the full profile lifts this limit.");
  BAD(Int32UnlessFull(Tensor("index", {1}, MLUOP_DTYPE_UINT32)), "index has type uint32, expected int32.");
  context_.profile = DETOPS_PROFILE_FULL;
  for (const mluOpDataType_t type : {MLUOP_DTYPE_INT32, MLUOP_DTYPE_INT64}) {
    PASS(Int32UnlessFull(Tensor("index", {1}, type)));
  }
  BAD(Int32(Tensor("index", {1}, MLUOP_DTYPE_INT64)), "index has type int64, expected int32.");
  BAD(Int32UnlessFull(Tensor("index", {1})), "index has type float, expected int32 or int64.");
}

TEST_F(ArgCheckTest, Indices) {
  for (const auto profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
    context_.profile = profile;
    for (const mluOpDataType_t type : {MLUOP_DTYPE_INT32, MLUOP_DTYPE_INT64})
      PASS(IndexType(Tensor("index", {1}, type)));
    BAD(IndexType(Tensor("index", {1}, MLUOP_DTYPE_UINT32)), "index has type uint32, expected int32 or int64.");
  }
  const TensorArg boxes = Tensor("boxes", {1});
  PASS(CanNumber(Tensor("index", {1}, MLUOP_DTYPE_INT32), (int64_t{1} << 31) - 1, boxes));
  PASS(CanNumber(Tensor("index", {1}, MLUOP_DTYPE_INT64), int64_t{1} << 31, boxes));
  UNSUPPORTED(CanNumber(Tensor("index", {1}, MLUOP_DTYPE_INT32), int64_t{1} << 31, boxes),
              "index has type int32, expected int64 to number the 2147483648 rows of boxes.");
}

TEST_F(ArgCheckTest, Place) {
  int64_t place = 0;
  PASS(Place("count", &place));
  BAD(Place("count", nullptr), "count is NULL, expected a place for the result.");
}

TEST_F(ArgCheckTest, Bool) {
  PASS(Bool(Tensor("mask", {1}, MLUOP_DTYPE_BOOL)));
  BAD(Bool(Tensor("mask", {1}, MLUOP_DTYPE_UINT8)), "mask has type uint8, expected bool.");
}

TEST_F(ArgCheckTest, BadElementsOfIntegers) {
  const int32_t narrow[] = {1, -5};
  const int64_t wide[] = {1, 2, 5000000001};
  BAD(NoBadElement(Tensor("index", {1, 2}, MLUOP_DTYPE_INT32, narrow), 1, "0"), "index[0, 1] is -5, expected 0.");
  BAD(NoBadElement(Tensor("index", {3}, MLUOP_DTYPE_INT64, wide), 2, "0"), "index[2] is 5000000001, expected 0.");
}

TEST_F(ArgCheckTest, SameType) {
  const TensorArg input = Tensor("input", {1}, MLUOP_DTYPE_HALF);
  PASS(SameType(Tensor("boxes", {1}, MLUOP_DTYPE_HALF), input));
  BAD(SameType(Tensor("boxes", {1}, MLUOP_DTYPE_FLOAT), input), "boxes has type float, expected half as input has.");
}

TEST_F(ArgCheckTest, Layout) {
  PASS(Layout(Tensor("input", {1}), MLUOP_LAYOUT_NHWC));
  BAD(Layout(Tensor("input", {1}, MLUOP_DTYPE_FLOAT, nullptr, MLUOP_LAYOUT_NCHW), MLUOP_LAYOUT_NHWC),
      "input has layout NCHW, expected NHWC.");
  BAD(Layout(Tensor("input", {1}, MLUOP_DTYPE_FLOAT, nullptr, static_cast<mluOpTensorLayout_t>(77)),
             MLUOP_LAYOUT_ARRAY),
      "input has layout unknown, expected ARRAY.");
}

TEST_F(ArgCheckTest, Dense) {
  const std::vector<int64_t> dense{12, 4, 1};
  PASS(Dense(Tensor("input", {2, 3, 4})));
  PASS(Dense(Strided("input", {2, 3, 4}, &dense)));
  PASS(Dense(Tensor("input", {})));
}

TEST_F(ArgCheckTest, AxesOfExtentOneAndEmptyTensorsAreDense) {
  const std::vector<int64_t> odd{77, 1, -9};
  PASS(Dense(Strided("input", {1, 3, 1}, &odd)));
  PASS(Dense(Strided("input", {2, 0, 4}, &odd)));
}

TEST_F(ArgCheckTest, StridedTensorsAreNotSupported) {
  const std::vector<int64_t> padded{16, 4, 1}, swapped{12, 1, 3}, negative{12, 4, -1}, broadcast{0, 4, 1};
  UNSUPPORTED(Dense(Strided("input", {2, 3, 4}, &padded)),
              "input has stride 16 on axis 0, expected 12: only dense tensors are supported.");
  UNSUPPORTED(Dense(Strided("input", {2, 3, 4}, &swapped)),
              "input has stride 3 on axis 2, expected 1: only dense tensors are supported.");
  UNSUPPORTED(Dense(Strided("input", {2, 3, 4}, &negative)),
              "input has stride -1 on axis 2, expected 1: only dense tensors are supported.");
  UNSUPPORTED(Dense(Strided("input", {2, 3, 4}, &broadcast)),
              "input has stride 0 on axis 0, expected 12: only dense tensors are supported.");
  context_.profile = DETOPS_PROFILE_FULL;
  UNSUPPORTED(Dense(Strided("input", {2, 3, 4}, &padded)),
              "input has stride 16 on axis 0, expected 12: only dense tensors are supported.");
}

TEST_F(ArgCheckTest, ShapeWithNumbers) {
  PASS(Shape(Tensor("boxes", {7, 5}), {7, 5}));
  BAD(Shape(Tensor("boxes", {7, 5}), {7, 4}), "boxes has extent 5 on axis 1, expected 4; its shape is [7, 5].");
  BAD(Shape(Tensor("boxes", {7, 5}), {6, 4}), "boxes has extent 7 on axis 0, expected 6; its shape is [7, 5].");
}

TEST_F(ArgCheckTest, ShapeWithNames) {
  Dim n("N"), h("H");
  ArgCheck check(call_);
  check.Shape(Tensor("input", {2, 3}), {n, h});
  Pass(check);
  EXPECT_EQ(n.value(), 2);
  EXPECT_EQ(h.value(), 3);
  check.Shape(Tensor("output", {3, 2}), {h, n});
  Pass(check);
  RefuseBad(check.Shape(Tensor("boxes", {2, 4, 5}), {n, h, 5}),
            "boxes has extent 4 on axis 1, expected H = 3 as in input; its shape is [2, 4, 5].");
}

TEST_F(ArgCheckTest, NameBoundByALaterTensor) {
  Dim n("N"), k("K");
  ArgCheck check(call_);
  check.Shape(Tensor("input", {2}), {n}).Shape(Tensor("rois", {9, 2}), {k, n});
  Pass(check);
  RefuseBad(check.Shape(Tensor("output", {8}), {k}),
            "output has extent 8 on axis 0, expected K = 9 as in rois; its shape is [8].");
}

TEST_F(ArgCheckTest, NameTwiceInOneShape) {
  Dim g("G");
  BAD(Shape(Tensor("mask", {3, 4}), {g, g}),
      "mask has extent 4 on axis 1, expected G = 3 as in mask; its shape is [3, 4].");
}

TEST_F(ArgCheckTest, NameBoundByAScalar) {
  Dim height("pooled_height", 7);
  EXPECT_EQ(height.value(), 7);
  PASS(Shape(Tensor("output", {1, 7}), {1, height}));
  BAD(Shape(Tensor("output", {1, 6}), {1, height}),
      "output has extent 6 on axis 1, expected pooled_height = 7; its shape is [1, 6].");
}

TEST_F(ArgCheckTest, LongShapesAreCut) {
  Dim n("N", 1);
  const std::vector<int64_t> extents(200, INT64_MAX);
  ArgCheck check(call_);
  check.Shape(Tensor("input", extents), {n});
  EXPECT_EQ(check.status(), MLUOP_STATUS_BAD_PARAM);
  const std::string text = ThreadErrorText();
  EXPECT_LT(text.size(), kErrorTextSize);
  EXPECT_NE(text.find("its shape is [9223372036854775807, 9223372036854775807, "), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 7), ", ...].") << text;
}

TEST_F(ArgCheckTest, CountLimitOfTheContract) {
  PASS(CountLimit(Tensor("input", {0})));
  PASS(CountLimit(Tensor("input", {(int64_t{1} << 31) - 1})));
  UNSUPPORTED(CountLimit(Tensor("input", {1 << 16, 1 << 15})),
              "input has 2147483648 elements, expected fewer than 2147483648; the full profile lifts this limit.");
  UNSUPPORTED(CountLimit(Tensor("input", {int64_t{1} << 62}, MLUOP_DTYPE_FLOAT)),
              "input has shape [4611686018427387904], expected fewer than 2^63 bytes.");
}

TEST_F(ArgCheckTest, CountLimitOfBytesInTheFullProfile) {
  context_.profile = DETOPS_PROFILE_FULL;
  PASS(CountLimit(Tensor("input", {int64_t{1} << 31})));
  PASS(CountLimit(Tensor("input", {(int64_t{1} << 60) - 1}, MLUOP_DTYPE_DOUBLE)));
  PASS(CountLimit(Tensor("input", {(int64_t{1} << 61) - 1}, MLUOP_DTYPE_FLOAT)));
  PASS(CountLimit(Tensor("input", {(int64_t{1} << 62) - 1}, MLUOP_DTYPE_HALF)));
  UNSUPPORTED(CountLimit(Tensor("input", {int64_t{1} << 60}, MLUOP_DTYPE_DOUBLE)),
              "input has shape [1152921504606846976], expected fewer than 2^63 bytes.");
  UNSUPPORTED(CountLimit(Tensor("input", {int64_t{1} << 61}, MLUOP_DTYPE_FLOAT)),
              "input has shape [2305843009213693952], expected fewer than 2^63 bytes.");
  UNSUPPORTED(CountLimit(Tensor("input", {2, int64_t{1} << 61}, MLUOP_DTYPE_HALF)),
              "input has shape [2, 2305843009213693952], expected fewer than 2^63 bytes.");
  UNSUPPORTED(CountLimit(Tensor("input", {INT64_MAX, INT64_MAX}, MLUOP_DTYPE_HALF)),
              "input has shape [9223372036854775807, 9223372036854775807], expected fewer than 2^63 bytes.");
}

TEST_F(ArgCheckTest, NotEmpty) {
  PASS(NotEmpty(Tensor("input", {1})));
  PASS(NotEmpty(Tensor("input", {})));
  BAD(NotEmpty(Tensor("input", {2, 0, 3})), "input has 0 elements, expected at least 1; its shape is [2, 0, 3].");
}

TEST_F(ArgCheckTest, ScalarsAndSupport) {
  PASS(Integer("sides", 4, true, "3 or 4"));
  BAD(Integer("sides", 2, false, "3 or 4"), "sides is 2, expected 3 or 4.");
  BAD(Integer("sides", INT64_MIN, false, "3 or 4"), "sides is -9223372036854775808, expected 3 or 4.");
  PASS(Number("scale", 0.5, true, "above 0"));
  BAD(Number("scale", -0.25, false, "above 0"), "scale is -0.25, expected above 0.");
  BAD(Number("scale", kInf, false, "above 0"), "scale is inf, expected above 0.");
  BAD(Number("scale", kNan, false, "above 0"), "scale is nan, expected above 0.");
  BAD(Number("scale", -kNan, false, "above 0"), "scale is nan, expected above 0.");
  BAD(Number("scale", -0.1f, false, "above 0"), "scale is -0.1, expected above 0.");
  BAD(Number("scale", 1e-30f, false, "above 0"), "scale is 1e-30, expected above 0.");
  PASS(Supported(true, "not here."));
  UNSUPPORTED(Supported(false, "100% of it is too much."), "100% of it is too much.");
}

TEST_F(ArgCheckTest, Data) {
  const float data = 0.0f;
  PASS(Data(Tensor("input", {2, 3}, MLUOP_DTYPE_FLOAT, &data)));
  BAD(Data(Tensor("input", {2, 3})), "the data pointer of input is NULL, expected 6 elements.");
}

TEST_F(ArgCheckTest, OverlongSentencesAreCut) {
  ArgCheck check(call_);
  check.Supported(false, std::string(2000, 'x').c_str());
  EXPECT_EQ(check.status(), MLUOP_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(std::string(ThreadErrorText()).size(), kErrorTextSize - 1);
}

// Addresses are only compared, so any number will do.
const void* At(uintptr_t address) { return reinterpret_cast<const void*>(address); }

TEST_F(ArgCheckTest, Separate) {
  struct Row {
    uintptr_t output, other;
    int64_t output_floats, other_floats;
    bool overlap;
  };
  constexpr uintptr_t kTop = UINTPTR_MAX;
  const Row rows[] = {
      {1000, 1000, 4, 4, true},           // the same
      {1000, 1012, 4, 4, true},           // the last float
      {1000, 1015, 4, 4, true},           // the last byte
      {1000, 1016, 4, 4, false},          // adjacent behind
      {1016, 1000, 4, 4, false},          // adjacent before
      {1015, 1000, 4, 4, true},           // one byte into it
      {1004, 1000, 1, 4, true},           // inside
      {1000, 1004, 4, 1, true},           // around
      {1000, 5000, 4, 4, false},          // far away
      {5000, 1000, 4, 4, false},          //
      {1000, 1000, 0, 4, false},          // nothing shares no byte
      {1004, 1000, 0, 4, false},          //
      {1000, 1004, 4, 0, false},          //
      {1000, 1000, 0, 0, false},          //
      {kTop - 15, kTop - 3, 8, 1, true},  // ends beyond the address space
      {kTop - 3, kTop - 15, 1, 8, true},  //
      {kTop - 15, 8, 8, 4, false},        // and do not come round at its begin
      {8, kTop - 15, 4, 8, false},        //
      {kTop - 15, 0, int64_t{1} << 60, 1, false},
      {16, kTop - 15, int64_t{1} << 60, 1, false},
      {16, int64_t{1} << 61, int64_t{1} << 60, 1, true},
  };
  for (const bool value_checks : {true, false}) {
    context_.value_checks = value_checks;
    for (const Row& row : rows) {
      SCOPED_TRACE(std::to_string(row.output) + " and " + std::to_string(row.other));
      const TensorArg output = Tensor("output", {row.output_floats}, MLUOP_DTYPE_FLOAT, At(row.output));
      const TensorArg other = Tensor("input", {row.other_floats}, MLUOP_DTYPE_FLOAT, At(row.other));
      if (row.overlap) {
        BAD(Separate(output, {other}), "output overlaps input in memory, expected separate buffers.");
      } else {
        PASS(Separate(output, {other}));
      }
    }
  }
}

TEST_F(ArgCheckTest, SeparateCountsTheBytesOfEachType) {
  const TensorArg doubles = Tensor("output", {4}, MLUOP_DTYPE_DOUBLE, At(1000));  // 32 bytes
  const TensorArg halves = Tensor("output", {4}, MLUOP_DTYPE_HALF, At(1000));     // 8 bytes
  const TensorArg at8 = Tensor("boxes", {1}, MLUOP_DTYPE_HALF, At(1008));
  const TensorArg far = Tensor("input", {1}, MLUOP_DTYPE_HALF, At(9000));
  PASS(Separate(halves, {far, at8}));
  BAD(Separate(doubles, {far, at8}), "output overlaps boxes in memory, expected separate buffers.");
}

TEST_F(ArgCheckTest, FiniteNamesThePosition) {
  std::vector<float> data(2 * 3 * 4 * 5, 1.0f);
  const TensorArg boxes = Tensor("bboxes", {2, 3, 4, 5}, MLUOP_DTYPE_FLOAT, data.data());
  PASS(Finite(boxes));
  data[119] = kNan;
  BAD(Finite(boxes), "bboxes[1, 2, 3, 4] is nan, expected a finite number.");
  data[67] = -kInf;  // (1, 0, 1, 2)
  BAD(Finite(boxes), "bboxes[1, 0, 1, 2] is -inf, expected a finite number.");
  data[0] = kInf;
  BAD(Finite(boxes), "bboxes[0, 0, 0, 0] is inf, expected a finite number.");
  context_.value_checks = false;
  PASS(Finite(boxes));
}

// A rank of any size: the position is cut, the sentence is not.
TEST_F(ArgCheckTest, FinitePositionOfManyAxes) {
  const float data[] = {1, kNan};
  std::vector<int64_t> extents(60, 1);
  extents[0] = 2;
  ArgCheck check(call_);
  check.Finite(Tensor("bboxes", extents, MLUOP_DTYPE_FLOAT, data));
  EXPECT_EQ(check.status(), MLUOP_STATUS_BAD_PARAM);
  const std::string text = ThreadErrorText();
  EXPECT_TRUE(text.starts_with("mluOpThing: bboxes[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ")) << text;
  EXPECT_TRUE(text.ends_with(", 0] is nan, expected a finite number.")) << text;
}

TEST_F(ArgCheckTest, FiniteInEveryType) {
  const uint16_t half[] = {0x3c00, 0x7bff, 0xfc00}, bfloat[] = {0x3f80, 0x7f7f, 0x7f80};
  const double wide[] = {1.0, 1e308, kInf};
  PASS(Finite(Tensor("rois", {2}, MLUOP_DTYPE_HALF, half)));
  BAD(Finite(Tensor("rois", {3}, MLUOP_DTYPE_HALF, half)), "rois[2] is -inf, expected a finite number.");
  BAD(Finite(Tensor("rois", {3}, MLUOP_DTYPE_BFLOAT16, bfloat)), "rois[2] is inf, expected a finite number.");
  BAD(Finite(Tensor("rois", {1, 3}, MLUOP_DTYPE_DOUBLE, wide)), "rois[0, 2] is inf, expected a finite number.");
}

TEST_F(ArgCheckTest, FailingRunnerWhileValuesAreChecked) {
  const std::vector<float> data(10, 1.0f);
  context_.parallel.SetRunner([](void*, detopsTask_t, void*, int) { return 1; }, nullptr);
  ArgCheck check(call_);
  check.Finite(Tensor("bboxes", {10}, MLUOP_DTYPE_FLOAT, data.data()));
  Refuse(check, MLUOP_STATUS_EXECUTION_FAILED, "the parallel runner failed while bboxes was checked.");
}

// Every rule skips a tensor that may be left out and is; one that is there gets them all.
TEST_F(ArgCheckTest, OptionalTensors) {
  float number = 1;
  const TensorArg in = Tensor("input", {2});
  const TensorArg absent = Optional("bias", nullptr, &number);
  EXPECT_TRUE(absent.absent());
  EXPECT_EQ(absent.data, nullptr) << "what is left out has no data";
  Dim n("N");
  ArgCheck table(call_);
  table.Descriptor(absent).Rank(absent, 1).FloatingType(absent).FloatUnlessFull(absent).Int32(absent);
  table.Int32UnlessFull(absent).Bool(absent).AnyFloatingType(absent);
  table.SameType(absent, in).Layout(absent, MLUOP_LAYOUT_NHWC).Dense(absent).Shape(absent, {n}).CountLimit(absent);
  table.NotEmpty(absent).Data(absent).DataUnlessEmpty({absent}).Separate(absent, {in}).Separate(in, {absent});
  table.Finite(absent).NoBadElement(absent, 0, "b");
  Pass(table);
  EXPECT_EQ(n.value(), 0) << "a rule that was skipped bound a name";
  EXPECT_FALSE(AnyEmpty({absent, in}));

  const TensorArg there = Optional("bias", Tensor("bias", {3}).desc, nullptr);
  EXPECT_FALSE(there.absent());
  BAD(Rank(there, 2), "bias has rank 1, expected 2.");
  BAD(Data(there), "the data pointer of bias is NULL, expected 3 elements.");
  BAD(Descriptor(UsedIf(true, {"bias", nullptr, nullptr})),
      "the descriptor of bias is NULL, expected a tensor descriptor.");
  PASS(Descriptor(UsedIf(false, {"bias", nullptr, nullptr})));
}

TEST_F(ArgCheckTest, OutputTensors) {
  float number = 1;
  const OutputArg out{"output", Tensor("output", {1}).desc, &number};
  EXPECT_EQ(out.target, &number);
  BAD(Rank(out, 2), "output has rank 1, expected 2.");
  const OutputArg absent = OptionalOutput("output", nullptr, &number);
  EXPECT_TRUE(absent.absent());
  EXPECT_EQ(absent.target, nullptr);
}

TEST_F(ArgCheckTest, SeveralTensorsInOneRule) {
  const TensorArg none{"none", nullptr, nullptr}, empty = Tensor("empty", {0}), in = Tensor("input", {2});
  PASS(FloatingType({in, empty}).Dense({in, empty}).CountLimit({in, empty}).DataUnlessEmpty({empty}));
  BAD(Descriptor({in, none, none}), "the descriptor of none is NULL, expected a tensor descriptor.");
  BAD(NotEmpty({in, empty}), "empty has 0 elements, expected at least 1; its shape is [0].");
  BAD(Int32({in, empty}), "input has type float, expected int32.");
  BAD(DataUnlessEmpty({empty, in}), "the data pointer of input is NULL, expected 2 elements.");
  EXPECT_TRUE(AnyEmpty({in, empty}));
}

// Every rule after a failure is skipped: it neither changes status nor text, nor looks at its arguments.
TEST_F(ArgCheckTest, TheFirstFailureWins) {
  const TensorArg none{"none", nullptr, nullptr};
  Dim n("N");
  ArgCheck check(call_);
  check.Supported(false, "first.");
  check.Handle().Descriptor(none).Rank(none, 1).FloatingType(none).SameType(none, none);
  check.Layout(none, MLUOP_LAYOUT_NHWC).Dense(none).Shape(none, {n}).CountLimit(none).NotEmpty(none);
  check.Integer("a", 1, false, "b").Number("a", 1.0f, false, "b").Supported(false, "second.");
  check.Data(none).Separate(none, {none}).Finite(none);
  RefuseSupport(check, "first.");
  EXPECT_EQ(n.value(), 0) << "a rule that was skipped bound a name";
}

}  // namespace
}  // namespace detops
