// The shapes of convolutions: their keys, and those that are tested.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_CONTRACT_SAMPLES_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_CONTRACT_SAMPLES_H_

#include <string>
#include <vector>

#include "harness/function.h"
#include "ops/indice_convolution/contract/rules.h"

namespace detops_harness::indice_convolution {

struct Layout {
  mluOpTensorLayout_t layout;
  int rank;
};
// As the key "layout" says; throws ShapeError.
Layout LayoutNamed(const std::string& name);

std::vector<ShapeKey> KeysOf(const Kind& kind);
std::vector<Sample> SamplesOf(const Kind& kind);
std::vector<BenchmarkCase> BenchmarksOf(const Kind& kind);

}  // namespace detops_harness::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_CONTRACT_SAMPLES_H_
