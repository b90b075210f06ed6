// The log tells which of the two algorithms a backward pass takes.
#include <string>
#include <vector>

#include "ops/psroipool/test/problem.h"

namespace detops_test {
namespace {

void Keep(void* opaque, detopsLogLevel_t, const char* line) {
  static_cast<std::vector<std::string>*>(opaque)->emplace_back(line);
}

// The line of a call with channels that are forward's, or not.
std::string LineOf(bool usual) {
  const Handle handle(DETOPS_PROFILE_CONTRACT, 2);
  Tensor top(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {1, 2, 2, 1}),
      bottom(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {1, 4, 4, 4});
  Tensor mapping(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, {1, 2, 2, 1}),
      rois(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {1, 5});
  top.Fill(1);
  mapping.Assign({0, 1, 2, usual ? 3.0 : 0.0});
  rois.Assign({0, 0, 0, 3, 3});
  std::vector<std::string> lines;
  Must(detopsSetLog(handle.get(), DETOPS_LOG_DISPATCH, Keep, &lines), "detopsSetLog");
  Must(mluOpPsRoiPoolBackward(handle.get(), 2, 2, 1.0f, 1, top.desc(), top.data(), rois.desc(), rois.data(),
                              mapping.desc(), mapping.data(), bottom.desc(), bottom.data()),
       "mluOpPsRoiPoolBackward");
  EXPECT_EQ(1u, lines.size());
  return lines.empty() ? "" : lines[0];
}

TEST(PsRoiPoolLog, TellsTheAlgorithm) {
  const std::string usual = LineOf(true), other = LineOf(false);
  EXPECT_EQ(0u, usual.find("mluOpPsRoiPoolBackward: rois added up in planes")) << usual;
  EXPECT_NE(std::string::npos, other.find("mapping_channel is not that of the forward pass")) << other;
}

}  // namespace
}  // namespace detops_test
