#include "ops/psroipool/reference/reference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "support/element.h"

namespace detops_reference {
namespace {

// Pixels [begin, end) of one axis.
struct Span {
  int64_t begin, end;
  bool empty() const { return end <= begin; }
  int64_t size() const { return end - begin; }
};

struct Bin {
  Span rows, columns;
  bool empty() const { return rows.empty() || columns.empty(); }
};

// The ends may be far beyond int64.
int64_t Clip(double position, int64_t last) {
  if (position <= 0) return 0;
  return position >= static_cast<double>(last) ? last : static_cast<int64_t>(position);
}

// Round, then scale; both ends inside. The + 1 is formed in double and then narrowed, as in the contract's reference.
template <class Real>
Span RfcnSpan(Real low, Real high, Real scale, int64_t pooled, int64_t bin, int64_t size) {
  const Real start = std::round(low) * scale;
  const Real end = static_cast<Real>(static_cast<double>(std::round(high)) + 1.0) * scale;
  const Real extent = std::max(end - start, static_cast<Real>(0.1));
  const Real step = extent / static_cast<Real>(pooled);
  const Real begin_position = std::floor(static_cast<Real>(bin) * step + start);
  const Real end_position = std::ceil(static_cast<Real>(bin + 1) * step + start);
  return {Clip(static_cast<double>(begin_position), size), Clip(static_cast<double>(end_position), size)};
}

// Scale, then round to whole pixels; the end outside. `last` is the largest position that is left after clipping.
template <class Real>
Span TorchvisionSpan(Real low, Real high, Real scale, bool round_in_float, int64_t pooled, int64_t bin, int64_t last) {
  const auto rounded = [&](Real coordinate) {
    const Real scaled = coordinate * scale;
    return round_in_float ? static_cast<double>(std::round(static_cast<float>(scaled)))
                          : static_cast<double>(std::round(scaled));
  };
  const double start = rounded(low), extent = std::max(rounded(high) - start, 1.0);
  const Real step = static_cast<Real>(extent) / static_cast<Real>(pooled);
  const auto begin_position = static_cast<double>(std::floor(static_cast<Real>(bin) * step));
  const auto end_position = static_cast<double>(std::ceil(static_cast<Real>(bin + 1) * step));
  return {Clip(begin_position + start, last), Clip(end_position + start, last)};
}

enum class Pass { kForward, kBackward };

struct Call {
  mluOpDataType_t type;
  detopsPsRoiPoolConvention_t convention;
  bool nhwc;
  PsRoiPoolShape shape;
  double scale;
  Pass pass;

  template <class Real>
  Span SpanOf(double low, double high, int64_t pooled, int64_t bin, int64_t size) const {
    const auto a = static_cast<Real>(low), b = static_cast<Real>(high), factor = static_cast<Real>(scale);
    if (convention == DETOPS_PSROIPOOL_RFCN) return RfcnSpan<Real>(a, b, factor, pooled, bin, size);
    const bool as_torchvision = convention == DETOPS_PSROIPOOL_TORCHVISION;
    const int64_t last = as_torchvision && pass == Pass::kForward ? size - 1 : size;
    return TorchvisionSpan<Real>(a, b, factor, as_torchvision && pass == Pass::kBackward, pooled, bin, last);
  }

  Span SpanOf(double low, double high, int64_t pooled, int64_t bin, int64_t size) const {
    return type == MLUOP_DTYPE_DOUBLE ? SpanOf<double>(low, high, pooled, bin, size)
                                      : SpanOf<float>(low, high, pooled, bin, size);
  }

  size_t MapIndex(int64_t n, int64_t y, int64_t x, int64_t c) const {
    const int64_t channels = shape.channels();
    return static_cast<size_t>(nhwc ? ((n * shape.height + y) * shape.width + x) * channels + c
                                    : ((n * channels + c) * shape.height + y) * shape.width + x);
  }

  size_t PooledIndex(int64_t r, int64_t ph, int64_t pw, int64_t d) const {
    return static_cast<size_t>(nhwc
                                   ? ((r * shape.pooled_height + ph) * shape.pooled_width + pw) * shape.output_dim + d
                                   : ((r * shape.output_dim + d) * shape.pooled_height + ph) * shape.pooled_width + pw);
  }

  // Calls visit(image, bin, channel that forward reads, index of the pooled element) for all pooled elements.
  template <class Visit>
  void ForEachElement(const void* rois, Visit visit) const {
    for (int64_t r = 0; r < shape.rois; ++r) {
      double roi[5];
      for (int64_t i = 0; i < 5; ++i) roi[i] = detops_test::ReadElement(type, rois, r * 5 + i);
      // A roi of an image that is not there, as where there are none at all, has empty bins.
      const bool there = roi[0] >= 0 && roi[0] < static_cast<double>(shape.batch);
      for (int64_t ph = 0; ph < shape.pooled_height; ++ph) {
        for (int64_t pw = 0; pw < shape.pooled_width; ++pw) {
          const Bin bin = {there ? SpanOf(roi[2], roi[4], shape.pooled_height, ph, shape.height) : Span{0, 0},
                           SpanOf(roi[1], roi[3], shape.pooled_width, pw, shape.width)};
          for (int64_t d = 0; d < shape.output_dim; ++d) {
            const int64_t channel = (d * shape.pooled_height + ph) * shape.pooled_width + pw;
            visit(static_cast<int64_t>(roi[0]), bin, channel, PooledIndex(r, ph, pw, d));
          }
        }
      }
    }
  }
};

std::vector<double> ReadAll(mluOpDataType_t type, const void* data, int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values[static_cast<size_t>(i)] = detops_test::ReadElement(type, data, i);
  return values;
}

}  // namespace

PsRoiPoolResult PsRoiPoolForward(mluOpDataType_t type, detopsPsRoiPoolConvention_t convention,
                                 mluOpTensorLayout_t layout, const PsRoiPoolShape& shape, double spatial_scale,
                                 const void* input, const void* rois) {
  const Call call = {type, convention, layout == MLUOP_LAYOUT_NHWC, shape, spatial_scale, Pass::kForward};
  const std::vector<double> map = ReadAll(type, input, shape.batch * shape.height * shape.width * shape.channels());
  PsRoiPoolResult result;
  result.output.resize(static_cast<size_t>(shape.rois * shape.channels()));
  result.mapping_channel.resize(result.output.size());
  call.ForEachElement(rois, [&](int64_t n, const Bin& bin, int64_t channel, size_t index) {
    result.mapping_channel[index] = static_cast<int32_t>(channel);
    if (bin.empty()) return;  // 0
    double sum = 0;
    for (int64_t y = bin.rows.begin; y < bin.rows.end; ++y) {
      for (int64_t x = bin.columns.begin; x < bin.columns.end; ++x) sum += map[call.MapIndex(n, y, x, channel)];
    }
    result.output[index] = sum / static_cast<double>(bin.rows.size() * bin.columns.size());
  });
  return result;
}

std::vector<double> PsRoiPoolBackward(mluOpDataType_t type, detopsPsRoiPoolConvention_t convention,
                                      mluOpTensorLayout_t layout, const PsRoiPoolShape& shape, double spatial_scale,
                                      const void* top_grad, const void* rois, const void* mapping_channel) {
  const Call call = {type, convention, layout == MLUOP_LAYOUT_NHWC, shape, spatial_scale, Pass::kBackward};
  std::vector<double> bottom(static_cast<size_t>(shape.batch * shape.height * shape.width * shape.channels()));
  call.ForEachElement(rois, [&](int64_t n, const Bin& bin, int64_t channel, size_t index) {
    if (bin.empty()) return;
    const auto flat = static_cast<int64_t>(index);
    if (mapping_channel != nullptr) {
      channel = static_cast<int64_t>(detops_test::ReadElement(MLUOP_DTYPE_INT32, mapping_channel, flat));
    }
    const double share =
        detops_test::ReadElement(type, top_grad, flat) / static_cast<double>(bin.rows.size() * bin.columns.size());
    for (int64_t y = bin.rows.begin; y < bin.rows.end; ++y) {
      for (int64_t x = bin.columns.begin; x < bin.columns.end; ++x) bottom[call.MapIndex(n, y, x, channel)] += share;
    }
  });
  return bottom;
}

}  // namespace detops_reference
