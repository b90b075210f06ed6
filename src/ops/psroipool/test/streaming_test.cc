// Large results are written past the caches; maps with their channels first are regrouped part by part.
#include <cstdint>
#include <string>

#include "ops/psroipool/test/by_hand.h"

namespace detops_test {
namespace {

// From 8 MiB on gradients are streamed. 65 * 65 pixels of 2,048 bytes are no whole number of blocks.
TEST(PsRoiPoolStreaming, GradientHasTheBitsOfPlainStores) {
  for (const mluOpDataType_t type : kTypes) {
    const std::string shape = "batch=1,height=65,width=65,rois=40,pooled=2,corners=mixed,dim=";
    ExpectSameBitsOffTheCacheLines(kRfcn.Make(false, shape + std::to_string(512 / ElementSize(type)), type));
  }
}

// 2^21 numbers and more; at an address in the middle of a cache line too, where the first ones are stored one by one.
TEST(PsRoiPoolStreaming, EveryChannel) {
  const Call call = kContract.Make(true, "batch=1,height=4,width=4,rois=4200,pooled=2,dim=125,corners=mixed");
  ASSERT_GE(call["mapping_channel"].elements(), 2 << 20);
  for (const size_t offset : {0, 20}) {
    ExpectAgreementEverywhere(call, {detops_harness::MemoryKind::kAgainstFront, offset});
  }
}

// Planes of more than 4 MiB together are worked on in groups.
TEST(PsRoiPoolStreaming, ChannelsFirstInGroups) {
  for (const bool forward : {true, false}) {
    ExpectAgreementEverywhere(
        kRfcnFirst.Make(forward, "batch=1,height=96,width=96,rois=12,pooled=2,dim=32,corners=mixed"));
  }
}

}  // namespace
}  // namespace detops_test
