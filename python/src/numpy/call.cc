#include "numpy/call.h"

#include <unistd.h>

#include <atomic>
#include <utility>

#include "numpy/arguments.h"

namespace detops_python {
namespace {

std::atomic<int> process_threads{0};

// Other Python threads run while this lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  // Not in a destructor: a daemon thread that comes back while Python ends is made to end by Python up to 3.13, which
  // unwinds its stack. That must not meet a function that lets nothing through, as nanobind's are. So it stays here for
  // as long as the process lives, as from Python 3.14 on.
  void End() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      for (;;) pause();
    }
  }

 private:
  PyThreadState* state_;
};

}  // namespace

void SetProcessThreads(int num_threads) { process_threads.store(num_threads, std::memory_order_relaxed); }

mluOpHandle_t Handle() {
  const int own_number = detops_binding::SettingsOfThisThread().num_threads;
  const int num_threads = own_number >= 0 ? own_number : process_threads.load(std::memory_order_relaxed);
  return detops_binding::Handle({.num_threads = num_threads});
}

NumpyCall::NumpyCall(const char* function, nb::handle out) : Binding(function) { AddOutput("out", out); }

NumpyCall::NumpyCall(const char* function, nb::handle out, size_t count) : Binding(function), count_(count) {
  const Argument argument = {function, "out"};
  for (size_t i = 0; i < count; ++i) slots_[i].name = "out[" + std::to_string(i) + "]";
  if (out.is_none()) return;
  if (!PyTuple_Check(out.ptr()) && !PyList_Check(out.ptr())) {
    argument.RefuseType("is not a tuple, expected " + std::to_string(count) + " arrays or None.");
  }
  const size_t given = nb::len(out);
  if (given != count) {
    argument.Refuse("has " + std::to_string(given) + " items, expected " + std::to_string(count) + ".");
  }
  for (size_t i = 0; i < count; ++i) slots_[i].out = nb::object(out[i]);
}

void NumpyCall::AddOutput(const char* name, nb::handle out) {
  slots_[count_].name = name;
  slots_[count_].out = nb::borrow(out);
  ++count_;
}

View NumpyCall::Keep(int result, Array array) {
  slots_[result].made.emplace(std::move(array));
  return slots_[result].made->view();
}

View NumpyCall::Output(int result, mluOpDataType_t type, std::span<const int64_t> shape) {
  const Slot& slot = slots_[result];
  return Keep(result, Array::Output(slot.out, {function(), slot.name.c_str()}, type, shape));
}

View NumpyCall::Room(int result, mluOpDataType_t type, std::span<const int64_t> shape) {
  const Slot& slot = slots_[result];
  return Keep(result, Array::Room(slot.out, {function(), slot.name.c_str()}, type, shape));
}

std::optional<int64_t> NumpyCall::RowsOfOut(int result) const {
  const Slot& slot = slots_[result];
  if (slot.out.is_none() || !nb::hasattr(slot.out, "shape")) return std::nullopt;
  const std::vector<int64_t> shape = Shape(slot.out.attr("shape"), {function(), slot.name.c_str()});
  return shape.empty() ? std::nullopt : std::optional(shape[0]);
}

nb::object NumpyCall::Result(int result) const {
  const Slot& slot = slots_[result];
  return slot.made.has_value() ? slot.made->object() : nb::none();
}

nb::object NumpyCall::FirstRows(int result, int64_t rows) const {
  const Slot& slot = slots_[result];
  if (!slot.made.has_value() || slot.made->view().extent(0) == rows) return Result(result);
  return nb::object(slot.made->object()[nb::slice(nb::int_(0), nb::int_(rows), nb::int_(1))]);
}

void NumpyCall::RunErased(ErasedWork work, const void* erased) {
  const mluOpHandle_t handle = Handle();
  Unlocked unlocked;
  const mluOpStatus_t status = work(erased, handle);
  unlocked.End();
  detops_binding::Check(status, handle, function());
}

}  // namespace detops_python
