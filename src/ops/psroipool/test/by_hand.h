// The ways in which tests call psroipool, and where a call has its numbers in either layout.
#ifndef DETOPS_OPS_PSROIPOOL_TEST_BY_HAND_H_
#define DETOPS_OPS_PSROIPOOL_TEST_BY_HAND_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>

#include "properties/by_hand.h"

namespace detops_test::inline psroipool {  // one program may use several rooms

using detops_harness::Call;

struct Way {
  const char *name, *library, *convention, *layout;  // mluOp knows one convention and one layout

  bool extension() const { return *library == 'd'; }
  // In the rfcn convention the end of a roi is its last pixel, in the others the first beyond it.
  double End(double end) const { return std::string(convention) == "rfcn" ? end - 1 : end; }
  Call Make(bool forward, std::string shape, mluOpDataType_t type = MLUOP_DTYPE_FLOAT, uint64_t seed = 1) const {
    if (extension()) shape += std::string(",convention=") + convention + ",layout=" + layout;
    return CallOf(std::string(library) + (forward ? "PsRoiPoolForward" : "PsRoiPoolBackward"), shape, type, seed);
  }
};
// For GoogleTest's lists, which would show the bytes of the pointers.
inline void PrintTo(const Way& way, std::ostream* stream) { *stream << way.name; }
inline std::string WayName(const testing::TestParamInfo<Way>& test) { return test.param.name; }
inline std::string WayAndTypeName(const testing::TestParamInfo<std::tuple<Way, mluOpDataType_t>>& test) {
  return std::string(std::get<0>(test.param).name) + "_" + ElementName(std::get<1>(test.param));
}

inline constexpr Way kContract = {"contract", "mluOp", "rfcn", "NHWC"};
inline constexpr Way kRfcn = {"rfcn_nhwc", "detops", "rfcn", "NHWC"};
inline constexpr Way kRfcnFirst = {"rfcn_nchw", "detops", "rfcn", "NCHW"};
inline constexpr Way kTorchvision = {"torchvision_nhwc", "detops", "torchvision", "NHWC"};
inline constexpr Way kTorchvisionFirst = {"torchvision_nchw", "detops", "torchvision", "NCHW"};
inline constexpr Way kConsistent = {"consistent_nhwc", "detops", "consistent", "NHWC"};
inline constexpr Way kConsistentFirst = {"consistent_nchw", "detops", "consistent", "NCHW"};
inline constexpr Way kAllWays[] = {kContract,         kRfcn,       kRfcnFirst,      kTorchvision,
                                   kTorchvisionFirst, kConsistent, kConsistentFirst};
// Those whose forward and backward pass look at the same pixels, and add up in pieces.
inline constexpr Way kUsualWays[] = {kContract, kRfcn, kRfcnFirst, kConsistent, kConsistentFirst};

inline const char* MapOf(bool forward) { return forward ? "input" : "bottom_grad"; }
inline const char* PooledOf(bool forward) { return forward ? "output" : "top_grad"; }
inline const char* SourceOf(bool forward) { return forward ? "input" : "top_grad"; }
inline const char* TargetOf(bool forward) { return forward ? "output" : "bottom_grad"; }

inline void LeaveOutMapping(Call& call) {
  call["mapping_channel"] = detops_harness::Absent("mapping_channel", call["mapping_channel"].access);
}

struct Places {
  Places(const Call& call, bool forward)
      : channels_first(call[MapOf(forward)].layout == MLUOP_LAYOUT_NCHW),
        rois(call["rois"].extents[0]),
        bins(call.integer("pooled_height") * call.integer("pooled_width")),
        channels(bins * call.integer("output_dim")) {
    const auto& extents = call[MapOf(forward)].extents;
    const size_t rows = channels_first ? 2 : 1;
    height = extents[rows];
    width = extents[rows + 1];
    pixels = extents[0] * height * width;
  }

  // Pixels of all images in their order; channel (d * PH + ph) * PW + pw.
  int64_t InMap(int64_t pixel, int64_t channel) const {
    const int64_t area = height * width;
    return channels_first ? (pixel / area * channels + channel) * area + pixel % area : pixel * channels + channel;
  }
  int64_t InPooled(int64_t roi, int64_t channel) const {
    if (channels_first) return roi * channels + channel;
    return (roi * bins + channel % bins) * (channels / bins) + channel / bins;
  }

  bool channels_first;
  int64_t rois, bins, channels, height = 0, width = 0, pixels = 0;
};

}  // namespace detops_test::inline psroipool

#endif  // DETOPS_OPS_PSROIPOOL_TEST_BY_HAND_H_
