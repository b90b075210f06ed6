#include "ops/@room@/reference/reference.h"

#include "support/element.h"

namespace detops_reference {

std::vector<double> @Room@(mluOpDataType_t type, int64_t elements, const void* input, float factor) {
  std::vector<double> output;
  for (int64_t i = 0; i < elements; ++i) {
    output.push_back(detops_test::ReadElement(type, input, i) * static_cast<double>(factor));
  }
  return output;
}

}  // namespace detops_reference
