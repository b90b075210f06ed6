// The operators' only way out of their files.
#ifndef DETOPS_CLI_OPERATORS_REGISTRY_H_
#define DETOPS_CLI_OPERATORS_REGISTRY_H_

#include "operators/old_operator.h"

namespace detops_cli::old {

const Operator* IndiceConvolutionForward();
const Operator* IndiceConvolutionBackwardData();
const Operator* IndiceConvolutionBackwardFilter();
const Operator* GetIndicePairs();

}  // namespace detops_cli::old

#endif  // DETOPS_CLI_OPERATORS_REGISTRY_H_
