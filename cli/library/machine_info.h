// What the reports say about the machine and the library.
#ifndef DETOPS_CLI_LIBRARY_MACHINE_INFO_H_
#define DETOPS_CLI_LIBRARY_MACHINE_INFO_H_

#include "bench/machine.h"
#include "library/library.h"
#include "run/result.h"

namespace detops_cli {

// Bandwidth and peak with so many threads, of which more than there are cores would add nothing.
detops_bench::MachineLimits MeasureLimits(int threads);

// With `threads` > 0 bandwidth and peak are measured with so many threads, which takes some 20 ms.
MachineResult DescribeMachine(int threads);

LibraryResult DescribeLibrary(const Library& library);

// The cores that this process may use.
int Cores();

// The threads that a handle uses when asked for `wanted` (0: its own choice); all cores if the library does not tell.
int ThreadsOf(const Library& library, int wanted);

// "12.3 MiB"
std::string BytesText(int64_t bytes);

}  // namespace detops_cli

#endif  // DETOPS_CLI_LIBRARY_MACHINE_INFO_H_
