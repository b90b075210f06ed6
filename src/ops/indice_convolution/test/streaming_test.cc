// Results that are written past the caches: many rows of whole cache lines. A tensor that does not begin with a line
// gets its rows in the usual way, and must get the same ones.
#include <string>

#include "ops/indice_convolution/test/calls.h"

namespace detops_test {
namespace {

// From 8 MiB on; the last tile is not whole.
TEST(IndiceConvolutionStreaming, SameRowsWhereverTheyBegin) {
  for (const mluOpDataType_t type : kTypes) {
    const std::string shape = "sites=32769,outputs=32769,ci=2,filter=3x1x1,pairs=submanifold,activation=relu,co=";
    ExpectSameBitsOffTheCacheLines(CallOf(kFused, shape + std::to_string(256 / ElementSize(type)), type));
  }
}

}  // namespace
}  // namespace detops_test
