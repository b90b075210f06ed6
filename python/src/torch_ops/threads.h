// Which threads work on a call.
#ifndef DETOPS_PYTHON_SRC_TORCH_OPS_THREADS_H_
#define DETOPS_PYTHON_SRC_TORCH_OPS_THREADS_H_

#include "common/call.h"

namespace detops_torch {

// The number of threads torch would use here, and torch's own threads to do the work. Its workers stay awake for a
// while after each operator of torch, and so would the library's: two sets would take the cores from each other.
//
// torch keeps a set for every thread that calls, and none survives a fork. So one thread of the process gets torch's,
// the first that calls; all others share the set of the library, and so does the child of a fork.
detops_binding::Workers WorkersOfThisThread();

}  // namespace detops_torch

#endif  // DETOPS_PYTHON_SRC_TORCH_OPS_THREADS_H_
