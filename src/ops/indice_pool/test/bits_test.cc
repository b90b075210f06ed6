// The same bits on every instruction set, and on a rulebook as on the pairs it was made of.
#include <string>

#include "ops/indice_pool/test/calls.h"

namespace detops_test {
namespace {

TEST(IndicePoolBits, OnEveryTargetAndOnARulebook) {
  for (const std::string direction : {"Forward", "Backward"}) {
    const detops_harness::Function& function = FunctionOf("detopsIndicePool" + direction);
    for (const detops_harness::Sample& sample : function.samples()) {
      for (const mluOpDataType_t type : kTypes) {
        SCOPED_TRACE(direction + " " + sample.shape);
        detops_harness::PlacedCall on_pairs(CallOf(function.name(), sample.shape, type));
        detops_harness::PlacedCall on_rulebook(CallOf("detopsRulebookPool" + direction, sample.shape, type));
        std::string expected;
        ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
          for (detops_harness::PlacedCall* placed : {&on_pairs, &on_rulebook}) {
            CarryOut(*placed, handle);
            if (expected.empty()) expected = placed->Outputs();
            ASSERT_TRUE(placed->Outputs() == expected);
          }
        });
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
