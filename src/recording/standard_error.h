// One line on the standard error, without harm to the program.
#ifndef DETOPS_RECORDING_STANDARD_ERROR_H_
#define DETOPS_RECORDING_STANDARD_ERROR_H_

#include <cstddef>

namespace detops {

// Does nothing if descriptor 2 is something else than it was when the library was loaded, for a program that closes its
// standard error may get the number back for a file of its own; nor if nobody makes room for the line. Raises no
// signal.
void PrintToStandardError(const char* text, size_t size);

}  // namespace detops

#endif  // DETOPS_RECORDING_STANDARD_ERROR_H_
