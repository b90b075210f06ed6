#include "numpy/call.h"

#include <unistd.h>

#include <algorithm>
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

NumpyCall::NumpyCall(const Schema& schema, const nb::args& arguments) : Call(schema), arguments_(arguments) {
  const size_t first = schema.parameters().size();
  const size_t results = schema.results();
  if (arguments.size() < first) throw nb::type_error("detops: arguments are missing");
  if (arguments.size() == first) return;
  const nb::handle out = PyTuple_GetItem(arguments.ptr(), static_cast<Py_ssize_t>(first));
  if (results == 1) {
    slots_[0].out = out;
    if (arguments.size() == first + 1) return;
    slots_[1].name = "mapping_channel";
    slots_[1].out = PyTuple_GetItem(arguments.ptr(), static_cast<Py_ssize_t>(first + 1));
    return;
  }
  for (size_t i = 0; i < results; ++i) slots_[i].name.append("[").append(std::to_string(i)).append("]");
  if (out.is_none()) return;
  const Argument argument = {function(), "out"};
  if (!PyTuple_Check(out.ptr()) && !PyList_Check(out.ptr())) {
    argument.RefuseType("is not a tuple, expected " + std::to_string(results) + " arrays or None.");
  }
  const size_t given = nb::len(out);
  if (given != results) {
    argument.Refuse("has " + std::to_string(given) + " items, expected " + std::to_string(results) + ".");
  }
  // The list may change while others have the lock.
  held_ = nb::tuple(nb::borrow(out));
  for (size_t i = 0; i < results; ++i) slots_[i].out = PyTuple_GetItem(held_.ptr(), static_cast<Py_ssize_t>(i));
}

View NumpyCall::Keep(std::optional<Array>& place, Array array) {
  place.emplace(std::move(array));
  return place->view();
}

View NumpyCall::Numbers(const Parameter& parameter, const View* like) {
  return Keep(inputs_[parameter.place], Array::Numbers(Source(parameter), At(parameter), like));
}

View NumpyCall::Indices(const Parameter& parameter) {
  return Keep(inputs_[parameter.place], Array::Indices(Source(parameter), At(parameter)));
}

View NumpyCall::Integers(const Parameter& parameter) {
  return Keep(inputs_[parameter.place], Array::Integers(Source(parameter), At(parameter)));
}

int NumpyCall::Int32(const Parameter& parameter) { return Int32Of(Source(parameter), At(parameter)); }

int64_t NumpyCall::Int64(const Parameter& parameter) { return Int64Of(Source(parameter), At(parameter)); }

double NumpyCall::Real(const Parameter& parameter) { return DoubleOf(Source(parameter), At(parameter)); }

bool NumpyCall::Flag(const Parameter& parameter) { return BoolOf(Source(parameter), At(parameter)); }

std::string_view NumpyCall::Word(const Parameter& parameter) { return WordOf(Source(parameter), At(parameter)); }

void NumpyCall::PutInts(const Parameter& parameter, std::span<int> ints) {
  const std::vector<int> sizes = Sizes(Source(parameter), static_cast<int>(ints.size()), At(parameter));
  std::copy(sizes.begin(), sizes.end(), ints.begin());
}

std::vector<int> NumpyCall::Ints(const Parameter& parameter) { return Sizes(Source(parameter), At(parameter)); }

std::vector<int64_t> NumpyCall::Shape(const Parameter& parameter) {
  return detops_python::Shape(Source(parameter), At(parameter));
}

std::vector<double> NumpyCall::Reals(const Parameter& parameter) { return Doubles(Source(parameter), At(parameter)); }

std::vector<int64_t> NumpyCall::Counts(const Parameter& parameter) {
  return detops_python::Counts(Source(parameter), At(parameter));
}

View NumpyCall::Output(int result, mluOpDataType_t type, std::span<const int64_t> shape) {
  Slot& slot = slots_[result];
  return Keep(slot.made, Array::Output(slot.out, {function(), slot.name}, type, shape));
}

View NumpyCall::OutputAtLeast(int result, mluOpDataType_t type, std::initializer_list<int64_t> shape) {
  Slot& slot = slots_[result];
  return Keep(slot.made, Array::Room(slot.out, {function(), slot.name}, type, {shape.begin(), shape.size()}));
}

std::optional<int64_t> NumpyCall::RowsOfOut() const {
  const Slot& slot = slots_[0];
  if (slot.out.is_none() || !nb::hasattr(slot.out, "shape")) return std::nullopt;
  const std::vector<int64_t> shape = detops_python::Shape(slot.out.attr("shape"), {function(), slot.name});
  return shape.empty() ? std::nullopt : std::optional(shape[0]);
}

void NumpyCall::KeepRows(int result, int64_t rows) { slots_[result].rows = rows; }

void NumpyCall::AddNumbers(std::span<const int> numbers) {
  for (const int number : numbers) numbers_.append(number);
}

nb::object NumpyCall::Result(const Slot& slot) const {
  if (!slot.made.has_value()) return nb::none();
  const bool is_whole = slot.rows < 0 || slot.made->view().extent(0) == slot.rows;
  if (is_whole) return slot.made->object();
  return nb::object(slot.made->object()[nb::slice(nb::int_(0), nb::int_(slot.rows), nb::int_(1))]);
}

nb::object NumpyCall::Results() const {
  if (schema().results() == 1) return Result(slots_[0]);
  nb::list made;
  for (size_t i = 0; i < schema().results(); ++i) made.append(Result(slots_[i]));
  if (numbers_.size() > 0) made.append(numbers_);
  return made;
}

void NumpyCall::RunErased(ErasedWork work, const void* erased) {
  const mluOpHandle_t handle = Handle();
  Unlocked unlocked;
  mluOpStatus_t status = MLUOP_STATUS_SUCCESS;
  try {
    status = work(erased, handle);
  } catch (...) {  // There was no memory for a descriptor.
    unlocked.End();
    throw;
  }
  unlocked.End();
  detops_binding::Check(status, handle, function());
}

}  // namespace detops_python
