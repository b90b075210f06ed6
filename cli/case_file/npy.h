// Reads NumPy's .npy files, as numpy.save writes them.
#ifndef DETOPS_CLI_CASE_FILE_NPY_H_
#define DETOPS_CLI_CASE_FILE_NPY_H_

#include <string_view>

#include "cases/case.h"

namespace detops_cli {

// Takes the elements of a .npy file (versions 1 to 3, little endian, C order) as the tensor's data. Type and shape must
// be the tensor's; bfloat16, which NumPy lacks, comes as 16-bit unsigned integers or as void of two bytes. Throws
// std::invalid_argument with the reason.
void ReadNpy(std::string_view content, HostTensor& tensor);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASE_FILE_NPY_H_
