// The torchvision convention bit by bit: against a transcription of torchvision's loops for one type, which add up in
// that type, one pixel after the other. Other tests compare with sums in double and a tolerance; users who replace
// torchvision compare with what they had.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "ops/psroipool/test/problem.h"

namespace detops_test {
namespace {

// Bins of one axis as integers, first all scaled and rounded coordinates, then floor and ceil of whole multiples.
struct Axis {
  int start, end;
};

template <class T>
Axis BinOf(int roi_start, int roi_end, int pooled, int bin, int low, int high) {
  const int roi_extent = std::max(roi_end - roi_start, 1);
  const T bin_size = static_cast<T>(roi_extent) / static_cast<T>(pooled);
  const int start = static_cast<int>(std::floor(static_cast<T>(bin) * bin_size));
  const int end = static_cast<int>(std::ceil(static_cast<T>(bin + 1) * bin_size));
  return {std::min(std::max(start + roi_start, low), high), std::min(std::max(end + roi_start, low), high)};
}

struct Sizes {
  int batch, channels, height, width, rois, pooled_height, pooled_width, channels_out;
};

// [batch, channels, height, width] -> [rois, channels_out, pooled_height, pooled_width]
template <class T>
std::vector<T> Forward(const Sizes& s, T scale, const std::vector<T>& input, const std::vector<T>& rois) {
  std::vector<T> output;
  for (int n = 0; n < s.rois; ++n) {
    const T* roi = &rois[static_cast<size_t>(n) * 5];
    const int x1 = static_cast<int>(std::round(roi[1] * scale)), y1 = static_cast<int>(std::round(roi[2] * scale));
    const int x2 = static_cast<int>(std::round(roi[3] * scale)), y2 = static_cast<int>(std::round(roi[4] * scale));
    int c_in = 0;
    for (int c_out = 0; c_out < s.channels_out; ++c_out) {
      for (int ph = 0; ph < s.pooled_height; ++ph) {
        for (int pw = 0; pw < s.pooled_width; ++pw, ++c_in) {
          const Axis h = BinOf<T>(y1, y2, s.pooled_height, ph, 0, s.height - 1);
          const Axis w = BinOf<T>(x1, x2, s.pooled_width, pw, 0, s.width - 1);
          const int plane = static_cast<int>(roi[0]) * s.channels + c_in;
          T sum = 0;
          for (int y = h.start; y < h.end; ++y) {
            for (int x = w.start; x < w.end; ++x)
              sum += input[static_cast<size_t>((plane * s.height + y) * s.width + x)];
          }
          const bool empty = h.end <= h.start || w.end <= w.start;
          const T area = static_cast<T>((h.end - h.start) * (w.end - w.start));
          output.push_back(empty ? static_cast<T>(0) : sum / area);
        }
      }
    }
  }
  return output;
}

// roundf, also for double.
template <class T>
int RoundBackward(T coordinate) {
  return static_cast<int>(::roundf(static_cast<float>(coordinate)));
}

template <class T>
std::vector<T> Backward(const Sizes& s, T scale, const std::vector<T>& grad, const std::vector<T>& rois) {
  std::vector<T> bottom(static_cast<size_t>(s.batch * s.channels * s.height * s.width), 0);
  size_t index = 0;
  for (int n = 0; n < s.rois; ++n) {
    const T* roi = &rois[static_cast<size_t>(n) * 5];
    const int x1 = RoundBackward<T>(roi[1] * scale), y1 = RoundBackward<T>(roi[2] * scale);
    const int x2 = RoundBackward<T>(roi[3] * scale), y2 = RoundBackward<T>(roi[4] * scale);
    int c_in = 0;
    for (int c_out = 0; c_out < s.channels_out; ++c_out) {
      for (int ph = 0; ph < s.pooled_height; ++ph) {
        for (int pw = 0; pw < s.pooled_width; ++pw, ++c_in, ++index) {
          const Axis h = BinOf<T>(y1, y2, s.pooled_height, ph, 0, s.height);
          const Axis w = BinOf<T>(x1, x2, s.pooled_width, pw, 0, s.width);
          if (h.end <= h.start || w.end <= w.start) continue;
          const T share = grad[index] / static_cast<T>((h.end - h.start) * (w.end - w.start));
          const int plane = static_cast<int>(roi[0]) * s.channels + c_in;
          for (int y = h.start; y < h.end; ++y) {
            for (int x = w.start; x < w.end; ++x)
              bottom[static_cast<size_t>((plane * s.height + y) * s.width + x)] += share;
          }
        }
      }
    }
  }
  return bottom;
}

// Bits, except that every NaN is as good as another.
template <class T>
bool SameBits(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

// Between the layout of the variant and torchvision's.
template <class T>
class Torch {
 public:
  explicit Torch(const Problem& problem) : problem_(problem) {
    const Shape& s = problem.shape();
    const auto narrow = [](int64_t extent) { return static_cast<int>(extent); };
    sizes_ = {narrow(s.batch), narrow(s.channels()),    narrow(s.height),       narrow(s.width),
              narrow(s.rois),  narrow(s.pooled_height), narrow(s.pooled_width), narrow(s.output_dim)};
    for (int64_t i = 0; i < problem.rois.elements(); ++i) rois_.push_back(static_cast<T>(problem.rois.Get(i)));
    scale_ = static_cast<T>(problem.scale());
  }

  void Expect() {
    std::vector<T> input, grad;
    ForEachMapElement([&](int64_t index) { input.push_back(static_cast<T>(problem_.input.Get(index))); });
    ForEachPooledElement([&](int64_t index) { grad.push_back(static_cast<T>(problem_.top_grad.Get(index))); });
    const std::vector<T> output = Forward<T>(sizes_, scale_, input, rois_);
    const std::vector<T> bottom = Backward<T>(sizes_, scale_, grad, rois_);
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      Tensor result = problem_.NewOutput(), gradient = problem_.NewBottomGrad();
      ASSERT_EQ(problem_.Forward(handle, result, nullptr), MLUOP_STATUS_SUCCESS) << handle.LastError();
      int64_t wrong = 0;
      size_t next = 0;
      ForEachPooledElement([&](int64_t index) { wrong += SameBits(At(result, index), output[next++]) ? 0 : 1; });
      ASSERT_EQ(wrong, 0) << "of " << output.size() << " elements of the output";
      for (const bool with_mapping : {true, false}) {
        gradient.FillCanary();
        ASSERT_EQ(problem_.Backward(handle, gradient, with_mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
        next = 0;
        ForEachMapElement([&](int64_t index) { wrong += SameBits(At(gradient, index), bottom[next++]) ? 0 : 1; });
        ASSERT_EQ(wrong, 0) << "of " << bottom.size() << " elements of the gradient";
      }
    });
  }

 private:
  static T At(const Tensor& tensor, int64_t index) {
    T value;
    std::memcpy(&value, static_cast<const unsigned char*>(tensor.data()) + static_cast<size_t>(index) * sizeof(T),
                sizeof(T));
    return value;
  }

  template <class Visit>
  void ForEachMapElement(Visit visit) const {
    for (int64_t n = 0; n < sizes_.batch; ++n) {
      for (int64_t c = 0; c < sizes_.channels; ++c) {
        for (int64_t y = 0; y < sizes_.height; ++y) {
          for (int64_t x = 0; x < sizes_.width; ++x) visit(problem_.MapIndex(n, y, x, c));
        }
      }
    }
  }

  template <class Visit>
  void ForEachPooledElement(Visit visit) const {
    for (int64_t r = 0; r < sizes_.rois; ++r) {
      for (int64_t d = 0; d < sizes_.channels_out; ++d) {
        for (int64_t ph = 0; ph < sizes_.pooled_height; ++ph) {
          for (int64_t pw = 0; pw < sizes_.pooled_width; ++pw) visit(problem_.PooledIndex(r, ph, pw, d));
        }
      }
    }
  }

  const Problem& problem_;
  Sizes sizes_;
  std::vector<T> rois_;
  T scale_;
};

void ExpectTorchBits(const Problem& problem) {
  SCOPED_TRACE(testing::Message() << "map " << problem.shape().height << "x" << problem.shape().width << ", "
                                  << problem.shape().rois << " rois, " << problem.shape().output_dim
                                  << " channels out, scale " << problem.scale());
  if (problem.type() == MLUOP_DTYPE_DOUBLE) {
    Torch<double>(problem).Expect();
  } else {
    Torch<float>(problem).Expect();
  }
}

class PsRoiPoolTorchvision : public testing::TestWithParam<std::tuple<mluOpTensorLayout_t, mluOpDataType_t>> {
 protected:
  Problem MakeProblem(const Shape& shape, double scale) const {
    const auto [layout, type] = GetParam();
    return Problem(kExtensions[layout == MLUOP_LAYOUT_NHWC ? 2 : 3], type, shape, scale);
  }
};

INSTANTIATE_TEST_SUITE_P(LayoutsAndTypes, PsRoiPoolTorchvision,
                         testing::Combine(testing::Values(MLUOP_LAYOUT_NHWC, MLUOP_LAYOUT_NCHW),
                                          testing::Values(MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE)),
                         [](const auto& instance) {
                           return std::string(std::get<0>(instance.param) == MLUOP_LAYOUT_NHWC ? "nhwc_" : "nchw_") +
                                  ElementName(std::get<1>(instance.param));
                         });

TEST_P(PsRoiPoolTorchvision, SameBits) {
  uint64_t seed = 0;
  for (const int64_t output_dim : {1, 3, 8, 17, 33}) {
    for (const double scale : {0.0625, 0.3, 1.0}) {
      Problem problem = MakeProblem({2, 13, 17, 24, 3, 4, output_dim}, scale);
      FillMixedRois(problem, ++seed);
      ExpectTorchBits(problem);
    }
  }
}

// Every length of a row of a bin, and bins of thousands of pixels: the sum is one chain of additions all the same.
TEST_P(PsRoiPoolTorchvision, SameBitsForLargeBins) {
  for (const Shape& shape : {Shape{1, 3, 1500, 12, 1, 1, 5}, Shape{1, 70, 90, 12, 1, 2, 3}}) {
    Problem problem = MakeProblem(shape, 1);
    problem.input.FillUniform(0, 1, 5);
    FillRois(problem, "inside", 50);
    problem.SetRoi(0, {0, 0, 0, 1e4, 1e4});
    ExpectTorchBits(problem);
  }
  Problem problem = MakeProblem({1, 3, 70, 66, 1, 1, 2}, 1);
  for (int64_t r = 0; r < 66; ++r) problem.SetRoi(r, {0, 1, 0, 1 + static_cast<double>(r), 2});
  ExpectTorchBits(problem);
}

// A gradient of thousands of terms is one chain in the order of the rois too.
TEST_P(PsRoiPoolTorchvision, SameBitsForManyRois) {
  Problem problem = MakeProblem({2, 9, 11, 3000, 2, 2, 2}, 0.5);
  problem.top_grad.FillUniform(0, 1, 6);
  FillRois(problem, "whole", 60);
  ExpectTorchBits(problem);
}

// Both sums start at +0: -0 alone gives +0.
TEST_P(PsRoiPoolTorchvision, SignOfZero) {
  Problem problem = MakeProblem({1, 6, 7, 16, 2, 2, 9}, 1);
  problem.input.Fill(-0.0);
  problem.top_grad.Fill(-0.0);
  FillMixedRois(problem, 70);
  ExpectTorchBits(problem);
}

TEST_P(PsRoiPoolTorchvision, NanAndInfinity) {
  Problem problem = MakeProblem({2, 9, 8, 24, 2, 3, 5}, 0.5);
  FillMixedRois(problem, 80);
  const double specials[] = {std::nan(""), HUGE_VAL, -HUGE_VAL};
  for (Tensor* tensor : {&problem.input, &problem.top_grad}) {
    for (int64_t i = 0; i < tensor->elements(); i += 29) tensor->Set(i, specials[i % 3]);
  }
  ExpectTorchBits(problem);
}

// Double: products beside a tie, which narrowing to float moves onto it.
TEST_P(PsRoiPoolTorchvision, BesideTies) {
  Problem problem = MakeProblem({1, 12, 12, 64, 2, 2, 2}, 1);
  for (int64_t r = 0; r < 64; ++r) {
    const double hair = (r % 2 == 0 ? 1 : -1) * (r % 4 < 2 ? 1e-12 : 2e-7);
    const auto x = static_cast<double>(r % 5), y = static_cast<double>(r / 16);
    problem.SetRoi(r, {0, x + 0.5 + hair, y + 0.5 - hair, x + 4.5 - hair, y + 6.5 + hair});
  }
  ExpectTorchBits(problem);
}

}  // namespace
}  // namespace detops_test
