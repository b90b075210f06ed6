// The check table where no function of the library leads it: strides and types that no contract has, sentences that
// must be cut, addresses at the end of memory. What each rule lets pass and says of the rest, contract_test asks
// through the functions that use it.
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

TEST_F(ArgCheckTest, TheLastStridedAxisIsNamed) {
  const std::vector<int64_t> swapped{12, 1, 3}, saturated{7, 2, 1};
  UNSUPPORTED(Dense(Strided("input", {2, 3, 4}, &swapped)),
              "input has stride 3 on axis 2, expected 1: only dense tensors are supported.");
  UNSUPPORTED(Dense(Strided("input", {2, INT64_MAX, 2}, &saturated)),
              "input has stride 7 on axis 0, expected 9223372036854775807: only dense tensors are supported.");
}

TEST_F(ArgCheckTest, NameTwiceInOneShape) {
  Dim g("G");
  BAD(Shape(Tensor("mask", {3, 4}), {g, g}),
      "mask has extent 4 on axis 1, expected G = 3 as in mask; its shape is [3, 4].");
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

TEST_F(ArgCheckTest, NumbersAsPeopleWriteThem) {
  BAD(Integer("sides", INT64_MIN, false, "3 or 4"), "sides is -9223372036854775808, expected 3 or 4.");
  BAD(Number("scale", -kNan, false, "above 0"), "scale is nan, expected above 0.");
  BAD(Number("scale", -0.1f, false, "above 0"), "scale is -0.1, expected above 0.");
  BAD(Number("scale", 1e-30f, false, "above 0"), "scale is 1e-30, expected above 0.");
  UNSUPPORTED(Supported(false, "100% of it is too much."), "100% of it is too much.");
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
