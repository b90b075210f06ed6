// The same bits on every instruction set, and on a rulebook as on the pairs it was made of.
#include <string>

#include "properties/expect.h"

namespace detops_test {
namespace {

using detops_harness::PlacedCall;

void ExpectSameBits(const std::string& direction) {
  const detops_harness::Function& function = FunctionOf("detopsIndicePool" + direction);
  for (const detops_harness::Sample& sample : function.samples()) {
    for (const mluOpDataType_t type : function.full_types()) {
      SCOPED_TRACE(sample.shape + ", " + detops_harness::TypeName(type));
      PlacedCall on_pairs(CallOf("detopsIndicePool" + direction, sample.shape, type));
      PlacedCall on_rulebook(CallOf("detopsRulebookPool" + direction, sample.shape, type));
      std::string expected;
      ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
        for (PlacedCall* placed : {&on_pairs, &on_rulebook}) {
          placed->Reset(0xFF);
          ASSERT_EQ(placed->Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed->text();
          if (expected.empty()) expected = placed->Outputs();
          ASSERT_TRUE(placed->Outputs() == expected);
        }
      });
    }
  }
}

TEST(IndicePoolBits, Forward) { ExpectSameBits("Forward"); }
TEST(IndicePoolBits, Backward) { ExpectSameBits("Backward"); }

}  // namespace
}  // namespace detops_test
