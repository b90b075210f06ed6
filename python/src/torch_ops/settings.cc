#include <utility>

#include "common/call.h"
#include "torch_ops/box.h"
#include "torch_ops/tensor.h"

namespace detops_torch {
namespace {

using detops_binding::SettingsOfThisThread;

// Python's context managers put back what these return.
int64_t SwapThreads(int64_t num_threads) {
  return std::exchange(SettingsOfThisThread().num_threads, static_cast<int>(num_threads));
}

bool SwapValueChecks(bool on) { return std::exchange(SettingsOfThisThread().value_checks, on); }

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(detops, library) {
  library.def("_swap_threads_of_this_thread(int num_threads) -> int");
  library.def("_swap_value_checks(bool on) -> bool");
}

STABLE_TORCH_LIBRARY_IMPL(detops, CompositeExplicitAutograd, library) {
  library.impl("_swap_threads_of_this_thread", &Box<&SwapThreads>::Call);
  library.impl("_swap_value_checks", &Box<&SwapValueChecks>::Call);
}

}  // namespace detops_torch
