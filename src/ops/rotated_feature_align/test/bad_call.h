// A call of rotated_feature_align whose every argument a test can spoil, and what a refused call must leave behind.
//
// The sentences in the tests are written for both directions: "$S" stands for the tensor that is read (input,
// top_output), "$T" for the one that is written (output, bottom_input).
#ifndef DETOPS_OPS_ROTATED_FEATURE_ALIGN_TEST_BAD_CALL_H_
#define DETOPS_OPS_ROTATED_FEATURE_ALIGN_TEST_BAD_CALL_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ops/rotated_feature_align/test/problem.h"
#include "support/tensor_argument.h"

namespace detops_test::inline rotated_feature_align {  // one program may use several rooms

// All different, and none is 5, so that a confused axis is noticed.
inline constexpr Shape kGoodShape = {2, 3, 4, 6};

inline std::string InWordsOf(Direction direction, std::string sentence) {
  const bool forward = direction == Direction::kForward;
  const auto replace = [&](const std::string& mark, const std::string& name) {
    for (size_t at; (at = sentence.find(mark)) != std::string::npos;) sentence.replace(at, mark.size(), name);
  };
  replace("$S", forward ? "input" : "top_output");
  replace("$T", forward ? "output" : "bottom_input");
  return (forward ? "mluOpRotatedFeatureAlignForward: " : "mluOpRotatedFeatureAlignBackward: ") + sentence;
}

class BadCall {
 public:
  explicit BadCall(Direction direction, mluOpDataType_t type = MLUOP_DTYPE_FLOAT)
      : profile(ProfileFor(type)),
        problem(type, kGoodShape, 0.5f, 5),
        target_tensor(problem.NewTarget()),
        source{MLUOP_LAYOUT_NHWC, type, problem.source.data()},
        boxes{MLUOP_LAYOUT_ARRAY, type, problem.boxes.data()},
        target{MLUOP_LAYOUT_NHWC, type, target_tensor.data()},
        direction_(direction) {
    FillBoxes(problem, BoxKind::kNearPixel, 1);
  }

  mluOpStatus_t Run(Handle& handle) {
    handle.SetProfile(profile);
    handle.SetValueChecks(value_checks);
    const auto align =
        direction_ == Direction::kForward ? mluOpRotatedFeatureAlignForward : mluOpRotatedFeatureAlignBackward;
    const OwnedDescriptor source_desc = Describe(source, Extents(shape.channels));
    const OwnedDescriptor boxes_desc = Describe(boxes, Extents(5));
    const OwnedDescriptor target_desc = Describe(target, Extents(shape.channels));
    const mluOpStatus_t status =
        align(with_handle ? handle.get() : nullptr, source_desc.get(), source.data, boxes_desc.get(), boxes.data,
              spatial_scale, points, target_desc.get(), target.data);
    thread_text = detopsGetLastError(nullptr);
    return status;
  }

  std::vector<unsigned char> Bytes() const {
    std::vector<unsigned char> bytes;
    for (const Tensor* tensor : {&problem.source, &problem.boxes, &target_tensor}) {
      const auto* begin = static_cast<const unsigned char*>(tensor->data());
      bytes.insert(bytes.end(), begin, begin + tensor->bytes());
    }
    return bytes;
  }

  bool SurroundingsIntact() const {
    return problem.source.SurroundingsIntact() && problem.boxes.SurroundingsIntact() &&
           target_tensor.SurroundingsIntact();
  }

  bool with_handle = true;
  detopsProfile_t profile;
  bool value_checks = true;
  Shape shape = kGoodShape;
  float spatial_scale = 0.5f;
  int points = 5;
  Problem problem;  // memory of a good call
  Tensor target_tensor;
  TensorArgument source, boxes, target;
  std::string thread_text;  // set by Run

 private:
  std::vector<int64_t> Extents(int64_t last) const { return {shape.batch, shape.height, shape.width, last}; }

  Direction direction_;
};

using Spoil = std::function<void(BadCall&)>;

// All tests of a suite share one handle per test: it has to survive every refusal before.
class RotatedFeatureAlignRefusals : public testing::TestWithParam<Direction> {
 protected:
  // Runs the call and expects the status, no changed byte, the same text for handle and thread, and that the handle
  // still works. Gives the text.
  std::string Refuse(BadCall& call, mluOpStatus_t status) {
    const std::vector<unsigned char> before = call.Bytes();
    EXPECT_EQ(call.Run(handle_), status);
    if (call.with_handle) {
      EXPECT_EQ(handle_.LastError(), call.thread_text);
    }
    EXPECT_TRUE(call.Bytes() == before);
    EXPECT_TRUE(call.SurroundingsIntact());
    ExpectGoodCall();
    return call.thread_text;
  }

  void ExpectRefused(mluOpStatus_t status, const std::string& sentence, const Spoil& spoil,
                     mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    SCOPED_TRACE(sentence);
    BadCall call(GetParam(), type);
    spoil(call);
    EXPECT_EQ(Refuse(call, status), InWordsOf(GetParam(), sentence));
  }

  void ExpectBadParam(const std::string& sentence, const Spoil& spoil, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    ExpectRefused(MLUOP_STATUS_BAD_PARAM, sentence, spoil, type);
  }

  void ExpectNotSupported(const std::string& sentence, const Spoil& spoil) {
    ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED, sentence, spoil);
  }

  void ExpectAccepted(const std::string& what, const Spoil& spoil, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    SCOPED_TRACE(what);
    BadCall call(GetParam(), type);
    spoil(call);
    EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS);
    EXPECT_STREQ(handle_.LastError(), "");
    EXPECT_TRUE(call.SurroundingsIntact());
  }

  void ExpectGoodCall() {
    good_.target_tensor.FillCanary();
    EXPECT_EQ(good_.Run(handle_), MLUOP_STATUS_SUCCESS);
    EXPECT_STREQ(handle_.LastError(), "");
    EXPECT_EQ(good_.thread_text, "");
    const std::vector<double> values = good_.target_tensor.Values();
    EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }));
  }

  Handle handle_;
  BadCall good_{GetParam()};
};

inline std::string DirectionName(const testing::TestParamInfo<Direction>& info) {
  return info.param == Direction::kForward ? "Forward" : "Backward";
}

}  // namespace detops_test::inline rotated_feature_align

#endif  // DETOPS_OPS_ROTATED_FEATURE_ALIGN_TEST_BAD_CALL_H_
