// Made-up runs for looking at reports and for testing them in a browser.
#ifndef DETOPS_CLI_REPORT_SAMPLE_RUN_H_
#define DETOPS_CLI_REPORT_SAMPLE_RUN_H_

#include <cstddef>

#include "run/result.h"

namespace detops_cli {

// `cases` cases of ten operators, all passed and most of them timed, like those of a small machine.
RunResultFile PassedSample(size_t cases);

// The same with something of everything that can go wrong.
RunResultFile FailedSample(size_t cases);

// One case that was judged and not timed.
RunResultFile UntimedSample();

// No case, interrupted.
RunResultFile EmptySample();

// Texts that could break out of the page, very long ones, and numbers at the end of their range.
RunResultFile HostileSample();

}  // namespace detops_cli

#endif  // DETOPS_CLI_REPORT_SAMPLE_RUN_H_
