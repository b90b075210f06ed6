// What the tests of psroipool share: a problem with its tensors, rois of every kind, and the comparison with the
// reference on all targets and numbers of threads.
#ifndef DETOPS_OPS_PSROIPOOL_TEST_PROBLEM_H_
#define DETOPS_OPS_PSROIPOOL_TEST_PROBLEM_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "detops.h"
#include "ops/psroipool/contract/psroipool.h"
#include "ops/psroipool/reference/reference.h"
#include "support/configurations.h"
#include "support/tensor.h"
#include "support/tolerance.h"

namespace detops_test::inline psroipool {  // one program may use several rooms

using Shape = detops_reference::PsRoiPoolShape;

inline constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16,
                                             MLUOP_DTYPE_DOUBLE};

// Which functions are called, and how.
struct Variant {
  const char* name;
  bool extension;  // detopsPsRoiPool...; otherwise mluOpPsRoiPool..., which has the first convention and NHWC only
  detopsPsRoiPoolConvention_t convention;
  mluOpTensorLayout_t layout;
};
// For GoogleTest's lists, which would show the bytes of the pointer.
inline void PrintTo(const Variant& variant, std::ostream* stream) { *stream << variant.name; }

inline constexpr Variant kContract = {"contract", false, DETOPS_PSROIPOOL_RFCN, MLUOP_LAYOUT_NHWC};
inline constexpr Variant kExtensions[] = {{"rfcn_nhwc", true, DETOPS_PSROIPOOL_RFCN, MLUOP_LAYOUT_NHWC},
                                          {"rfcn_nchw", true, DETOPS_PSROIPOOL_RFCN, MLUOP_LAYOUT_NCHW},
                                          {"torchvision_nhwc", true, DETOPS_PSROIPOOL_TORCHVISION, MLUOP_LAYOUT_NHWC},
                                          {"torchvision_nchw", true, DETOPS_PSROIPOOL_TORCHVISION, MLUOP_LAYOUT_NCHW},
                                          {"consistent_nhwc", true, DETOPS_PSROIPOOL_CONSISTENT, MLUOP_LAYOUT_NHWC},
                                          {"consistent_nchw", true, DETOPS_PSROIPOOL_CONSISTENT, MLUOP_LAYOUT_NCHW}};

inline std::vector<Variant> AllVariants() {
  std::vector<Variant> variants = {kContract};
  variants.insert(variants.end(), std::begin(kExtensions), std::end(kExtensions));
  return variants;
}

inline detopsProfile_t ProfileFor(const Variant& variant, mluOpDataType_t type) {
  return !variant.extension && type == MLUOP_DTYPE_FLOAT ? DETOPS_PROFILE_CONTRACT : DETOPS_PROFILE_FULL;
}

struct Roi {
  double batch = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

inline std::vector<int64_t> MapExtents(const Shape& shape, mluOpTensorLayout_t layout) {
  if (layout == MLUOP_LAYOUT_NCHW) return {shape.batch, shape.channels(), shape.height, shape.width};
  return {shape.batch, shape.height, shape.width, shape.channels()};
}

inline std::vector<int64_t> PooledExtents(const Shape& shape, mluOpTensorLayout_t layout) {
  if (layout == MLUOP_LAYOUT_NCHW) return {shape.rois, shape.output_dim, shape.pooled_height, shape.pooled_width};
  return {shape.rois, shape.pooled_height, shape.pooled_width, shape.output_dim};
}

// Data of calls in both directions. mapping_channel, which backward reads, holds what forward gives until a test
// changes it.
class Problem {
 public:
  Problem(const Variant& variant, mluOpDataType_t type, const Shape& shape, double spatial_scale,
          Placement placement = Placement::kAgainstEnd, size_t offset = 0)
      : input(variant.layout, type, MapExtents(shape, variant.layout), placement, offset),
        rois(MLUOP_LAYOUT_ARRAY, type, {shape.rois, 5}, placement, offset),
        top_grad(variant.layout, type, PooledExtents(shape, variant.layout), placement, offset),
        mapping(variant.layout, MLUOP_DTYPE_INT32, PooledExtents(shape, variant.layout), placement, offset),
        variant_(variant),
        shape_(shape),
        scale_(variant.extension ? spatial_scale : static_cast<double>(static_cast<float>(spatial_scale))),
        placement_(placement),
        offset_(offset) {
    input.FillUniform(-1, 1, 1);
    top_grad.FillUniform(-1, 1, 2);
    for (int64_t i = 0; i < mapping.elements(); ++i) mapping.Set(i, static_cast<double>(ForwardChannel(i)));
  }

  const Variant& variant() const { return variant_; }
  const Shape& shape() const { return shape_; }
  mluOpDataType_t type() const { return input.type(); }
  double scale() const { return scale_; }
  detopsProfile_t profile() const { return ProfileFor(variant_, type()); }

  // The channel that forward reads for an element of the output: (d * PH + ph) * PW + pw.
  int64_t ForwardChannel(int64_t element) const {
    if (variant_.layout == MLUOP_LAYOUT_NCHW) return element % shape_.channels();
    const int64_t d = element % shape_.output_dim, bin = element / shape_.output_dim;
    return d * shape_.pooled_height * shape_.pooled_width + bin % (shape_.pooled_height * shape_.pooled_width);
  }

  int64_t MapIndex(int64_t n, int64_t y, int64_t x, int64_t c) const {
    if (variant_.layout == MLUOP_LAYOUT_NCHW) {
      return ((n * shape_.channels() + c) * shape_.height + y) * shape_.width + x;
    }
    return ((n * shape_.height + y) * shape_.width + x) * shape_.channels() + c;
  }

  int64_t PooledIndex(int64_t r, int64_t ph, int64_t pw, int64_t d) const {
    if (variant_.layout == MLUOP_LAYOUT_NCHW) {
      return ((r * shape_.output_dim + d) * shape_.pooled_height + ph) * shape_.pooled_width + pw;
    }
    return ((r * shape_.pooled_height + ph) * shape_.pooled_width + pw) * shape_.output_dim + d;
  }

  void SetRoi(int64_t index, const Roi& roi) {
    const double numbers[] = {roi.batch, roi.x1, roi.y1, roi.x2, roi.y2};
    for (int64_t i = 0; i < 5; ++i) rois.Set(index * 5 + i, numbers[i]);
  }

  Tensor NewOutput() const { return Like(top_grad); }
  Tensor NewMapping() const { return Like(mapping); }
  Tensor NewBottomGrad() const { return Like(input); }

  // NULL for what the extension allows to leave out.
  mluOpStatus_t Forward(const Handle& handle, Tensor& output, Tensor* mapping_channel) const {
    const int ph = static_cast<int>(shape_.pooled_height), pw = static_cast<int>(shape_.pooled_width);
    const int dims = static_cast<int>(shape_.output_dim);
    const mluOpTensorDescriptor_t desc = mapping_channel == nullptr ? nullptr : mapping_channel->desc();
    void* data = mapping_channel == nullptr ? nullptr : mapping_channel->data();
    if (variant_.extension) {
      return detopsPsRoiPoolForward(handle.get(), variant_.convention, ph, pw, scale_, dims, input.desc(), input.data(),
                                    rois.desc(), rois.data(), output.desc(), output.data(), desc, data);
    }
    return mluOpPsRoiPoolForward(handle.get(), ph, pw, static_cast<float>(scale_), ph, dims, input.desc(), input.data(),
                                 rois.desc(), rois.data(), output.desc(), output.data(), desc, data);
  }

  mluOpStatus_t Backward(const Handle& handle, Tensor& bottom_grad, bool with_mapping = true) const {
    const int ph = static_cast<int>(shape_.pooled_height), pw = static_cast<int>(shape_.pooled_width);
    const int dims = static_cast<int>(shape_.output_dim);
    const mluOpTensorDescriptor_t desc = with_mapping ? mapping.desc() : nullptr;
    const void* data = with_mapping ? mapping.data() : nullptr;
    if (variant_.extension) {
      return detopsPsRoiPoolBackward(handle.get(), variant_.convention, ph, pw, scale_, dims, top_grad.desc(),
                                     top_grad.data(), rois.desc(), rois.data(), desc, data, bottom_grad.desc(),
                                     bottom_grad.data());
    }
    return mluOpPsRoiPoolBackward(handle.get(), ph, pw, static_cast<float>(scale_), dims, top_grad.desc(),
                                  top_grad.data(), rois.desc(), rois.data(), desc, data, bottom_grad.desc(),
                                  bottom_grad.data());
  }

  // The reference's results, rounded to the type.
  std::vector<double> ExpectedOutput() const {
    return Rounded(detops_reference::PsRoiPoolForward(type(), variant_.convention, variant_.layout, shape_, scale_,
                                                      input.data(), rois.data())
                       .output);
  }
  std::vector<double> ExpectedBottomGrad() const {
    return Rounded(detops_reference::PsRoiPoolBackward(type(), variant_.convention, variant_.layout, shape_, scale_,
                                                       top_grad.data(), rois.data(), mapping.data()));
  }

  Tensor input, rois, top_grad, mapping;

 private:
  Tensor Like(const Tensor& tensor) const {
    return Tensor(variant_.layout, tensor.type(), tensor.extents(), placement_, offset_);
  }

  std::vector<double> Rounded(std::vector<double> values) const {
    for (double& value : values) value = RoundToElement(type(), value);
    return values;
  }

  Variant variant_;
  Shape shape_;
  double scale_;
  Placement placement_;
  size_t offset_;
};

// Kinds of rois, in the words of the catalogue: bins with and without pixels, over borders, on ties, too small,
// reversed.
inline constexpr const char* kRoiKinds[] = {"inside", "over", "whole", "ties", "thin", "reversed", "outside", "large"};

// All kinds in turn, or one.
inline void FillRois(Problem& problem, const std::string& only_kind, uint64_t seed) {
  const Shape& shape = problem.shape();
  const double unit = 1 / problem.scale();
  detops_harness::Random random(seed);
  for (int64_t r = 0; r < shape.rois; ++r) {
    const std::string kind = only_kind.empty() ? kRoiKinds[static_cast<size_t>(r) % std::size(kRoiKinds)] : only_kind;
    const detops_harness::psroipool::Roi roi = detops_harness::psroipool::MakeRoi(
        kind, static_cast<double>(shape.height) * unit, static_cast<double>(shape.width) * unit, unit, r, random);
    problem.SetRoi(r, {static_cast<double>(random.Below(shape.batch)), roi.x1, roi.y1, roi.x2, roi.y2});
  }
}
inline void FillMixedRois(Problem& problem, uint64_t seed) { FillRois(problem, "", seed); }

// On every target: one thread agrees with the reference, and 2, 3 and 7 threads give the bits of one. mapping_channel
// is exact.
inline void ExpectForwardAgreement(const Problem& problem) {
  SCOPED_TRACE(std::string("forward, ") + problem.variant().name);
  const std::vector<double> expected = problem.ExpectedOutput();
  Tensor alone = problem.NewOutput(), target = problem.NewOutput(), mapping = problem.NewMapping();
  Tensor channels = problem.NewMapping();  // problem.mapping may have been changed by the test
  for (int64_t i = 0; i < channels.elements(); ++i) channels.Set(i, static_cast<double>(problem.ForwardChannel(i)));
  ForEachConfiguration(problem.profile(), [&](const Handle& handle) {
    Tensor& result = handle.Threads() == 1 ? alone : target;
    result.FillCanary();
    mapping.FillCanary();
    ASSERT_EQ(problem.Forward(handle, result, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
    EXPECT_TRUE(result.SurroundingsIntact());
    EXPECT_TRUE(mapping.SurroundingsIntact());
    ASSERT_TRUE(mapping.SameBytes(channels));
    if (handle.Threads() == 1) {
      ASSERT_EQ(Disagreement(result.Values(), expected, ToleranceFor(problem.type())), "");
    } else {
      ASSERT_TRUE(result.SameBytes(alone));
    }
  });
}

inline void ExpectBackwardAgreement(const Problem& problem) {
  SCOPED_TRACE(std::string("backward, ") + problem.variant().name);
  const std::vector<double> expected = problem.ExpectedBottomGrad();
  Tensor alone = problem.NewBottomGrad(), target = problem.NewBottomGrad();
  ForEachConfiguration(problem.profile(), [&](const Handle& handle) {
    Tensor& result = handle.Threads() == 1 ? alone : target;
    result.FillCanary();
    ASSERT_EQ(problem.Backward(handle, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
    EXPECT_TRUE(result.SurroundingsIntact());
    if (handle.Threads() == 1) {
      ASSERT_EQ(Disagreement(result.Values(), expected, ToleranceFor(problem.type())), "");
    } else {
      ASSERT_TRUE(result.SameBytes(alone));
    }
  });
}

inline void ExpectAgreementBothWays(const Problem& problem) {
  SCOPED_TRACE(testing::Message() << ElementName(problem.type()) << ", map " << problem.shape().batch << "x"
                                  << problem.shape().height << "x" << problem.shape().width << ", "
                                  << problem.shape().rois << " rois, " << problem.shape().pooled_height << "x"
                                  << problem.shape().pooled_width << " bins, " << problem.shape().output_dim
                                  << " channels out, scale " << problem.scale());
  ExpectForwardAgreement(problem);
  ExpectBackwardAgreement(problem);
}

inline std::string TypeName(const testing::TestParamInfo<mluOpDataType_t>& info) { return ElementName(info.param); }
inline std::string VariantName(const testing::TestParamInfo<Variant>& info) { return info.param.name; }

}  // namespace detops_test::inline psroipool

#endif  // DETOPS_OPS_PSROIPOOL_TEST_PROBLEM_H_
