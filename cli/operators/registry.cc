#include "registry.h"

#include <algorithm>
#include <array>

namespace detops_cli {

std::span<const Operator* const> AllOperators() {
  static const std::array<const Operator*, 10> all = {RoiAwarePool3dForward(),
                                                      RoiAwarePool3dBackward(),
                                                      PsRoiPoolForward(),
                                                      PsRoiPoolBackward(),
                                                      GetIndicePairs(),
                                                      IndiceConvolutionForward(),
                                                      IndiceConvolutionBackwardData(),
                                                      IndiceConvolutionBackwardFilter(),
                                                      RotatedFeatureAlignForward(),
                                                      RotatedFeatureAlignBackward()};
  return all;
}

const Operator* FindOperator(std::string_view name) {
  if (name == "get_indices_pairs") name = "get_indice_pairs";  // as the harness lists it
  const auto all = AllOperators();
  const auto found = std::find_if(all.begin(), all.end(), [name](const Operator* op) { return op->name() == name; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace detops_cli
