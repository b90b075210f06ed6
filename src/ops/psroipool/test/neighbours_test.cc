// psroipool among other work: what one image gives does not depend on the rois and images next to it.
#include <algorithm>
#include <cstdint>
#include <string>

#include "ops/psroipool/test/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Access;
using detops_harness::PlacedCall;
using detops_harness::Tensor;

class PsRoiPoolNeighbours : public testing::TestWithParam<Way> {};

// Each convention and each layout, but not their product.
INSTANTIATE_TEST_SUITE_P(Variants, PsRoiPoolNeighbours,
                         testing::Values(kContract, kRfcnFirst, kTorchvision, kConsistentFirst), WayName);

// The last image of `all`, with its rois, as a call of its own, which has the shape of `one`.
void ExpectSameBitsAlone(const Call& all, Call one) {
  for (Tensor& tensor : one.tensors) {
    if (tensor.access == Access::kWritten) continue;
    const auto& from = all[tensor.name].contents.bytes();
    std::copy(from.end() - static_cast<int64_t>(tensor.contents.size()), from.end(), tensor.contents.data());
  }
  for (int64_t r = 0; r < one["rois"].extents[0]; ++r) one["rois"].Set(r * 5, 0);
  PlacedCall among(all), alone(one);
  const Handle handle(DETOPS_PROFILE_FULL, 3);
  CarryOut(among, handle);
  CarryOut(alone, handle);
  for (const char* target : {"output", "bottom_grad"}) {
    for (const Tensor& tensor : alone.call().tensors) {
      if (tensor.name != target) continue;
      const Tensor& whole = among.call()[target];
      int64_t different = 0;
      for (int64_t i = 0; i < tensor.elements(); ++i) {
        different += tensor.Get(i) == whole.Get(whole.elements() - tensor.elements() + i) ? 0 : 1;
      }
      EXPECT_EQ(different, 0) << "of " << tensor.elements() << " elements of " << target;
    }
  }
}

TEST_P(PsRoiPoolNeighbours, SameBitsAloneAndAmongOthers) {
  const std::string shape = "height=9,width=8,pooled=3,dim=5,scale=0.5,corners=mixed,";
  for (const mluOpDataType_t type : kTypes) {
    SCOPED_TRACE(ElementName(type));
    for (const bool forward : {true, false}) {
      Call all = GetParam().Make(forward, shape + "batch=2,rois=24", type);
      for (int64_t r = 0; r < 24; ++r) all["rois"].Set(r * 5, r < 12 ? 0 : 1);
      ExpectSameBitsAlone(all, GetParam().Make(forward, shape + "batch=1,rois=12", type));
    }
  }
}

// Long sums are added up in another way than short ones, and channels that are not forward's may be as well. Both are a
// matter of one image: what is in the first does not change the bits of the second.
TEST_P(PsRoiPoolNeighbours, SameBitsBesideAnotherImage) {
  const std::string shape = "height=9,width=8,pooled=2,dim=5,scale=0.5,";
  for (const int64_t crowd : {1, 700}) {
    for (const int others : {0, 1, 2, 3}) {  // bit 0: other channels in the first image, bit 1: in the second
      SCOPED_TRACE(testing::Message() << crowd << " rois in the first image, other channels " << others);
      Call both = GetParam().Make(false, shape + "batch=2,rois=" + std::to_string(crowd + 60));
      for (int64_t r = 0; r < crowd + 60; ++r) {
        const int in_second = r < crowd ? 0 : 1;
        if (in_second == 0) SetRow(both, "rois", r, {0, 0, 0, 15, 17});
        both["rois"].Set(r * 5, in_second);
        if ((others >> in_second & 1) == 0) continue;
        for (int64_t c = 0; c < 20; ++c) both["mapping_channel"].Set(r * 20 + c, static_cast<double>((r + c * 7) % 20));
      }
      ExpectSameBitsAlone(both, GetParam().Make(false, shape + "batch=1,rois=60"));
    }
  }
}

}  // namespace
}  // namespace detops_test
