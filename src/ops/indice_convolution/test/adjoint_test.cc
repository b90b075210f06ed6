// indice_convolution: both backward passes are the gradients of forward, shown without any reference. Forward is linear
// in its features and in its filters, so each gradient is the adjoint of a linear map.
#include <string>

#include "ops/indice_convolution/test/calls.h"

namespace detops_test {
namespace {

void ExpectAdjoints(const std::string& shape) {
  SCOPED_TRACE(shape);
  const auto call = [&](Way way) { return CallOf(NameOf(way), shape, MLUOP_DTYPE_DOUBLE); };
  for (const Way way : {Way::kBackwardData, Way::kBackwardFilter}) {
    const char* const argument = way == Way::kBackwardData ? "features" : "filters";
    // The other factor is positive too.
    Pass forward = {call(Way::kForward), argument, "features_out"};
    FillUniform(forward.call, way == Way::kBackwardData ? "filters" : "features", 0.5, 1, 3);
    ExpectAdjoint(forward, {call(way), "output_grad", NamesOf(way).target});
  }
}

TEST(IndiceConvolutionAdjoint, EveryKindOfList) {
  for (const std::string kind : kKinds) {
    for (const char* inverse : {"0", "1"}) {
      ExpectAdjoints("sites=203,outputs=170,ci=19,co=24,filter=3x1x3,pairs=" + kind + ",inverse=" + inverse);
    }
  }
}

TEST(IndiceConvolutionAdjoint, EveryLayout) {
  for (const std::string layout : kLayouts) {
    ExpectAdjoints("sites=90,outputs=101,ci=21,co=10,filter=2x3x2,pairs=crossed,layout=" + layout);
  }
}

TEST(IndiceConvolutionAdjoint, EveryNumberOfChannels) {
  constexpr int kChannels[] = {1, 2, 3, 4, 5, 8, 9, 16, 31, 64, 100};
  for (const int ci : kChannels) {
    for (const int co : kChannels) {
      ExpectAdjoints("sites=33,outputs=27,filter=1x1x3,pairs=shuffled,ci=" + std::to_string(ci) +
                     ",co=" + std::to_string(co));
    }
  }
}

}  // namespace
}  // namespace detops_test
