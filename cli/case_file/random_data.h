// Random data of case files. The generator is part of the format: the same file gives the same values as elsewhere,
// where the C++ library is the same.
#ifndef DETOPS_CLI_CASE_FILE_RANDOM_DATA_H_
#define DETOPS_CLI_CASE_FILE_RANDOM_DATA_H_

#include <functional>

#include "case_file.pb.h"

namespace detops_cli {

// Calls `store` with `count` values, in order, not yet rounded to the tensor's type. `in_double`: drawn in double, as
// for tensors of that type; otherwise in float. Throws std::invalid_argument with the reason.
void GenerateRandom(const mluoptest::RandomData& random, bool in_double, int64_t count,
                    const std::function<void(double)>& store);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASE_FILE_RANDOM_DATA_H_
