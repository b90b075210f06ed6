// A call of psroipool whose every argument a test can spoil, and what a refused call must leave behind.
//
// The sentences in the tests are written for all functions: "$M" stands for the tensor with the map (input,
// bottom_grad), "$P" for the pooled one (output, top_grad), "$S" for the one of the two that is read and "$T" for the
// one that is written. "*" stands for any text.
#ifndef DETOPS_OPS_PSROIPOOL_TEST_BAD_CALL_H_
#define DETOPS_OPS_PSROIPOOL_TEST_BAD_CALL_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ops/psroipool/test/problem.h"
#include "support/tensor_argument.h"

namespace detops_test::inline psroipool {  // one program may use several rooms

struct Function {
  const char* symbol;
  bool forward, extension, workspace = false;

  // As texts say it: both forms of the contract's forward have one name.
  const char* name() const { return workspace ? "mluOpPsRoiPoolForward" : symbol; }
};
inline constexpr Function kFunctions[] = {{"mluOpPsRoiPoolForward", true, false},
                                          {"mluOpPsRoiPoolBackward", false, false},
                                          {"detopsPsRoiPoolForward", true, true},
                                          {"detopsPsRoiPoolBackward", false, true},
                                          {"mluOpPsRoiPoolForwardWithWorkspace", true, false, true}};
inline void PrintTo(const Function& function, std::ostream* stream) { *stream << function.symbol; }

// All different, and none is 5, so that a confused axis is noticed. The contract's bins are square.
inline Shape GoodShape(const Function& function) { return {2, 4, 9, 6, 3, function.extension ? 8 : 3, 7}; }

inline std::string InWordsOf(const Function& function, std::string sentence) {
  const auto replace = [&](const std::string& mark, const std::string& name) {
    for (size_t at; (at = sentence.find(mark)) != std::string::npos;) sentence.replace(at, mark.size(), name);
  };
  replace("$M", function.forward ? "input" : "bottom_grad");
  replace("$P", function.forward ? "output" : "top_grad");
  replace("$S", function.forward ? "input" : "top_grad");
  replace("$T", function.forward ? "output" : "bottom_grad");
  return std::string(function.name()) + ": " + sentence;
}

// "*" in the pattern matches any text.
inline bool Matches(const std::string& pattern, const std::string& text) {
  const size_t star = pattern.find('*');
  if (star == std::string::npos) return pattern == text;
  if (text.compare(0, star, pattern, 0, star) != 0) return false;
  const std::string rest = pattern.substr(star + 1);
  for (size_t from = star; from <= text.size(); ++from) {
    if (Matches(rest, text.substr(from))) return true;
  }
  return false;
}

class BadCall {
 public:
  explicit BadCall(const Function& function, mluOpDataType_t type = MLUOP_DTYPE_FLOAT,
                   mluOpTensorLayout_t layout = MLUOP_LAYOUT_NHWC)
      : profile(function.extension || type != MLUOP_DTYPE_FLOAT ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT),
        shape(GoodShape(function)),
        problem({function.symbol, function.extension, DETOPS_PSROIPOOL_RFCN, layout}, type, shape, 0.5),
        target(function.forward ? problem.NewOutput() : problem.NewBottomGrad()),
        mapping_target(problem.NewMapping()),
        workspace_memory(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {16}),
        map{layout, type, function.forward ? problem.input.data() : target.data(), 4},
        rois{MLUOP_LAYOUT_ARRAY, type, problem.rois.data(), 2},
        pooled{layout, type, function.forward ? target.data() : problem.top_grad.data(), 4},
        mapping{layout, MLUOP_DTYPE_INT32, function.forward ? mapping_target.data() : problem.mapping.data(), 4},
        function_(function) {
    FillMixedRois(problem, 1);
  }

  mluOpStatus_t Run(Handle& handle) {
    handle.SetProfile(profile);
    handle.SetValueChecks(value_checks);
    const mluOpHandle_t h = with_handle ? handle.get() : nullptr;
    const OwnedDescriptor map_desc = Describe(map, MapExtents(shape, problem.variant().layout));
    const OwnedDescriptor rois_desc = Describe(rois, {shape.rois, 5});
    const OwnedDescriptor pooled_desc = Describe(pooled, PooledExtents(shape, problem.variant().layout));
    const OwnedDescriptor mapping_desc = Describe(mapping, PooledExtents(shape, problem.variant().layout));
    const int ph = static_cast<int>(shape.pooled_height + height_surplus);
    const int pw = static_cast<int>(shape.pooled_width + width_surplus);
    const int dim = static_cast<int>(shape.output_dim + dim_surplus);
    const int group = static_cast<int>(shape.pooled_height + group_surplus);
    const auto scale = static_cast<float>(spatial_scale);
    mluOpStatus_t status;
    if (function_.workspace) {
      status = mluOpPsRoiPoolForward(h, ph, pw, scale, group, dim, map_desc.get(), map.data, rois_desc.get(), rois.data,
                                     workspace, workspace_size, pooled_desc.get(), pooled.data, mapping_desc.get(),
                                     mapping.data);
    } else if (!function_.extension && function_.forward) {
      status = mluOpPsRoiPoolForward(h, ph, pw, scale, group, dim, map_desc.get(), map.data, rois_desc.get(), rois.data,
                                     pooled_desc.get(), pooled.data, mapping_desc.get(), mapping.data);
    } else if (!function_.extension) {
      status = mluOpPsRoiPoolBackward(h, ph, pw, scale, dim, pooled_desc.get(), pooled.data, rois_desc.get(), rois.data,
                                      mapping_desc.get(), mapping.data, map_desc.get(), map.data);
    } else if (function_.forward) {
      status =
          detopsPsRoiPoolForward(h, convention, ph, pw, spatial_scale, dim, map_desc.get(), map.data, rois_desc.get(),
                                 rois.data, pooled_desc.get(), pooled.data, mapping_desc.get(), mapping.data);
    } else {
      status = detopsPsRoiPoolBackward(h, convention, ph, pw, spatial_scale, dim, pooled_desc.get(), pooled.data,
                                       rois_desc.get(), rois.data, mapping_desc.get(), mapping.data, map_desc.get(),
                                       map.data);
    }
    thread_text = detopsGetLastError(nullptr);
    return status;
  }

  std::array<const Tensor*, 7> Memory() const {
    return {&problem.input, &problem.rois,   &problem.top_grad, &problem.mapping,
            &target,        &mapping_target, &workspace_memory};
  }

  std::vector<unsigned char> Bytes() const {
    std::vector<unsigned char> bytes;
    for (const Tensor* tensor : Memory()) {
      const auto* begin = static_cast<const unsigned char*>(tensor->data());
      bytes.insert(bytes.end(), begin, begin + tensor->bytes());
    }
    return bytes;
  }

  bool SurroundingsIntact() const {
    const auto memory = Memory();
    return std::all_of(memory.begin(), memory.end(), [](const Tensor* tensor) { return tensor->SurroundingsIntact(); });
  }

  bool with_handle = true;
  detopsProfile_t profile;
  bool value_checks = true;
  detopsPsRoiPoolConvention_t convention = DETOPS_PSROIPOOL_RFCN;
  Shape shape;
  double spatial_scale = 0.5;
  int height_surplus = 0, width_surplus = 0, dim_surplus = 0, group_surplus = 0;  // of the arguments
  void* workspace = nullptr;
  size_t workspace_size = 0;
  Problem problem;  // memory of a good call
  Tensor target, mapping_target, workspace_memory;
  TensorArgument map, rois, pooled, mapping;
  std::string thread_text;  // set by Run

 private:
  Function function_;
};

using Spoil = std::function<void(BadCall&)>;

// A tensor of the call by its name in the sentences.
struct NamedTensor {
  const char* name;
  TensorArgument BadCall::* tensor;
};
inline constexpr NamedTensor kMap = {"$M", &BadCall::map};
inline constexpr NamedTensor kRois = {"rois", &BadCall::rois};
inline constexpr NamedTensor kPooled = {"$P", &BadCall::pooled};
inline constexpr NamedTensor kMapping = {"mapping_channel", &BadCall::mapping};

// In the order in which the contract looks at them.
inline std::vector<NamedTensor> TensorsOf(const Function& function) {
  if (function.forward) return {kMap, kRois, kPooled, kMapping};
  return {kPooled, kRois, kMapping, kMap};
}

// All tests of a suite share one handle per test: it has to survive every refusal before.
class PsRoiPoolRefusals : public testing::TestWithParam<Function> {
 protected:
  // Runs the call and expects the status, no changed byte, the same text for handle and thread, and that the handle
  // still works. Gives the text.
  std::string Refuse(BadCall& call, mluOpStatus_t status) {
    const std::vector<unsigned char> before = call.Bytes();
    EXPECT_EQ(call.Run(handle_), status) << call.thread_text;
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
    const std::string text = Refuse(call, status);
    EXPECT_TRUE(Matches(InWordsOf(GetParam(), sentence), text)) << text;
  }

  void ExpectBadParam(const std::string& sentence, const Spoil& spoil, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    ExpectRefused(MLUOP_STATUS_BAD_PARAM, sentence, spoil, type);
  }

  void ExpectNotSupported(const std::string& sentence, const Spoil& spoil, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED, sentence, spoil, type);
  }

  void ExpectAccepted(const std::string& what, const Spoil& spoil, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    SCOPED_TRACE(what);
    BadCall call(GetParam(), type);
    spoil(call);
    EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS) << call.thread_text;
    EXPECT_STREQ(handle_.LastError(), "");
    EXPECT_TRUE(call.SurroundingsIntact());
  }

  void ExpectGoodCall() {
    good_.target.FillCanary();
    EXPECT_EQ(good_.Run(handle_), MLUOP_STATUS_SUCCESS) << good_.thread_text;
    EXPECT_STREQ(handle_.LastError(), "");
    EXPECT_EQ(good_.thread_text, "");
    const std::vector<double> values = good_.target.Values();
    EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }));
  }

  bool forward() const { return GetParam().forward; }
  bool extension() const { return GetParam().extension; }

  Handle handle_;
  BadCall good_{GetParam()};
};

inline std::string FunctionName(const testing::TestParamInfo<Function>& info) { return info.param.symbol; }

}  // namespace detops_test::inline psroipool

#endif  // DETOPS_OPS_PSROIPOOL_TEST_BAD_CALL_H_
