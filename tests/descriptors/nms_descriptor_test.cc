// The NMS descriptor: what its functions accept, what they answer, and that a refused call leaves it as it was. What
// the settings do is tested with mluOpNms.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "descriptors/nms_arguments.h"
#include "detops.h"
#include "support/handle.h"

namespace detops_test {
namespace {

std::string ThreadText() { return detopsGetLastError(nullptr); }

class NmsDescriptorTest : public testing::Test {
 protected:
  NmsDescriptorTest() { EXPECT_EQ(mluOpCreateNmsDescriptor(&desc_), MLUOP_STATUS_SUCCESS); }
  ~NmsDescriptorTest() override { EXPECT_EQ(mluOpDestroyNmsDescriptor(desc_), MLUOP_STATUS_SUCCESS); }

  mluOpStatus_t Suppress(int* kept) const { return SuppressTwo(handle_.get(), desc_, kept); }

  const Handle handle_;
  mluOpNmsDescriptor_t desc_ = nullptr;
};

TEST_F(NmsDescriptorTest, BeforeTheFirstSetNothingTakesIt) {
  int kept = -7;
  EXPECT_EQ(Suppress(&kept), MLUOP_STATUS_BAD_PARAM);
  NmsArguments refused;
  refused.input_layout = 2;
  EXPECT_EQ(refused.Set(desc_), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(Suppress(&kept), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(kept, -7);
}

TEST_F(NmsDescriptorTest, EveryFaultAndEveryTwo) {
  ASSERT_EQ(NmsArguments().Set(desc_), MLUOP_STATUS_SUCCESS);
  const std::vector<std::vector<NmsFault>> arguments = NmsFaults();
  for (size_t first = 0; first < arguments.size(); ++first) {
    for (const NmsFault& fault : arguments[first]) {
      NmsArguments spoilt;
      spoilt.iou_threshold = 0.25f;
      fault.apply(spoilt);
      EXPECT_EQ(spoilt.Set(desc_), MLUOP_STATUS_BAD_PARAM) << fault.text;
      EXPECT_EQ(ThreadText(), "mluOpSetNmsDescriptor: " + fault.text);
      for (size_t second = first + 1; second < arguments.size(); ++second) {
        NmsArguments twice = spoilt;
        arguments[second][0].apply(twice);
        EXPECT_EQ(twice.Set(desc_), MLUOP_STATUS_BAD_PARAM);
        EXPECT_EQ(ThreadText(), "mluOpSetNmsDescriptor: " + fault.text);
      }
      // The threshold is still 0.5, at which both boxes stay.
      int kept = 0;
      EXPECT_EQ(Suppress(&kept), MLUOP_STATUS_SUCCESS);
      EXPECT_EQ(kept, 2) << fault.text;
    }
  }
}

// The ends of what is allowed.
TEST_F(NmsDescriptorTest, Extremes) {
  NmsArguments most;
  most.box_mode = most.algo = most.input_layout = 1;
  most.output_mode = 3;
  most.method_mode = 2;
  most.iou_threshold = -HUGE_VALF;
  most.sigma = HUGE_VALF;
  most.max_output_size = INT_MAX;
  most.confidence_threshold = most.offset = 1;
  EXPECT_EQ(most.Set(desc_), MLUOP_STATUS_SUCCESS) << ThreadText();
  NmsArguments least;
  least.iou_threshold = HUGE_VALF;
  least.sigma = -0.0f;
  least.max_output_size = 0;
  least.confidence_threshold = least.offset = -0.0f;
  EXPECT_EQ(least.Set(desc_), MLUOP_STATUS_SUCCESS) << ThreadText();
}

TEST_F(NmsDescriptorTest, TheLastSetCounts) {
  NmsArguments arguments;
  arguments.iou_threshold = 0.25f;
  int kept = 0;
  ASSERT_EQ(arguments.Set(desc_), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Suppress(&kept), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(kept, 1);
  ASSERT_EQ(NmsArguments().Set(desc_), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Suppress(&kept), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(kept, 2);
}

}  // namespace
}  // namespace detops_test
