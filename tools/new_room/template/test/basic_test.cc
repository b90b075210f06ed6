// @room@ on numbers worked out by hand: the reference can share a misreading with the library, these cannot.
#include "properties/expect.h"

namespace detops_test {
namespace {

TEST(@Room@, ByHand) {
  detops_harness::Call call = CallOf("@function@", "rows=2,channels=2,factor=0.5");
  const double input[] = {1, -2, 0.25, 8}, output[] = {0.5, -1, 0.125, 4};
  for (int64_t i = 0; i < 4; ++i) call["input"].Set(i, input[i]);
  ExpectAgreementEverywhere(call, {}, [&](const detops_harness::Call& done) {
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(done["output"].Get(i), output[i]);
  });
}

}  // namespace
}  // namespace detops_test
